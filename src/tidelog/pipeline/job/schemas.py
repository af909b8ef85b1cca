"""The files of a source, for a dry run: their size and age, and the columns, without reading all of it."""

from __future__ import annotations

import csv
import gzip
import io
import json
from datetime import UTC, datetime
from glob import glob, has_magic
from itertools import islice
from pathlib import Path

import pyarrow as pa

from tidelog.errors import TidelogError, did_you_mean, fail
from tidelog.pipeline.job.parts import SourcePart
from tidelog.program.relations import Relation
from tidelog.stores import is_uri

_LINES = 100


def files_of(source: SourcePart) -> list[Path] | None:
    """The files of a source on this machine; None if it is a table or somewhere else."""
    if source.path is None or is_uri(source.path):
        return None
    path = Path(source.path)
    if has_magic(source.path) and not path.exists():
        return sorted(Path(found) for found in glob(source.path, recursive=True))  # noqa: PTH207
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith(("_", ".")))
    return [path] if path.exists() else []


def size_and_age(source: SourcePart) -> tuple[int | None, datetime | None]:
    """How large the files are, and when the newest of them was changed."""
    files = files_of(source)
    if not files:
        return None, None
    states = [file.stat() for file in files]
    return sum(state.st_size for state in states), datetime.fromtimestamp(max(state.st_mtime for state in states), UTC)


def missing_file(source: SourcePart) -> TidelogError | None:
    """The error for a source on this machine that is not there."""
    if files_of(source) != [] or (source.path and Path(source.path).is_dir()):
        return None
    path = Path(source.path or "")
    beside = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    fix = did_you_mean(path.name, beside) or "check the path; it starts from the folder of the job file"
    return fail("TL060", f"cannot read {path}: there is no such file", fix=fix)


def schema_of_file(source: SourcePart, relation: Relation | None) -> list[tuple[str, str]]:
    """The columns of the first file of a source, with their types as far as the format has types."""
    files = files_of(source)
    if not files:
        return []
    if source.is_rdf:
        return [("subject", "iri"), ("predicate", "iri"), ("object", "any")]
    match source.format:
        case "csv" | "tsv" | "facts":
            return _of_text(files[0], source, relation)
        case "json" | "jsonl":
            first = next(iter(_lines(files[0])), "{}")
            return [(key, _kind(value)) for key, value in json.loads(first).items()]
        case "parquet":
            from pyarrow import parquet

            return [(field.name, str(field.type)) for field in parquet.read_schema(files[0])]
    return []


def _of_text(file: Path, source: SourcePart, relation: Relation | None) -> list[tuple[str, str]]:
    """Names from the header, types from the first lines."""
    from tidelog.files.matching import find_names
    from tidelog.files.text.text_types import infer

    delimiter = source.options.get("sep", source.options.get("delimiter", "," if source.format == "csv" else "\t"))
    rows = [row for row in csv.reader(_lines(file), delimiter=delimiter) if row]
    if not rows:
        return []
    declared = [column.name for column in relation.columns] if relation is not None and relation.columns else []
    is_header = source.header is True or bool(source.columns) or (declared and find_names(declared, rows[0]) is not None)
    names = rows[0] if is_header and source.header is not False else [f"c{number}" for number in range(1, len(rows[0]) + 1)]
    cells = [row for row in rows[int(names is rows[0]) :] if len(row) == len(names)]
    kinds = [str(infer(pa.chunked_array([pa.array([row[at] for row in cells], pa.string())]))[0]) for at in range(len(names))]
    return list(zip(names, kinds, strict=True))


def _lines(file: Path) -> list[str]:
    """The first lines of a text."""
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as raw:
        text = io.TextIOWrapper(raw, "utf-8-sig", errors="replace")
        return [line.rstrip("\r\n") for line in islice(text, _LINES)]


def _kind(value: object) -> str:
    names = {bool: "bool", int: "int", float: "float", str: "string", dict: "object", list: "list", type(None): "null"}
    return names.get(type(value), "any")
