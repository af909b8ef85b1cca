"""Keys: each value as one text, the same whatever source it came from, so that values are equal where their keys are.

A key is a letter for the kind and the content: `sabc` is the string abc, `i12` the integer 12, `f` and the bits of a float as
an integer, `b1` true, `d` and days since 1970, `t` and microseconds since 1970, `u` and an IRI; an RDF literal is `l`, then
`@` or `^` and the length of its language or datatype, a space, that, and the text. Columns go through Arrow as a whole;
Spark numbers values by them, and RDF terms are parsed into them.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.value_encoding import TEXT_KINDS, key_text, payload_of, value_of_payload, value_of_text
from tidelog.files.columns import ARROW_TYPES, MixedColumn, TypedColumn
from tidelog.values import Kind, Value

LETTERS: dict[Kind, str] = {
    Kind.STRING: "s",
    Kind.INT: "i",
    Kind.FLOAT: "f",
    Kind.BOOL: "b",
    Kind.DATE: "d",
    Kind.TIMESTAMP: "t",
    Kind.IRI: "u",
    Kind.LITERAL: "l",
}
KIND_OF = {letter: kind for kind, letter in LETTERS.items()}


def key_of(value: Value) -> str:
    """The key of one value."""
    content = key_text(value) if value.kind in TEXT_KINDS else str(payload_of(value))
    return LETTERS[value.kind] + content


def value_of(key: str) -> Value:
    """The value of a key."""
    kind = KIND_OF[key[0]]
    return value_of_text(kind, key[1:]) if kind in TEXT_KINDS else value_of_payload(kind, int(key[1:]))


def keys_of_column(column: TypedColumn | MixedColumn) -> pa.Array:
    """The keys of a column, as strings."""
    if isinstance(column, MixedColumn):
        return pa.array([key_of(value) for value in column.values], pa.string())
    values, kind = column.values, column.kind
    match kind:
        case Kind.FLOAT:
            values = pa.array(values.to_numpy(zero_copy_only=False).view(np.int64))
        case Kind.BOOL | Kind.DATE:
            values = values.cast(pa.int32())
        case Kind.TIMESTAMP:
            values = values.cast(pa.int64())
    return pc.binary_join_element_wise(LETTERS[kind], values.cast(pa.string()), "")


def columns_of_keys(keys: pa.Array) -> TypedColumn | MixedColumn:
    """The values of keys: a typed column if all are of one kind that Arrow has."""
    letters = pc.unique(pc.utf8_slice_codeunits(keys, 0, 1)).to_pylist()
    kind = KIND_OF[letters[0]] if len(letters) == 1 else None
    if kind is None or kind is Kind.LITERAL:
        return MixedColumn([value_of(key) for key in keys.to_pylist()])
    content = pc.utf8_slice_codeunits(keys, 1)
    match kind:
        case Kind.STRING | Kind.IRI:
            return TypedColumn(kind, content.cast(pa.large_string()))
        case Kind.FLOAT:
            return TypedColumn(kind, pa.array(content.cast(pa.int64()).to_numpy(zero_copy_only=False).view(np.float64)))
        case Kind.BOOL:
            return TypedColumn(kind, pc.equal(content, "1"))
        case Kind.DATE:
            return TypedColumn(kind, content.cast(pa.int32()).cast(pa.date32()))
    return TypedColumn(kind, content.cast(pa.int64()).cast(ARROW_TYPES[kind]))
