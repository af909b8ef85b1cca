"""The units of a program under rule changes, against those of the program written anew."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

import pytest
from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.core.rules import Unit
from tidelog.core.units import Structure, StructureChange
from tidelog.program.live_rules import LiveRules
from tidelog.program.rule_changes import plan_change

TEXT = "base: p(X, Y) :- e(X, Y). q(X) :- p(X, _). t(N) :- N = count { q(_) }."


class History:
    """A structure with the rules that it belongs to."""

    def __init__(self, text: str) -> None:
        self.live = LiveRules.of(program(text))
        self.structure = Structure.of(core_of(self.live.program))

    def change(self, remove: Iterable[str] = (), add: Iterable[str] = ()) -> StructureChange:
        difference = plan_change(self.live, remove, add, {}).difference
        assert difference is not None
        change = self.structure.changed(difference, modules=True)
        self.live, self.structure = difference.after, change.after
        check(self.structure, self.live)
        return change


def shape(units: Iterable[Unit]) -> list[tuple[list[str], int, list[str]]]:
    """Units without the numbers in generated names."""

    def plain(names: Iterable[str]) -> list[str]:
        return sorted(re.sub(r"\d+", "N", name) if name.startswith("#") else name for name in names)

    return sorted((plain(unit.relations), len(unit.rules), plain(unit.uses)) for unit in units)


def check(structure: Structure, live: LiveRules) -> None:
    """The units are those of the program as it is now; each comes behind those that it reads."""
    assert shape(structure.in_order()) == shape(core_of(live.program).units)
    assert dict(structure.core.given) == core_of(live.program).given
    derived: set[str] = set()
    for unit in structure.in_order():
        assert not {name for name in unit.uses if name in structure.deriver} - derived - set(unit.relations)
        derived |= set(unit.relations)
    for number, unit in structure.units.items():
        assert all(structure.deriver[name] == number for name in unit.relations)
        assert all(number in structure.readers[name] for name in unit.uses)
    assert set(structure.deriver) == derived


def test_a_unit_whose_rules_stay_keeps_its_number_and_object() -> None:
    history = History(TEXT)
    before = history.structure
    change = history.change(add=["q(X) :- f(X)."])
    (number,) = change.units
    assert change.after.units[number].relations == ("q",)
    assert [rule.head.predicate for rule in change.units[number].added] == ["q"]
    assert change.units[number].removed == ()
    assert change.units[number].is_affected
    assert [unit.relations for unit in change.dropped.values()] == [("q",)]
    assert change.new_relations == ["f"]
    for name in ("p", "t"):
        assert change.after.units[change.after.deriver[name]] is before.units[before.deriver[name]]


def test_a_relation_becomes_virtual_and_stored_again() -> None:
    history = History(TEXT)
    change = history.change(add=["step: p(X, Z) :- p(X, Y), p(Y, Z)."])
    assert (change.became_virtual, change.became_stored) == (["p"], [])
    assert change.after.core.given == {"p": "#given p"}
    readers = [change.after.units[number].relations for number in change.units]
    assert ("q",) in readers  # its plans read other storage now
    assert not change.units[change.after.deriver["q"]].is_affected
    change = history.change(remove=["step"])
    assert (change.became_virtual, change.became_stored) == ([], ["p"])


def test_removed_rules_are_known_by_unit() -> None:
    history = History(TEXT)
    change = history.change(remove=["base"], add=["p(X, X) :- q(X)."])
    (number,) = (number for number, unit in change.after.units.items() if "q" in unit.relations)
    assert set(change.after.units[number].relations) == {"p", "q"}
    assert [rule.head.predicate for rule in change.units[number].removed] == ["p"]
    assert {unit.relations for unit in change.units[number].before} == {("p",), ("q",)}


def test_the_structure_before_is_not_changed() -> None:
    history = History(TEXT)
    before, units = history.structure, list(history.structure.in_order())
    history.change(remove=["base"], add=["p(X, Z) :- p(X, Y), p(Y, Z)."])
    assert before.in_order() == units
    check(before, LiveRules.of(program(TEXT)))


def test_requests() -> None:
    history = History("h(X, Y) :- p(X), Y = cat(X, X). k(X) :- p(X). l(X) :- k(X).")
    (requested,) = (name for name in history.structure.deriver if name.startswith("#requested"))
    assert history.structure.has_requests(requested)
    assert not history.structure.has_requests("k")


@pytest.mark.parametrize("seed", range(6))
def test_random_histories(seed: int) -> None:
    dice = random.Random(seed)
    names = [f"p{at}" for at in range(5)]
    history, rules = History("r0: p0(X, Y) :- e(X, Y)."), ["r0"]
    for step in range(1, 25):
        remove = dice.sample(rules, min(len(rules), dice.choice((0, 1, 2)))) if step > 3 else []
        head, one, two = (dice.choice(names) for _ in range(3))
        body = dice.choice((f"{one}(X, Y)", f"{one}(Y, X)", f"{one}(X, V), {two}(V, Y)", f"e(X, Y), Y != {step}"))
        known = [other for other in rules if other not in remove]
        add = f"r{step}: {head}(X, Y) :- {body}, X != {-step}." if dice.random() < 0.7 else f"r{step}: {head}(X, Y) :- {body}."
        if history.live.same_as(program(add).rules[0]):
            add = f"r{step}: {head}(X, Y) :- f(X, Y), X != {step}."
        history.change(remove, [add])
        rules = [*known, f"r{step}"]
