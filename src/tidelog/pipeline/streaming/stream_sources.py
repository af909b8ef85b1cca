"""The updates of a streaming job: a folder of files, or any streaming DataFrame with a column `value`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.job.parts import StreamPart
from tidelog.pipeline.streaming.folder_updates import FolderUpdates
from tidelog.pipeline.streaming.frame_updates import FrameUpdates
from tidelog.redaction import with_variables, without_secrets
from tidelog.stores import Store, store_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

UpdateStream = FolderUpdates | FrameUpdates


def updates_from(
    part: StreamPart,
    frame: DataFrame | None,
    store_of: Callable[[str], Store] = store_at,
    session: Callable[[], SparkSession] | None = None,
) -> UpdateStream:
    """The stream of a job: the given DataFrame, a source of Spark's, which takes a session, or the job's folder."""
    if frame is not None:
        return FrameUpdates(frame)
    if part.format is not None and session is not None:
        return FrameUpdates(_stream_of(part, part.format, session()))
    if part.folder is None:
        fix = "add `folder` or `format` to `[stream]`, or call `stream_job` with `updates`, a streaming DataFrame"
        raise fail("TL090", "the job does not say where updates come from", fix=fix)
    return FolderUpdates(store_of(part.folder), part.folder, part.updates)


def _stream_of(part: StreamPart, form: str, spark: SparkSession) -> DataFrame:
    """A stream of one of Spark's sources."""
    from tidelog.spark.ingest.sources import read_errors_explained

    options = with_variables(part.options)
    if form == "kafka":
        options = {"maxOffsetsPerTrigger": str(part.updates), **options}
    try:
        with read_errors_explained(f"the stream of {form}"):
            return spark.readStream.format(form).options(**options).load()
    except TidelogError as error:
        raise without_secrets(error, part.options) from None
