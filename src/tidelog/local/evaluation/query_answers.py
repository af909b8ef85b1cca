"""Queries: one rule, evaluated once over temporary tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tidelog.core.limits import Watch
from tidelog.core.rewriting import core_of_rule
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.storage.state import State
from tidelog.program.queries import ANSWER
from tidelog.syntax.tree import Atom, Literal, Rule, Variable


def answers(
    state: State, arities: Mapping[str, int], body: tuple[Literal, ...], names: Iterable[str], watch: Watch
) -> NDArray[np.int32]:
    """All distinct bindings of the named variables that satisfy a body."""
    head = Atom(ANSWER, tuple(Variable(name) for name in names))
    core = core_of_rule(Rule(head, body), {**arities, ANSWER: len(head.args)}, "#query ")
    made = [name for name in core.arities if name not in state.tables and name not in state.virtual]
    evaluation = Evaluation(state, watch, Statistics())
    with watch.deferring_interrupts():
        try:
            for name in made:
                state.ensure_table(name, core.arities[name])
            for unit in core.units:
                evaluation.from_scratch(unit)
            return state.table(ANSWER).rows.copy()
        finally:
            for name in made:
                state.answered.pop(name, None)
                state.drop_table(name)
