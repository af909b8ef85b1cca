"""Sinks and change feeds as a data source of Spark's: `spark.read.format("tidelog")`, and `spark.readStream` for feeds.

Spark calls this in Python workers of its own, where there is no JVM: files are read by `stores`, through pyarrow where they are
far away.  A sink is read in its current version, all of it, whatever is published meanwhile.  A feed is a file for each commit,
which appears with it: so the position of a stream is the number of a commit, and it gets each row once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from tidelog.errors import fail
from tidelog.files.text.json_values import from_json
from tidelog.pipeline.batch.versioned_folder import POINTER, read_current
from tidelog.pipeline.streaming.change_feed import ENDINGS
from tidelog.stores import Store, store_at
from tidelog.values import Value, from_python, text_of

_FEED = "batch bigint, update string, relation string, {}, change string, kind string"
_FACT = "fact string"
_OURS = ("batch", "update", "relation", "change", "kind")
_AS_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_FILES_A_TASK, _ROWS_AT_ONCE = 64, 10_000


@dataclass
class Files(InputPartition):
    """The files that a task reads."""

    names: tuple[str, ...]


class TidelogDataSource(DataSource):
    """A folder: a sink of a job, in Parquet, or the change feed of a stream.

    `spark.dataSource.register(TidelogDataSource)` makes it known.  The options of a feed are `relation`, whose facts alone are
    wanted, and `columns`, names and types of Spark's for its arguments: without them, a fact is a text of JSON.
    """

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._path = options.get("path", "")
        if not self._path:
            raise fail("TL060", "there is no folder to read", fix='give it: `spark.read.format("tidelog").load("out/feed")`')

    @classmethod
    def name(cls) -> str:
        """The format."""
        return "tidelog"

    def schema(self) -> StructType | str:
        """The columns of a sink, or those of a feed."""
        if _is_sink(self._path):
            return _Sink(self._path).schema()
        columns = self.options.get("columns")
        if columns and not self.options.get("relation"):
            raise fail("TL060", "`columns` are those of one relation", fix="say which one in the option `relation`")
        return _FEED.format(columns or _FACT)

    def reader(self, schema: StructType) -> DataSourceReader:
        """Reads all that is there now."""
        return _Sink(self._path) if _is_sink(self._path) else FeedReader(self._path, schema, self.options)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802  # as Spark calls it
        """Reads a feed, commit by commit."""
        if _is_sink(self._path):
            fix = "read the change feed of the stream that fills it (`feed` in `[stream]`)"
            raise fail("TL060", f"{self._path} is a sink, whose versions replace each other: it is no stream", fix=fix)
        return FeedStream(self._path, schema, self.options)


def _is_sink(path: str) -> bool:
    return store_at(path).read(POINTER) is not None


class _Sink(DataSourceReader):
    """The version of a sink that is current when it is first asked for."""

    def __init__(self, path: str) -> None:
        self._path, self._version = path, read_current(path)

    def _files(self) -> list[str]:
        files = [name for name in store_at(self._version).entries() if name.endswith(".parquet")]
        if not files:
            fix = f"`spark.read.format(…).load(read_current({self._path!r}))` reads any format that Spark knows, and partitions"
            raise fail("TL060", f"{self._path} has no Parquet files at its top", fix=fix)
        return files

    def schema(self) -> StructType:
        """As Spark wrote it, or as the types of Arrow say."""
        with store_at(self._version).opened(self._files()[0]) as file:
            found = pq.read_schema(file)
        written = (found.metadata or {}).get(_AS_SPARK)
        return StructType.fromJson(json.loads(written)) if written is not None else from_arrow_schema(found.remove_metadata())

    def partitions(self) -> Sequence[InputPartition]:
        """A task for each file."""
        return [Files((name,)) for name in self._files()]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of some files."""
        assert isinstance(partition, Files)
        store, expected = store_at(self._version), to_arrow_schema(self.schema())
        for name in partition.names:
            with store.opened(name) as file:
                for batch in pq.ParquetFile(file).iter_batches():
                    yield from pa.Table.from_batches([batch]).select(expected.names).cast(expected).to_batches()


