"""Rejects: rows that do not fit their relation, reported with place, column, value and reason."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.errors import Diagnostic, TidelogError, fail
from tidelog.files.fitting import Fitted
from tidelog.files.matching import Matched
from tidelog.files.raw import RawTable
from tidelog.values import Kind, from_python

MOST_SHOWN = 5
_NO_VALUES = frozenset({"n/a", "na", "#n/a", "nan", "null", "none", "nil", "-", "--", "?", ".", "missing", "unknown"})
"""Texts by which files say that there is no value."""
_LONGEST = 60
_FIX = "mend these rows, declare other types for the columns, or give `defaults` for cells that hold nothing"


class Misfits:
    """The rows of a table with cells that do not fit."""

    def __init__(self, columns: Sequence[Fitted]) -> None:
        self._masks = [(at, mask) for at, column in enumerate(columns) if (mask := column.misfits()) is not None]
        self.rows = reduce(pc.or_, (mask for _, mask in self._masks)) if self._masks else None
        """For each row whether it is one of them; None if all fit."""

    def column(self, row: int) -> int:
        """The first column whose cell in a row does not fit."""
        return next(at for at, mask in self._masks if mask[row].as_py())


def raise_rejects(table: RawTable, name: str, matched: Matched, columns: Sequence[Fitted]) -> None:
    """Raise one error if any row has a cell that does not fit."""
    misfits = Misfits(columns)
    if misfits.rows is None:
        return
    rows = pc.indices_nonzero(misfits.rows).slice(0, MOST_SHOWN).to_pylist()
    notes = []
    for row, place in zip(rows, table.places(rows), strict=True):
        at = misfits.column(row)
        notes.append(f"{place}: column {matched.labels[at]}: {problem_of(table, matched, columns[at], at, row)}")
    at, fix = misfits.column(rows[0]), _FIX
    cell = table.columns[matched.positions[at]][rows[0]]
    cell = cell.as_py() if isinstance(cell, pa.Scalar) and table.is_text else cell
    if isinstance(cell, str) and cell.strip().casefold() in _NO_VALUES:
        label = json.dumps(matched.labels[at], ensure_ascii=False)
        said = f'`null="{cell}"` and what stands for it, `defaults={{{label}: …}}`'
        fix = f'if "{cell}" means no value, say {said}; or mend these rows'
    elif (missing := columns[at].missing) is not None and missing[rows[0]].as_py():
        label = json.dumps(matched.labels[at], ensure_ascii=False)
        fix = f"say what stands for a cell without a value, `defaults={{{label}: …}}`; or mend these rows, or declare other types"
    raise reject_error(table.source, name, pc.sum(misfits.rows).as_py(), table.rows, notes, fix)


def reject_error(source: str, name: str, rejected: int, rows: int, notes: Sequence[str], fix: str = _FIX) -> TidelogError:
    """The error with the number of rows that do not fit, and the first of them."""
    counted = f"{rejected:,} of {rows:,} rows" if rows != 1 else "the only row"
    verb = "does" if rejected == 1 else "do"
    message = f"{counted} of {source} {verb} not fit `{name}`; nothing is loaded"
    more = [f"... and {rejected - len(notes):,} more"] if rejected > len(notes) else []
    return TidelogError([Diagnostic("TL080", message, fix=fix, notes=(*notes, *more))])


def default_misfit(name: str, label: str, kind: Kind | None) -> TidelogError:
    """The error for a default that is not of its column's type."""
    message = f"the default for the column {label} of `{name}` does not fit: the column is {kind}"
    return fail("TL081", message, fix=f"give a default that is {with_article(kind)}" if kind else None)


def problem_of(table: RawTable, matched: Matched, column: Fitted, at: int, row: int) -> str:
    """The problem with one cell."""
    cells = table.columns[matched.positions[at]]
    declared = matched.kinds[at]
    if column.missing is not None and column.missing[row].as_py():
        return "it is empty" if table.is_text else "it is null"
    cell: object = cells[row] if isinstance(cells, list) else _python(cells[row])
    kind = declared or column.kind
    return f"{shown(cell)} {_reason(cell, kind, is_declared=declared is not None, is_text=table.is_text)}"


def shown(cell: object) -> str:
    """A cell in an error message: short, and on one line."""
    text = (
        repr(cell)
        if not isinstance(cell, str)
        else '"' + cell.encode("unicode_escape", "replace").decode().replace('"', '\\"') + '"'
    )
    if isinstance(cell, str) and cell.isprintable():
        text = f'"{cell}"'
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def _python(scalar: pa.Scalar) -> object:
    """The cell as a Python object, or as a text where Python has none for it."""
    try:
        return scalar.as_py()
    except (ValueError, OverflowError, pa.ArrowException):
        return str(scalar.value) if hasattr(scalar, "value") else str(scalar)


def _reason(cell: object, kind: Kind | None, *, is_declared: bool, is_text: bool) -> str:
    """Why a cell is not of a kind."""
    if isinstance(cell, int) and not isinstance(cell, bool) and not -(2**63) <= cell < 2**63:
        return "is outside of 64 bits"
    if kind is Kind.LITERAL and isinstance(cell, str):
        return 'is not a literal such as "chat"@fr or "5"^^xsd:byte'
    if isinstance(cell, str) and kind is not None:
        if kind is Kind.INT and re.fullmatch(r"\s*[+-]?[0-9]+\s*", cell):
            return "is outside of 64 bits" if is_text else "is a string, and the column is declared int"
        if is_text or kind in (Kind.DATE, Kind.TIMESTAMP, Kind.IRI):
            return f"is not {with_article(kind)}{_FORMS.get(kind, '')}"
    if isinstance(cell, Decimal):
        return _reason_of_decimal(cell, kind)
    if isinstance(cell, datetime) and kind in (None, Kind.TIMESTAMP):
        return "is finer than a microsecond, or outside of the years 1 to 9999"
    try:
        own = from_python(cell).kind
    except TidelogError:
        return "is nothing that a fact can hold"
    if kind is not None and is_declared and own is not kind:
        return f"is {with_article(own)}, and the column is declared {kind}"
    if own is Kind.DATE:
        return "is no whole day, or outside of the years 1 to 9999"
    return "is outside of what a fact can hold"


def _reason_of_decimal(cell: Decimal, kind: Kind | None) -> str:
    if kind is Kind.FLOAT:
        return "is a decimal, and no float has these digits"
    if kind is Kind.INT and cell == cell.to_integral_value():
        return "is outside of 64 bits"
    return f"is a decimal, and the column is {kind or 'not'}"


_FORMS = {
    Kind.BOOL: " (true or false)",
    Kind.DATE: " such as 2026-11-15",
    Kind.TIMESTAMP: " such as 2026-11-15T06:43:00Z",
    Kind.IRI: " such as <http://example.org/a>",
}


def with_article(kind: Kind | None) -> str:
    """A kind with its article, for sentences."""
    return f"an {kind}" if kind in (Kind.INT, Kind.IRI) else f"a {kind}"
