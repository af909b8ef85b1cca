"""CSV and TSV by Spark's own reader, where ours does not do: folders with `key=value` in their names, filters, other options.

The cells are texts for both readers, so the same ones fit. A line with another number of cells than the others is a reject, as it
is with our reader; only its number is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidelog.errors import fail
from tidelog.files.matching import find_names
from tidelog.files.text.delimited import Header
from tidelog.spark.ingest.ingested import Ingested, Target
from tidelog.spark.ingest.sources import Files, Format, located, read_errors_explained
from tidelog.spark.ingest.tables import CORRUPT, ingest_text_frame

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_OURS = ("multiline", "sep", "delimiter")
_SPARKS = (
    *("charset", "chartoescapequoteescaping", "comment", "emptyvalue", "encoding", "escape", "ignoreleadingwhitespace"),
    *("ignoretrailingwhitespace", "linesep", "locale", "maxcharspercolumn", "maxcolumns", "modifiedafter", "modifiedbefore"),
    *("nullvalue", "pathglobfilter", "quote", "unescapedquotehandling"),
)
"""Options of Spark's reader that say how to split a file; those that guess types, or drop rows, have no place here."""
_PARTITION = re.compile(r"/[^/=]+=[^/]*/")
_INFERENCE = "spark.sql.sources.partitionColumnTypeInference.enabled"


def is_for_spark(files: Files, options: Mapping[str, str], where: str | None) -> bool:
    """Whether Spark's reader has to read these files."""
    if files.format not in (Format.CSV, Format.TSV):
        return False
    given = [name.lower() for name in options]
    is_partitioned = any(_PARTITION.search(file.path) for file in files.files.values())
    return where is not None or is_partitioned or any(name in _SPARKS for name in given if name not in _OURS)


def ingest_csv(target: Target, files: Files, header: Header, options: dict[str, str], where: str | None) -> Ingested:
    """The rows of the files; columns of the folders' names are columns."""
    from pyspark.sql import functions as f

    for name in options:
        if name.lower() not in (*_OURS, *_SPARKS):
            fix = f"the options are {', '.join(sorted((*_OURS, *_SPARKS)))}"
            raise fail("TL074", f"reading {files.format} has no option `{name}`", fix=fix)
    given = {"sep": "," if files.format is Format.CSV else "\t", **options}
    with read_errors_explained(files.given), _texts_of_partitions(target.spark):
        reader = target.spark.read.options(**given)
        names = reader.option("header", True).csv(located(files.given)).columns
        unnamed = reader.option("header", False).csv(located(files.given)).columns
        of_folders = names[len(names) - sum(re.fullmatch(r"_c\d+", name) is None for name in unnamed) :]
        of_files = names[: len(names) - len(of_folders)]
        is_header = header is True or (header == "auto" and _has_names(target, names, of_folders))
        of_files = of_files if is_header else [f"c{at}" for at in range(1, len(of_files) + 1)]
        fields = ", ".join(f"`{name.replace('`', '``')}` string" for name in (*of_files, CORRUPT))
        reader = reader.schema(fields).option("columnNameOfCorruptRecord", CORRUPT).option("columnPruning", False)
        frame = reader.option("header", is_header).option("enforceSchema", False).csv(located(files.given))
        has_nulls = "nullvalue" in (name.lower() for name in options)  # else an empty cell is an empty text, as in our reader
        cells = [f.col(f"`{name}`") for name in of_files]
        texts = (
            cells if has_nulls else [f.coalesce(cell, f.lit("")).alias(name) for cell, name in zip(cells, of_files, strict=True)]
        )
        file = f.xxhash64(f.col("_metadata.file_path"))
        frame = frame.select(*texts, *(f.col(f"`{name}`") for name in of_folders), f.col(f"`{CORRUPT}`"), file)
        if where is not None:
            frame = frame.where(where)
    return ingest_text_frame(target, frame, files)


def _has_names(target: Target, names: list[str], of_folders: list[str]) -> bool:
    """Whether the first line has the names of the relation's columns, or of those that are mapped to them."""
    relation = target.relation
    wanted = list(target.columns) or ([column.name for column in relation.columns] if relation and relation.columns else [])
    return bool(wanted) and find_names([name for name in wanted if name not in of_folders], names) is not None


@contextmanager
def _texts_of_partitions(spark: SparkSession) -> Iterator[None]:
    """Let Spark take the values in the names of folders as they stand: 007 is a text, too."""
    before = spark.conf.get(_INFERENCE)
    spark.conf.set(_INFERENCE, "false")
    try:
        yield
    finally:
        spark.conf.set(_INFERENCE, str(before))
