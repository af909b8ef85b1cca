"""What Spark says of a query that failed, as one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.pipeline.streaming.stream_query import query_id, stream_failure
from tidelog.stores.local import LocalStore


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("py4j.Py4JException: raised\nOSError: no space left\n\tat py4j.Protocol", "no space left"),
        ("line\nerror TL086: rows were lost", "TL086: rows were lost"),
        ("only this", "only this"),
        ("", "Spark gives no reason"),
    ],
)
def test_the_last_error_is_the_cause(said: str, shown: str) -> None:
    (problem,) = stream_failure(said).diagnostics
    assert (problem.code, problem.message) == ("TL095", f"the stream failed: {shown}")
    assert problem.fix == "start the job again: it resumes after the last commit"


def test_the_id_of_a_query_is_in_its_checkpoint(tmp_path: Path) -> None:
    assert query_id(LocalStore(tmp_path)) is None
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint/metadata").write_text('{"id": "q"}', encoding="utf-8")
    assert query_id(LocalStore(tmp_path)) == "q"
