"""A folder of updates, batch by batch."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tidelog import TidelogError
from tidelog.errors import fail
from tidelog.pipeline.streaming.arrivals import Arrivals, Arrived
from tidelog.pipeline.streaming.folder_updates import FolderUpdates
from tidelog.pipeline.streaming.stream_query import StoppedError
from tidelog.pipeline.streaming.stream_state import Commit
from tidelog.stores.local import LocalStore


def updates_of(folder: Path, updates: int = 2) -> FolderUpdates:
    return FolderUpdates(LocalStore(folder), str(folder), updates)


def test_a_batch_after_the_last_commit(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
        (tmp_path / name).write_text("{}\n[]\n", encoding="utf-8")
    found = updates_of(tmp_path).arrivals(Commit(file="a.jsonl", line=1), is_final=False)
    assert [one.place for one in found.updates] == ["a.jsonl:2", "b.jsonl:1"]
    assert (found.ahead, found.behind) == (Arrived("b.jsonl", 2, "[]"), 2)
    assert found.seen("b.jsonl") == 2


def test_a_file_that_came_late(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).write_text("", encoding="utf-8")
        time.sleep(0.05)  # the clock of files is coarse
    store = LocalStore(tmp_path)
    updates_of(tmp_path).check(Commit(source="folder", file="b.jsonl", seen=2), store)
    with pytest.raises(TidelogError, match=r"TL077: a file came late to .*most probably a.jsonl: b.jsonl has been read already"):
        updates_of(tmp_path).check(Commit(source="folder", file="b.jsonl", seen=1), store)
    with pytest.raises(TidelogError, match="TL077: the updates came from a frame before"):
        updates_of(tmp_path).check(Commit(source="frame"), store)
    with pytest.raises(TidelogError, match="TL060: there is no folder"):
        updates_of(tmp_path / "missing")


@pytest.mark.parametrize(
    ("raised", "said"),
    [(None, None), (StoppedError(), None), (fail("TL086", "lost"), "TL086"), (OSError("full"), "TL095: the stream failed: full")],
)
def test_a_query_follows_the_folder(tmp_path: Path, raised: Exception | None, said: str | None) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n" * 5, encoding="utf-8")
    last, batches = Commit(batch=7), list[Any]()

    def process(arrivals: Arrivals, number: int) -> None:
        nonlocal last
        batches.append((number, len(arrivals.updates)))
        if raised is not None and len(batches) == 2:
            raise raised
        last = replace(last, file=arrivals.updates[-1].file, line=arrivals.updates[-1].line)

    query: Any = updates_of(tmp_path).query(lambda: last, process, LocalStore(tmp_path))
    error = query.run(None, lambda: False, once=True)
    assert batches == ([(8, 2), (9, 2), (10, 1)] if raised is None else [(8, 2), (9, 2)])
    assert (error is None) if said is None else (said in str(error))
    query.run(None, lambda: True, once=False)
