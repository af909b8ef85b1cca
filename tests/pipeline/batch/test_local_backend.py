"""The local engine as a job sees it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.jobs import JOB, job_from, prepare

from tidelog.errors import TidelogError
from tidelog.pipeline.batch.local_backend import LocalBackend
from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.job.parts import SinkPart


@pytest.fixture
def backend(tmp_path: Path) -> LocalBackend:
    prepare(tmp_path, edges="src,dst\na,b\nb,c\nc,d\n")
    job = job_from(tmp_path, JOB + "modules = false\n")
    engine = LocalBackend(job)
    assert engine.load(job.sources[0], RejectLog(str(tmp_path / "rejects"), "r", 0)).rows == 3
    return engine


def test_counts_placements_and_rounds(backend: LocalBackend) -> None:
    assert (backend.count("edge"), backend.count("path")) == (3, 6)
    (placed,) = backend.placements()
    assert (placed.relations, placed.where, placed.facts) == (("path",), "kernel", 6)
    rounds = backend.rounds()
    assert [one.number for one in rounds] == sorted({one.number for one in rounds})
    assert sum(one.new_facts for one in rounds) == 6
    assert placed.rounds == rounds[-1].number > 1


def test_a_folder_is_one_file(backend: LocalBackend, tmp_path: Path) -> None:
    backend.write_folder(SinkPart("path", format="json"), str(tmp_path / "out"))
    assert len((tmp_path / "out/part-00000.json").read_text(encoding="utf-8").splitlines()) == 6
    with pytest.raises(TidelogError, match=r"TL091.*table t"):
        backend.write_table(SinkPart("path", table="t"))


def test_errors_other_than_rows_that_do_not_fit_are_raised(tmp_path: Path) -> None:
    prepare(tmp_path, edges="one\n1\n")
    job = job_from(tmp_path, JOB)
    with pytest.raises(TidelogError, match="TL081"):
        LocalBackend(job).load(job.sources[0], RejectLog(str(tmp_path / "rejects"), "r", 9))
