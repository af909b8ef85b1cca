"""Functions that Python computes, as relations of arguments and values; an undefined value has no row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.core.rules import FunctionCalls
from tidelog.functions.evaluate import apply
from tidelog.local.evaluation.function_batches import compute_columns
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table

_PIECE = 1 << 12
"""Calls between two polls."""


def compute_calls(calls: FunctionCalls, state: State, table: Table, poll: Callable[[], None]) -> int:
    """Compute the values of arguments requested for the first time; returns how many are undefined."""
    requested = state.table(calls.requested)
    undefined = 0
    answered = state.answered.get(calls.requested, 0)
    new = requested.rows_from(answered)
    if not answered and len(table) and requested.arity:  # derived from scratch: most have been computed before
        new = new[~isin_rows(new, table.rows[:, : requested.arity])]
    for begin in range(0, len(new), _PIECE):
        rows = new[begin : begin + _PIECE]
        defined, ids = compute_columns(calls.function, rows, state.terms) or _compute_rows(calls.function, rows, state.terms)
        table.insert(np.column_stack([rows[defined], ids]))
        undefined += int(len(rows) - defined.sum())
        poll()
    state.calls += len(new)
    state.answered[calls.requested] = requested.end
    return undefined


def _compute_rows(function: str, rows: NDArray[np.int32], terms: Dictionary) -> tuple[NDArray[np.bool_], Int32s]:
    """For each row of arguments whether the function is defined, and the ids of the values that are."""
    distinct, places = np.unique(rows, return_inverse=True)
    values = terms.values_of(distinct)
    results = [apply(function, [values[at] for at in row]) for row in places.reshape(rows.shape)]
    defined = np.array([result is not None for result in results], np.bool_)
    return defined, terms.encode([result for result in results if result is not None])
