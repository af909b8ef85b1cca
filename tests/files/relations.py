"""Short ways to make relations and files for the tests of loading and writing."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from tidelog.errors import TidelogError
from tidelog.files.columns import ARROW_TYPES, Loaded, MixedColumn, TypedColumn
from tidelog.files.reading import read
from tidelog.program.relations import Relation
from tidelog.syntax.tree import Column
from tidelog.values import Kind


def declared(**kinds: Kind | str | None) -> Relation:
    """A declared relation: `declared(src=Kind.INT, dst=Kind.INT)`; `any` by None."""
    columns = tuple(Column(column, None if kind is None else Kind(kind)) for column, kind in kinds.items())
    return Relation("edge", len(columns), columns)


def mentioned(arity: int, name: str = "edge") -> Relation:
    """A relation that the program uses and does not declare."""
    return Relation(name, arity)


def saved(folder: Path, name: str, text: str | bytes) -> Path:
    """A file with a text; packed if its name says so."""
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def kinds(loaded: Loaded) -> list[Kind | None]:
    return [column.kind if isinstance(column, TypedColumn) else None for column in loaded.columns]


def lists(loaded: Loaded) -> list[list[object]]:
    """The columns as lists, once it is certain that they are what they promise to be."""
    for column in loaded.columns:
        assert len(column.values) == loaded.rows
        if isinstance(column, TypedColumn):
            assert isinstance(column.values, pa.Array)
            assert column.values.type == ARROW_TYPES[column.kind]
            assert column.values.null_count == 0
            column.values.validate(full=True)
        else:
            assert isinstance(column, MixedColumn)
            assert None not in column.values
    return [column.values.to_pylist() if isinstance(column, TypedColumn) else list(column.values) for column in loaded.columns]


def rejected(source: object, relation: Relation | None = None, **options: object) -> tuple[str, Sequence[str], str]:
    """The code, notes and whole text of the one error that reading gives."""
    with pytest.raises(TidelogError) as caught:
        read(source, "edge", relation, **options)  # type: ignore[arg-type]
    (problem,) = caught.value.diagnostics
    assert problem.fix
    assert "\n" not in problem.message
    return problem.code, problem.notes, str(caught.value)
