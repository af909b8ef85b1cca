"""Rules of a running knowledge base: numbers, names, sameness, and what a change makes of the program and its hyper-nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.program.from_text import live_rules, rule
from tests.rule_sets import RS2

from tidelog.program.changes import versions
from tidelog.program.changes.live_rules import LiveRules, RuleDifference, are_same, fingerprint
from tidelog.program.relations import Relation
from tidelog.syntax.tree import Rule, atoms

PATHS = """
r1: path(X, Y) :- edge(X, Y).
r2: path(X, Z) :- path(X, Y), edge(Y, Z).
loop(X) :- path(X, X).
"""


def changed(
    live: LiveRules, remove: Iterable[int] = (), add: Iterable[str] = (), renamed: Mapping[int, Rule] | None = None
) -> RuleDifference:
    """A change by texts; relations that are not known yet get the arity with which they are first written."""
    rules = [rule(text) for text in add]
    mentioned = [atom for own in rules for atom in (own.head, *(atom for atom, _ in atoms(own.body)))]
    new = {atom.predicate: Relation(atom.predicate, len(atom.args)) for atom in mentioned}
    new = {name: relation for name, relation in new.items() if name not in live.program.relations}
    return live.changed(tuple(remove), [(own, own) for own in rules], renamed or {}, new, {})


def texts(live: LiveRules) -> list[str]:
    return [live.program.printer.rule(own) for own in live.program.rules]


# --- what there is -------------------------------------------------------------------------------------------------------


def test_numbers_are_positions_at_first() -> None:
    live = live_rules("edge(a, b)." + PATHS)
    assert list(live.written) == [0, 1, 2]
    assert live.named == {"r1": 0, "r2": 1}
    assert live.next_number == 3
    assert [live.position(number) for number in (0, 2, 3)] == [0, 2, -1]
    assert [live.shown(number) for number in range(3)] == ["r1", "r2", "loop(X) :- path(X, X)."]


def test_first_mention() -> None:
    """The place of a relation in a rule that derives it, or else in one that reads it."""
    live = live_rules(PATHS)
    assert live.first_mention("path") == "test.dl:2:5"
    assert live.first_mention("edge") == "test.dl:2:19"
    assert live.first_mention("nowhere") is None


def test_rules_are_found_by_sameness() -> None:
    live = live_rules(PATHS)
    assert live.same_as(rule("path(A, C) :- edge(B, C), path(A, B).")) == [1]
    assert live.same_as(rule("other: path(A, B) :- edge(A, B).")) == [0]
    assert live.same_as(rule("path(A, B) :- edge(B, A).")) == []
    assert live.same_as(rule("path(A, B) :- edges(A, B).")) == []


def test_a_rule_that_is_written_twice_has_two_numbers() -> None:
    live = live_rules("p(X) :- e(X). p(Y) :- e(Y).")
    assert live.same_as(rule("p(Z) :- e(Z).")) == [0, 1]
    left = changed(live, [0]).after
    assert left.same_as(rule("p(Z) :- e(Z).")) == [1]


@pytest.mark.parametrize(
    ("one", "other", "alike", "same"),
    [
        ("p(X) :- q(X, Y), r(Y).", "p(A) :- r(B), q(A, B).", True, True),
        ("p(X) :- q(X, Y), r(Y).", "p(A) :- r(A), q(A, B).", True, False),
        ("p(X) :- q(X), X > 2.", "p(X) :- q(X), X > 3.", True, False),
        ("p(X) :- q(X, 1).", "p(X) :- q(X, 2).", False, False),
        ("p(X) :- q(X), not r(X).", "p(X) :- q(X), r(X).", False, False),
        ("p(a) :- q(X).", "p(b) :- q(X).", False, False),
        ("p(X) :- q(X).", "p(X) :- q(X), q(X).", False, False),
    ],
)
def test_likeness_is_necessary_and_not_sufficient(one: str, other: str, alike: bool, same: bool) -> None:
    assert (fingerprint(rule(one)) == fingerprint(rule(other))) is alike
    assert are_same(rule(one), rule(other)) is same


# --- what a change makes of it -------------------------------------------------------------------------------------------


def test_a_number_is_never_given_twice() -> None:
    live = live_rules(PATHS)
    first = changed(live, [2], ["hub(X) :- edge(X, _)."])
    assert (first.removed, first.added) == ((2,), (3,))
    second = changed(first.after, [3], ["hub(X) :- edge(_, X).", "a: hub(X) :- path(X, _)."])
    assert second.added == (4, 5)
    assert second.after.named == {"r1": 0, "r2": 1, "a": 5}
    assert [second.after.position(number) for number in range(6)] == [0, 1, -1, -1, 2, 3]
    assert texts(second.after)[2:] == ["hub(X) :- edge(_, X).", "a: hub(X) :- path(X, _)."]


def test_the_rules_before_are_as_they_were() -> None:
    live = live_rules(PATHS)
    shown = texts(live), dict(live.written), dict(live.named), dict(live.alike), dict(live.program.relations)
    difference = changed(live, [0, 1], ["path(X, Y) :- road(X, Y)."])
    assert difference.before is live
    assert (texts(live), dict(live.written), dict(live.named), dict(live.alike), dict(live.program.relations)) == shown
    assert live.first_mention("edge") == "test.dl:2:19"


def test_a_relation_that_nothing_mentions_is_forgotten() -> None:
    live = live_rules(PATHS)
    difference = changed(live, [0, 1])
    assert difference.forgotten == {"edge"}
    assert difference.after.program.relations.keys() == {"path", "loop"}
    assert not difference.after.program.relations["path"].has_rules
    assert changed(difference.after, [2]).forgotten == {"path", "loop"}


@pytest.mark.parametrize("reason", ["@relation p(x: int).", "p(7).", '@input p "p.csv".', '@output p "p.csv".'])
def test_a_relation_that_the_program_has_without_rules_stays(reason: str) -> None:
    difference = changed(live_rules(f"p(X) :- e(X). {reason}"), [0])
    assert difference.forgotten == {"e"}
    assert not difference.after.program.relations["p"].has_rules


def test_a_new_relation_is_taken_up() -> None:
    difference = changed(live_rules(PATHS), (), ["far(X) :- path(X, Y), road(Y, _, _)."])
    relations = difference.after.program.relations
    assert (relations["far"], relations["road"]) == (Relation("far", 1, has_rules=True, variables=("X",)), Relation("road", 3))
    assert difference.components == {difference.after.components.of["far"]}


def test_prefixes_of_new_rules_are_known_from_then_on() -> None:
    live = live_rules("@prefix a: <http://a/> . a:p(X) :- a:q(X).")
    after = live.changed((), (), {}, {}, {"b": "http://b/", "a": "http://other/"}).after
    assert after.program.prefixes == {"a": "http://a/", "b": "http://b/"}


def test_a_rule_that_is_written_otherwise_keeps_its_number() -> None:
    live = live_rules(PATHS)
    other = rule("base: path(A, B) :- edge(A, B).")
    difference = changed(live, renamed={0: other})
    assert (difference.removed, difference.added, difference.components) == ((), (), set())
    assert difference.after.named == {"base": 0, "r2": 1}
    assert difference.after.written[0] is other
    assert difference.after.shown(0) == "base"
    assert other in difference.after.program.document.statements
    assert difference.after.components.rules[0] is live.components.rules[0]


def test_names_can_be_exchanged() -> None:
    live = live_rules("a: p(X) :- e(X). b: p(X) :- f(X).")
    after = changed(live, renamed={0: rule("b: p(X) :- e(X)."), 1: rule("a: p(X) :- f(X).")}).after
    assert after.named == {"a": 1, "b": 0}


def test_comments_of_the_rules_that_stay_are_kept() -> None:
    live = live_rules("% one\na(X) :- e(X).\n% two\nb(X) :- e(X).\n% three\nc(X) :- e(X).\n")
    after = changed(live, [1], ["d(X) :- e(X)."]).after
    assert after.program.printer.document(after.program.document).split("\n") == [
        "% one", "a(X) :- e(X).", "% three", "c(X) :- e(X).", "d(X) :- e(X).", "",
    ]  # fmt: skip


# --- hyper-nodes ---------------------------------------------------------------------------------------------------------


def node_changes(difference: RuleDifference) -> list[tuple[str, list[tuple[int, ...]], list[tuple[int, ...]]]]:
    return [
        (node.what, [before.rules for before in node.before], [after.rules for after in node.after])
        for node in difference.node_changes()
    ]


def test_created_and_dropped() -> None:
    live = live_rules("b(X) :- a(X). c(X) :- b(X).")
    assert node_changes(changed(live, [1], ["d(X) :- b(X)."])) == [("dropped", [(1,)], []), ("created", [], [(2,)])]


def test_merged_along_a_new_cycle_and_split() -> None:
    live = live_rules("b(X) :- a(X). c(X) :- b(X). d(X) :- c(X).")
    closed = changed(live, (), ["a(X) :- c(X)."])
    assert node_changes(closed) == [("merged", [(0,), (1,)], [(0, 1, 3)])]
    (merged,) = closed.components
    assert merged.predicates == ("a", "b", "c")
    cut = changed(closed.after, [3])
    assert node_changes(cut) == [("split", [(0, 1, 3)], [(0,), (1,)])]
    assert {component.predicates for component in cut.components} == {("a",), ("b",), ("c",)}


def test_a_hyper_node_that_only_loses_or_gets_a_rule_is_no_change() -> None:
    live = live_rules("b(X) :- a(X). a(X) :- b(X). a(X) :- b(X), e(X).")
    assert node_changes(changed(live, [2])) == []
    assert node_changes(changed(live, (), ["b(X) :- a(X), e(X)."])) == []


def test_rs2_by_rule() -> None:
    """r14 closes p20, p21, p22; r8 closes p13, p14; r10 is a hyper-node of its own beside three others of p20."""
    live = live_rules(RS2)
    number = live.named
    r7, r8, r10, r12, r13, r14 = (number[name] for name in ("r7", "r8", "r10", "r12", "r13", "r14"))
    assert node_changes(changed(live, [r14])) == [("split", [(r12, r13, r14)], [(r12,), (r13,)])]
    assert node_changes(changed(live, [r8])) == []
    opened = changed(live, [r8]).after.components
    assert [node.rules for node in opened.hyper_nodes(opened.of["p14"])] == [(r7,)]
    assert node_changes(changed(live, [r10])) == [("dropped", [(r10,)], [])]
    assert node_changes(changed(live, [r7, r8])) == [("dropped", [(r7, r8)], [])]


# --- against a computation from scratch ----------------------------------------------------------------------------------

NAMES = "abcdef"
TEXTS = st.builds(
    lambda head, body, variable: f"{head}({variable}) :- {', '.join(f'{name}({variable})' for name in body)}.",
    st.sampled_from(NAMES),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.sampled_from("XY"),
)


def as_positions(live: LiveRules) -> dict[str, object]:
    """All that there is to know of rules, with positions in place of numbers."""
    at = {number: live.position(number) for number in live.written}
    components = live.components
    return {
        "written": [live.program.printer.rule(own) for own in live.written.values()],
        "evaluated": [components.rules[number] for number in live.written],
        "named": {name: at[number] for name, number in live.named.items()},
        "alike": {key: tuple(at[number] for number in numbers) for key, numbers in live.alike.items()},
        "components": {
            (frozenset(component.predicates), tuple(at[number] for number in components.rules_of(component)))
            for component in components.label
        },
        "relations": live.program.relations,
        "rules": live.program.rules,
        "statements": live.program.document.statements,
    }


@pytest.fixture(params=[versions._SMALL, 0], ids=["copied", "layered"])
def _size(request: pytest.FixtureRequest) -> Iterator[None]:
    with patch.object(versions, "_SMALL", request.param):
        yield


@pytest.mark.usefixtures("_size")
@given(
    first=st.lists(TEXTS, max_size=5),
    steps=st.lists(st.tuples(st.lists(st.integers(0, 20), max_size=3), st.lists(TEXTS, max_size=3)), max_size=5),
)
def test_changed_rules_equal_the_rules_of_the_program_from_scratch(
    first: list[str], steps: list[tuple[list[int], list[str]]]
) -> None:
    named = (f"n{number}: {text}" if number % 2 else text for number, text in enumerate(first))
    live = live_rules("\n".join(named))
    for removed, added in steps:
        numbers = list(live.written)
        going = {numbers[at % len(numbers)] for at in removed} if numbers else set()
        coming = [f"n{live.next_number + at}: {text}" if at % 2 else text for at, text in enumerate(added)]
        difference = changed(live, going, coming)
        after = difference.after
        scratch = live_rules("\n".join(after.program.printer.rule(own) for own in after.written.values()))
        assert as_positions(after) == as_positions(scratch)
        check_difference(difference)
        live = after


def check_difference(difference: RuleDifference) -> None:
    """The components that are named are those with other rules, and each hyper-node that is not the same is accounted for."""
    before, after = difference.before, difference.after
    old, new = before.components, after.components
    assert difference.forgotten == {name for name in before.program.relations if name not in after.program.relations}
    for component in new.label:
        was = {number for name in component.predicates for number in old.deriving.get(name, ())}
        same = old.of.get(component.predicates[0]) is component and was == set(new.rules_of(component))
        is_new_and_empty = not was and not new.rules_of(component)
        assert component in difference.components or same or is_new_and_empty
    assert difference.components <= new.label.keys()
    told = difference.node_changes()
    nodes_before = {node for component in old.label for node in old.hyper_nodes(component)}
    nodes_after = {node for component in new.label for node in new.hyper_nodes(component)}
    assert {node for change in told for node in change.before} <= nodes_before
    assert {node for change in told for node in change.after} <= nodes_after
    rules_before = {number for node in nodes_before for number in node.rules}
    for node in nodes_after:
        sources = {other for other in nodes_before if set(other.rules) & set(node.rules)}
        whats = {change.what for change in told if node in change.after}
        assert ("created" in whats) == (not set(node.rules) & rules_before)
        assert ("merged" in whats) == (len(sources) > 1)
    for node in nodes_before:
        parts = {other for other in nodes_after if set(other.rules) & set(node.rules)}
        whats = {change.what for change in told if node in change.before}
        assert ("dropped" in whats) == (not parts)
        assert ("split" in whats) == (len(parts) > 1)


def test_columns_are_called_as_in_the_heads_that_there_are() -> None:
    def names(live: LiveRules) -> list[str]:
        return live.program.relations["path"].column_names

    live = live_rules("base: path(X, Y) :- edge(X, Y). back: path(A, B) :- edge(B, A).")
    assert names(live) == ["c1", "c2"]
    (number,) = [at for at, known in live.written.items() if known.name == "back"]
    without = changed(live, (number,)).after
    assert names(without) == ["X", "Y"]
    assert names(changed(without, (), ["path(X, Y) :- road(X, Y)."]).after) == ["X", "Y"]
    assert names(changed(without, (), ["path(X, Z) :- road(X, Z)."]).after) == ["c1", "c2"]
