"""Relations that come later have rules for equality, too, whatever brings them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from tests.local.equality.histories import EX, PREFIXES, SAME, individual

from tidelog import KnowledgeBase, TidelogError
from tidelog.local.equality.telling import arities_of, untold
from tidelog.local.graph_kb import GraphKnowledgeBase
from tidelog.program.same_as import told_name

A, B = individual(0), individual(1)


def test_relations_that_are_told_nothing() -> None:
    kb = KnowledgeBase("p(X) :- q(X).", same_as=True)
    assert untold(kb._schema, {"p": 1, "tidelog_equated": 2}) == []
    assert [one.name for one in untold(kb._schema, {"r": 2})] == ["r"]
    assert untold(KnowledgeBase()._schema, {"r": 2}) == []
    assert arities_of([("p", 1), ("ex:q", 1, 2), (), (5,)], kb._schema) == {"p": 1, "ex:q": 2}


@pytest.mark.parametrize("is_derived", [False, True])
def test_loads_and_updates(is_derived: bool, tmp_path: Path) -> None:
    kb = KnowledgeBase(f"{PREFIXES} ex:c(X) :- ex:d(X).", same_as=True)
    kb.update(insert=[(SAME, A, B)])
    if is_derived:
        assert kb.count(SAME) == 4
    kb.load("one", pa.table({"a": ["x"], "b": [1]}))
    kb.update(insert=[("two", A), (EX + "d", B)])
    kb.update(insert=[("three", A, A)], add_rules=["four(X) :- two(X)."])
    pytest.importorskip("pyoxigraph")
    (tmp_path / "five.nt").write_text(f"<{A.text}> <{EX}five> <{B.text}> .\n")
    kb.load_rdf(tmp_path / "five.nt")
    counts = {name: kb.count(name) for name in ("one", "two", "three", "four", EX + "five", EX + "c", EX + "d")}
    assert counts == {"one": 1, "two": 2, "three": 4, "four": 2, EX + "five": 4, EX + "c": 2, EX + "d": 2}
    assert told_name("two") in kb.relations
    kb.update(delete=[("two", A), (EX + "five", A, B)])
    assert (kb.count("four"), kb.count(EX + "five")) == (0, 0)
    kb.update(insert=[("two", B)])
    kb.remove_rules("four(X) :- two(X).")
    assert set(kb["two"]) == {(A,), (B,)}


def test_stores_of_rdflib_refuse() -> None:
    kb = KnowledgeBase("", same_as=True)
    assert isinstance(kb, GraphKnowledgeBase)
    with pytest.raises(TidelogError, match="TL074"), kb.triple_patterns():
        pass


def test_prefixes_that_come_with_rules() -> None:
    kb = KnowledgeBase("", same_as=True)
    kb.add_rules("@prefix new: <http://example.org/new#> . new:c(X) :- new:d(X).")
    kb.update(insert=[("http://example.org/new#d", A), (SAME, A, B)])
    assert set(kb["new:c"]) == {(A,), (B,)}


def test_streams_look_ahead_at_nothing() -> None:
    kb = KnowledgeBase(f"{PREFIXES} ex:c(X) :- ex:d(X).", same_as=True, marking=True)
    updates = [{"insert": [("new", A)]}, {"insert": [(SAME, A, B)]}, {"delete": [("new", A)]}]
    counts = [(change.id, kb.count("new")) for change in kb.follow(updates)]
    assert [count for _, count in counts] == [1, 2, 0]
