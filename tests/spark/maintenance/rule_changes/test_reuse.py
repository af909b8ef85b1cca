"""Which relations a change of rules affects, and which units are the same but for internal names."""

from __future__ import annotations

from tests.local_engine import program
from tests.program.from_text import live_rules

from tidelog.core.rewriting import core_of
from tidelog.core.rules import Unit
from tidelog.program.rule_changes import plan_change
from tidelog.spark.maintenance.rule_changes.reuse import _names, affected_relations

LAYERS = "b(X) :- a(X). c(X) :- b(X). d(X) :- c(X), not e(X). e(X) :- f(X). g(X) :- f(X)."


def affected(remove: list[str], add: list[str]) -> set[str]:
    difference = plan_change(live_rules(LAYERS), remove, add, {}).difference
    assert difference is not None
    return affected_relations(difference)


def test_the_heads_of_changed_rules_and_all_that_is_derived_from_them() -> None:
    assert affected(["b(X) :- a(X)."], []) == {"b", "c", "d"}
    assert affected([], ["e(X) :- a(X)."]) == {"d", "e"}
    assert affected(["g(X) :- f(X)."], []) == {"g"}


def test_what_depends_on_it_by_a_rule_that_goes_or_comes() -> None:
    assert affected(["c(X) :- b(X).", "b(X) :- a(X)."], []) == {"b", "c", "d"}
    assert affected([], ["b(X) :- h(X).", "g(X) :- b(X)."]) == {"b", "c", "d", "g"}


def units(text: str) -> list[Unit]:
    return list(core_of(program(text)).units)


def test_internal_names_may_differ() -> None:
    counting = "many(N) :- N = count { X : e(X) }."
    other = "few(N) :- N = count { X : f(X) }."
    before, after = units(counting), units(f"{other} {counting}")
    mine = [unit for unit in after if unit.owner == "many"]
    pairs = _names(before, mine)
    assert pairs is not None
    assert pairs["many"] == "many"
    assert any(one != two for one, two in pairs.items()), "internal names have other numbers"


def test_other_units_are_not_reused() -> None:
    one, other = units("b(X) :- a(X)."), units("c(X) :- a(X).")
    assert _names(one, one) == {"b": "b"}
    assert _names(one, other) is None
    assert _names(one, [*one, *other]) is None
