"""What a source is: files of a format, a table, a DataFrame, or whatever a reader of Spark's own makes of its options."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from glob import glob
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from tidelog.errors import TidelogError, did_you_mean, fail
from tidelog.files.formats import ENDINGS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WHOLE = 32 << 20
"""Files up to this size are read whole, which tells the numbers of lines; larger ones are split, so that all cores take part."""
LARGEST_WHOLE = 1 << 30
"""The largest file that can be read whole at all."""
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]+:")


class Format(StrEnum):
    """A format that is read by Tidelog itself, or Spark's Parquet."""

    CSV = "csv"
    TSV = "tsv"
    FACTS = "facts"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"
    N_TRIPLES = "nt"
    TURTLE = "ttl"


_NAMES: dict[str, Format] = {**{known.value: known for known in Format}, "ndjson": Format.JSON_LINES, "json": Format.JSON_LINES}
RDF_FORMATS = (Format.N_TRIPLES, Format.TURTLE)
TABLE = "table"


@dataclass(frozen=True, slots=True)
class File:
    """One file of a source."""

    path: str
    """As messages show it."""
    address: str
    """As Spark names it."""
    size: int


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a source, all of one format."""

    given: str
    format: Format
    is_compressed: bool
    files: dict[int, File]
    """By their ids, which are the hashes of their addresses."""

    @property
    def described(self) -> str:
        """Format and number of files."""
        name = f"{self.format}.gz" if self.is_compressed else self.format.value
        return name if len(self.files) == 1 else f"{name}, {len(self.files):,} files"

    @property
    def names(self) -> dict[int, str]:
        """The names of the files by their ids."""
        return {key: file.path for key, file in self.files.items()}

    @property
    def can_be_split(self) -> bool:
        """Whether Spark sees which files are compressed: by their names."""
        return not self.is_compressed or all(file.path.lower().endswith(".gz") for file in self.files.values())

    @property
    def largest(self) -> int:
        """The size of the largest file."""
        return max((file.size for file in self.files.values()), default=0)


def is_frame(source: object) -> bool:
    """Whether a source is a DataFrame of Spark, classic or Connect."""
    return type(source).__module__.startswith("pyspark.sql") and hasattr(source, "mapInArrow")


def format_named(given: str | None) -> tuple[Format, bool] | None:
    """One of our formats and whether gzip is around it, from what the user calls it; None if it is one of Spark's own."""
    if given is None:
        return None
    name = given.lower().removeprefix(".")
    bare = name.removesuffix(".gz")
    return (_NAMES[bare], bare != name) if bare in _NAMES else None


def is_path(source: object, format: str | None) -> bool:  # noqa: A002
    """Whether a source is a path: it says so, looks like one, or is there."""
    if isinstance(source, PathLike) or (format is not None and format.lower() != TABLE):
        return True
    text = str(source)
    if format is not None:
        return False
    looks = any(mark in text for mark in "/\\*") or _ending(text) is not None or text.lower().endswith(tuple(ENDINGS))
    return looks or Path(text).exists()


def located(path: str) -> str:
    """A relative path of this machine, made absolute: the JVM keeps the folder in which it was started."""
    is_here = not _ADDRESS.match(path) and not os.path.isabs(path) and bool(glob(path))  # noqa: PTH117, PTH207  # patterns
    return os.path.abspath(path) if is_here else path  # noqa: PTH100


def list_files(spark: SparkSession, source: str | PathLike[str], given: str | None) -> Files:
    """The files of a path, a folder or a glob, with their sizes; all of one format."""
    from pyspark.sql import functions as f

    text = fspath(source)
    with read_errors_explained(text):
        frame = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(located(text))
        address = f.col("_metadata.file_path")
        rows = frame.select(
            address.alias("address"), f.col("_metadata.file_size").alias("size"), f.xxhash64(address).alias("id")
        ).collect()
    files = {int(row.id): File(_shown(row.address), row.address, int(row.size)) for row in rows}
    files = dict(sorted(files.items(), key=lambda item: item[1].address))
    if (chosen := format_named(given)) is not None:
        is_compressed = chosen[1] or (bool(files) and all(file.path.lower().endswith(".gz") for file in files.values()))
        return Files(text, chosen[0], is_compressed, files)
    endings = {file.path: _ending(file.path) for file in files.values()} or {text: _ending(text)}
    kinds = set(endings.values())
    if None in kinds:
        strange = next(path for path, ending in endings.items() if ending is None)
        known = ", ".join(f".{name}" for name in _NAMES)
        raise fail(
            "TL082",
            f"the format of {strange} cannot be told from its name",
            fix=f"the known endings are {known}; or say `format=`",
        )
    formats = {ending[0] for ending in kinds if ending is not None}
    if len(formats) > 1:
        message = f"{text} has files of several formats: {', '.join(sorted(formats))}"
        raise fail("TL082", message, fix="say which to read: `*.csv` in the path, and `format=`")
    return Files(text, next(iter(formats)), all(ending is not None and ending[1] for ending in kinds), files)


