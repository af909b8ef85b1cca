"""Type inference in parts: each task says which types its part of a column allows, and the driver decides.

The decision is that of `files.text_types.infer` over the whole column. Whether a part allows a kind is decided by that function
too: it is given the part and one more cell that only this kind fits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.files.text.text_types import infer, parse
from tidelog.values import Kind

_SIGNS = {
    Kind.INT: "1",
    Kind.FLOAT: "0.5",
    Kind.BOOL: "true",
    Kind.DATE: "2000-01-01",
    Kind.TIMESTAMP: "2000-01-01T00:00:00Z",
}
"""The kinds in the order in which they are tried, and for each a text that is of no kind before it."""
_BITS = {kind: 1 << at for at, kind in enumerate(_SIGNS)}
ANYTHING = (1 << len(_SIGNS)) - 1


@dataclass(frozen=True, slots=True)
class Seen:
    """What some cells of a column allow."""

    allowed: int = ANYTHING
    """A bit for each kind that fits them all."""
    has_number: bool = False
    """Whether one of them is a number that is finite."""
    is_filled: bool = False
    """Whether one of them is not empty."""

    def __or__(self, other: Seen) -> Seen:
        """What both parts of a column allow."""
        return Seen(self.allowed & other.allowed, self.has_number or other.has_number, self.is_filled or other.is_filled)

    @property
    def kind(self) -> Kind:
        """The kind of the column if this is all of it."""
        if self.is_filled:
            for kind, bit in _BITS.items():
                if self.allowed & bit and (kind is not Kind.FLOAT or self.has_number):
                    return kind
        return Kind.STRING


def seen_in(cells: pa.Array, before: Seen | None = None) -> Seen:
    """What cells allow, and those before them."""
    before = before or Seen()
    if not pc.any(pc.not_equal(cells, "")).as_py():
        return before
    allowed = before.allowed
    for kind, bit in _BITS.items():
        if allowed & bit and infer(pa.chunked_array([cells, pa.array([_SIGNS[kind]], cells.type)]))[0] is not kind:
            allowed &= ~bit
    has_number = before.has_number
    if not has_number and allowed & _BITS[Kind.FLOAT]:
        has_number = bool(pc.any(pc.is_finite(parse(Kind.FLOAT, pa.chunked_array([cells])))).as_py())
    return Seen(allowed, has_number, True)


def seen_in_all(cells: Iterable[str]) -> Seen:
    """What a few cells allow."""
    return seen_in(pa.array(list(cells), pa.string()))
