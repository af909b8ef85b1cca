"""Updates that have arrived."""

from __future__ import annotations

import pytest

from tidelog import TidelogError
from tidelog.pipeline.streaming.arrivals import Arrivals, Arrived, check_kind
from tidelog.pipeline.streaming.stream_state import Commit


def test_places_and_files() -> None:
    assert Arrived("a.jsonl", 3, "{}").place == "a.jsonl:3"
    found = Arrivals([], files=("a", "b", "c"))
    assert [found.seen(name) for name in ("a", "b", "z")] == [1, 2, 3]
    assert Arrivals([]).seen("a.jsonl") == -1


def test_another_kind_of_stream() -> None:
    check_kind("folder", Commit())
    check_kind("folder", Commit(source="folder"))
    with pytest.raises(TidelogError, match="TL077: the updates came from a frame before, and come from a folder now"):
        check_kind("folder", Commit(source="frame"))
