"""Delta rules: for just those instances that deltas of lower relations bring or take away."""

from __future__ import annotations

from collections.abc import Iterable

from tests.local.small_engine import SmallEngine

from tidelog.core.rules import CoreRule
from tidelog.local.maintenance.delta.delta_rules import DeltaRules
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.syntax.tree import Atom, Literal, Negation

JOIN = "both(X, Z) :- left(X, Y), right(Y, Z). left(1, 2). right(2, 3)."
NEGATION = "only(X) :- node(X), not edge(X, _). node(1). node(2). edge(1, 2)."


def shown(literal: Literal) -> str:
    if isinstance(literal, Negation):
        return f"not {literal.atom.predicate}"
    assert isinstance(literal, Atom)
    return literal.predicate


def bodies(rules: Iterable[CoreRule]) -> list[str]:
    return sorted(", ".join(map(shown, rule.body)) for rule in rules)


def test_there_is_a_rule_for_each_set_of_literals_that_lost_facts() -> None:
    small = SmallEngine(JOIN)
    (rule,) = small.unit("both").rules
    deltas = Deltas(small.state)
    deltas.changed("left", small.rows(arity=2), small.rows((1, 2)))
    made = DeltaRules(small.runtime("both"), deltas)
    assert bodies(made.lost(rule)) == ["#minus left, right"]
    deltas.changed("right", small.rows((5, 6)), small.rows((2, 3)))
    lost = list(made.lost(rule))
    assert bodies(lost) == ["#minus left, #minus right", "#minus left, right, not #plus right", "left, #minus right"]
    assert [again is first for again, first in zip(made.lost(rule), lost, strict=True)] == [True] * 3


def test_all_instances_of_a_removed_rule_are_lost() -> None:
    small = SmallEngine(JOIN)
    (rule,) = small.unit("both").rules
    deltas = Deltas(small.state)
    deltas.changed("left", small.rows((7, 7)), small.rows((1, 2)))
    made = DeltaRules(small.runtime("both"), deltas)
    assert bodies(made.lost(rule, is_removed=True)) == ["#minus left, right", "left, not #plus left, right"]


def test_what_comes_under_a_negation_takes_instances_away() -> None:
    small = SmallEngine("only(X) :- node(X), not edge(X, X). node(1). edge(1, 2).")
    (rule,) = small.unit("only").rules
    deltas = Deltas(small.state)
    deltas.changed("edge", small.rows((1, 1)), small.rows((2, 2)))
    made = DeltaRules(small.runtime("only"), deltas)
    assert bodies(made.lost(rule)) == ["node, #plus edge"]
    assert bodies(made.gained(rule)) == ["#minus edge, node, not edge"]


def test_an_existential_negation_counts_what_was_there_before() -> None:
    small = SmallEngine(NEGATION)
    (rule,) = small.unit("only").rules
    deltas, edges = Deltas(small.state), small.state.tables["edge"]
    begin = edges.end
    edges.insert(small.rows((1, 3), (2, 3)))
    deltas.grew("edge", begin)
    made, evaluation = DeltaRules(small.runtime("only"), deltas), small.evaluation()
    for table in (edges, small.state.tables["node"]):
        table.mark_delta()
    found = []
    for keys in made.unchanged_keys([rule]):
        evaluation.apply_once([keys])
        small.state.table(keys.head.predicate).mark_delta()
        found.append(small.facts(keys.head.predicate))
    assert found == [[(1,), (2,)], [(1,)]], "both have a new edge, and node 1 had one before"
    (lost,) = made.lost(rule)
    heads = small.state.helper("#found", 1)
    small.state.table("#plus edge").mark_delta()
    evaluation.apply_once([small.runtime("only").variant(lost, "found", lost.body, Atom("#found", lost.head.args))])
    assert small.tuples(heads.rows) == [(2,)]


def test_ranges_are_left_to_the_caller() -> None:
    small = SmallEngine(JOIN)
    (rule,) = small.unit("both").rules
    deltas, left = Deltas(small.state), small.state.tables["left"]
    begin = left.end
    left.insert(small.rows((8, 2)))
    deltas.grew("left", begin)
    made = DeltaRules(small.runtime("both"), deltas)
    assert bodies(made.gained(rule)) == []
    deltas.changed("right", small.rows((2, 9)), small.rows((2, 3)))
    assert bodies(made.gained(rule)) == ["left, #plus right"]


def test_all_rows_are_joined_where_many_are_new() -> None:
    small = SmallEngine(JOIN)
    (rule,) = small.unit("both").rules
    deltas = Deltas(small.state)
    small.state.tables["right"].insert(small.rows((2, 9)))
    deltas.changed("right", small.rows((2, 9)), small.rows(arity=2))
    made = DeltaRules(small.runtime("both"), deltas)
    assert not made.joins_all(rule), "an update of facts never does"
    deltas.may_join_all = True
    assert made.joins_all(rule)
    assert list(made.gained(rule)) == [rule]
    small.state.tables["right"].insert(small.rows(*((3, node) for node in range(9))))
    assert not made.joins_all(rule), "one row of eleven is new"
