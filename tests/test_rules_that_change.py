"""Rules that come and go, as users see them: what changes, what is said about it, and what is refused."""

from __future__ import annotations

import runpy
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.local_engine import engine_of, held, kept_counts, program, without_empty
from tests.rule_sets import RS2, RS3, chains, derived_facts_of_rs2

from tidelog import KnowledgeBase, Source
from tidelog.errors import TidelogError
from tidelog.reference import materialise

ALGORITHMS = ("bf", "dred", "counting", "auto", "rematerialise")
every_algorithm = pytest.mark.parametrize("algorithm", ALGORITHMS)
PATHS = """
r1: path(X, Y) :- edge(X, Y).
r2: path(X, Z) :- path(X, Y), edge(Y, Z).
"""
EDGES = [("edge", "a", "b"), ("edge", "b", "c"), ("edge", "c", "d")]


def knowledge(rules: str, facts: Iterable[tuple[object, ...]] = (), **options: Any) -> KnowledgeBase:
    kb = KnowledgeBase(Source(rules), **options)
    kb.update(insert=facts)
    return kb


def refused(kb: KnowledgeBase, **requested: Any) -> str:
    """What is said of a change that changes nothing."""
    before, relations, rules = held(kb), set(kb.relations), kb.program.rules
    with pytest.raises(TidelogError) as caught:
        kb.update(insert=[("edge", "x", "y")], **requested)
    assert held(kb) == before
    assert (set(kb.relations), kb.program.rules) == (relations, rules)
    assert kb.update(insert=[("edge", "x", "y")], delete=[("edge", "x", "y")]).stats.inserted == 1
    return str(caught.value)


# --- cases that break the published prototype ----------------------------------------------------------------------------


@every_algorithm
def test_a_fact_goes_that_a_symmetric_relation_made_of_another(algorithm: str) -> None:
    kb = knowledge("p11(X, Y) :- p1(X, Y). p20(X, Y) :- p11(X, Y).", [("p1", "a", "b")], algorithm=algorithm)
    kb.add_rules("p11(X, Y) :- p11(Y, X).")
    assert ("p20", "b", "a") in kb
    kb.update(delete=[("p1", "a", "b")])
    assert kb.count("p11") == kb.count("p20") == 0


@every_algorithm
def test_a_rule_that_closes_a_cycle_misses_nothing(algorithm: str) -> None:
    text = "p22(X, Y) :- p21(X, Y). p20(X, Y) :- p22(X, Y). p20(X, Y) :- p1(X, Y). p30(X, Z) :- p22(X, Y), p21(Y, Z)."
    kb = knowledge(text, [("p1", 1, 2), ("p1", 2, 3), ("p21", 3, 4)], algorithm=algorithm)
    change = kb.add_rules("r12: p21(X, Y) :- p20(X, Y).")
    assert set(kb["p30"]) == {(1, 3), (2, 4)}
    assert change.rules is not None
    assert [(node.what, node.after) for node in change.rules.hyper_nodes] == [
        ("merged", (("p22(X, Y) :- p21(X, Y).", "p20(X, Y) :- p22(X, Y).", "r12"),))
    ]
    assert [set(visit.relations) for visit in change.rules.visited] == [{"p20", "p21", "p22"}, {"p30"}]
    above = "re-evaluated" if algorithm == "rematerialise" else "difference"
    assert [visit.how for visit in change.rules.visited] == ["re-evaluated", above]
    change = kb.remove_rules("r12")
    assert (set(kb["p30"]), set(kb["p21"])) == (set(), {(3, 4)})
    assert change.rules is not None
    assert [node.what for node in change.rules.hyper_nodes] == ["split"]


@every_algorithm
def test_a_variable_that_stands_twice(algorithm: str) -> None:
    kb = knowledge("o(X) :- q(X, X).", [("e", 1, 1), ("e", 1, 2)], algorithm=algorithm)
    kb.add_rules("q(X, X) :- e(X, X).")
    assert (set(kb["q"]), set(kb["o"])) == ({(1, 1)}, {(1,)})
    kb.remove_rules("q(Y, Y) :- e(Y, Y).")
    assert kb.count("q") == kb.count("o") == 0


