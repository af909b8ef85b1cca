"""Facts of updates as whole relations, and as results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from tidelog import IRI, KnowledgeBase, TidelogError
from tidelog import Literal as RdfLiteral
from tidelog.local.given_facts import GivenFacts, given_facts

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
ROWS = {"src": ["a", "b", "a"], "dst": ["b", "c", "b"]}
KEYED = "@relation temp(t: string key, c: int) . hot(T) :- temp(T, C), C > 20."


@pytest.mark.parametrize("source", [pd.DataFrame(ROWS), pl.DataFrame(ROWS), pa.table(ROWS)], ids=["pandas", "polars", "arrow"])
def test_tables_by_relation(source: Any) -> None:
    kb = KnowledgeBase(PATHS)
    change = kb.update(insert={"edge": source, "other": source})
    assert change.inserted.total == 7
    assert (change.stats.inserted, change.stats.without_effect) == (4, 0)
    assert set(kb["path"]) == {("a", "b"), ("b", "c"), ("a", "c")}
    change = kb.update(delete={"edge": source})
    assert kb.count("edge") == kb.count("path") == 0
    assert change.stats.deleted == 2


def test_files_and_tuples_by_relation(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("a,b\nb,c\n", encoding="utf-8")
    kb = KnowledgeBase(PATHS)
    kb.update(
        insert={"edge": tmp_path / "edges.csv", "node": [("a",), ["b"]], "pair": {(1, 2)}, "more": ((n,) for n in range(3))}
    )
    assert [kb.count(name) for name in ("edge", "path", "node", "pair", "more")] == [2, 3, 2, 1, 3]


def test_many_tuples_and_a_table_of_one_relation_in_both_parts() -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert={"edge": [(n, n + 1) for n in range(200)]})
    kb.update(insert={"edge": pa.table({"x": [500], "y": [501]})}, delete={"edge": [(n, n + 1) for n in range(100)]})
    assert kb.count("edge") == 101


def test_results_are_facts_of_their_relation() -> None:
    kb = KnowledgeBase(PATHS + " q(X, Y) :- edge(X, Y), X != b.")
    kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c"), ("edge", "c", "d")])
    change = kb.update(delete=kb["edge"])
    assert (change.stats.deleted, kb.count("path")) == (3, 0)
    kb.update(insert=change.deleted.explicit)  # what it has taken is there again
    assert kb.count("edge") == 3
    kb.update(delete={"edge": kb["q"]})
    assert set(kb["edge"]) == {("b", "c")}
    kb.update(insert={"copy": kb.query("path(X, Y)")})
    assert set(kb["copy"]) == set(kb["path"])
    assert kb.update(delete=kb["path"]).stats.deleted == 0
    assert set(kb["path"]) == {("b", "c")}, "it is derived"


def test_results_keep_every_kind_of_value_also_in_another_knowledge_base() -> None:
    values = ["a", 1, 1.0, True, IRI("http://e.org/a"), RdfLiteral("chat", language="fr"), "1"]
    one, other = KnowledgeBase(), KnowledgeBase("p(zzz, 3).")
    one.update(insert=[("p", value, 1) for value in values])
    other.update(insert=one["p"])
    assert {(type(value), value) for value, _ in other["p"]} == {(type(value), value) for value in [*values, "zzz"]}
    other.update(delete=one["p"])
    assert list(other["p"]) == [("zzz", 3)]
    other.load("p", one["p"])
    assert other.count("p") == 8
    assert set(other["p"]) == {("zzz", 3), *one["p"]}


def test_results_of_no_columns_and_no_facts() -> None:
    kb = KnowledgeBase("flag. other :- flag. none(X) :- missing(X).")
    kb.update(insert={"copy": kb["flag"], "empty": kb["none"]}, delete=kb["flag"])
    assert list(kb["copy"]) == [()]
    assert not kb["flag"]
    assert kb.update(insert=kb.update().inserted).stats.inserted == 0


def test_declared_types_are_those_of_tuples() -> None:
    kb = KnowledgeBase("@relation f(x: float) . i(1). i(2).")
    kb.update(insert={"f": kb["i"]})
    assert sorted((type(value), value) for (value,) in kb["f"]) == [(float, 1.0), (float, 2.0)]
    kb.update(insert=[("s", "x")])
    with pytest.raises(TidelogError, match="TL040"):
        kb.update(insert={"f": kb["s"]})
    with pytest.raises(TidelogError, match="TL080"):
        kb.update(insert={"f": pa.table({"x": ["a"]})})
    with pytest.raises(TidelogError, match="TL020"):
        kb.update(insert={"f": KnowledgeBase("two(1, 2).")["two"]})
    with pytest.raises(TidelogError, match="TL081"):
        kb.update(insert={"f": pa.table({"y": [1.0], "z": [1.0]})})
    assert kb.count("f") == 2


def test_upserts_by_relation_the_last_of_each_key_counts() -> None:
    kb = KnowledgeBase(KEYED)
    kb.update(upsert={"temp": pd.DataFrame({"t": ["t1", "t2", "t1"], "c": [10, 30, 25]})})
    assert sorted(kb["temp"]) == [("t1", 25), ("t2", 30)]
    change = kb.update(upsert={"temp": [("t1", 5), ("t1", 6)]}, delete={"temp": pa.table({"t": ["t2"], "c": [30]})})
    assert sorted(kb["temp"]) == [("t1", 6)]
    assert sorted(change.deleted["hot"]) == [("t1",), ("t2",)]
    with pytest.raises(TidelogError, match="TL075"):
        kb.update(upsert={"hot": pa.table({"t": ["t1"]})})


def test_facts_and_rules_in_one_update() -> None:
    kb = KnowledgeBase(PATHS)
    change = kb.update(insert={"edge": pa.table({"x": [1], "y": [2]})}, add_rules="big(X) :- edge(X, Y), Y > 1. edge(5, 6).")
    assert sorted(change.inserted["edge"]) == [(1, 2), (5, 6)]
    assert sorted(kb["big"]) == [(1,), (5,)]
    kb.update(insert={"typed": pa.table({"x": [1]})}, add_rules="@relation typed(x: float) .")
    assert [type(value) for (value,) in kb["typed"]] == [float]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"edge": 5}, "TL082"),
        ({5: [("a", "b")]}, "TL071"),
        ({"edge": ["ab"]}, "TL072"),
        ({"edge": [5]}, "TL072"),
        ({"edge": "missing.csv"}, "TL060"),
        ({"#edge": pa.table({"x": [1]})}, "TL013"),
        ({"": pa.table({"x": [1]})}, "TL013"),
        ({"edge": pa.table({"x": ["a"], "y": [None]})}, "TL080"),
        ({"edge": pa.table({"x": ["a"]})}, "TL081"),
    ],
    ids=str,
)
@pytest.mark.parametrize("part", ["insert", "delete"])
def test_what_is_wrong_changes_nothing(given: Any, code: str, part: str) -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=[("edge", "a", "b")])
    before = sorted(kb.facts())
    with pytest.raises(TidelogError, match=code):
        kb.update(**{part: given}, upsert=())
    assert sorted(kb.facts()) == before


def test_answers_to_a_query_belong_to_no_relation() -> None:
    kb = KnowledgeBase(PATHS + " edge(a, b).")
    with pytest.raises(TidelogError, match=r"(?s)TL071.*answers to a query.*kb\.query"):
        kb.update(delete=kb.query("edge(X, Y)"))


def test_a_saved_knowledge_base_records_them(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "kb", PATHS) as kb:
        kb.update(insert={"edge": pa.table(ROWS), "n": [(1,)]})
        kb.update(insert={"n": pa.table({"x": [2.5]})}, delete={"edge": pa.table({"x": ["a"], "y": ["b"]})})
        kb.load("named", pa.table({"first": [1], "second": [2]}))
        expected = {name: set(facts) for name, facts in kb.items()}
    with KnowledgeBase.open(tmp_path / "kb") as again:
        assert {name: set(facts) for name, facts in again.items()} == expected
        assert again["named"].columns == ("first", "second")
        again.save(tmp_path / "kb")  # from the journal to a snapshot
    with KnowledgeBase.open(tmp_path / "kb") as again:
        assert again["named"].columns == ("first", "second")
        assert {name: set(facts) for name, facts in again.items()} == expected


def test_values_that_went_from_the_dictionary_in_between() -> None:
    kb = KnowledgeBase(PATHS)
    kb.update(insert=[("edge", f"n{n}", f"n{n + 1}") for n in range(300)])
    kept = kb["edge"]
    for _ in range(3):
        kb.update(delete=kept)
        kb.update(insert=[("other", f"x{n}") for n in range(5_000)])
        kb.update(delete=kb["other"])
        kb.update(insert=kept)
        assert set(kb["edge"]) == set(kept)


def test_tuples_are_given_on_as_they_are() -> None:
    facts = [("p", 1)]
    assert given_facts(facts) is facts
    assert given_facts({"p": [(1,)]}) == GivenFacts([("p", 1)], {})
    assert GivenFacts([("p", 1)]).and_tuples([("q", 2)]) == GivenFacts((("p", 1), ("q", 2)))


def test_scalars_of_numpy() -> None:
    kb = KnowledgeBase("@relation m(i: int, f: float, b: bool, s: string, d: date, t: timestamp) .")
    moment = np.datetime64("2026-01-02T03:04", "ns")
    row = (np.int8(5), np.float32(0.5), np.bool_(True), np.str_("x"), np.datetime64("2026-01-02"), moment)
    kb.update(insert=[("m", *row)])
    assert ("m", *row) in kb
    kb.update(insert=[("n", value) for value in np.arange(100)])
    assert set(kb["n"]) == {(value,) for value in range(100)}
    assert {type(value) for (value,) in kb["n"]} == {int}
    strange = [
        np.timedelta64(1, "s"),
        np.datetime64("NaT"),
        np.datetime64(1, "ns"),
        np.complex64(1),
        np.array([1]),
        np.longdouble(1),
    ]
    for odd in [*strange, np.uint64(2**63)]:
        with pytest.raises(TidelogError, match="TL072"):
            kb.update(insert=[("n", odd)])
    kb.update(delete=[("n", value) for value in np.arange(100, dtype=np.uint8)])
    assert kb.count("n") == 0
