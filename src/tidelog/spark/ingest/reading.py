"""The entry point: facts of one relation from a file, a folder, a table or a DataFrame, each read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING

from tidelog.errors import fail
from tidelog.files.text.delimited import Header
from tidelog.program.relations import Relation
from tidelog.spark.ingest import sources
from tidelog.spark.ingest.ingested import Ingested, Target
from tidelog.spark.ingest.rejects import Rejects
from tidelog.spark.ingest.spark_csv import ingest_csv, is_for_spark
from tidelog.spark.ingest.tables import ingest_frame, ingest_local, ingest_parquet
from tidelog.spark.ingest.text.texts import TextReader
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """How a source is read; the defaults leave every decision to the source itself."""

    format: str | None = None
    """A format of Tidelog's own, or (`jdbc`, `delta`, `iceberg`, …) one of Spark's readers."""
    header: Header = "auto"
    options: Mapping[str, str] = field(default_factory=dict)
    """For the reader of the format."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """From names of the source's columns to those of the relation."""
    defaults: Mapping[str | int, object] = field(default_factory=dict)
    """Values for empty cells, by column; also for columns that the source does not have."""
    where: str | None = None
    """A condition in Spark's SQL on the source's columns; Spark reads no more than it has to."""


AS_IT_IS = SourceOptions()


def ingest(
    spark: SparkSession,
    source: object,
    name: str,
    relation: Relation | None = None,
    how: SourceOptions = AS_IT_IS,
    *,
    rejects: Rejects | None = None,
    lineage: Lineage | None = None,
    tables: SparkSession | None = None,
) -> Ingested:
    """The facts of the relation `name` from a source, as keys.

    `source` is a path, folder or glob (CSV, TSV, `.facts`, JSON Lines, N-Triples, Turtle, each also with `.gz`; Parquet), the
    name of a table of Spark's, a DataFrame of Spark, pandas or polars, or an Arrow table. Columns, types, headers and defaults
    are as in `tidelog.files.reading.read`, over all files of the source together.

    Rows that do not fit go to `rejects`, which raises an error if they are too many. Table names are looked up in the session
    `tables`, or else in `spark`, to which the result belongs.
    """
    rejects = rejects if rejects is not None else Rejects()
    lineage = lineage if lineage is not None else Lineage(spark, "local")
    options = dict(how.options)
    target = Target(spark, name, relation, dict(how.columns), dict(how.defaults), rejects, lineage)
    if sources.is_frame(source):
        return ingest_frame(target, source, "a Spark DataFrame", "spark", how.where)
    if source is not None and not isinstance(source, str | PathLike):
        _refuse_where(how, "a table in this process")
        return ingest_local(target, source)
    if (
        (how.format is not None and sources.format_named(how.format) is None)
        or source is None
        or not sources.is_path(source, how.format)
    ):
        frame = sources.read_table(tables or spark, source, how.format, options)
        shown = str(source) if source is not None else f"a source of {how.format}"
        return ingest_frame(target, frame, shown, how.format or "table", how.where)
    files = sources.list_files(spark, source, how.format)
    if files.format in sources.RDF_FORMATS:
        from tidelog.spark.ingest.rdf.triples import ingest_rdf

        _refuse_where(how, files.format)
        sources.check_options(options, ("base",), files.format)
        facts = ingest_rdf(spark, files, options=options, rejects=rejects, lineage=lineage)
        return facts.ingested(relation or Relation(name, facts.arity_of(name)), rejects=rejects)
    if files.format is sources.Format.PARQUET:
        return ingest_parquet(target, files, options, how.where)
    if is_for_spark(files, options, how.where):
        return ingest_csv(target, files, how.header, options, how.where)
    _refuse_where(how, files.format)
    return TextReader(target, files, how.header, options).read()


def _refuse_where(how: SourceOptions, what: str) -> None:
    if how.where is not None:
        fix = "it works for CSV, TSV, Parquet, ORC, tables and DataFrames of Spark; filter the others in a rule"
        raise fail("TL074", f"there is no `where` for {what}", fix=fix)
