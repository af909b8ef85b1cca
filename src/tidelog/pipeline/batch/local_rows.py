"""Rows of files for the local engine where `load` is not enough: mapped columns, rows that do not fit, N-Triples and Turtle."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.keys import value_of
from tidelog.errors import fail
from tidelog.files.columns import ARROW_TYPES
from tidelog.files.fitting import Fitted, fit_columns
from tidelog.files.matching import Matched, mapped, match_columns
from tidelog.files.raw import RawTable, damaged, unreadable
from tidelog.files.reading import read_raw
from tidelog.files.rejects import Misfits, shown
from tidelog.functions.conform import conform
from tidelog.pipeline.job.parts import SourcePart
from tidelog.pipeline.report.outcome import RejectedRow
from tidelog.program.relations import Relation
from tidelog.rdf.ntriples import shallow
from tidelog.rdf.terms import key_of_term, scope_of
from tidelog.text_limits import DEEPEST
from tidelog.values import IRI, RDF, Kind, Literal, Value, from_python

_PIECE = 1 << 20


def local_format(source: SourcePart) -> str | None:
    """The format as the local engine names it."""
    return "jsonl" if source.format == "json" else source.format


def rows_of(source: SourcePart, relation: Relation) -> tuple[list[pa.Table], list[RejectedRow], int]:
    """Tables with the rows that fit, the rows that do not, and how many rows there are in all."""
    header = True if source.columns and source.header == "auto" else source.header
    declared = None if source.columns else relation
    raw = read_raw(Path(source.path or ""), relation.name, declared, local_format(source), header)
    raw, _ = mapped(raw, source.columns, relation.name, relation, "which the job maps to `{column}`")
    if not raw.columns:
        return [], [], 0
    matched = match_columns(raw, relation.name, relation)
    fitted = fit_columns(raw, matched)
    misfits = Misfits(fitted)
    bad = misfits.rows if misfits.rows is not None else pa.chunked_array([pa.array([False] * raw.rows)])
    rejected = list(_rejected(raw, matched, fitted, misfits, pc.indices_nonzero(bad).to_pylist(), relation.name))
    good = pc.invert(bad)
    columns = [_kept(column, good) for column in fitted]
    if all(isinstance(column, pa.ChunkedArray) for column in columns):
        return [pa.table(dict(zip(relation.column_names, columns, strict=True)))], rejected, raw.rows
    lists = [column if isinstance(column, list) else [_value(cell) for cell in column.to_pylist()] for column in columns]
    return list(tables_of(relation, zip(*lists, strict=True))), rejected, raw.rows


def _rejected(
    raw: RawTable, matched: Matched, fitted: Sequence[Fitted], misfits: Misfits, rows: list[int], relation: str
) -> Iterator[RejectedRow]:
    for row, place in zip(rows, raw.places(rows), strict=True):
        at = misfits.column(row)
        column = fitted[at]
        if column.missing is not None and column.missing[row].as_py():
            problem = "it is empty" if raw.is_text else "it is null"
        else:
            kind = matched.kinds[at] or column.kind
            cell = shown(_cell(raw, matched.positions[at], row))
            problem = f"{cell} is not of the type {kind}" if kind else f"{cell} is nothing that a fact can hold"
        record = ",".join(str(_cell(raw, at, row)) for at in range(len(raw.columns)))
        yield RejectedRow(relation, raw.source, place, record, f"column {matched.labels[at]}: {problem}")


def _cell(raw: RawTable, at: int, row: int) -> object:
    cells = raw.columns[at]
    return cells[row] if isinstance(cells, list) else cells[row].as_py()


def _kept(column: Fitted, good: pa.ChunkedArray) -> pa.ChunkedArray | list[Value]:
    """The cells of the rows that fit, IRIs marked as such."""
    if isinstance(column.values, list):
        return [value for value, fits in zip(column.values, good.to_pylist(), strict=True) if fits and value is not None]
    values = column.values.filter(good)
    return pa.chunked_array([_iris(values.to_pylist())]) if column.kind is Kind.IRI else values


def _value(cell: Any) -> Value:
    return from_python(IRI(cell["iri"]) if isinstance(cell, dict) else cell)


def _iris(texts: list[str]) -> pa.Array:
    return pa.array([{"iri": text} for text in texts], pa.struct([("iri", pa.string())]))


# --- values as tables --------------------------------------------------------------------------------------------------------


def tables_of(relation: Relation, rows: Iterable[tuple[Value, ...]]) -> Iterator[pa.Table]:
    """Rows of any values as tables, one for each combination of kinds, so that nothing is converted on the way in."""
    groups: dict[tuple[Kind, ...], list[tuple[Value, ...]]] = {}
    for row in rows:
        groups.setdefault(tuple(value.kind for value in row), []).append(row)
    for kinds, group in groups.items():
        columns = [_array(kind, [row[at] for row in group]) for at, kind in enumerate(kinds)]
        yield pa.table(dict(zip(relation.column_names, columns, strict=True)))


def _array(kind: Kind, values: list[Value]) -> pa.Array:
    contents: list[Any] = [value.content for value in values]
    if kind is Kind.IRI:
        return _iris([iri.text for iri in contents])
    if kind is Kind.LITERAL:
        fields = pa.struct([("value", pa.string()), ("type", pa.string()), ("lang", pa.string())])
        return pa.array([_described(literal) for literal in contents], fields)
    return pa.array(contents, ARROW_TYPES[kind])


def _described(literal: Literal) -> dict[str, str | None]:
    return {"value": literal.text, "type": literal.datatype, "lang": literal.language}


# --- RDF ---------------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Triples:
    """The triples of a file, by relation of the program."""

    rows: dict[str, list[tuple[Value, ...]]] = field(default_factory=dict)
    rejected: list[RejectedRow] = field(default_factory=list)
    count: int = 0
    others: int = 0
    """Triples whose predicate or class is no relation of the program."""


def triples_of(path: str, syntax: str, relations: dict[str, Relation]) -> Triples:
    """All triples of a file, by relation: its predicate, or its class if the predicate is `rdf:type`."""
    found = Triples()
    scope = scope_of(str(Path(path).absolute()))
    for triple in _parsed(Path(path), syntax):
        found.count += 1
        subject, target, predicate = (
            _value_of_term(triple.subject, scope),
            _value_of_term(triple.object, scope),
            triple.predicate.value,
        )
        name, values = predicate, [subject, target]
        if predicate == f"{RDF}type" and target is not None and isinstance(target.content, IRI):
            name, values = target.content.text, [subject]
        relation = relations.get(name)
        if relation is None:
            found.others += 1
        elif relation.arity != len(values):
            reason = f"`{name}` has {relation.arity} arguments, and this gives {len(values)}"
            found.rejected.append(RejectedRow(name, path, path, f"{triple} .", reason))
        elif misfit := _misfit(relation, values):
            found.rejected.append(RejectedRow(name, path, path, f"{triple} .", misfit))
        else:
            found.rows.setdefault(name, []).append(tuple(value for value in values if value is not None))
    return found


def _misfit(relation: Relation, values: list[Value | None]) -> str | None:
    """Why these values are no fact of a relation, or None if they are one."""
    for at, value in enumerate(values):
        declared = relation.columns[at].type if relation.columns is not None else None
        if value is None:
            return "a term has no value: its text does not fit the datatype, or it is no term of RDF 1.1"
        if isinstance(declared, Kind) and conform(declared, value) is None:
            name = relation.columns[at].name if relation.columns else at + 1
            return f"column {name}: it is of the type {value.kind}, and {declared} is declared"
    return None


def _value_of_term(term: Any, scope: str) -> Value | None:
    """The value of a term; blank nodes belong to their file.  None if it has none."""
    key = key_of_term(term, scope)
    return None if key is None else value_of(key)


def _parsed(path: Path, syntax: str) -> Iterator[Any]:
    try:
        import pyoxigraph
    except ImportError as error:
        raise fail("TL084", "pyoxigraph is not installed", fix='pip install "tidelog[rdf]"') from error
    form = pyoxigraph.RdfFormat.N_TRIPLES if syntax == "nt" else pyoxigraph.RdfFormat.TURTLE
    try:
        _check_depth(path)
        with _opened(path) as file:
            yield from pyoxigraph.parse(file, form, base_iri=path.absolute().as_uri())
    except SyntaxError as error:
        raise damaged(path, f"line {error.lineno}: {error.msg}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise damaged(path, f"not a whole gzip file ({error})") from error
    except OSError as error:
        raise unreadable(path, error) from error


def _opened(path: Path) -> Any:
    return gzip.open(path) if path.suffix == ".gz" else path.open("rb")


def _check_depth(path: Path) -> None:
    """Refuse a file whose quoted triples are nested deeply; a file that has only a few of them is not held in memory for that."""
    count, last = 0, b""
    with _opened(path) as file:
        while piece := file.read(_PIECE):
            count += (last + piece).count(b"<<")
            last = piece[-1:]
        if count > DEEPEST:
            file.seek(0)
            try:
                shallow(file.read().decode("utf-8", "replace"))
            except ValueError as error:
                raise damaged(path, str(error)) from error
