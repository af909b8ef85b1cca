"""Queries as a whole: against pyoxigraph over everything that follows, on random graphs and on LUBM."""

from __future__ import annotations

import gzip
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("rdflib")
ox = pytest.importorskip("pyoxigraph")

from benchmarks.workloads.lubm_queries import QUERIES  # noqa: E402
from tests.corpus import CORPUS, needs_corpus  # noqa: E402
from tests.random_queries import RULES, Queries, random_graph  # noqa: E402
from tests.sparql.judging import check, judge_of  # noqa: E402

from benchmarks import sparql  # noqa: E402
from tidelog import IRI, KnowledgeBase, Literal, TidelogError  # noqa: E402
from tidelog.sparql.answering import asked  # noqa: E402
from tidelog.sparql.results import SparqlAnswers, SparqlTriples  # noqa: E402

EX = "http://example.org/"
FAMILY = """
@prefix ex: <http://example.org/> .
ex:ada a ex:Person ; ex:parent ex:ben ; ex:born 1941 .
ex:ben a ex:Person ; ex:parent ex:cleo ; ex:nick "Benny"@en .
ex:cleo ex:born 1995 ; ex:lives [ ex:city "Basel" ] .
"""
ANCESTORS = """
@prefix ex: <http://example.org/> .
ex:ancestor(X, Y) :- ex:parent(X, Y).
ex:ancestor(X, Z) :- ex:ancestor(X, Y), ex:parent(Y, Z).
"""


def family(rules: str = ANCESTORS) -> KnowledgeBase:
    kb = KnowledgeBase(rules)
    kb.update_rdf(insert=FAMILY)
    return kb


def rows(kb: Any, query: str) -> list[tuple[Any, ...]]:
    found = kb.sparql(query)
    assert isinstance(found, SparqlAnswers)
    return list(found)


def _check_random(seed: int, folder: Path, queries: int) -> int:
    random = Random(seed)
    kb = KnowledgeBase(RULES)
    kb.update_rdf(insert=random_graph(random))
    judge = judge_of(kb, folder)
    generator, found = Queries(random), 0
    for _ in range(queries):
        query = generator.query()
        try:
            judge.query(query)
        except SyntaxError:  # a variable that is bound twice, which the generator does not avoid
            continue
        found += bool(check(kb, judge, query))
    return found


def test_random_queries(tmp_path: Path) -> None:
    found = sum(_check_random(seed, tmp_path, 3) for seed in range(40))
    assert found > 20  # and not everything is empty


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_many_random_queries(seed: int, tmp_path: Path) -> None:
    assert _check_random(seed, tmp_path, 10) >= 0


def test_random_queries_while_the_graph_changes(tmp_path: Path) -> None:
    """Plans are kept from query to query, whatever has happened to the tables since then."""
    random = Random(5)
    kb, generator = KnowledgeBase(RULES), Queries(random)
    queries: list[str] = []
    while len(queries) < 15:
        query = generator.query()
        try:
            ox.Store().query(query)
        except SyntaxError:
            continue
        queries.append(query)
    before = ""
    for step in range(6):
        after = random_graph(random)
        kb.update_rdf(delete=before, insert=after)
        if step == 3:
            kb.add_rules("@prefix : <http://example.org/> . :q(X, Y) :- :p(Y, X).")
        before = after
        judge = judge_of(kb, tmp_path)
        for query in queries:
            check(kb, judge, query)


@needs_corpus
def test_the_queries_of_lubm(tmp_path: Path) -> None:
    """The published counts for LUBM(1)."""
    assert CORPUS is not None
    data = tmp_path / "lubm1.nt"
    data.write_bytes(gzip.decompress((CORPUS / "lubm" / "lubm1.nt.gz").read_bytes()))
    kb = KnowledgeBase(sparql.RULES)
    kb.load_rdf(data)
    for query in QUERIES:
        assert len(rows(kb, query.text)) == query.answers, query.name
    with kb.snapshot() as view:
        assert [len(rows(view, query.text)) for query in QUERIES] == [query.answers for query in QUERIES]