class FeedReader(DataSourceReader):
    """The rows of some commits of a feed."""

    def __init__(self, path: str, schema: StructType, options: Mapping[str, str]) -> None:
        self._path, self._schema, self._relation = path, schema, options.get("relation")
        self._has_columns = "columns" in options
        if twice := [name for name in _OURS if schema.names.count(name) > 1]:
            fix = "call the argument something else in `columns`"
            raise fail("TL060", f"a column of the feed is called `{twice[0]}` already", fix=fix)

    def commits(self) -> dict[int, str]:
        """The files by the numbers of their commits, in order."""
        names = store_at(self._path).entries()
        found = {int(stem): name for name in names if (stem := name.partition(".")[0]).isdigit() and _ending(name)}
        if others := [name for name in names if name not in found.values() and not name.startswith(".")]:
            problem = f"{self._path} is neither a sink nor a change feed: {others[0]} is in it"
            raise fail("TL060", problem, fix="give the folder of a sink, or that of a feed")
        return dict(sorted(found.items()))

    def partitions(self) -> Sequence[InputPartition]:
        """Some files for each task."""
        return _parted(list(self.commits().values()))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of some files."""
        assert isinstance(partition, Files)
        store, expected = store_at(self._path), to_arrow_schema(self._schema)
        for name in partition.names:
            rows = (row for row in _rows(store, name) if self._relation in (None, row["relation"]))
            while some := list(islice(rows, _ROWS_AT_ONCE)):
                yield self._batch(some, expected)

    def _batch(self, rows: Sequence[dict[str, Any]], expected: pa.Schema) -> pa.RecordBatch:
        arguments = [name for name in expected.names if name not in _OURS]
        columns = []
        for field in expected:
            if field.name in _OURS:
                values = [row[field.name] for row in rows]
            elif not self._has_columns:
                values = [json.dumps(row["fact"], ensure_ascii=False) for row in rows]
            else:
                at, is_text = arguments.index(field.name), pa.types.is_string(field.type)
                found = [_argument(row["fact"], at, len(arguments)) for row in rows]
                values = [text_of(value) if is_text else value.content for value in found]
            columns.append(pa.array(values).cast(field.type))
        return pa.RecordBatch.from_arrays(columns, schema=expected)


class FeedStream(FeedReader, DataSourceStreamReader):
    """The same as a stream; a position is the last commit that has been read."""

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        """Before the first commit."""
        return {"commit": -1}

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:  # noqa: ARG002, N802
        """The last commit."""
        return {"commit": max(self.commits(), default=start["commit"] if start else -1)}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:  # type: ignore[override]
        """The files of the commits after one, until another."""
        return _parted([name for number, name in self.commits().items() if start["commit"] < number <= end["commit"]])


def _parted(names: Sequence[str]) -> list[InputPartition]:
    return [Files(tuple(names[at : at + _FILES_A_TASK])) for at in range(0, len(names), _FILES_A_TASK)]


def _ending(name: str) -> str:
    return next((ending for ending in ENDINGS.values() if name.endswith(ending)), "")


def _rows(store: Store, name: str) -> Iterator[dict[str, Any]]:
    with store.opened(name) as file:
        if _ending(name) == ENDINGS["json"]:
            yield from map(json.loads, file)
        else:
            for batch in pq.ParquetFile(file).iter_batches():
                yield from ({**row, "fact": json.loads(row["fact"])} for row in batch.to_pylist())


def _argument(fact: list[Any], at: int, arity: int) -> Value:
    if len(fact) != arity:
        raise fail(
            "TL060", f"a fact of the feed has {len(fact)} arguments, and `columns` has {arity}", fix="name as many columns"
        )
    return from_python(from_json(fact[at]))
