"""The result of loading a source: its columns, each in the Arrow type of its kind."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from tidelog.values import Kind, Value

ARROW_TYPES: dict[Kind, pa.DataType] = {
    Kind.STRING: pa.large_string(),
    Kind.INT: pa.int64(),
    Kind.FLOAT: pa.float64(),
    Kind.BOOL: pa.bool_(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us", "UTC"),
    Kind.IRI: pa.large_string(),
}
"""The Arrow type of a column of each kind; literals have none."""


@dataclass(frozen=True, slots=True)
class TypedColumn:
    """A column whose values are all of one kind.

    `values` has the type `ARROW_TYPES[kind]`, no nulls and no chunks; no -0.0, and one NaN.
    """

    kind: Kind
    values: pa.Array


@dataclass(frozen=True, slots=True)
class MixedColumn:
    """A column with values of several kinds, or with RDF literals."""

    values: list[Value]


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows of one source, ready for a relation."""

    relation: str
    columns: tuple[TypedColumn | MixedColumn, ...]
    rows: int
    description: str
    """One sentence for the user on what was read and which types were chosen."""
