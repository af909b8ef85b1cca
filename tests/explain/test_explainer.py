"""Every explanation is accepted by a checker that asks the reference: random programs, updates, rule changes, all algorithms."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.judging import agrees, steps_of
from tests.differential.places import ALGORITHMS
from tests.differential.rule_histories import RuleHistory, rule_histories, rule_text
from tests.differential.update_histories import maintained
from tests.local_engine import access_to, as_tuples, held, program
from tests.proof_checker import Checker, as_key
from tests.random_graphs import graph_histories
from tests.random_programs import History, histories

from tidelog import KnowledgeBase, Source
from tidelog.explain.explainer import Explainer
from tidelog.values import Value

MOST_FACTS = 6
"""Facts that are explained after an update, of each relation."""
ways_to_look = st.fixed_dictionaries(
    {
        "algorithm": st.sampled_from(ALGORITHMS),
        "modules": st.booleans(),
        "effort": st.sampled_from((None, 0, 4)),  # level by level, by times at once, or soon
    }
)


def check_all(kb: KnowledgeBase, explicit: frozenset[Any], effort: int | None) -> None:
    """Explain facts of all relations."""
    checker = Checker(kb.program, explicit)
    before = held(kb)
    for name in kb.program.relations:
        for row in sorted(kb[name], key=repr)[:MOST_FACTS]:
            fact = (name, *row)
            proof = kb.explain(fact, effort=effort)
            assert proof.root.fact == fact
            checker.check(proof)
            if effort is None:
                assert not proof.is_whole or proof.height <= kb.explain(fact, effort=0).height
                checker.check(kb.explain(fact, all=True))
    assert held(kb) == before


def check_updates(history: History, options: dict[str, Any]) -> None:
    first, *steps = steps_of(history)
    kb = KnowledgeBase(Source(history.program.text), algorithm=options["algorithm"], modules=options["modules"])
    check_all(kb, first.explicit, options["effort"])
    for step in steps:
        kb.update(**step.update)
        check_all(kb, step.explicit, options["effort"])
        agrees(kb, step.expected)


def check_rule_changes(history: RuleHistory, options: dict[str, Any]) -> None:
    kb = KnowledgeBase(Source(history.text), algorithm=options["algorithm"], modules=options["modules"])
    live, explicit = [*history.rules], set(program(history.text).facts)
    for step in history.steps:
        gone = [rule for rule in step.toggled if rule in live]
        new = [rule for rule in step.toggled if rule not in live]
        live = [rule for rule in live if rule not in gone] + new
        deleted = set(program("\n".join(f"{fact}." for fact in step.delete)).facts)
        inserted = set(program("\n".join(f"{fact}." for fact in step.insert)).facts)
        explicit = (explicit - deleted) | inserted
        kb.update(
            insert=as_tuples(inserted),
            delete=as_tuples(deleted),
            remove_rules=map(rule_text, gone),
            add_rules=map(rule_text, new),
        )
        check_all(kb, frozenset(explicit), options["effort"])


@given(maintained(), ways_to_look)
@settings(max_examples=12)
def test_proofs_after_updates(history: History, options: dict[str, Any]) -> None:
    check_updates(history, options)


@given(histories(), ways_to_look)
@settings(max_examples=12)
def test_proofs_of_functions_negation_and_aggregates(history: History, options: dict[str, Any]) -> None:
    check_updates(history, options)


@given(graph_histories(), ways_to_look)
@settings(max_examples=8)
def test_proofs_in_graphs(history: History, options: dict[str, Any]) -> None:
    check_updates(history, options)


@given(rule_histories(), ways_to_look)
@settings(max_examples=8)
def test_proofs_after_changes_of_rules(history: RuleHistory, options: dict[str, Any]) -> None:
    check_rule_changes(history, options)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(4))
@given(maintained(), histories(), graph_histories(), rule_histories(), ways_to_look)
@settings(max_examples=250)
def test_many_proofs(
    part: int, one: History, other: History, graph: History, rules: RuleHistory, options: dict[str, Any]
) -> None:
    for history in (one, other, graph):
        check_updates(history, options)
    check_rule_changes(rules, options)


@given(histories(most_updates=0), st.booleans())
@settings(max_examples=8)
def test_all_ways_are_all_instances_of_the_rules(history: History, modules: bool) -> None:
    kb = KnowledgeBase(Source(history.program.text), modules=modules)
    checker = Checker(kb.program, frozenset(program(history.program.text).facts))
    closed = {module.relation for module in kb.program.modules} if modules else set()
    for name in kb.program.relations:
        for row in sorted(kb[name], key=repr)[:4]:
            explanation = kb.explain((name, *row), all=True)
            for step in explanation if explanation.is_whole else ():
                if step.fact[0] not in closed:
                    found = [(way.rules[0].at, tuple(as_key(explanation[at].fact) for at in way.numbers)) for way in step.ways]
                    assert set(found) == checker.ways_to(step.fact)


# --- what explanations say -----------------------------------------------------------------------------------------------

TEXT = """
@relation node(name: string) .
path(X, Y) :- edge(X, Y).
r2: path(X, Z) :-
    path(X, Y), edge(Y, Z).