def test_selects() -> None:
    kb = family()
    assert rows(kb, "SELECT ?x ?y { ?x ex:parent ?y FILTER(?x != ex:ben) }") == [(IRI(EX + "ada"), IRI(EX + "ben"))]
    assert rows(kb, "SELECT ?n { ?x ex:nick ?n }") == [(Literal("Benny", None, "en"),)]
    assert rows(kb, "SELECT ?x ?b { ?x a ex:Person OPTIONAL { ?x ex:born ?b } } ORDER BY ?b") == [
        (IRI(EX + "ben"), None),
        (IRI(EX + "ada"), 1941),
    ]
    assert set(rows(kb, "SELECT * { ex:ada ex:ancestor ?y }")) == {(IRI(EX + "ben"),), (IRI(EX + "cleo"),)}
    assert rows(kb, "SELECT ?none { ex:ada ex:parent ex:ben }") == [(None,)]
    assert rows(kb, "SELECT * { ex:ada ex:parent ex:ben }") == [()]
    assert rows(kb, "SELECT ?x { ?x ex:unknown ?y }") == []


def test_asks() -> None:
    kb = family()
    assert kb.sparql("ASK { ex:ada ex:ancestor ex:cleo }") is True
    assert kb.sparql("ASK { ex:cleo ex:ancestor ?x }") is False
    assert kb.sparql("ASK { }") is True


def test_constructs() -> None:
    kb = family()
    found = kb.sparql("CONSTRUCT { ?y ex:child ?x . ?x ex:kin ?z } { ?x ex:parent ?y OPTIONAL { ?y ex:parent ?z } }")
    assert isinstance(found, SparqlTriples)
    assert {tuple(term.text.removeprefix(EX) for term in triple) for triple in found} == {
        ("ben", "child", "ada"),
        ("cleo", "child", "ben"),
        ("ada", "kin", "cleo"),
    }
    blank = kb.sparql("CONSTRUCT { _:b ex:of ?x . _:b ex:born ?y } { ?x ex:born ?y }")
    assert not isinstance(blank, bool)
    assert len(blank) == 4
    assert len({triple[0] for triple in blank}) == 2
    same = kb.sparql("CONSTRUCT WHERE { ?x ex:parent ?y }")
    assert not isinstance(same, bool)
    assert len(same) == 2
    nothing = kb.sparql("CONSTRUCT { ?b ex:is ?x } { ?x ex:born ?b }")
    assert not isinstance(nothing, bool)
    assert len(nothing) == 0  # a number cannot be a subject


def test_describes() -> None:
    kb = family()
    found = kb.sparql("DESCRIBE ex:cleo")
    assert not isinstance(found, bool)
    assert {triple[1].text.removeprefix(EX) for triple in found} == {"born", "lives", "city"}
    more = kb.sparql("DESCRIBE ?x ex:cleo { ?x ex:parent ex:ben }")
    assert not isinstance(more, bool)
    assert {triple[0].text.removeprefix(EX) for triple in more} >= {"ada", "cleo"}


def test_triples_of_one_relation_and_of_many() -> None:
    """Rules over `triple`, a relation for each predicate, and both at once say the same."""
    query = "SELECT ?x ?p ?y { ?x ?p ?y . ?x ex:parent+ ex:cleo }"
    expected = sorted(rows(family(), query), key=str)
    whole = KnowledgeBase(
        """@prefix ex: <http://example.org/> . @relation triple(s, p, o) .
        triple(X, ex:ancestor, Y) :- triple(X, ex:parent, Y).
        triple(X, ex:ancestor, Z) :- triple(X, ex:ancestor, Y), triple(Y, ex:parent, Z)."""
    )
    whole.update_rdf(insert=FAMILY)
    assert sorted(rows(whole, query), key=str) == expected
    both = KnowledgeBase(
        """@prefix ex: <http://example.org/> . @relation triple(s, p, o) .
        ex:ancestor(X, Y) :- triple(X, ex:parent, Y).
        ex:ancestor(X, Z) :- ex:ancestor(X, Y), triple(Y, ex:parent, Z).
        ex:parent(X, Y) :- triple(X, ex:parent, Y)."""
    )
    both.update_rdf(insert=FAMILY)
    assert sorted(rows(both, query), key=str) == expected
    assert rows(both, "SELECT ?y { ex:ada ex:parent ?y }") == [(IRI(EX + "ben"),)]  # once, although two relations have it


def test_subjects_that_are_no_iris_are_no_triples() -> None:
    kb = KnowledgeBase("@prefix ex: <http://example.org/> . ex:of(N, X) :- ex:name(X, N). ex:of(X, Y) :- ex:is(X, Y).")
    kb.update_rdf(insert="@prefix ex: <http://example.org/> . ex:a ex:name 'A' ; ex:is ex:b . ex:b ex:is 'A' .")
    assert sorted(rows(kb, "SELECT ?x ?y { ?x ex:of ?y }"), key=str) == [
        (IRI(EX + "a"), IRI(EX + "b")),
        (IRI(EX + "b"), "A"),
    ]
    assert set(rows(kb, "SELECT ?y { ex:a ex:of+ ?y }")) == {(IRI(EX + "b"),), ("A",)}
    assert set(rows(kb, "SELECT DISTINCT ?p { ?x ?p ex:a }")) == set()


