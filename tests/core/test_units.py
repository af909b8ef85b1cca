"""Units under changes of rules: which stay, which are new, what becomes virtual, and all of it equal to units from scratch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.rule_histories import RuleHistory, rule_histories, rule_text
from tests.program.from_text import live_rules

from tidelog.core.rewriting import core_of
from tidelog.core.rules import Closure, Core, Unit
from tidelog.core.units import Structure, StructureChange
from tidelog.program.changes import versions
from tidelog.program.changes.live_rules import LiveRules
from tidelog.program.changes.rule_changes import plan_change

PATHS = """
r1: path(X, Y) :- edge(X, Y).
r2: path(X, Z) :- path(X, Y), step(Y, Z).
r3: far(X, Y) :- node(X), node(Y), not path(X, Y).
r4: lone(X) :- node(X), not edge(X, _).
"""


class Run:
    """A program whose rules change, with its units."""

    def __init__(self, text: str, *, modules: bool = True, only_whole: bool = False) -> None:
        self.live, self.modules, self.only_whole = live_rules(text), modules, only_whole
        self.structure = Structure.of(core_of(self.live.program, modules=modules, only_whole=only_whole))

    def change(self, remove: Iterable[str] = (), add: Iterable[str] = ()) -> StructureChange | None:
        """Change the rules; None if that makes no difference."""
        difference = plan_change(self.live, remove, add, {}).difference
        if difference is None:
            return None
        change = self.structure.changed(difference, modules=self.modules, only_whole=self.only_whole)
        self.live, self.structure = difference.after, change.after
        return change

    def changed(self, remove: Iterable[str] = (), add: Iterable[str] = ()) -> StructureChange:
        change = self.change(remove, add)
        assert change is not None
        return change

    def unit(self, relation: str) -> Unit:
        return self.structure.units[self.structure.deriver[relation]]


def relations_in_order(structure: Structure) -> list[tuple[str, ...]]:
    return [unit.relations for unit in map(structure.units.__getitem__, structure.numbers_in_order())]


# --- the units of a program ----------------------------------------------------------------------------------------------


def test_units_of_a_program() -> None:
    structure = Run(PATHS, modules=False).structure
    number = structure.deriver
    assert number.keys() == {"path", "far", "lone"}
    assert structure.order[number["path"]] < structure.order[number["far"]]
    assert structure.readers["path"] == (number["path"], number["far"])
    assert set(structure.readers["edge"]) == {number["path"], number["lone"]}
    assert [rule.origin for rule in structure.units[structure.deriver["path"]].rules] == [0, 1]
    assert structure.next_unit == 3


def test_who_asks_functions_or_for_groups() -> None:
    """A unit asks if it calls Python, or if groups of an aggregate come from its own recursion, which gives it stages."""
    structure = Run(
        "name(X, Y) :- node(X), Y = upper(X). loop(Y) :- loop(X), next(X, Z), Y = upper(Z). path(X, Y) :- edge(X, Y), X < Y. "
        "up(X) :- start(X). up(Y) :- up(X), N = count { Z : link(Z), Z > X }, after(X, N, Y)."
    ).structure
    assert len(structure.units[structure.deriver["up"]].stages) == 5
    asked = {name: structure.has_requests(name) for name in ("loop", "next", "up", "link", "name", "node", "path", "unknown")}
    assert [name for name, asks in asked.items() if asks] == ["loop", "next", "up", "link"]


def test_units_are_grouped_by_component_before_rules_change() -> None:
    run = Run("total(X, N) :- node(X), N = count { Y : path(X, Y) }. path(X, Y) :- edge(X, Y).")
    assert run.structure.of_component == {}
    prepared = run.structure.prepared(run.live)
    assert {c.predicates: len(numbers) for c, numbers in prepared.of_component.items()} == {("path",): 1, ("total",): 4}
    assert relations_in_order(prepared)[0] == ("path",)
    assert relations_in_order(prepared)[-1] == ("total",)
    total = run.live.components.of["total"]
    label = run.live.components.label[total]
    assert [prepared.order[number] for number in prepared.of_component[total]] == [(label, at) for at in range(4)]
    assert prepared.prepared(run.live) is prepared


# --- units that stay, and units that do not ------------------------------------------------------------------------------


def test_a_unit_whose_rules_stay_is_the_same_object_with_the_same_number() -> None:
    run = Run(PATHS, modules=False)
    before = run.structure
    kept = {name: (before.deriver[name], run.unit(name)) for name in ("path", "far")}
    change = run.changed(remove=["r4"], add=["lone(X) :- node(X), not path(X, _)."])
    assert {name: run.structure.deriver[name] for name in kept} == {name: number for name, (number, _) in kept.items()}
    assert all(run.unit(name) is unit for name, (_, unit) in kept.items())
    assert [unit.relations for unit in change.dropped.values()] == [("lone",)]
    ((number, unit),) = change.units.items()
    assert number == before.next_unit
    assert [rule.origin for rule in unit.removed] == [3]
    assert [rule.origin for rule in unit.added] == [4]
    assert unit.before == (before.units[before.deriver["lone"]],)
    assert unit.is_affected


def test_the_structure_before_is_as_it_was() -> None:
    run = Run(PATHS)
    before = run.structure
    shown = dict(before.units), dict(before.readers), dict(before.deriver), dict(before.core.arities), dict(before.core.given)
    run.changed(remove=["r1", "r2"], add=["edge(X, Y) :- far(X, Y), bridge(Y, X)."])
    assert (
        dict(before.units),
        dict(before.readers),
        dict(before.deriver),
        dict(before.core.arities),
        dict(before.core.given),
    ) == shown


def test_a_new_rule_of_a_relation_without_rules() -> None:
    run = Run(PATHS)
    change = run.changed(add=["node(X) :- edge(X, _), place(X)."])
    assert change.new_relations == ["place"]
    assert not change.dropped
    assert [(unit.before, unit.removed, len(unit.added)) for unit in change.units.values()] == [((), (), 1)]
    order = relations_in_order(run.structure)
    assert order.index(("node",)) < min(order.index(("far",)), order.index(("lone",)))


def test_the_last_rule_of_a_relation_goes() -> None:
    run = Run(PATHS)
    change = run.changed(remove=["r3"])
    assert [unit.relations for unit in change.dropped.values()] == [("far",)]
    assert change.units == {}
    assert "far" not in run.structure.deriver
    assert "far" not in run.structure.core.arities
    assert run.structure.readers["node"] == (run.structure.deriver["lone"],)


def test_units_merge_along_a_new_cycle_and_split() -> None:
    run = Run("b(X) :- a(X). c(X) :- b(X). d(X) :- c(X).")
    parts, last = (run.unit("b"), run.unit("c")), run.unit("d")
    change = run.changed(add=["back: b(X) :- c(X), e(X)."])
    assert run.unit("b").relations == ("b", "c")
    assert run.unit("d") is last
    assert set(map(id, change.dropped.values())) == set(map(id, parts))
    ((_, unit),) = change.units.items()
    assert (set(map(id, unit.before)), len(unit.added), unit.removed) == (set(map(id, parts)), 1, ())
    change = run.changed(remove=["back"])
    assert relations_in_order(run.structure) == [("b",), ("c",), ("d",)]
    assert [(unit.removed != (), unit.added) for _, unit in sorted(change.units.items())] == [(True, ()), (False, ())]
    assert [unit.is_affected for _, unit in sorted(change.units.items())] == [True, False]


def test_units_that_only_change_places_stay() -> None:
    """b reads x from now on, which stands behind it; y, which reads b, follows."""
    run = Run("b(X) :- a(X). y(X) :- b(X).")
    run.changed(add=["c(X) :- e(X).", "x(X) :- c(X)."])
    assert relations_in_order(run.structure) == [("b",), ("y",), ("c",), ("x",)]
    kept = {name: run.unit(name) for name in "cxy"}
    change = run.changed(add=["b(X) :- x(X)."])
    assert relations_in_order(run.structure) == [("c",), ("x",), ("b",), ("y",)]
    assert [run.structure.units[number].relations for number in change.units] == [("b",)]
    assert all(run.unit(name) is unit for name, unit in kept.items())


def test_of_a_component_only_the_units_with_other_rules_are_new() -> None:
    run = Run("total(X, N) :- node(X), N = count { Y : edge(X, Y) }.")
    units = {unit.relations: unit for unit in run.structure.units.values()}
    change = run.changed(add=["total(X, 0) :- other(X)."])
    assert [unit.relations for unit in change.dropped.values()] == [("total",)]
    assert [relations for relations, unit in units.items() if run.unit(relations[0]) is not unit] == [("total",)]


# --- virtual relations ---------------------------------------------------------------------------------------------------


def test_a_relation_becomes_virtual_and_its_readers_are_made_anew() -> None:
    run = Run("link(X, Y) :- edge(X, Y). far(X, Y) :- node(X), node(Y), not link(X, Y). lone(X) :- node(X), not edge(X, _).")
    reader, other = run.unit("far"), run.unit("lone")
    change = run.changed(add=["closing: link(X, Z) :- link(X, Y), link(Y, Z)."])
    assert (change.became_virtual, change.became_stored) == (["link"], [])
    assert change.new_relations == ["#given link"]
    assert run.structure.core.given == {"link": "#given link"}
    assert run.structure.core.arities["#given link"] == 2
    closure = run.unit("link").operators["link"]
    assert isinstance(closure, Closure)
    assert closure.module.rules == (3,)
    assert run.unit("#given link").rules[0].head.predicate == "#given link"
    assert run.unit("far") == reader
    assert run.unit("far") is not reader  # plans that are kept by identity must not be found again
    assert run.unit("far").rules[0] is not reader.rules[0]
    assert not change.units[run.structure.deriver["far"]].is_affected
    assert run.unit("lone") is other


def test_a_virtual_relation_becomes_a_stored_one() -> None:
    run = Run("link(X, Y) :- edge(X, Y). closing: link(X, Z) :- link(X, Y), link(Y, Z). hub(X) :- link(X, _).")
    change = run.changed(remove=["closing"])
    assert (change.became_virtual, change.became_stored) == ([], ["link"])
    assert run.structure.core.given == {}
    assert "#given link" not in run.structure.core.arities
    assert run.unit("link").rules[0].head.predicate == "link"
    assert change.units[run.structure.deriver["link"]].has_new_operators is False
    assert change.units[run.structure.deriver["link"]].added


@pytest.mark.parametrize("reader", ["", "hub(X) :- link(X, _)."], ids=["forgotten", "read"])
def test_a_virtual_relation_that_loses_all_its_rules(reader: str) -> None:
    run = Run(f"closing: link(X, Z) :- link(X, Y), link(Y, Z). {reader}")
    change = run.changed(remove=["closing"])
    assert change.became_stored == ["link"]
    assert run.structure.core.given == {}
    assert "link" not in run.structure.deriver


def test_a_closing_rule_has_no_part_of_its_own() -> None:
    """Beside another recursive rule it closes the relation too, unless nothing may recur through one."""
    text = "link(X, Y) :- edge(X, Y). link(X, Z) :- link(X, Y), link(Y, Z). bent: link(X, Y) :- link(X, Z), bend(Z, Y, X)."
    run = Run(text)
    assert run.structure.core.parts.keys() == {0, 2}
    assert run.changed(remove=["bent"]).became_virtual == []
    assert run.structure.core.parts.keys() == {0}
    alone = Run(text, only_whole=True)
    assert alone.structure.core.parts.keys() == {0, 1, 2}
    assert alone.changed(remove=["bent"]).became_virtual == ["link"]
    assert alone.structure.core.parts.keys() == {0}


SKOS = (
    "up(X, Z) :- up(X, Y), up(Y, Z). down(X, Z) :- down(X, Y), down(Y, Z). up(X, Y) :- broader(X, Y). "
    "turned: up(X, Y) :- down(Y, X). down(X, Y) :- up(Y, X)."
)


def test_rules_that_external_facts_are_enough_for() -> None:
    """They recur through external facts, and the closed relations are above them."""
    run = Run(SKOS)
    first, *above = map(set, relations_in_order(run.structure))
    assert first == {"#given down", "#given up"}
    assert sorted(map(list, above)) == [["down"], ["up"]]
    change = run.changed(remove=["turned"])
    assert (change.became_virtual, change.became_stored) == ([], [])
    assert run.unit("#given up").relations == ("#given up",)


def test_a_rule_reads_the_relation_again_when_external_facts_are_not_enough() -> None:
    """Symmetric, `down` has pairs against the direction of its external facts."""
    run = Run(SKOS)
    run.changed(add=["both: down(X, Y) :- down(Y, X)."])
    assert set(run.unit("#given up").modules) == {"down"}
    run.changed(remove=["both"])
    assert not run.unit("#given up").modules


def test_without_modules_nothing_is_virtual() -> None:
    run = Run("link(X, Y) :- edge(X, Y).", modules=False)
    change = run.changed(add=["link(X, Z) :- link(X, Y), link(Y, Z)."])
    assert (change.became_virtual, run.structure.core.given) == ([], {})
    assert len(run.unit("link").rules) == 2


# --- relations that only a rule has --------------------------------------------------------------------------------------


def test_names_that_are_made_are_never_made_again() -> None:
    text = "total: total(X, N) :- node(X), N = count { Y : path(X, Y) }."
    run = Run("path(X, Y) :- edge(X, Y). " + text)
    seen = {name for name in run.structure.core.arities if name.startswith("#")}
    for _ in range(3):
        last = run.structure.last_name
        run.changed(remove=["total"])
        assert not [name for name in run.structure.core.arities if name.startswith("#")]
        change = run.changed(add=[text])
        made = {name for name in run.structure.core.arities if name.startswith("#")}
        assert made.isdisjoint(seen)
        assert made == {name for name in change.new_relations if name.startswith("#")}
        assert run.structure.last_name > last
        seen |= made


def test_an_aggregate_is_at_work_when_it_is_new() -> None:
    run = Run("path(X, Y) :- edge(X, Y).")
    change = run.changed(add=["most(N) :- N = max { Y : path(_, Y) }."])
    folding = [number for number, unit in run.structure.units.items() if unit.operators]
    assert [change.units[number].has_new_operators for number in folding] == [True]
    assert all(unit.is_affected for unit in change.units.values())


# --- against units from scratch ------------------------------------------------------------------------------------------


def _plain(thing: object) -> str:
    """A text without the numbers of names that are made."""
    return re.sub(r"(#[a-z]+|#[a-z]+_#) \d+", r"\1", repr(thing))


def shape(unit: Unit, position: Callable[[int], int]) -> tuple[object, ...]:
    """A unit with positions of rules in place of numbers."""
    operators = [
        (_plain(name), _plain(replace(own, module=replace(own.module, rules=tuple(sorted(map(position, own.module.rules))))))
         if isinstance(own, Closure) else _plain(own))
        for name, own in unit.operators.items()
    ]  # fmt: skip
    return (
        sorted(map(_plain, unit.relations)),
        sorted((_plain((rule.head, rule.body, rule.shown)), position(rule.origin)) for rule in unit.rules),
        sorted(operators),
        sorted(map(_plain, unit.uses)),
        sorted(map(_plain, unit.uses_negatively)),
        sorted(shape(stage, position) for stage in unit.stages),
    )


def arities(core: Core) -> Counter[tuple[str, int]]:
    return Counter((_plain(name), arity) for name, arity in core.arities.items())


def check_against_scratch(structure: Structure, live: LiveRules, *, modules: bool) -> None:
    scratch = Structure.of(core_of(live.program, modules=modules))
    found = sorted(shape(unit, live.position) for unit in structure.units.values())
    assert found == sorted(shape(unit, lambda at: at) for unit in scratch.units.values())
    assert {live.position(number) for number in structure.core.parts} == scratch.core.parts.keys()
    assert (dict(structure.core.given), arities(structure.core)) == (scratch.core.given, arities(scratch.core))


def check_consistency(structure: Structure) -> None:
    """Who derives and who reads what follows from the units; each unit stands behind those that it reads."""
    assert structure.order.keys() == structure.units.keys()
    assert dict(structure.deriver) == {name: number for number, unit in structure.units.items() for name in unit.relations}
    reading = {(name, number) for number, unit in structure.units.items() for name in unit.uses}
    assert {(name, number) for name, numbers in structure.readers.items() for number in numbers} == reading
    for number, unit in structure.units.items():
        below = {structure.deriver[name] for name in unit.uses if name in structure.deriver} - {number}
        assert all(structure.order[other] < structure.order[number] for other in below)
    if structure.of_component:
        assert sorted(number for numbers in structure.of_component.values() for number in numbers) == sorted(structure.units)


def check_change(change: StructureChange) -> None:
    """Units that are not told to be new are the same objects; what is told of rules adds up."""
    before, after = change.before, change.after
    for number, unit in after.units.items():
        assert (number in change.units) != (before.units.get(number) is unit)
    left = set(map(id, after.units.values()))
    assert [unit for unit in before.units.values() if id(unit) not in left] == [
        u for u in before.units.values() if u in change.dropped.values()
    ]
    added = Counter(rule for unit in change.units.values() for rule in unit.added)
    old = Counter(rule for unit in before.units.values() for rule in unit.rules)
    new = Counter(rule for unit in after.units.values() for rule in unit.rules)
    assert added == new - old
    assert set(change.became_virtual) == after.core.given.keys() - before.core.given.keys()
    assert set(change.became_stored) == before.core.given.keys() - after.core.given.keys()
    assert set(change.new_relations) == after.core.arities.keys() - before.core.arities.keys()


@pytest.fixture(params=[versions._SMALL, 0], ids=["copied", "layered"])
def _size(request: pytest.FixtureRequest) -> Iterator[None]:
    with patch.object(versions, "_SMALL", request.param):
        yield


def check_history(first: Iterable[str], steps: Iterable[Iterable[str]], *, modules: bool) -> None:
    """Each step removes the rules that are there and adds the others."""
    there = list(first)
    run = Run("\n".join(there), modules=modules)
    check_consistency(run.structure)
    for step in steps:
        toggled = list(step)
        remove, add = [text for text in toggled if text in there], [text for text in toggled if text not in there]
        change = run.change(remove, add)
        there = [*(text for text in there if text not in remove), *add]
        if change is not None:
            check_change(change)
        check_consistency(run.structure)
        check_against_scratch(run.structure, run.live, modules=modules)


@pytest.mark.usefixtures("_size")
@given(history=rule_histories(most_steps=6), modules=st.booleans())
@settings(max_examples=50)
def test_units_equal_those_from_scratch(history: RuleHistory, modules: bool) -> None:
    steps = (map(rule_text, step.toggled) for step in history.steps)
    check_history(map(rule_text, history.rules), steps, modules=modules)


CHAINED = st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).map(lambda pair: f"{pair[0]}(X) :- {pair[1]}(X).")


@given(first=st.lists(CHAINED, max_size=6, unique=True), steps=st.lists(st.lists(CHAINED, max_size=2, unique=True), max_size=8))
def test_units_stand_in_order_whichever_way_rules_lead(first: list[str], steps: list[list[str]]) -> None:
    check_history(first, steps, modules=True)
