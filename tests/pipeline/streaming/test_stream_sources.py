"""Where the updates of a streaming job come from."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.pipeline.streaming.frames import Frame

from tidelog import TidelogError
from tidelog.pipeline.job.parts import StreamPart
from tidelog.pipeline.streaming.stream_sources import updates_from


def part(folder: Path | None) -> StreamPart:
    return StreamPart(None if folder is None else str(folder), "state", "broken")


def test_the_stream_of_a_job(tmp_path: Path) -> None:
    assert updates_from(part(tmp_path), None).kind == "folder"
    assert updates_from(part(None), Frame([], value="binary")).kind == "frame"  # type: ignore[arg-type]
    with pytest.raises(TidelogError, match="TL090: the job does not say where updates come from"):
        updates_from(part(None), None)
    with pytest.raises(TidelogError, match="TL060: there is no folder"):
        updates_from(part(tmp_path / "missing"), None)