def test_named_graphs() -> None:
    kb = KnowledgeBase("@relation triple(s, p, o, g) .")
    trig = """@prefix ex: <http://example.org/> .
    ex:a ex:p ex:b . ex:g { ex:b ex:p ex:c . ex:c ex:p ex:d } ex:h { ex:d ex:p ex:e }"""
    kb.update_rdf(insert=trig, format="trig", graphs=True)
    assert rows(kb, "PREFIX ex: <http://example.org/> SELECT ?x ?y { ?x ex:p ?y }") == [(IRI(EX + "a"), IRI(EX + "b"))]
    prefix = "PREFIX ex: <http://example.org/> "
    assert {g for (g,) in rows(kb, prefix + "SELECT DISTINCT ?g { GRAPH ?g { ?x ?p ?y } }")} >= {IRI(EX + "g"), IRI(EX + "h")}
    assert rows(kb, prefix + "SELECT ?y { GRAPH ex:g { ex:b ex:p+ ?y } } ORDER BY ?y") == [(IRI(EX + "c"),), (IRI(EX + "d"),)]
    with pytest.raises(TidelogError, match="TL016"):
        family().sparql("SELECT * { GRAPH ?g { ?x ?p ?y } }")


def test_a_snapshot_answers_about_its_own_state() -> None:
    kb = family()
    with kb.snapshot() as view:
        kb.update_rdf(insert="@prefix ex: <http://example.org/> . ex:cleo ex:parent ex:dan .")
        assert len(rows(view, "SELECT * { ?x ex:ancestor ?y }")) == 3
        assert len(rows(view, "SELECT * { ?x ex:parent+ ?y }")) == 3
        assert len(rows(kb, "SELECT * { ?x ex:ancestor ?y }")) == 6
        kept = view.sparql("SELECT ?y { ex:ben ex:parent ?y }")
    assert not isinstance(kept, bool)
    assert list(kept) == [(IRI(EX + "cleo"),)]


def test_readers_beside_a_writer() -> None:
    kb = KnowledgeBase("@prefix ex: <http://example.org/> . ex:r(X, Y) :- ex:p(X, Y). ex:r(X, Z) :- ex:r(X, Y), ex:p(Y, Z).")
    query = "SELECT ?x ?y { ?x ex:r ?y . OPTIONAL { ?y ex:p ?z } FILTER(STRLEN(STR(?x)) > 1) }"
    counts, failures = set(), list[BaseException]()

    def read() -> None:
        try:
            for _ in range(15):
                counts.add(len(rows(kb, query)))
        except BaseException as error:
            failures.append(error)

    kb.update_rdf(insert=[(IRI(EX + "n0"), IRI(EX + "p"), IRI(EX + "n1"))])
    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for at in range(1, 10):
        kb.update_rdf(insert=[(IRI(f"{EX}n{at}"), IRI(EX + "p"), IRI(f"{EX}n{at + 1}"))])
    for reader in readers:
        reader.join()
    assert not failures
    assert counts <= {n * (n + 1) // 2 for n in range(1, 11)}
    assert len(rows(kb, query)) == 55


def test_limits_hold() -> None:
    kb = KnowledgeBase("", limit_memory=40_000_000)
    facts = [(IRI(f"{EX}n{at}"), IRI(EX + "p"), IRI(EX + "x")) for at in range(3000)]
    kb.update_rdf(insert=facts)
    with pytest.raises(TidelogError, match="TL070"):
        kb.sparql("SELECT * { ?a <http://example.org/p> ?x . ?b <http://example.org/p> ?x }")
    assert len(rows(kb, "SELECT * { ?a <http://example.org/p> ?x }")) == 3000


def test_what_is_asked() -> None:
    kb = family()
    question, graphs = asked("ASK { ?x ex:born ?y }", kb.schema, graphs=None)  # type: ignore[attr-defined]
    assert (question.kind, graphs) == ("ask", False)
    with pytest.raises(TidelogError, match="TL071"):
        kb.sparql(5)  # type: ignore[arg-type]