def read_lines(spark: SparkSession, files: Files, *, whole: bool) -> DataFrame:
    """The content of text files: lines with file and place, or whole files."""
    from pyspark.sql import functions as f

    only = next(iter(files.files)) if len(files.files) == 1 else None
    key = (f.lit(only).cast("long") if only is not None else f.xxhash64(f.col("_metadata.file_path"))).alias("file")
    if whole:
        frame = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(located(files.given))
        return frame.select("content", key)
    frame = spark.read.option("recursiveFileLookup", "true").text(located(files.given), lineSep="\n")
    return frame.select("value", key, f.col("_metadata.file_block_start").alias("start"))


def read_table(spark: SparkSession, source: object, given: str | None, options: Mapping[str, str]) -> DataFrame:
    """A table of the catalog, or what one of Spark's readers gives."""
    name = "a table" if source is None else str(source)
    with read_errors_explained(name):
        if given is None or given.lower() == TABLE:
            return spark.read.options(**options).table(str(source))
        reader = spark.read.format(given).options(**options)
        return reader.load(located(fspath(source))) if isinstance(source, str | PathLike) and str(source) else reader.load()


@contextmanager
def read_errors_explained(source: str) -> Iterator[None]:
    """Around the reading of a source: what Spark says of it becomes an error with a code."""
    try:
        yield
    except TidelogError:
        raise
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark", "py4j")):
            raise
        raise _explained(source, error) from error


def _explained(source: str, error: Any) -> TidelogError:
    text = str(error)
    lines = [line.strip().removeprefix(": ") for line in text.splitlines() if line.strip()]
    said = next((line for line in lines if not line.startswith("An error occurred while calling")), type(error).__name__)
    if "PATH_NOT_FOUND" in text or "FileNotFoundException" in text:
        return fail(
            "TL060",
            f"cannot read {source}: there is no such file or folder",
            fix='check the path; a table needs `format="table"`',
        )
    if "TABLE_OR_VIEW_NOT_FOUND" in text:
        return fail(
            "TL087", f"Spark has no table {source}", fix="check its name and catalog; the path of a file has a `/` or an ending"
        )
    if "DATA_SOURCE_NOT_" in text or "ClassNotFoundException" in text or "No suitable driver" in text:
        fix = "give Spark the jar of the format or driver: `spark.jars` or `spark.jars.packages`"
        return fail("TL087", f"Spark cannot read {source}: {said}", fix=fix)
    if (missing := _NO_MODULE.search(text)) is not None:
        fix = "set PYSPARK_PYTHON to the Python that has Tidelog before Spark is started, such as `sys.executable`"
        return fail("TL087", f"Spark cannot read {source}: its workers run a Python without {missing[1]}", fix=fix)
    return fail("TL087", f"Spark cannot read {source}: {said}", fix="check the source, its options and the rights to read it")


_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")


def check_options(options: Mapping[str, str], known: tuple[str, ...], form: str) -> None:
    """Raise an error for an option that a reader of ours does not have."""
    for name in options:
        if name.lower() not in [option.lower() for option in known]:
            fix = did_you_mean(name, known) or (f"the options are {', '.join(known)}" if known else "leave it out")
            raise fail("TL074", f"reading {form} has no option `{name}`", fix=fix)


def _ending(path: str) -> tuple[Format, bool] | None:
    """The format that the ending of a name tells."""
    name = path.rstrip("/").rsplit("/", 1)[-1].lower()
    bare = name.removesuffix(".gz")
    form = _NAMES.get(bare.rsplit(".", 1)[-1]) if "." in bare else None
    if form is None or (form is Format.PARQUET and bare != name):
        return None
    return form, bare != name


def _shown(address: str) -> str:
    """The address of a file as people write it."""
    if address.startswith("file:"):
        return "/" + unquote(address.removeprefix("file:")).lstrip("/")
    return unquote(address)