def test_rules_that_differ_only_in_the_positions_of_variables_are_different() -> None:
    kb = knowledge("q(X, Y) :- e(X, Y).", [("e", 1, 2)])
    kb.add_rules("q(X, Y) :- e(Y, X).")
    assert set(kb["q"]) == {(1, 2), (2, 1)}
    kb.remove_rules("q(A, B) :- e(A, B).")
    assert set(kb["q"]) == {(2, 1)}


# --- relations that become other relations -------------------------------------------------------------------------------


@every_algorithm
def test_a_relation_becomes_transitive_and_ceases_to_be(algorithm: str) -> None:
    kb = knowledge("r(X, Y) :- e(X, Y). n(X, Y) :- v(X), v(Y), not r(X, Y).", algorithm=algorithm)
    kb.update(insert=[("e", 1, 2), ("e", 2, 3), ("r", 3, 4), *(("v", at) for at in range(1, 5))])
    change = kb.add_rules("t: r(X, Z) :- r(X, Y), r(Y, Z).")
    assert "r" in engine_of(kb).state.virtual
    assert set(change.inserted["r"]) == {(1, 3), (1, 4), (2, 4)}
    assert set(change.deleted["n"]) == {(1, 3), (1, 4), (2, 4)}
    kb.update(delete=[("r", 3, 4)], insert=[("r", 4, 1)])
    change = kb.remove_rules("t")
    assert "r" not in engine_of(kb).state.virtual
    assert set(kb["r"]) == {(1, 2), (2, 3), (4, 1)}
    assert set(change.deleted["r"]) == set(change.inserted["n"])


@every_algorithm
def test_what_is_explicit_stays_when_rules_go(algorithm: str) -> None:
    kb = knowledge("p(X) :- q(X). o(X) :- p(X).", [("q", 1), ("q", 2), ("p", 2), ("p", 3)], algorithm=algorithm)
    change = kb.remove_rules("p(X) :- q(X).")
    assert (set(kb["p"]), set(kb["o"])) == ({(2,), (3,)}, {(2,), (3,)})
    assert set(change.deleted["p"]) == set(change.deleted.derived["p"]) == {(1,)}
    assert not change.deleted.explicit
    kb.update(delete=[("p", 2)])
    assert set(kb.add_rules("p(X) :- q(X).").inserted.derived["p"]) == {(1,), (2,)}
    assert set(kb["p"]) == {(1,), (2,), (3,)}
    kb.update(delete=[("p", 3), ("q", 1)])
    assert set(kb["o"]) == {(2,)}


def test_a_relation_that_nothing_mentions_any_more_is_forgotten() -> None:
    kb = knowledge(PATHS, EDGES)
    change = kb.remove_rules(["r1", "r2"])
    assert "path" not in kb.relations
    assert set(kb["edge"]) == {("a", "b"), ("b", "c"), ("c", "d")}
    assert len(change.deleted["path"]) == 6
    kb.add_rules("path(X) :- edge(X, _).")
    assert set(kb["path"]) == {("a",), ("b",), ("c",)}
    assert len(change.deleted["path"]) == 6
    kb.update(insert=[("path", "z")])
    kb.remove_rules("path(X) :- edge(X, _).")
    assert set(kb["path"]) == {("z",)}
    assert "path" in kb.relations


def test_facts_and_declarations_among_rules() -> None:
    kb = knowledge(PATHS, EDGES)
    change = kb.add_rules("@relation weight(node: string, kg: float). weight(a, 2). heavy(X) :- weight(X, W), W > 1. edge(d, e).")
    assert set(kb["weight"]) == {("a", 2.0)}
    assert set(kb["heavy"]) == {("a",)}
    assert ("path", "a", "e") in kb
    assert change.stats.inserted == 2
    with pytest.raises(TidelogError, match="TL040"):
        kb.update(insert=[("weight", "b", "much")])
    kb.remove_rules("edge(d, e).")
    assert ("path", "a", "e") not in kb
    kb.add_rules("lonely(1).")
    assert set(kb["lonely"]) == {(1,)}


