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
    groups, selected, answers = f"#groups {name}", f"#touched {name}", f"#results {name}"
    state.helper(groups, special.groups, touched)
    table.show_all()
    inner.show_all()
    bindings = state.helper(selected, inner.arity)
    results = state.helper(answers, table.arity)
    evaluation.apply_once([_selecting(state, groups, special.inner, inner.arity, selected)])
    evaluation.apply_once([_selecting(state, groups, name, table.arity, answers)])
    before = results.rows.copy()
    new = state.helper(answers, table.arity)
    fold(special, state, new, bindings=bindings.rows)
    came, went = new.rows[~table.contains(new.rows)].copy(), before[~new.contains(before)]
    undo.remove(table, went)
    table.insert(came)
    return came, went


def _selecting(state: State, groups: str, source: str, arity: int, target: str) -> CoreRule:
    """A rule for the rows of a relation that belong to the touched groups; the same object each time."""
    if target not in state.variants:
        columns = tuple(Variable(f"c{at}") for at in range(arity))
        asked = Atom(groups, columns[: state.helpers[groups].arity])
        state.variants[target] = CoreRule(Atom(target, columns), (asked, Atom(source, columns)), 0, "")
    rule: CoreRule = state.variants[target]
    return rule
