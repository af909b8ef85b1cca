"""Steps: which variables occur where, and which rows an atom reads."""

from __future__ import annotations

from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.core.rules import CoreRule
from tidelog.local.kernel import layout
from tidelog.local.planning.mentions import Mentions
from tidelog.local.planning.steps import Steps
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Comparison, Variable


def prepared(text: str, delta: int | None = None) -> tuple[CoreRule, Steps]:
    core = core_of(program(text))
    state = State()
    state.prepare(core)
    (rule,) = (rule for unit in core.units for rule in unit.rules)
    return rule, Steps(rule, state, delta, frozenset(), Mentions.of(rule))


def place_of(rule: CoreRule, predicate: str) -> int:
    return next(at for at, literal in enumerate(rule.body) if isinstance(literal, Atom) and literal.predicate == predicate)


def test_atoms_before_the_delta_read_older_rows() -> None:
    _, steps = prepared("h(X) :- p(X), q(X), r(X).", delta=1)
    assert [steps.span(at) for at in range(3)] == [layout.BEFORE, layout.DELTA, layout.WHOLE]
    _, steps = prepared("h(X) :- p(X), q(X).")
    assert [steps.span(at) for at in range(2)] == [layout.WHOLE] * 2


def test_an_atom_whose_variables_occur_nowhere_else_is_an_existence_test() -> None:
    rule, steps = prepared("h(X) :- p(X), q(X, _).")
    at = place_of(rule, "q")
    assert not steps.is_existence(rule.body[at], at)  # type: ignore[arg-type]  # an atom
    steps.place(rule.body[place_of(rule, "p")], place_of(rule, "p"))
    assert steps.bound == {"X"}
    assert steps.is_existence(rule.body[at], at)  # type: ignore[arg-type]  # an atom


def test_assignments_bind_the_variable_that_is_missing() -> None:
    rule, steps = prepared("h(X, Y) :- p(X), Y = X + 1.")
    (comparison,) = (literal for literal in rule.body if isinstance(literal, Comparison))
    assert steps.assigned(comparison, {"X", "Y"}) is None
    assert steps.assigned(comparison, {"X"}) is None
    found = steps.assigned(comparison, {"Y"})
    assert found is not None
    assert found[0] == Variable("Y")


def test_equal_constants_and_variables_share_a_slot() -> None:
    rule, steps = prepared("h(X) :- p(X, 1), q(1, X).")
    slots = [[steps.slot(arg) for arg in literal.args] for literal in rule.body if isinstance(literal, Atom)]
    assert slots[0] == slots[1][::-1]
    assert len(steps.values) == 2
