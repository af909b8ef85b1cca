"""Streaming DataFrames of updates, with stand-ins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.pipeline.streaming.frames import Frame

from tidelog import TidelogError
from tidelog.pipeline.streaming.frame_updates import FrameUpdates
from tidelog.pipeline.streaming.stream_state import Commit
from tidelog.stores.local import LocalStore


def frame_updates(**types: str) -> FrameUpdates:
    return FrameUpdates(Frame([], value="string", **types))  # type: ignore[arg-type]


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


def test_another_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "checkpoint").mkdir()
    (tmp_path / "checkpoint/metadata").write_text(json.dumps({"id": "q"}), encoding="utf-8")
    frame_updates().check(Commit(query="q"), LocalStore(tmp_path))
    with pytest.raises(TidelogError, match=r"TL077: .* is not the checkpoint of the last commit"):
        frame_updates().check(Commit(query="r"), LocalStore(tmp_path))
