"""A folder of update files as a stream of Spark's: in the order of names and lines, so many updates a batch.

An offset says which update was the last one, and which one is waiting behind it. So what a batch sees, the look ahead included,
is the same when it is done again. Files are taken to be whole when they have their names, as in `streams.lines`.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxRows
from pyspark.sql.types import StructType

from tidelog.errors import TidelogError, fail
from tidelog.streams.lines import is_whole, lines_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEMA = "file string, line int, text string, problem string, is_ahead boolean"
"""An update of a file, or what is wrong with the file; the last row of a batch may be one to look ahead to."""
Position = tuple[str, int]
"""A file and a line."""
Entry = tuple[str, int, str | None, str | None]
_SLACK = 1 << 30


class UpdateFolder(DataSource):
    """The source `tidelog_updates`, with the options `path` and `updates`."""

    @classmethod
    def name(cls) -> str:
        """What `format` is given."""
        return "tidelog_updates"

    def schema(self) -> str:
        """See `SCHEMA`."""
        return SCHEMA

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802
        """The reader of the stream."""
        del schema
        return _Reader(Path(self.options["path"]), int(self.options.get("updates", "100")))


def updates_of(spark: SparkSession, folder: str, updates: int) -> DataFrame:
    """The stream of a folder's updates, so many a batch at most; see `SCHEMA`."""
    # With streams of several sessions, one after the other, Spark finds the source of one before (4.3): hence a name of its own.
    name = f"tidelog_updates_{uuid.uuid4().hex}"
    source = type("NamedUpdateFolder", (UpdateFolder,), {"name": classmethod(lambda _: name)})
    spark.dataSource.register(source)
    return spark.readStream.format(name).option("path", folder).option("updates", updates).load()


class _Range(InputPartition):
    def __init__(self, start: Position, end: Position, ahead: Position | None, updates: int) -> None:
        super().__init__(None)
        self.start, self.end, self.ahead, self.updates = start, end, ahead, updates


class _Reader(DataSourceStreamReader):
    def __init__(self, folder: Path, updates: int) -> None:
        self._folder, self._updates = folder, updates

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Before the first update."""
        return {"file": "", "line": 0, "files": 0, "updates": 0, "ahead": None}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """So many updates a batch."""
        return ReadMaxRows(self._updates)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The end of the next batch, and what waits behind it."""
        most = _SLACK if isinstance(limit, ReadAllAvailable) else self._updates
        names = update_files(self._folder)
        done = sum(name <= start["file"] for name in names)
        if done > start["files"]:
            fix = "give new files names that sort behind those that are there, such as the time"
            raise fail("TL077", f"a file came late to {self._folder}: {start['file']} has been read already", fix=fix)
        found = list(islice(entries(self._folder, (start["file"], start["line"]), names), most + 1))
        if not found:
            return start
        taken, ahead = found[:most], found[most:]
        file, line = taken[-1][:2]
        files = sum(name <= file for name in names)
        updates = start["updates"] + len(taken)
        return {"file": file, "line": line, "files": files, "updates": updates, "ahead": [*ahead[0][:2]] if ahead else None}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """One, since updates have an order."""
        ahead = end["ahead"]
        updates = end["updates"] - start["updates"]
        return [_Range((start["file"], start["line"]), (end["file"], end["line"]), tuple(ahead) if ahead else None, updates)]

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """The updates of a batch, and the one ahead; an error if they are not those that the batch was planned with."""
        assert isinstance(partition, _Range)
        count = 0
        for entry in entries(self._folder, partition.start):
            position = entry[:2]
            if position > partition.end:
                if position == partition.ahead:
                    yield *entry, True
                break
            count += 1
            yield *entry, False
        if count != partition.updates:
            fix = "leave files as they are once they have their names, and start the job again"
            raise fail("TL077", f"files in {self._folder} have changed while they were read", fix=fix)

    def commit(self, end: dict[str, Any]) -> None:
        """The files stay, whoever put them there."""

    def stop(self) -> None:
        """Nothing is open."""


def update_files(folder: Path) -> list[str]:
    """The names of the files of updates, in order."""
    try:
        with os.scandir(folder) as found:
            return sorted(entry.name for entry in found if is_whole(entry))
    except OSError as error:
        raise fail("TL060", f"cannot read {folder}: {error.strerror or error}", fix="check the path") from error


def entries(folder: Path, after: Position, names: Sequence[str] | None = None) -> Iterator[Entry]:
    """The updates behind a position; a file that is damaged is one entry that says why."""
    for name in update_files(folder) if names is None else names:
        if name < after[0]:
            continue
        try:
            lines = lines_of(folder / name)
        except TidelogError as error:
            if error.diagnostics[0].code == "TL060":
                raise  # it may be readable again
            lines = []
            if (name, 1) > after:
                yield name, 1, None, f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"
        for number, line in lines:
            if (name, number) > after:
                yield name, number, line.decode(errors="replace"), _encoding(line)


def _encoding(line: bytes) -> str | None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return f"TL061: this is not UTF-8 text: byte {error.start + 1} cannot be decoded"
    return None
