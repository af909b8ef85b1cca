"""The way into Spark: facts of one relation from a file, a folder, a table or a DataFrame, each read once."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import TYPE_CHECKING

from tidelog.files.delimited import Header
from tidelog.program.relations import Relation
from tidelog.spark.ingest.ingested import Ingested
from tidelog.spark.ingest.reader import Reader
from tidelog.spark.ingest.rejects import Rejects
from tidelog.spark.ingest.sources import (
    RDF_FORMATS,
    Format,
    check_options,
    format_named,
    is_frame,
    is_path,
    list_files,
    read_table,
)
from tidelog.spark.ingest.tables import ingest_frame, ingest_local, ingest_parquet
from tidelog.spark.ingest.text.texts import TextReader
from tidelog.spark.session.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def ingest(
    spark: SparkSession,
    source: object,
    name: str,
    relation: Relation | None = None,
    *,
    format: str | None = None,  # noqa: A002
    header: Header = "auto",
    options: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    defaults: Mapping[str | int, object] | None = None,
    rejects: Rejects | None = None,
    lineage: Lineage | None = None,
    tables: SparkSession | None = None,
) -> Ingested:
    """The facts of the relation `name` from a source, as keys.

    `source` is a path, folder or glob (CSV, TSV, `.facts`, JSON Lines, N-Triples, Turtle, each also with `.gz`; Parquet), the
    name of a table of Spark's, a DataFrame of Spark, pandas or polars, or an Arrow table. Any other `format` (`jdbc`, `delta`,
    `iceberg`, …) and its `options` go to Spark's own reader. `columns` leads from names of the source to those of the relation.
    Columns, types, headers and defaults are as in `tidelog.files.reading.read`, over all files of the source together.

    Rows that do not fit go to `rejects`, which raises an error if they are too many. Table names are looked up in the session
    `tables`, or else in `spark`, to which the result belongs.
    """
    rejects = rejects if rejects is not None else Rejects()
    lineage = lineage if lineage is not None else Lineage(spark, "local")
    reader = Reader(spark, name, relation, dict(columns or {}), dict(defaults or {}), rejects, lineage)
    if is_frame(source):
        return ingest_frame(reader, source, "a Spark DataFrame", "spark")
    if source is not None and not isinstance(source, str | PathLike):
        return ingest_local(reader, source)
    if (format is not None and format_named(format) is None) or source is None or not is_path(source, format):
        frame = read_table(tables or spark, source, format, dict(options or {}))
        shown = str(source) if source is not None else f"a source of {format}"
        return ingest_frame(reader, frame, shown, format or "table")
    files = list_files(spark, source, format)
    if files.format in RDF_FORMATS:
        from tidelog.spark.ingest.rdf.triples import ingest_rdf

        check_options(dict(options or {}), ("base",), files.format)
        facts = ingest_rdf(spark, files, options=options, rejects=rejects, lineage=lineage)
        return facts.ingested(relation or Relation(name, facts.arity_of(name)), rejects=rejects)
    if files.format is Format.PARQUET:
        return ingest_parquet(reader, files, dict(options or {}))
    return TextReader(reader, files, header, dict(options or {})).read()
