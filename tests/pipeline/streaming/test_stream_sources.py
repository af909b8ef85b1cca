"""Sources of a streaming job, with stand-ins for DataFrames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tidelog import TidelogError
from tidelog.pipeline.job.parts import StreamPart
from tidelog.pipeline.streaming.stream_sources import Arrivals, Arrived, FolderUpdates, FrameUpdates, query_id, updates_from
from tidelog.pipeline.streaming.stream_state import Commit

pytest.importorskip("pyspark")  # whose classes the source of a folder extends


class Frame:
    """A DataFrame, as far as a source looks at it."""

    def __init__(self, rows: list[Any], *, streaming: bool = True, **types: str) -> None:
        self.rows, self.isStreaming, self.dtypes = rows, streaming, list(types.items())

    def collect(self) -> list[Any]:
        return list(self.rows)


def part(folder: Path | None) -> StreamPart:
    return StreamPart(None if folder is None else str(folder), "state", "broken")


def frame_updates(**types: str) -> FrameUpdates:
    return FrameUpdates(Frame([], value="string", **types))  # type: ignore[arg-type]


def test_the_stream_of_a_job(tmp_path: Path) -> None:
    assert updates_from(part(tmp_path), None).kind == "folder"
    assert updates_from(part(None), Frame([], value="binary")).kind == "frame"  # type: ignore[arg-type]
    with pytest.raises(TidelogError, match="TL090: the job does not say where updates come from"):
        updates_from(part(None), None)
    with pytest.raises(TidelogError, match="TL060: there is no folder"):
        updates_from(part(tmp_path / "missing"), None)


def test_frames_that_are_refused() -> None:
    with pytest.raises(TidelogError, match="TL087: the DataFrame of updates is not a stream"):
        FrameUpdates(Frame([], streaming=False, value="string"))  # type: ignore[arg-type]
    with pytest.raises(TidelogError, match=r"TL087: .* needs a column `value`, string or binary, and has value: int"):
        FrameUpdates(Frame([], value="int"))  # type: ignore[arg-type]


def test_a_batch_of_a_frame_in_the_order_of_its_offsets() -> None:
    updates = frame_updates(partition="int", offset="bigint")
    rows = [
        {"value": "b", "partition": 1, "offset": 5},
        {"value": bytearray(b"a"), "partition": 0, "offset": 9},
        {"value": None, "partition": 1, "offset": 6},
    ]
    found = updates.arrivals(Frame(rows), 7, "q", Commit()).updates  # type: ignore[arg-type]
    assert [(one.place, one.text) for one in found] == [("0:9", b"a"), ("1:5", "b"), ("1:6", None)]
    assert found[2].problem == "TL076: there is no value, so this is not an update"


def test_what_is_committed_of_a_frame_is_skipped() -> None:
    rows = Frame([{"value": str(number)} for number in range(3)])
    last = Commit(query="q", batch=7, rows=2)
    batches = [frame_updates().arrivals(rows, number, query, last) for number, query in ((6, "q"), (7, "q"), (8, "q"), (7, "r"))]  # type: ignore[arg-type]
    assert [[one.text for one in batch.updates] for batch in batches] == [[], ["2"], ["0", "1", "2"], ["0", "1", "2"]]
    assert batches[1].done == 2
    assert batches[1].updates[0].place == "batch 7:3"


def test_a_batch_of_a_folder_after_the_last_commit(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl", "c.jsonl"):
        (tmp_path / name).write_text('{"id": 1}\n', encoding="utf-8")
    rows = [("b.jsonl", 1, "2", None, False), ("a.jsonl", 2, "1", None, False), ("a.jsonl", 1, "0", None, False)]
    frame = Frame([*rows, ("b.jsonl", 2, "3", None, True)])
    found = FolderUpdates(part(tmp_path)).arrivals(frame, 0, "q", Commit(file="a.jsonl", line=1))  # type: ignore[arg-type]
    assert [one.place for one in found.updates] == ["a.jsonl:2", "b.jsonl:1"]
    assert (found.ahead, found.behind) == (Arrived("b.jsonl", 2, "3"), 2)
    assert [found.seen(name) for name in ("a.jsonl", "b.jsonl", "z.jsonl")] == [1, 2, 3]
    assert Arrivals([]).seen("a.jsonl") == -1


def test_a_folder_is_over_behind_its_last_update(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": 1}\n\n{"id": 2}\n', encoding="utf-8")
    updates = FolderUpdates(part(tmp_path))
    assert [updates.is_over(Commit(file="a.jsonl", line=line)) for line in (1, 3)] == [False, True]
    assert not frame_updates().is_over(Commit())


def test_a_file_that_came_late(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("", encoding="utf-8")
    updates = FolderUpdates(part(tmp_path))
    updates.check(Commit(source="folder", file="b.jsonl", seen=2), tmp_path)
    with pytest.raises(TidelogError, match=r"TL077: a file came late to .*: b.jsonl has been read already"):
        updates.check(Commit(source="folder", file="b.jsonl", seen=1), tmp_path)


def test_another_kind_of_stream_or_another_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL077: the updates came from a frame before, and come from a folder now"):
        FolderUpdates(part(tmp_path)).check(Commit(source="frame"), tmp_path)
    assert query_id(tmp_path) is None
    (tmp_path / "metadata").write_text(json.dumps({"id": "q"}), encoding="utf-8")
    assert query_id(tmp_path) == "q"
    frame_updates().check(Commit(query="q"), tmp_path)
    with pytest.raises(TidelogError, match=r"TL077: .* is not the checkpoint of the last commit"):
        frame_updates().check(Commit(query="r"), tmp_path)
