"""The updates of a streaming job: a folder of files, or any streaming DataFrame with a column `value`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tidelog.errors import fail
from tidelog.pipeline.job.parts import StreamPart
from tidelog.pipeline.streaming.folder_updates import FolderUpdates
from tidelog.pipeline.streaming.frame_updates import FrameUpdates
from tidelog.stores import Store, store_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

UpdateStream = FolderUpdates | FrameUpdates


def updates_from(part: StreamPart, frame: DataFrame | None, store_of: Callable[[str], Store] = store_at) -> UpdateStream:
    """The stream of a job: the given DataFrame, or the job's folder."""
    if frame is not None:
        return FrameUpdates(frame)
    if part.folder is None:
        fix = "add `folder` to `[stream]`, or call `stream_job` with `updates`, a streaming DataFrame"
        raise fail("TL090", "the job does not say where updates come from", fix=fix)
    return FolderUpdates(store_of(part.folder), part.folder, part.updates)
