"""Facts as results: in all their forms, and unchanged by what comes later."""

from __future__ import annotations

import copy
import csv
import gc
import gzip
import json
import pickle
import sys
import threading
import weakref
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from tests.local_engine import Conditions, under

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.facts import AllFacts, Facts
from tidelog.local.closure.virtual_relation import VirtualRelation
from tidelog.local.storage.term_buffers import TermBuffers
from tidelog.local.storage.versions import TableVersion

ROWS = [("a", 1, 1.5, True), ("b", 2, -0.5, False), ("ü", 3, 1e300, True)]
RULES = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
none(X) :- edge(X, X).
flag :- one(_, _, _).
one(1.0, 1, true).
"""
MOMENT, DAY = datetime(2026, 11, 15, 6, 43, tzinfo=UTC), date(2026, 11, 15)


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase("@relation typed(name: string, size: int, weight: float, good: bool) . " + RULES)
    kb.update(insert=[*(("typed", *row) for row in ROWS), ("edge", "a", "b"), ("edge", "b", "c")])
    return kb


def test_tuples(kb: KnowledgeBase) -> None:
    assert set(kb["typed"]) == set(ROWS)
    assert sorted(kb["path"]) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert list(kb["none"]) == []
    assert list(kb["flag"]) == [()]
    assert [len(kb[name]) for name in ("typed", "path", "none", "flag")] == [3, 3, 0, 1]
    assert kb["path"]
    assert not kb["none"]


def test_all_kinds_come_back_as_they_were() -> None:
    things = [
        "x",
        1,
        1.0,
        True,
        DAY,
        MOMENT,
        IRI("http://example.org/x"),
        Literal("chat", None, "fr"),
        Literal("5", "http://t/byte"),
    ]
    kb = KnowledgeBase("q(X) :- p(X).")
    kb.update(insert=[("p", thing) for thing in things])
    assert sorted(map(repr, kb["q"])) == sorted(repr((thing,)) for thing in things)


def test_membership(kb: KnowledgeBase) -> None:
    assert ("a", "c") in kb["path"]
    assert ("c", "a") not in kb["path"]
    assert ("never", "seen") not in kb["path"]
    assert (1.0, 1, True) in kb["one"]
    assert (1, 1, True) not in kb["one"]
    assert (1.0, True, True) not in kb["one"]
    assert ("a",) not in kb["path"]
    assert ["a", "c"] not in kb["path"]
    assert (None, "a") not in kb["path"]
    assert () in kb["flag"]
    assert ("path", "a", "c") in kb
    assert ("path", "c", "a") not in kb
    assert ("unknown", "a") not in kb
    assert "path" in kb
    assert () not in kb
    assert ("path", "a", "c") in kb.facts()
    assert ("edge", "a", "c") not in kb.facts()
    assert "edge" not in kb.facts()


# --- tables --------------------------------------------------------------------------------------------------------------


def test_arrow(kb: KnowledgeBase) -> None:
    table = kb["typed"].to_arrow()
    assert table.column_names == ["name", "size", "weight", "good"]
    assert [str(kind) for kind in table.schema.types] == ["large_string", "int64", "double", "bool"]
    assert set(zip(*(column.to_pylist() for column in table.columns), strict=True)) == set(ROWS)
    assert kb["path"].to_arrow().column_names == ["c1", "c2"]
    assert kb["path"].to_arrow().num_rows == 3
    assert kb["flag"].to_arrow().to_pylist() == [{"holds": True}]


def test_a_table_without_rows_has_its_types() -> None:
    kb = KnowledgeBase("@relation t(name: string, size: int, day: date) . h(X) :- t(X, _, _), u(X).")
    table = kb["t"].to_arrow()
    assert table.num_rows == 0
    assert [str(kind) for kind in table.schema.types] == ["large_string", "int64", "date32[day]"]
    assert kb["h"].to_arrow().num_rows == 0


def test_dates_and_timestamps_in_tables() -> None:
    kb = KnowledgeBase("p(X, Y) :- q(X, Y).")
    kb.update(insert=[("q", DAY, MOMENT)])
    table = kb["p"].to_arrow()
    assert [str(kind) for kind in table.schema.types] == ["date32[day]", "timestamp[us, tz=UTC]"]
    assert table.to_pylist() == [{"X": DAY, "Y": MOMENT}]


def test_pandas_and_polars(kb: KnowledgeBase) -> None:
    frame = kb["typed"].to_pandas()
    assert sorted(map(tuple, frame.itertuples(index=False))) == sorted(ROWS)
    assert set(kb["typed"].to_polars().rows()) == set(ROWS)
    assert kb["path"].to_polars().shape == (3, 2)
    assert kb["none"].to_pandas().shape == (0, 1)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_missing(kb: KnowledgeBase, library: str) -> None:
    with patch.dict(sys.modules, {library: None}), pytest.raises(TidelogError) as caught:
        getattr(kb["path"], f"to_{library}")()
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.fix) == ("TL084", f"pip install {library}")


# --- files ---------------------------------------------------------------------------------------------------------------


def read_back(path: Path) -> set[tuple[object, ...]]:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else ""
    text = text or (
        path.read_text(encoding="utf-8") if ".csv" in path.name or ".tsv" in path.name or "jsonl" in path.name else ""
    )
    if ".jsonl" in path.name:
        return {tuple(row.values() if isinstance(row, dict) else row) for row in map(json.loads, text.splitlines())}
    if text:
        header, *rows = csv.reader(text.splitlines(), delimiter="\t" if ".tsv" in path.name else ",")
        assert header == ["c1", "c2"]
        return {tuple(row) for row in rows}
    table = pyarrow.parquet.read_table(path) if path.suffix == ".parquet" else pyarrow.feather.read_table(path)
    return {tuple(row.values()) for row in table.to_pylist()}


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.csv.gz", "p.jsonl", "p.jsonl.gz", "p.parquet", "p.arrow"])
@pytest.mark.parametrize("relation", ["path", "edge"])
def test_files(kb: KnowledgeBase, tmp_path: Path, name: str, relation: str) -> None:
    """Of a stored relation, and of one whose pairs are made for it."""
    kb[relation].write(tmp_path / name)
    assert read_back(tmp_path / name) == set(kb[relation])
    again = KnowledgeBase("q(X, Y) :- p(X, Y).")
    again.load("p", tmp_path / name, header=True if "sv" in name else "auto")  # a header of texts above texts looks like a row
    assert set(again["q"]) == set(kb[relation])


def test_an_unknown_ending(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL082"):
        kb["path"].write(tmp_path / "path.xlsx")
    kb["path"].write(tmp_path / "path.xlsx", "csv")
    assert (tmp_path / "path.xlsx").read_text(encoding="utf-8").startswith("c1,c2\n")


# --- for people ----------------------------------------------------------------------------------------------------------


def test_repr(kb: KnowledgeBase) -> None:
    assert repr(kb["edge"]) == "edge: 2 facts\nc1  c2\na   b\nb   c"
    assert repr(kb["one"]).splitlines()[0] == "one: 1 fact"
    assert repr(kb["none"]).splitlines()[0] == "none: 0 facts"
    assert repr(kb.query("path(a, X)")).splitlines()[:2] == ["path(a, X): 2 answers", "X"]
    assert "edge: 2" in repr(kb.facts())


def test_of_many_facts_some_are_shown() -> None:
    kb = KnowledgeBase("q(X) :- p(X).")
    kb.update(insert=[("p", n) for n in range(1234)])
    assert len(repr(kb["q"]).splitlines()) == 23
    assert repr(kb["q"]).endswith("... and 1,214 more")
    assert kb["q"]._repr_html_().count("<tr>") == 21
    assert "... and 1,214 more" in kb["q"]._repr_html_()
    assert len(kb["q"].head(5)) == 5


def test_html_is_escaped() -> None:
    kb = KnowledgeBase('p("<b>&").')
    shown = kb["p"]._repr_html_()
    assert "&lt;b&gt;&amp;" in shown
    assert "<b>" not in shown
    assert shown.startswith("<table><caption>p: 1 fact</caption>")


# --- snapshots -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("modules", [True, False])
@pytest.mark.parametrize("capacity", [1, 32])
def test_results_are_what_was_there_when_they_were_asked_for(modules: bool, capacity: int) -> None:
    """Through insertions that make buffers grow, deletions that begin tables anew, failures, and other questions."""
    with under(Conditions(first_capacity=capacity)):
        kb = KnowledgeBase(RULES + " odd(X) :- edge(X, _), not edge(_, X).", modules=modules)
        kept: list[tuple[Facts | AllFacts, list[str]]] = []

        def note() -> None:
            found: list[Facts | AllFacts] = [kb[name] for name in ("edge", "path", "odd")]
            found += [kb.query("path(X, Y), edge(Y, _)"), kb.facts()]
            kept.extend((facts, sorted(map(repr, facts))) for facts in found)

        note()
        for step in range(6):
            change = kb.update(
                insert=[("edge", step, n) for n in range(step, step + 5)],
                delete=[("edge", step - 1, n) for n in range(step, step + 2)],
            )
            kept += [(facts, sorted(map(repr, facts))) for facts in (*change.inserted.values(), *change.deleted.values())]
            note()
            with pytest.raises(TidelogError):
                kb.update(insert=[("edge", 1, 2), ("edge", 1)])
        assert len(kept) > 40
        for facts, expected in kept:
            assert sorted(map(repr, facts)) == expected
            assert len(facts) == len(expected)


def test_a_result_is_read_as_far_as_somebody_wants() -> None:
    """The first facts, membership and truth of a result touch a few rows, however many there are: it is counted which."""
    count = 20_000
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", at, at + 1) for at in range(0, 2 * count, 2)])
    kb.update(delete=[("edge", at, at + 1) for at in range(0, 300, 2)])
    decoded: list[int] = []
    decode = TermBuffers.objects_of

    def counted(terms: TermBuffers, ids: Any) -> Any:
        decoded.append(len(ids))
        return decode(terms, ids)

    with (
        patch.object(TermBuffers, "objects_of", counted),
        patch.object(TableVersion, "_are_rows", side_effect=AssertionError("all rows were read")),
        patch.object(TableVersion, "_has", side_effect=AssertionError("all rows were read")),
        patch.object(VirtualRelation, "__len__", side_effect=AssertionError("all pairs were counted")),
    ):
        for name in ("edge", "path"):
            assert sorted(kb[name].head(3))[0][0] >= 300
            assert next(iter(kb[name]))[0] >= 300
            assert kb[name]
            assert (1000, 1001) in kb[name]
            assert ((0, 1) in kb[name], (1000, 1003) in kb[name]) == (False, False)
        before = kb["edge"]
        kb.update(delete=[("edge", 1000, 1001)], insert=[("edge", -1, 0)])
        assert ((1000, 1001) in before, (-1, 0) in before, (1002, 1003) in before) == (True, False, True)
        assert ((1000, 1001) in kb["edge"], (-1, 0) in kb["edge"]) == (False, True)
    assert sum(decoded) < 2_000
    assert len(list(kb["path"])) == kb.count("path")


def test_a_result_is_asked_while_another_thread_changes_the_facts() -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", at, at + 1) for at in range(0, 400, 2)])
    result, wrong = kb["edge"], list[int]()

    def ask() -> None:
        for _ in range(5):
            wrong.extend(at for at in range(0, 400, 2) if (at, at + 1) not in result or (at, at + 2) in result)

    reader = threading.Thread(target=ask)
    reader.start()
    for at in range(0, 400, 2):
        kb.update(delete=[("edge", at, at + 1)], insert=[("edge", at, at + 2)])
    reader.join()
    assert not wrong
    assert list(kb["edge"].head(0)) == []


def test_a_result_outlives_its_knowledge_base_and_is_copied() -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("edge", 1, 2), ("edge", 2, 3)])
    result, there = kb["edge"], weakref.ref(kb)
    copied = copy.deepcopy(result)
    del kb
    gc.collect()
    assert there() is None
    for facts in (result, copied):
        assert ((1, 2) in facts, (2, 1) in facts, len(facts)) == (True, False, 2)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("searches", [False, True])
def test_copies_of_results_stay_as_they_are(way: Callable[[Any], Any], *, searches: bool) -> None:
    """A copy of a closure that follows its addresses into the buffers of another one would change with that."""
    rules = "same(X, Y) :- link(X, Y). same(X, Y) :- same(Y, X). same(X, Z) :- same(X, Y), same(Y, Z)."
    with under(Conditions(searches=searches)):
        kb = KnowledgeBase(RULES + rules)
        links = [("link", at, at + 1) for at in range(30)]
        change = kb.update(insert=[*links, *(("edge", at, at + 1) for at in range(30))])
        results: list[Any] = [kb["same"], kb["path"], kb.query("same(X, Y), path(Y, Z)"), kb.facts(), change.inserted["same"]]
        views = [kb.snapshot(), way(kb.snapshot())]
        copies, expected = [way(result) for result in results], [set(result) for result in results]
        changes, of_change = way(change), {name: set(facts) for name, facts in change.inserted.items()}
        kb.update(delete=[*links[5:9], ("edge", 20, 21)])
        del results
        gc.collect()
        kb.update(insert=[("link", 100, at) for at in range(100, 200)])
        assert [set(copied) for copied in copies] == expected
        assert {name: set(facts) for name, facts in changes.inserted.items()} == of_change
        assert [view.count("same") for view in views] == [31 * 31] * 2


def test_results_are_not_pickled() -> None:
    kb = KnowledgeBase(RULES)
    change = kb.update(insert=[("edge", 1, 2)])
    for thing in kb["edge"], kb.facts(), kb.query("path(X, Y)"), change, change.inserted, kb.snapshot():
        with pytest.raises(TidelogError, match=r"TL074.*cannot be pickled"):
            pickle.dumps(thing)


def test_slices_read_no_more_than_they_need() -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z).")
    kb.update(insert=[("edge", at, at + 1) for at in range(3_000)])
    for name in ("edge", "path"):
        facts = kb[name]
        assert facts[:3] == facts.head(3)
        assert facts[2:9:3] == facts.head(9)[2::3]
        assert facts[5:5] == []
    assert len(kb["edge"][2_990:]) == 10
    assert kb["edge"][:] == list(kb["edge"])


@pytest.mark.parametrize("part", [0, "edge", None, slice(-3, None), slice("a"), slice(None, None, 0)])
def test_what_is_no_slice(part: Any) -> None:
    kb = KnowledgeBase("edge(1, 2).")
    with pytest.raises(TidelogError, match="a part of a result"):
        kb["edge"][part]


def test_other_libraries_take_results_by_the_interface_of_arrow(kb: KnowledgeBase) -> None:
    facts = kb["typed"]
    expected = facts.to_arrow()
    assert pa.table(facts).equals(expected)
    assert pa.RecordBatchReader.from_stream(facts).read_all().equals(expected)
    assert pl.DataFrame(facts).rows() == list(zip(*(column.to_pylist() for column in expected.columns), strict=True))
    duckdb = pytest.importorskip("duckdb", reason="an extra of the benchmarks")
    assert duckdb.sql("select count(*), sum(size) from facts").fetchall() == [(3, 6)]
    empty = kb["none"]
    assert pa.table(empty).num_rows == 0
    assert kb.load("again", facts).rows == 3
    assert set(kb["again"]) == set(facts)


def test_the_interface_of_arrow_copies_no_numbers() -> None:
    kb = KnowledgeBase()
    kb.update(insert=[("n", value) for value in range(100)])
    made = kb["n"].to_arrow()
    taken = pa.RecordBatchReader.from_stream(made).read_all()
    assert taken.column(0).chunk(0).buffers()[1].address == made.column(0).chunk(0).buffers()[1].address