lonely(X) :- node(X), not edge(X, _).
many(X, N) :- node(X), N = count { Y : path(X, Y) }, N > 1, W = cat(X, "!").
edge(a, b). edge(b, c). edge(c, d). edge(a, z).
node(a). node(z).
"""


@pytest.mark.parametrize("modules", [True, False])
def test_rules_have_names_or_lines_and_texts(modules: bool) -> None:
    proof = KnowledgeBase(Source(TEXT), modules=modules).explain("path(a, c)")
    assert [(rule.place, rule.text) for rule in proof.rules] == [
        ("line 3", "path(X, Y) :- edge(X, Y)."),
        ("r2", "path(X, Z) :- path(X, Y), edge(Y, Z)."),
    ]


def test_rules_of_other_texts_say_so() -> None:
    kb = KnowledgeBase(Source(TEXT))
    kb.add_rules("\nfar(X) :- path(a, X).")
    assert [rule.place for rule in kb.explain("far(b)").rules][-1] == "line 2 of <added rules>"


def test_reasons_of_literals_that_are_no_facts() -> None:
    kb = KnowledgeBase(Source(TEXT))
    (_, reason) = kb.explain("lonely(z)").root.ways[0].reasons
    assert (reason.what, reason.text, reason.note) == ("absent", "not edge(z, _)", "no fact matches")
    (way,) = kb.explain("many(a, 4)").root.ways
    _, folded, test, computed = way.reasons
    assert (folded.what, folded.text) == ("aggregate", "4 = count { Y : path(a, Y) }")
    assert (set(folded.rows), folded.more) == ({"path(a, b)", "path(a, c)", "path(a, d)", "path(a, z)"}, 0)
    assert (test.text, computed.text) == ("4 > 1", '"a!" = cat(a, "!")')
    assert way.binding == {"X": "a", "N": 4, "W": "a!"}


def test_an_aggregate_says_how_many_more_rows_there_are() -> None:
    kb = KnowledgeBase("all(N) :- N = count { X : item(X) }.")
    kb.update(insert=[("item", n) for n in range(100)])
    (reason,) = kb.explain("all(100)").root.ways[0].reasons
    assert (len(reason.rows), reason.more) == (5, 95)


@pytest.mark.parametrize("modules", [True, False])
@pytest.mark.parametrize("effort", [None, 0])
def test_ten_thousand_steps(modules: bool, effort: int | None) -> None:
    kb = KnowledgeBase("path(X, Y) :- start(X), edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).", modules=modules)
    kb.update(insert=[("start", 0), *(("edge", n, n + 1) for n in range(10_000))])
    proof = kb.explain(("path", 0, 10_000), effort=effort, links=20_000)
    assert len(proof.leaves) == 10_001
    assert len(proof.to_text().splitlines()) < 60
    assert len(proof.svg) < 100_000
    assert len(proof.to_text(None)) > 10_000


def test_long_chains_are_left_out_in_their_middle() -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).")
    kb.update(insert=[("edge", n, n + 1) for n in range(3_000)])
    way = kb.explain(("path", 0, 3_000)).root.ways[0]
    assert (way.is_chain, len(way.reasons), way.left_out) == (True, 1_000, 2_000)
    assert way.reasons[0].text == "path(0, 1)"
    assert way.reasons[-1].text == "edge(2999, 3000)"


def test_a_symmetric_relation_is_a_chain_that_may_turn() -> None:
    kb = KnowledgeBase("same(X, Y) :- same(Y, X). same(X, Z) :- same(X, Y), same(Y, Z). same(a, b). same(c, b). same(c, d).")
    proof = kb.explain("same(a, d)")
    assert [reason.text for reason in proof.root.ways[0].reasons] == ["same(a, b)", "same(c, b)", "same(c, d)"]
    assert [rule.place for rule in proof.root.ways[0].rules] == ["line 1", "line 1"]


def test_the_explainer_takes_any_access() -> None:
    kb = KnowledgeBase(Source(TEXT))
    with access_to(kb) as access:
        row = tuple(map(access.cell, (Value("string", "a"), Value("string", "d"))))  # type: ignore[arg-type]
        assert Explainer(access).words.fact(("path", row)) == "path(a, d)"