def test_a_rule_that_is_replaced_by_itself_has_another_name() -> None:
    kb = knowledge(PATHS, EDGES)
    change = kb.update(remove_rules="r1", add_rules="base: path(A, B) :- edge(A, B).")
    assert not change.inserted
    assert not change.deleted
    kb.remove_rules("base")
    assert kb.count("path") == 0


def test_rules_and_facts_in_one_update() -> None:
    kb = knowledge(PATHS, EDGES)
    kb.update(
        insert=[("edge", "d", "a"), ("path", "q", "q")],
        delete=[("edge", "a", "b")],
        remove_rules=["r2"],
        add_rules=["path(X, Z) :- edge(X, Y), path(Y, Z).", "loop(X) :- path(X, X)."],
    )
    text = "path(X, Y) :- edge(X, Y). path(X, Z) :- edge(X, Y), path(Y, Z). loop(X) :- path(X, X)."
    facts = "edge(b, c). edge(c, d). edge(d, a). path(q, q)."
    assert without_empty(held(kb)) == without_empty(materialise(program(text + facts)))


# --- what is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("requested", "said"),
    [
        ({"add_rules": "p(X, Y) :- edge(X, _)."}, ["<added rules>:1:6: error TL030: nothing in the body binds Y"]),
        ({"add_rules": "p(X) :- path(X)."}, ["TL020: `path` has 1 argument here and 2 at <text>:2:5"]),
        ({"add_rules": "p(X) :- kept(X, Y), Y > 3. p(X) :- kept(X, Y), Y = X + 1."}, ["TL042"]),
        ({"add_rules": 'kept("a", 1) .'}, ["TL040"]),
        (
            {"add_rules": "edge(X, Y) :- node(X), node(Y), not path(X, Y)."},
            ["error TL050: `edge` depends on itself through negation of `path`", "edge needs not path", "path needs edge"],
        ),
        ({"add_rules": "edge(X, N) :- node(X), N = count { path(X, _) }."}, ["TL051"]),
        ({"add_rules": "path(A, C) :- edge(B, C), path(A, B)."}, ["TL078: this rule is there already, as `r2`, at <text>:3:1"]),
        ({"add_rules": "p(X) :- edge(X, _). p(Y) :- edge(Y, _)."}, ["TL078: this rule is there already"]),
        ({"add_rules": "r2: p(X) :- edge(X, _)."}, ["TL026: another rule is named `r2` already, at <text>:3:1"]),
        ({"remove_rules": "r12"}, ["TL079: there is no rule named `r12`"]),
        ({"remove_rules": ["r1", "base_rul"]}, ["TL079", "did you mean `base_rule`?"]),
        (
            {"remove_rules": "path(X, Z) :- path(X, Y), edge(Z, Y)."},
            ["TL079: there is no such rule", "did you mean `path(X, Z) :- path(X, Y), edge(Y, Z).`?"],
        ),
        ({"remove_rules": "pth(X, Y) :- edge(X, Y)."}, ["TL079", "did you mean `path`?"]),
        ({"remove_rules": "path(X, Y) :- edge(X, Y)"}, ["TL005"]),
        ({"add_rules": "@relation path(a, b)."}, ["TL021: `path` is there already, without a declaration"]),
        ({"add_rules": '@input edge "edges.csv".'}, ["TL074: @input cannot come"]),
        ({"add_rules": "p(X) :- edge(X, _).", "insert": [("p", 1, 2)]}, ["TL020"]),
    ],
    ids=str,
)
def test_refusals_change_nothing(requested: dict[str, Any], said: list[str]) -> None:
    text = "base_rule: some(X, Y) :- given(X, Y). @relation given(a: string, b: string). @relation kept(a: int, b: string)."
    kb = knowledge(PATHS + text, EDGES)
    insert = requested.pop("insert", [])
    if insert:
        with pytest.raises(TidelogError, match=said[0]):
            kb.update(insert=insert, **requested)
        assert "p" not in kb.relations
        return
    shown = refused(kb, **requested)
    for part in said:
        assert part in shown


