"""Aggregates under change: only the groups that something came to, or went from, are folded anew."""

from __future__ import annotations

import numpy as np

from tidelog.local.core import CoreRule, Folding
from tidelog.local.deltas import Deltas, Rows
from tidelog.local.folding import fold
from tidelog.local.materialise import Evaluation
from tidelog.local.state import State, Undo
from tidelog.syntax.tree import Atom, Variable


def refold(name: str, special: Folding, state: State, deltas: Deltas, evaluation: Evaluation, undo: Undo) -> tuple[Rows, Rows]:
    """Make a relation of results what it now is; the rows that came and those that went."""
    delta, table, inner = deltas.of[special.inner], state.table(name), state.table(special.inner)
    touched = np.concatenate([delta.rows_that_came()[:, : special.groups], delta.rows_that_went()[:, : special.groups]])
    state.helper("#groups", special.groups, touched)
    table.show_all()
    inner.show_all()
    bindings = state.helper("#touched", inner.arity)
    results = state.helper("#results", table.arity)
    evaluation.apply_once([_selecting(special.inner, inner.arity, "#touched", special.groups)])
    evaluation.apply_once([_selecting(name, table.arity, "#results", special.groups)])
    before = results.rows.copy()
    new = state.helper("#results", table.arity)
    fold(special, state, new, bindings=bindings.rows)
    came, went = new.rows[~table.contains(new.rows)].copy(), before[~new.contains(before)]
    undo.remove(table, went)
    table.insert(came)
    return came, went


def _selecting(source: str, arity: int, target: str, groups: int) -> CoreRule:
    """A rule for the rows of a relation that belong to the touched groups."""
    columns = tuple(Variable(f"c{at}") for at in range(arity))
    return CoreRule(Atom(target, columns), (Atom("#groups", columns[:groups]), Atom(source, columns)), 0, "")
