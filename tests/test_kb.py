"""The knowledge base as users see it."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.local_engine import engine_of, held, looking_often

from tidelog import IRI, Change, TidelogError, Update
from tidelog.kb import KnowledgeBase
from tidelog.local.kb import LocalKnowledgeBase

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
CLOSED = {("a", "b"), ("b", "c"), ("a", "c")}
COLUMNS = {"src": ["a", "b"], "dst": ["b", "c"]}


def codes(error: pytest.ExceptionInfo[TidelogError]) -> list[str]:
    return [problem.code for problem in error.value.diagnostics]


# --- the abstract base ---------------------------------------------------------------------------------------------------


def test_the_constructor_makes_an_object_of_the_engine() -> None:
    kb = KnowledgeBase("p(a).")
    assert isinstance(kb, KnowledgeBase)
    assert type(kb) is LocalKnowledgeBase
    assert list(inspect.signature(KnowledgeBase).parameters)[:4] == ["rules", "engine", "algorithm", "marking"]


def test_an_engine_must_have_all_methods() -> None:
    class Half(KnowledgeBase):
        def count(self, relation: str) -> int:
            return len(relation)

    methods = {"__getitem__", "count", "load", "query", "statistics", "update"}
    assert KnowledgeBase.__abstractmethods__ == methods
    assert methods - {"count"} == Half.__abstractmethods__
    with pytest.raises(TypeError, match="abstract"):
        Half("p(a).")


@pytest.mark.parametrize("option", ["options", "rejects"])
def test_options_of_load_that_only_spark_takes(option: str) -> None:
    with pytest.raises(TidelogError, match=f"TL074: the local engine takes no {option} to load") as caught:
        KnowledgeBase().load("p", pa.table({"x": [1]}), **{option: {}})  # type: ignore[arg-type]
    assert caught.value.diagnostics[0].fix == 'leave it out, or choose engine="spark"'


def test_an_update_of_a_stream_is_applied_whether_the_next_one_is_known_or_not() -> None:
    first, second = Update(insert=(("edge", "a", "b"),)), Update(delete=(("edge", "a", "b"),))
    for next_update in (lambda: None, lambda: second):
        kb = KnowledgeBase(PATHS)
        assert kb.apply(first, next_update).inserted.total == 2
        assert kb.apply(second).deleted.total == 2


# --- programs ------------------------------------------------------------------------------------------------------------


def test_no_rules() -> None:
    kb = KnowledgeBase()
    assert len(kb.facts()) == 0
    kb.update(insert=[("p", 1), ("q",), ("p", 2)])
    assert set(kb.facts()) == {("p", 1), ("p", 2), ("q",)}
    assert repr(kb) == "<KnowledgeBase: 0 rules, 2 relations: p, q>"


def test_a_missing_file_and_wrong_rules() -> None:
    with pytest.raises(TidelogError, match="TL060"):
        KnowledgeBase("missing.dl")
    with pytest.raises(TidelogError, match="TL030"):
        KnowledgeBase("p(X) :- q(Y).")


def test_statistics() -> None:
    kb = KnowledgeBase("q(X) :- p(X). r(X) :- q(X), X > 1. p(1). p(2).")
    rounds = kb.statistics.rounds
    assert {(r.rule, r.derivations, r.new_facts) for r in rounds} == {(0, 2, 2), (1, 1, 1)}
    assert all(r.seconds >= 0 for r in rounds)


# --- loading -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["pandas", "polars", "arrow", "csv", "tsv", "parquet", "jsonl"])
def test_load(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"edges.{form}"
    match form:
        case "pandas":
            source: object = pd.DataFrame(COLUMNS)
        case "polars":
            source = pl.DataFrame(COLUMNS)
        case "arrow":
            source = pa.table(COLUMNS)
        case "csv":
            path.write_text("a,b\nb,c\n", encoding="utf-8")
            source = path
        case "tsv":
            path.write_text("a\tb\nb\tc\n", encoding="utf-8")
            source = str(path)
        case "parquet":
            pl.DataFrame(COLUMNS).write_parquet(path)
            source = path
        case _:
            path.write_text('{"src": "a", "dst": "b"}\n{"src": "b", "dst": "c"}\n', encoding="utf-8")
            source = path
    kb = KnowledgeBase(PATHS)
    report = kb.load("edge", source)
    assert (report.rows, report.relation) == (2, "edge")
    assert repr(report)
    assert kb.loads == [report]
    assert set(kb["path"]) == CLOSED


def test_nothing_is_derived_before_somebody_asks() -> None:
    kb = KnowledgeBase(PATHS)
    kb.load("edge", pa.table(COLUMNS))
    settled = [engine_of(kb).is_maintained]
    kb.load("edge", pa.table({"src": ["c"], "dst": ["d"]}))
    assert kb.count("path") == 6
    settled.append(engine_of(kb).is_maintained)
    kb.load("edge", pa.table({"src": ["d"], "dst": ["e"]}))
    settled.append(engine_of(kb).is_maintained)
    assert settled == [False, True, False]
    assert set(kb.query("path(X, e)")) == {("a",), ("b",), ("c",), ("d",)}


def test_load_into_relations_of_all_sorts() -> None:
    kb = KnowledgeBase(PATHS + "apart(X) :- node(X), not path(X, _).")
    kb.load("path", pa.table({"x": ["x"], "y": ["a"]}))  # a relation that rules derive
    kb.load("edge", pa.table(COLUMNS))
    kb.load("node", pa.table({"n": ["a", "z"]}))
    kb.load("new", pa.table({"n": [1, 2], "m": [1.5, 2.5], "o": [True, False]}))
    assert set(kb["path"]) == CLOSED | {("x", y) for y in "abc"}
    assert set(kb["apart"]) == {("z",)}
    assert set(kb["new"]) == {(1, 1.5, True), (2, 2.5, False)}
    kb.update(delete=[("path", "x", "a"), ("new", 1, 1.5, True)])
    assert set(kb["path"]) == CLOSED
    assert set(kb["new"]) == {(2, 2.5, False)}


def test_a_load_that_does_not_fit_changes_nothing() -> None:
    kb = KnowledgeBase("@relation temp(name: string, celsius: float) . hot(X) :- temp(X, C), C > 20.")
    kb.load("temp", pa.table({"name": ["a"], "celsius": [21.0]}))
    with pytest.raises(TidelogError):
        kb.load("temp", pa.table({"name": ["b", "c"], "celsius": ["25", "warm"]}))
    with pytest.raises(TidelogError):
        kb.load("hot", pa.table({"x": ["b"], "y": ["c"]}))
    assert set(kb.facts()) == {("temp", "a", 21.0), ("hot", "a")}
    assert len(kb.loads) == 1


def test_a_relation_has_one_arity() -> None:
    kb = KnowledgeBase()
    kb.update(insert=[("p", 1)])
    with pytest.raises(TidelogError) as caught:
        kb.update(insert=[("p", 1, 2)])
    assert codes(caught) == ["TL020"]
    with pytest.raises(TidelogError) as caught:
        kb.update(insert=[("q", 1), ("q", 1, 2)])
    assert codes(caught) == ["TL020"]
    with pytest.raises(TidelogError):
        kb.load("p", pa.table(COLUMNS))
    assert set(kb.facts()) == {("p", 1)}
    assert set(kb.relations) == {"p"}


def test_inputs_are_beside_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "edges.csv").write_text("a,b\nb,c\n", encoding="utf-8")
    (tmp_path / "rules.dl").write_text('@input edge "data/edges.csv" .\n' + PATHS, encoding="utf-8")
    assert set(KnowledgeBase(tmp_path / "rules.dl")["path"]) == CLOSED
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert set(KnowledgeBase("../rules.dl")["path"]) == CLOSED
    with pytest.raises(TidelogError, match="TL060"):
        KnowledgeBase(tmp_path / "rules.dl", folder=tmp_path / "elsewhere")
    (tmp_path / "rules.dl").rename(tmp_path / "elsewhere" / "rules.dl")
    kb = KnowledgeBase("rules.dl", folder=tmp_path)
    assert set(kb["path"]) == CLOSED
    assert [load.rows for load in kb.loads] == [2]


# --- updates -------------------------------------------------------------------------------------------------------------


def test_a_fact_in_both_lists_stays() -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    kb.update(insert=[("p", 1), ("p", 2)])
    change = kb.update(insert=[("p", 1), ("p", 3)], delete=[("p", 1), ("p", 2), ("p", 3)])
    assert set(kb["q"]) == {(1,), (3,)}
    assert {name: set(facts) for name, facts in change.inserted.items()} == {"p": {(3,)}, "q": {(3,)}}
    assert {name: set(facts) for name, facts in change.deleted.items()} == {"p": {(2,)}, "q": {(2,)}}


def test_values_of_one_number_are_apart() -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    kb.update(insert=[("p", 1), ("p", 1.0), ("p", True), ("p", "1"), ("p", IRI("1"))])
    assert kb.count("q") == 5
    kb.update(delete=[("p", 1.0)])
    assert sorted(map(repr, kb["q"])) == sorted(map(repr, [(1,), (True,), ("1",), (IRI("1"),)]))


@pytest.mark.parametrize(
    ("facts", "code"),
    [
        ([("edge", "a", "b"), ("edge", "a")], "TL020"),
        ([("edge", "a", None)], "TL072"),
        ([("edge", "a", 2**63)], "TL072"),
        ([()], "TL072"),
        (["edge"], "TL072"),
        ([(1, 2)], "TL072"),
        ([("temp", "a", "warm")], "TL040"),
        ([("#given path", "a", "b")], "TL013"),
        ([("", "a")], "TL013"),
    ],
    ids=str,
)
@pytest.mark.parametrize("way", ["insert", "delete", "upsert"])
def test_bad_facts_change_nothing(facts: list[tuple[object, ...]], code: str, way: str) -> None:
    kb = KnowledgeBase("@relation temp(name: string, celsius: float) . hot(X) :- temp(X, C), C > 20. " + PATHS)
    kb.update(insert=[("edge", "a", "b"), ("temp", "t", 30)])
    before, relations = held(kb), set(kb.relations)
    with pytest.raises(TidelogError) as caught:
        kb.update(**{way: [("edge", "x", "y"), *facts, ("new", 1)]})  # type: ignore[arg-type]
    assert codes(caught) == [code]
    assert held(kb) == before
    assert set(kb.relations) == relations
    kb.update(insert=[("edge", "b", "c")])
    assert set(kb["path"]) == CLOSED


def test_facts_are_kept_to_declared_types() -> None:
    kb = KnowledgeBase("@relation temp(name: string, celsius: float) . hot(X, C) :- temp(X, C), C > 20.")
    kb.update(insert=[("temp", "t", 30)])
    assert repr(list(kb["hot"])) == "[('t', 30.0)]"
    assert kb.update(delete=[("temp", "t", 30)]).stats.deleted == 1


# --- upserts -------------------------------------------------------------------------------------------------------------

TEMPERATURES = """
@relation temp(turbine: string key, celsius: float) .
@relation place(site: string key, row: int key, what: any) .
hot(T) :- temp(T, C), C > 20.
temp(T, 99) :- broken(T).
"""


def effect(change: Change) -> tuple[int, int, int]:
    return change.stats.inserted, change.stats.deleted, change.stats.without_effect


@pytest.mark.parametrize("derived", [False, True])
def test_an_upsert_takes_the_place_of_what_has_its_key(derived: bool) -> None:
    kb = KnowledgeBase(TEMPERATURES if derived else TEMPERATURES.replace("temp(T, 99) :- broken(T).", ""))
    assert effect(kb.update(upsert=[("temp", "t1", 19), ("temp", "t2", 30)])) == (2, 0, 0)
    change = kb.update(upsert=[("temp", "t1", 21.5)])
    assert effect(change) == (1, 1, 0)
    assert {name: set(facts) for name, facts in change.inserted.items()} == {"temp": {("t1", 21.5)}, "hot": {("t1",)}}
    assert {name: set(facts) for name, facts in change.deleted.items()} == {"temp": {("t1", 19.0)}}
    assert set(kb["hot"]) == {("t1",), ("t2",)}


def test_an_upsert_of_what_is_there_has_no_effect() -> None:
    kb = KnowledgeBase(TEMPERATURES)
    kb.update(upsert=[("temp", "t1", 19)])
    change = kb.update(upsert=[("temp", "t1", 19.0)])
    assert effect(change) == (0, 0, 1)
    assert (dict(change.inserted), dict(change.deleted)) == ({}, {})


def test_the_last_upsert_of_a_key_counts() -> None:
    kb = KnowledgeBase(TEMPERATURES)
    kb.update(upsert=[("temp", "t1", 1), ("temp", "t2", 2), ("temp", "t1", 3)])
    assert set(kb["temp"]) == {("t1", 3.0), ("t2", 2.0)}


def test_an_upsert_beside_insertions_and_deletions() -> None:
    kb = KnowledgeBase(TEMPERATURES)
    kb.update(insert=[("temp", "t1", 1), ("temp", "t1", 2), ("temp", "t2", 2)])
    change = kb.update(insert=[("temp", "t1", 4)], delete=[("temp", "t1", 1), ("temp", "t9", 9)], upsert=[("temp", "t1", 2)])
    assert set(kb["temp"]) == {("t1", 2.0), ("t1", 4.0), ("t2", 2.0)}, "only what was there before goes"
    assert effect(change) == (1, 1, 2)
    assert effect(kb.update(upsert=[("temp", "t1", 5)])) == (1, 2, 0), "all facts with the key go"


def test_a_key_of_several_columns_and_a_key_that_is_everything() -> None:
    kb = KnowledgeBase(TEMPERATURES + "@relation node(name: string key) .")
    kb.update(upsert=[("place", "a", 1, "x"), ("place", "a", 2, "x"), ("place", "b", 1, 7), ("node", "n")])
    assert effect(kb.update(upsert=[("place", "a", 2, 5.0), ("place", "b", 2, "y"), ("node", "n")])) == (2, 1, 1)
    assert set(kb["place"]) == {("a", 1, "x"), ("a", 2, 5.0), ("b", 1, 7), ("b", 2, "y")}


def test_only_explicit_facts_are_replaced() -> None:
    kb = KnowledgeBase(TEMPERATURES)
    kb.update(insert=[("broken", "t1")])
    change = kb.update(upsert=[("temp", "t1", 5)])
    assert set(kb["temp"]) == {("t1", 99.0), ("t1", 5.0)}
    assert effect(change) == (1, 0, 0)
    kb.update(upsert=[("temp", "t1", 99)])
    assert effect(kb.update(upsert=[("temp", "t1", 6)])) == (1, 1, 0)
    assert set(kb["temp"]) == {("t1", 99.0), ("t1", 6.0)}, "still derived"


def test_a_key_in_a_transitive_relation() -> None:
    kb = KnowledgeBase("@relation up(part: string key, whole: string) . in(X, Y) :- up(X, Y). in(X, Z) :- in(X, Y), up(Y, Z).")
    kb.update(upsert=[("up", "bolt", "wheel"), ("up", "wheel", "car"), ("up", "bell", "bike")])
    kb.update(upsert=[("up", "wheel", "bike")])
    assert set(kb["in"]) == {("bolt", "wheel"), ("bolt", "bike"), ("wheel", "bike"), ("bell", "bike")}


@pytest.mark.parametrize("ways", [{"upsert": [("edge", "a", "b")]}, {"upsert": [("new", 1)]}], ids=str)
def test_an_upsert_without_a_key_changes_nothing(ways: dict[str, Any]) -> None:
    kb = KnowledgeBase(TEMPERATURES + PATHS)
    kb.update(insert=[("edge", "a", "c"), ("temp", "t1", 1)])
    before = held(kb)
    with pytest.raises(TidelogError) as caught:
        kb.update(insert=[("temp", "t2", 2)], delete=[("edge", "a", "c")], **ways)
    assert codes(caught) == ["TL075"]
    assert held(kb) == before


def test_an_upsert_that_is_stopped_changes_nothing() -> None:
    kb = KnowledgeBase(TEMPERATURES + "n(T, 0) :- temp(T, C), C > 50. n(T, X + 1) :- n(T, X).", limit_facts=100)
    kb.update(upsert=[("temp", "t1", 1), ("temp", "t2", 2)])
    before = held(kb)
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(upsert=[("temp", "t2", 3), ("temp", "t1", 60)])
    assert held(kb) == before
    kb.update(upsert=[("temp", "t1", 4), ("temp", "t2", 2)])
    assert set(kb["temp"]) == {("t1", 4.0), ("t2", 2.0)}


@pytest.mark.parametrize("derived", [False, True])
def test_loads_with_upserts(derived: bool) -> None:
    kb = KnowledgeBase(TEMPERATURES if derived else TEMPERATURES.replace("temp(T, 99) :- broken(T).", ""))
    first = kb.load("temp", pa.table({"turbine": ["t1", "t2", "t1"], "celsius": [1.0, 2.0, 30.0]}), upsert=True)
    assert (first.rows, first.new_facts, first.replaced) == (3, 2, 0)
    second = kb.load("temp", pa.table({"turbine": ["t2", "t3"], "celsius": [40.0, 3.0]}), upsert=True)
    assert (second.rows, second.new_facts, second.replaced) == (2, 2, 1)
    assert set(kb["hot"]) == {("t1",), ("t2",)}
    for celsius, replaced in ((50.0, 1), (5.0, 1), (5.0, 0)):
        assert kb.load("temp", pa.table({"turbine": ["t2"], "celsius": [celsius]}), upsert=True).replaced == replaced
    assert set(kb["hot"]) == {("t1",)}
    assert set(kb["temp"]) == {("t1", 30.0), ("t2", 5.0), ("t3", 3.0)}
    with pytest.raises(TidelogError, match="TL075"):
        kb.load("edge", pa.table(COLUMNS), upsert=True)
    assert (
        kb.load("temp", pa.table({"turbine": pa.array([], pa.string()), "celsius": pa.array([], pa.float64())}), upsert=True).rows
        == 0
    )


@pytest.mark.parametrize("seed", range(3))
def test_many_upserts_like_a_dictionary(seed: int) -> None:
    chance = random.Random(seed)
    kb = KnowledgeBase(TEMPERATURES)
    expected: dict[str, float] = {}
    for _ in range(300):
        upserts = [(f"t{chance.randrange(40)}", float(chance.randrange(60))) for _ in range(chance.randrange(1, 4))]
        gone = [fact for fact in expected.items() if chance.random() < 0.02]
        change = kb.update(delete=[("temp", *fact) for fact in gone], upsert=[("temp", *fact) for fact in upserts])
        before, expected = expected, {**{t: c for t, c in expected.items() if (t, c) not in gone}, **dict(upserts)}
        assert set(change.inserted.get("temp", ())) == expected.items() - before.items()
        assert set(change.deleted.get("temp", ())) == before.items() - expected.items()
    assert set(kb["temp"]) == set(expected.items())
    assert set(kb["hot"]) == {(turbine,) for turbine, celsius in expected.items() if celsius > 20}


# --- questions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", ["facts", "count", "[]"])
def test_unknown_relations(ask: str) -> None:
    kb = KnowledgeBase(PATHS)
    ways: dict[str, Callable[[str], object]] = {"facts": kb.facts, "count": kb.count, "[]": kb.__getitem__}
    with pytest.raises(TidelogError) as caught:
        ways[ask]("paht")
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.fix) == ("TL073", "did you mean `path`?")


def test_queries() -> None:
    kb = KnowledgeBase("@prefix ex: <http://example.org/> . ex:p(ex:a, 1). " + PATHS)
    kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c"), ("extra", 1)])
    assert set(kb.query("path(a, X), X != b")) == {("c",)}
    assert kb.query("path(X, Y)").columns == ("X", "Y")
    assert list(kb.query("path(a, c)")) == [()]
    assert list(kb.query("path(c, a)")) == []
    assert set(kb.query("extra(X), Y = X + 1")) == {(1, 2)}
    assert set(kb.query("ex:p(X, N)")) == {(IRI("http://example.org/a"), 1)}
    assert set(kb.query("N = count { path(X, Y) }")) == {(3,)}
    assert set(kb.query("edge(X, _), N = count { path(X, _) }, T = upper(X)")) == {("a", 2, "A"), ("b", 1, "B")}
    with pytest.raises(TidelogError) as caught:
        kb.query("paht(X, Y)")
    assert caught.value.diagnostics[0].fix == "did you mean `path`?"


def test_progress_is_shown() -> None:
    seen: list[tuple[str, int]] = []
    kb = KnowledgeBase(PATHS, modules=False, progress=lambda p: seen.append((p.working_on, p.facts)))
    with looking_often():
        kb.update(insert=[("edge", n, n + 1) for n in range(20)])
    assert {"path"} <= {name for name, _ in seen}
    assert [count for _, count in seen] == sorted(count for _, count in seen)
    assert seen[-1][1] > 100


def test_starting_over_gives_the_same() -> None:
    rules = "q(X) :- p(X). r(X) :- q(X), not s(X)."
    kbs = [KnowledgeBase(rules, algorithm=algorithm) for algorithm in ("auto", "rematerialise")]
    changes = [kb.update(insert=[("p", 1), ("p", 2), ("s", 2)]) for kb in kbs]
    changes = [kb.update(insert=[("p", 3)]) for kb in kbs]
    assert [sorted(kb.facts()) for kb in kbs] == [sorted(kbs[0].facts())] * 2
    assert [change.stats.algorithm for change in changes] == ["semi-naive", "rematerialise: as asked for"]
    assert [list(change.inserted["r"]) for change in changes] == [[(3,)], [(3,)]]


@pytest.mark.parametrize("modules", [True, False])
def test_results_stay_what_they_were(modules: bool) -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).", modules=modules)
    change = kb.update(insert=[("edge", n, n + 1) for n in range(5)])
    results = [kb["edge"], kb["path"], kb.query("path(X, 3)"), change.inserted["edge"], change.inserted["path"]]
    before = [sorted(result) for result in results]
    later = kb.update(delete=[("edge", 2, 3)])
    gone = sorted(later.deleted["path"])
    kb.update(delete=[("edge", 0, 1)], insert=[("edge", 2, 3)])
    assert [sorted(result) for result in results] == before
    assert sorted(later.deleted["path"]) == gone


# --- prefixed names --------------------------------------------------------------------------------------------------------

PREFIXED = """@prefix ex: <http://example.org/> . @relation ex:temp(who: string key, celsius: float) .
two(X, Z) :- ex:knows(X, Y), ex:knows(Y, Z)."""
KNOWS = "http://example.org/knows"


@pytest.mark.parametrize("name", ["ex:knows", f"<{KNOWS}>", KNOWS])
@pytest.mark.parametrize("many", [1, 10, 100])
def test_a_prefixed_name_means_the_relation_of_the_rules(name: str, many: int) -> None:
    kb = KnowledgeBase(PREFIXED)
    chain = [(name, at, at + 1) for at in range(many + 1)]
    change = kb.update(insert=chain)
    assert change.inserted["two"]
    assert len(change.inserted[name]) == len(change.inserted.explicit["ex:knows"]) == many + 1
    assert kb.count("two") == many
    assert kb.count(name) == len(kb[name]) == len(kb.facts(name)) == many + 1
    assert (name, 0, 1) in kb
    assert kb.relations.keys() == {"two", KNOWS, "http://example.org/temp"}
    kb.update(delete=chain)
    assert len(kb.facts()) == 0


def test_a_prefixed_name_in_a_stream() -> None:
    kb = KnowledgeBase(PREFIXED)
    list(kb.follow([{"insert": [["ex:knows", "a", "b"]]}, '{"insert": [["ex:knows", "b", "c"]]}']))
    assert list(kb["two"]) == [("a", "c")]
    list(kb.follow([Update(delete=(("ex:knows", "b", "c"),)), {"insert": [[f"<{KNOWS}>", "b", "d"]]}]))
    assert list(kb["two"]) == [("a", "d")]


def test_a_prefixed_name_in_upserts_and_loads() -> None:
    kb = KnowledgeBase(PREFIXED)
    kb.load("ex:temp", pa.table({"who": ["a", "b"], "celsius": [1.0, 2.0]}))
    kb.update(upsert=[("ex:temp", "a", 3.0), ("http://example.org/temp", "a", 4.0)])
    kb.load("ex:temp", pa.table({"who": ["b"], "celsius": [5.0]}), upsert=True)
    assert set(kb["ex:temp"]) == {("a", 4.0), ("b", 5.0)}
    with pytest.raises(TidelogError, match="TL075"):
        kb.update(upsert=[("ex:knows", "a", "b")])
    with pytest.raises(TidelogError, match="TL020"):
        kb.update(insert=[("ex:knows", "a")])


def test_a_prefixed_name_of_a_relation_that_is_new() -> None:
    kb = KnowledgeBase(PREFIXED)
    kb.update(insert=[("ex:likes", "a", "b")])
    kb.load("ex:hates", pa.table({"x": [1]}))
    kb.add_rules("both(X) :- ex:likes(X, _).")
    assert list(kb["both"]) == list(kb.query("ex:likes(X, _)")) == [("a",)]
    assert list(kb["<http://example.org/hates>"]) == [(1,)]


def test_a_prefix_that_came_with_a_rule() -> None:
    kb = KnowledgeBase("p(a).")
    kb.add_rules("@prefix ex: <http://example.org/> . q(X) :- ex:knows(X).")
    kb.update(insert=[("ex:knows", "a")])
    assert list(kb["q"]) == [("a",)]


# --- arguments of the wrong type -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda kb: kb[5],
        lambda kb: kb[0:1],
        lambda kb: kb.count(3),
        lambda kb: kb.count([]),
        lambda kb: kb.facts(0),
        lambda kb: kb.subscribe(5, print),
        lambda kb: kb.subscribe("q", 5),
        lambda kb: kb.update(5),
        lambda kb: kb.update(delete=None, add_rules="z(X) :- q(X)."),
        lambda kb: kb.update(upsert=5),
        lambda kb: kb.add_rules(5),
        lambda kb: kb.remove_rules([5]),
        lambda kb: kb.load(None, pa.table({"x": [1]})),
        lambda kb: kb.load("p", "x.csv", format=5),
        lambda kb: kb.load("p", pa.table({"x": [1]}), defaults=[1]),
        lambda kb: kb.replay(5),
        lambda kb: kb["q"].head("x"),
        lambda kb: kb["q"].write(None),
        lambda kb: kb["q"].write("q.csv", format=5),
    ],
)
def test_arguments_of_the_wrong_type(call: Callable[[KnowledgeBase], object]) -> None:
    kb = KnowledgeBase("q(X) :- p(X). p(a).")
    with pytest.raises(TidelogError) as caught:
        call(kb)
    assert codes(caught) == ["TL071"]
    assert caught.value.diagnostics[0].fix
    assert set(kb.facts()) == {("p", "a"), ("q", "a")}


def test_what_is_no_update_is_refused() -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    strange: list[Any] = [5, None, [], b"\xff", "x"]
    for odd in strange:
        with pytest.raises(TidelogError, match=r"TL076|TL061"):
            kb.apply(odd)
        with pytest.raises(TidelogError, match=r"TL076|TL061"):
            kb.replay([odd])
    assert kb.apply({"insert": [["p", "a"]]}).inserted.total == 2  # type: ignore[arg-type]


def test_what_cannot_be_a_fact_does_not_hold() -> None:
    kb = KnowledgeBase("p(a).")
    for odd in ((["a"], 1), (5, "a"), ("p", ["a"]), (), 5, None, ["p", "a"], ("\ud800", 1), ("p", "\ud800")):
        assert odd not in kb
    assert ("p", "a") in kb


def test_inputs_of_relations_that_no_rule_mentions_are_loaded(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n", encoding="utf-8")
    (tmp_path / "data.ttl").write_text("<http://a> <http://p> <http://b> , 5 .", encoding="utf-8")
    text = '@input edge "edges.csv" . @input <http://p> "data.ttl" . @input triple "data.ttl" .\n'
    kb = KnowledgeBase(text, folder=tmp_path)
    assert (kb.count("edge"), kb.count("http://p"), kb.count("triple")) == (2, 2, 2)
    with pytest.raises(TidelogError, match="TL060"):
        KnowledgeBase('@input edge "nowhere.csv" .\n', folder=tmp_path)
