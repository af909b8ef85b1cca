"""Facts and answers for every member of a class: relations, counts, queries, snapshots, SPARQL and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.local.equality.histories import EX, PREFIXES, SAME, individual

from tidelog import KnowledgeBase
from tidelog.local.equality.members import Members, members_of

A, B, C, D = (individual(number) for number in range(4))
P = EX + "p"


@pytest.fixture
def kb() -> KnowledgeBase:
    """p(a, c), with a and b the same."""
    made = KnowledgeBase(f"{PREFIXES} ex:q(Y, X) :- ex:p(X, Y).", same_as=True)
    made.update(insert=[(P, A, C), (SAME, A, B), (P, D, "x")])
    return made


def test_rows() -> None:
    members = Members(np.array([[2, 1], [3, 1], [5, 4]], np.int32))
    rows = np.array([[1, 9], [4, 1]], np.int32)
    assert members.count(rows) == 3 + 6
    expected = [[1, 9], [2, 9], [3, 9], *([one, other] for one in (4, 5) for other in (1, 2, 3))]
    assert sorted(members.expanded(rows).tolist()) == expected
    assert members.representatives(np.array([3, 1, 7], np.int32)).tolist() == [1, 1, 7]
    assert members_of({}) is None


def test_facts_and_queries(kb: KnowledgeBase) -> None:
    assert set(kb[P]) == {(A, C), (B, C), (D, "x")}
    assert set(kb[EX + "q"]) == {(C, A), (C, B), ("x", D)}
    assert (kb.count(P), kb.count(SAME)) == (3, 4)
    for who in (A, B):
        assert set(kb.query(f"ex:p(<{who.text}>, X)")) == {(C,)}
    assert set(kb.query("ex:p(X, Y), ex:q(Y, Z)")) == {(A, C, A), (A, C, B), (B, C, A), (B, C, B), (D, "x", D)}
    assert len(kb.query(f"ex:p(X, Y), X != <{B.text}>")) == 1, "a comparison is about the class"
    assert set(kb.query("tidelog_told_p_" + _hash(kb) + "(X, Y)")) == {(A, C), (D, "x")}


def _hash(kb: KnowledgeBase) -> str:
    return next(name for name in kb.relations if name.startswith("tidelog_told_p_")).rpartition("_")[2]


def test_snapshots(kb: KnowledgeBase) -> None:
    with kb.snapshot() as view:
        kb.update(delete=[(SAME, A, B)])
        assert (set(view[P]), view.count(P)) == ({(A, C), (B, C), (D, "x")}, 3)
        assert set(view.query(f"ex:p(<{B.text}>, X)")) == {(C,)}
        assert _answers(view, "SELECT ?x { ?x ex:p ?y }") == {(A,), (B,), (D,)}
    assert set(kb[P]) == {(A, C), (D, "x")}


def _answers(of: Any, query: str) -> set[Any]:
    pytest.importorskip("rdflib")
    return set(of.sparql(query))


def test_sparql(kb: KnowledgeBase) -> None:
    assert _answers(kb, "SELECT ?x ?y { ?x ex:p ?y }") == {(A, C), (B, C), (D, "x")}
    assert _answers(kb, "SELECT ?y { ex:i1 ex:p ?y }") == {(C,)}
    assert _answers(kb, "SELECT ?x { ?x owl:sameAs ex:i0 }") == {(A,), (B,)}
    assert _answers(kb, "SELECT ?z { ex:i0 ex:p/ex:q ?z }") == {(A,), (B,)}
    assert _answers(kb, "SELECT ?z { ex:i1 (ex:p|ex:q)+ ?z }") == {(A,), (B,), (C,)}
    assert _answers(kb, "SELECT ?x ?o { ?x ex:p ?y OPTIONAL { ?o owl:sameAs ?x FILTER(?o != ?x) } }") == {
        (A, B),
        (B, A),
        (D, None),
    }
    assert _answers(kb, "SELECT (COUNT(*) AS ?n) { ?x ex:p ?y }") == {(3,)}
    assert _answers(kb, "SELECT ?x { VALUES ?x { ex:i1 ex:i3 ex:i7 } ?x ex:p ?y }") == {(B,), (D,)}
    assert _answers(kb, "SELECT ?x { ?x ex:p ?y FILTER NOT EXISTS { ?x ex:p ex:i2 } }") == {(D,)}
    kb.update(insert=[(SAME, B, D)])
    assert len(_answers(kb, "SELECT ?x ?y { ?x ex:p ?y }")) == 6


def test_files(kb: KnowledgeBase, tmp_path: Path) -> None:
    pytest.importorskip("pyoxigraph")
    kb.write_rdf(tmp_path / "all.nt", relations=[P])
    assert len((tmp_path / "all.nt").read_text().splitlines()) == 3
    kb.write_rdf(tmp_path / "explicit.nt", relations=[P, SAME], which="explicit")
    assert len((tmp_path / "explicit.nt").read_text().splitlines()) == 3
    kb.write_rdf(tmp_path / "derived.nt", relations=[P], which="derived")
    assert (tmp_path / "derived.nt").read_text().splitlines() == [f"<{B.text}> <{P}> <{C.text}> ."]
