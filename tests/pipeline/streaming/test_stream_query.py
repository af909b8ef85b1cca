"""What Spark says of a query that failed, as one sentence."""

from __future__ import annotations

import pytest

from tidelog.pipeline.streaming.stream_query import stream_failure


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
