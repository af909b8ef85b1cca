"""Sources that know the types of their columns: Parquet, tables, DataFrames of Spark; and tables in this process's memory."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tidelog.errors import TidelogError
from tidelog.files.fitting import fit_cells
from tidelog.files.raw import RawTable
from tidelog.files.tables import read_object
from tidelog.spark.ingest.fitting import Plan, fit_rows, rejects_only
from tidelog.spark.ingest.ingested import Ingested, Target, keep
from tidelog.spark.ingest.rejects import record_of
from tidelog.spark.ingest.sources import Files, located, read_errors_explained
from tidelog.spark.session.private_session import is_connect
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_FILE = "tidelog file"
CORRUPT = "tidelog corrupt"
"""The line of a file that has another number of cells than the others."""


def ingest_frame(target: Target, frame: Any, source: str, described: str, where: str | None = None) -> Ingested:
    """A DataFrame of Spark, of this session or of another one of the same Spark; `where` is a condition on its rows."""
    with read_errors_explained(source):
        frame = with_defaults(target, frame if where is None else frame.where(where))
        names = tuple(frame.columns)
        types = frame.limit(0).toArrow().schema.types
    return _ingest(target, frame, names, types, source, described, {})


def ingest_parquet(target: Target, files: Files, options: dict[str, str], where: str | None = None) -> Ingested:
    """Files of Parquet; a rejected row knows its file."""
    from pyspark.sql import functions as f

    with read_errors_explained(files.given):
        frame = target.spark.read.options(**options).parquet(located(files.given))
        file = f.xxhash64(f.col("_metadata.file_path")).alias(_FILE)
        kept = with_defaults(target, (frame if where is None else frame.where(where)).select("*", file))
        plain = kept.drop(_FILE)
        names = tuple(plain.columns)
        types = plain.limit(0).toArrow().schema.types
        with_file = kept.select(*(f.col(f"`{name}`") for name in names), _FILE)
    return _ingest(target, with_file, names, types, files.given, files.described, files.names)


def ingest_text_frame(target: Target, frame: DataFrame, files: Files) -> Ingested:
    """Rows of texts, whose last two columns are a line that could not be split, and the file."""
    from pyspark.sql import functions as f

    corrupt, file = frame.columns[-2:]
    kept = with_defaults(target, frame.withColumnRenamed(file, _FILE).withColumnRenamed(corrupt, CORRUPT))
    names = tuple(name for name in kept.columns if name not in (_FILE, CORRUPT))
    empty = tuple(pa.chunked_array([pa.array([], pa.string())]) for _ in names)
    table = RawTable(files.given, f"{files.described}, by Spark", names, empty, 0, lambda _: [], is_text=True)
    chosen, plan = target.plan(table, [Kind.STRING] * len(names))
    plain = kept.select(*(f.col(f"`{name}`") for name in (*names, _FILE, CORRUPT)))
    plain = plain.toDF(*(f"c{at}" for at in range(len(names))), _FILE, CORRUPT)
    task = partial(_rows, plan=plan, names=names, source=files.given, files=files.names)
    found = keep(plain.mapInArrow(task, plan.schema), chosen, plan, target.rejects, target.lineage)
    assert found is not None
    return found


def with_defaults(target: Target, frame: DataFrame) -> DataFrame:
    """A frame with columns that it has not, if they have a default: files may be older than a column."""
    from pyspark.sql import functions as f

    there = {name.lower() for name in frame.columns}
    known = there | {meant.lower() for given, meant in target.columns.items() if given.lower() in there}
    relation = target.relation
    wanted = [column.name for column in relation.columns or ()] if relation is not None else []
    goes_by_name = any(name.lower() in known for name in wanted)
    absent = [name for name in wanted if goes_by_name and name in target.defaults and name.lower() not in known]
    return frame.select("*", *(f.lit(None).cast("string").alias(name) for name in absent)) if absent else frame


def ingest_local(target: Target, source: object) -> Ingested:
    """A table or data frame in this process."""
    table = read_object(source)
    chosen, plan = target.plan(table, [None if isinstance(cells, list) else _kind(cells) for cells in table.columns])

    def record(row: int, column: str | None, reason: str) -> str:
        cells = [cells[row] if isinstance(cells, list) else cells[row].as_py() for cells in table.columns]
        names = table.names or tuple(str(at + 1) for at in range(len(cells)))
        return record_of(f"{table.source}, row {row + 1}", None, column, reason, _as_json(dict(zip(names, cells, strict=True))))

    batch = fit_rows(table, plan, record)
    frame = target.spark.createDataFrame(pa.Table.from_batches([batch]))
    found = keep(frame, chosen, plan, target.rejects, target.lineage)
    assert found is not None
    return found


def _ingest(
    target: Target,
    frame: DataFrame,
    names: tuple[str, ...],
    types: list[pa.DataType],
    source: str,
    described: str,
    files: dict[int, str],
) -> Ingested:
    """The rows of a frame whose first columns have these names and types; one more may tell the file."""
    from pyspark.sql import functions as f

    empty = tuple(pa.chunked_array([pa.array([], kind)]) for kind in types)
    table = RawTable(source, described, names, empty, 0, lambda _: [])
    if not names:
        return target.nothing(table)
    chosen, plan = target.plan(table, [_kind(cells) for cells in empty])
    for at, label in zip(plan.matched.positions, plan.matched.labels, strict=True):
        fit_cells(empty[at], None, source, label)  # a type that the language does not have is an error here and now
    plain = frame.toDF(*(f"c{at}" for at in range(len(frame.columns))))
    if len(frame.columns) > len(names):
        plain = plain.withColumnRenamed(f"c{len(names)}", _FILE)
    else:
        plain = plain.withColumn(_FILE, f.lit(0).cast("long"))
    task = partial(_rows, plan=plan, names=names, source=source, files=files)
    with _in_session(target.spark, plain.mapInArrow(task, plan.schema), plan.schema) as here:
        found = keep(here, chosen, plan, target.rejects, target.lineage)
    assert found is not None
    return found


@contextmanager
def _in_session(spark: SparkSession, frame: DataFrame, schema: str) -> Iterator[DataFrame]:
    """A frame of another session of the same Spark as one of this session, until it is computed."""
    if frame.sparkSession is spark:
        yield frame
    elif not is_connect(spark):
        yield spark.createDataFrame([], schema).union(frame)
    else:
        name = f"tidelog_{uuid.uuid4().hex}"
        frame.createGlobalTempView(name)
        try:
            yield spark.table(f"global_temp.{name}")
        finally:
            frame.sparkSession.catalog.dropGlobalTempView(name)


def _rows(
    batches: Iterator[pa.RecordBatch], plan: Plan, names: tuple[str, ...], source: str, files: dict[int, str]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        columns = tuple(pa.chunked_array([column]) for column in batch.columns[: len(names)])
        if CORRUPT in batch.schema.names:
            lines = batch.column(batch.schema.names.index(CORRUPT))
            if lines.null_count < len(lines):
                bad = batch.filter(lines.is_valid())
                yield rejects_only(len(plan.kinds), [_corrupt(bad, row, len(names), files, source) for row in range(len(bad))])
                batch = batch.filter(lines.is_null())  # noqa: PLW2901
                columns = tuple(pa.chunked_array([column]) for column in batch.columns[: len(names)])
        table = RawTable(source, "", names, columns, batch.num_rows, lambda _: [], plan.is_text)

        def record(row: int, column: str | None, reason: str, batch: pa.RecordBatch = batch) -> str:
            cells = {name: batch.column(at)[row].as_py() for at, name in enumerate(names)}
            file = files.get(batch.column(len(names))[row].as_py(), source)
            return record_of(file, None, column, reason, _as_json(cells))

        yield fit_rows(table, plan, record)


def _corrupt(batch: pa.RecordBatch, row: int, width: int, files: dict[int, str], source: str) -> str:
    file = files.get(batch.column(width)[row].as_py(), source)
    return record_of(file, None, None, "has another number of cells than the first line", batch.column(width + 1)[row].as_py())


def _kind(cells: pa.ChunkedArray) -> Kind | None:
    """The kind of a column by its type alone; None if its cells have to be seen."""
    if pa.types.is_struct(cells.type) or pa.types.is_null(cells.type):
        return None
    try:
        return fit_cells(cells, None, "", "").kind
    except TidelogError:
        return None


def _as_json(cells: dict[str, object]) -> str:
    return json.dumps(cells, ensure_ascii=False, default=str)