def test_everything_that_is_wrong_is_said_at_once() -> None:
    shown = refused(knowledge(PATHS, EDGES), remove_rules=["r7"], add_rules="p(X) :- path(X). q(X, Y) :- edge(X, _).")
    assert [code in shown for code in ("TL079", "TL020")] == [True, True]


# --- rule sets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("modules", [True, False], ids=["modules", "rules"])
@pytest.mark.parametrize("text", [RS2, RS3], ids=["RS2", "RS3"])
def test_each_rule_is_removed_and_added_back(text: str, modules: bool) -> None:
    data = chains(6)
    kb = KnowledgeBase(Source(text + data), modules=modules)
    rules = [line for line in text.splitlines() if line]
    whole = held(kb)
    if text == RS2:
        assert sum(map(len, whole.values())) == derived_facts_of_rs2(6) + 24
    for rule in rules:
        kb.remove_rules(rule.partition(":")[0])
        left = program("\n".join(other for other in rules if other != rule) + data)
        assert without_empty(held(kb)) == without_empty(materialise(left))
        kb.add_rules(rule)
        assert held(kb) == whole


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).parent.parent / "examples" / "rules_come_and_go.py"), run_name="__main__")
    told = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("  ")]
    assert told == [
        "at first: lost now: s2, s3",
        "one hop: lost now: s3",
        "any hops: lost now: none",
        "refused: TL050, and nothing has changed",
        "no hops: lost now: s2, s3",
    ]


def test_statistics_number_rules_as_they_stand_now() -> None:
    kb = KnowledgeBase("a: p(X) :- e(X). b: q(X) :- e(X). c: r(X) :- q(X). e(1).", modules=False)
    kb.remove_rules("a")
    kb.add_rules("d: s(X) :- r(X).")
    kb.update(insert=[("e", 2)])
    assert {kb.program.rules[done.rule].name for done in kb.statistics.rounds} == {"b", "c", "d"}
    kb.remove_rules("b")
    assert all(done.rule < len(kb.program.rules) for done in kb.statistics.rounds)


def test_nothing_is_left_of_rules_that_are_gone() -> None:
    rules = {
        "b": "b: path(X, Z) :- path(X, Y), edge(Y, Z).",
        "c": "c: far(X, Y) :- node(X), node(Y), not path(X, Y).",
        "d": "d: many(X, N) :- node(X), N = count { Y : path(X, Y) }.",
        "e": 'e: big(X, S) :- many(X, N), N > 2, S = cat("b", string(X)).',
    }
    kb = KnowledgeBase(Source("a: path(X, Y) :- edge(X, Y).\n" + "\n".join(rules.values())))
    kb.update(insert=[("node", n) for n in range(9)] + [("edge", n, n + 1) for n in range(8)])

    def come_and_go(times: int) -> list[int]:
        for at in range(times):
            for name, rule in rules.items():
                kb.remove_rules(name)
                kb.update(insert=[("edge", at % 7, 5)], delete=[("edge", at % 5, 5)])
                kb.add_rules(rule)
        return list(kept_counts(kb).values())

    assert come_and_go(20) == come_and_go(35)


def test_a_relation_that_is_declared_and_has_no_rule() -> None:
    """It has no facts: everything that reads a relation says so, before and after there are some."""
    kb = knowledge("p(1).")
    change = kb.add_rules("@relation dd(a: int) .")
    assert (kb.count("dd"), list(kb["dd"]), list(kb.query("dd(X)"))) == (0, [], [])
    assert [*change.inserted, *change.deleted] == []
    with kb.snapshot() as view:
        assert (view.count("dd"), list(view.facts("dd")), list(view.query("p(X), not dd(X)"))) == (0, [], [(1,)])
    assert kb.copy().count("dd") == 0
    assert dict(kb.update(insert=[("dd", 1)]).inserted).keys() == {"dd"}
    assert kb.count("dd") == 1
    kb.add_rules("@relation ee(a: int) . q(X) :- dd(X), not ee(X).")
    assert (kb.count("ee"), list(kb["q"])) == (0, [(1,)])
