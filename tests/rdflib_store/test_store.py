"""Graphs and datasets of rdflib over a knowledge base, against rdflib's own store in memory."""

from __future__ import annotations

import pickle
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.store import Store, TripleAddedEvent, TripleRemovedEvent

from tidelog import KnowledgeBase, TidelogError
from tidelog.rdflib_store import TidelogDatasetStore, TidelogStore
from tidelog.rdflib_store.store import _NAMES

EX = Namespace("http://example.org/")
RULES = """@prefix ex: <http://example.org/> .
ex:anc(X, Y) :- ex:par(X, Y).
ex:anc(X, Z) :- ex:anc(X, Y), ex:par(Y, Z).
ex:Parent(X) :- ex:par(X, _).
"""
pytestmark = pytest.mark.filterwarnings(  # rdflib warns of what it does itself
    "ignore:Dataset.*is deprecated:DeprecationWarning", "ignore:ConjunctiveGraph is deprecated:DeprecationWarning"
)


def family() -> Graph:
    graph = Graph(store=TidelogStore(KnowledgeBase(RULES)))
    graph.bind("ex", EX)
    graph.addN([(EX.a, EX.par, EX.b, graph), (EX.b, EX.par, EX.c, graph)])
    return graph


def test_what_follows_is_in_the_graph_and_goes_when_it_no_longer_follows() -> None:
    graph = family()
    assert (EX.a, EX.anc, EX.c) in graph
    assert set(graph.subjects(RDF.type, EX.Parent)) == {EX.a, EX.b}
    assert len(graph) == 7
    graph.remove((EX.b, EX.par, None))
    assert set(graph) == {(EX.a, EX.par, EX.b), (EX.a, EX.anc, EX.b), (EX.a, RDF.type, EX.Parent)}
    assert len(graph) == 3


def test_derived_triples_stay_as_long_as_they_follow() -> None:
    graph = family()
    graph.remove((EX.a, EX.anc, EX.c))
    assert (EX.a, EX.anc, EX.c) in graph
    graph.add((EX.a, EX.anc, EX.c))
    graph.remove((EX.b, EX.par, EX.c))
    assert (EX.a, EX.anc, EX.c) in graph
    graph.remove((None, EX.anc, None))
    assert (EX.a, EX.anc, EX.c) not in graph


def test_it_is_found_by_name() -> None:
    for name, kind in _NAMES.items():
        assert type(Graph(store=name).store).__name__ == kind
    written = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    points = written["project"]["entry-points"]["rdf.plugins.store"]
    assert points == {name: f"tidelog.rdflib_store:{kind}" for name, kind in _NAMES.items()}


def test_adding_and_removing_are_events() -> None:
    graph = family()
    seen: list[Any] = []
    dispatcher: Any = graph.store.dispatcher
    dispatcher.subscribe(TripleAddedEvent, seen.append)
    dispatcher.subscribe(TripleRemovedEvent, seen.append)
    graph.add((EX.c, EX.par, EX.d))
    graph.addN([(EX.d, EX.par, EX.e, graph)])
    graph.remove((EX.c, None, None))
    assert [(type(one).__name__, one.triple) for one in seen] == [
        ("TripleAddedEvent", (EX.c, EX.par, EX.d)),
        ("TripleAddedEvent", (EX.d, EX.par, EX.e)),
        ("TripleRemovedEvent", (EX.c, None, None)),
    ]


def test_a_result_is_of_one_moment() -> None:
    graph = family()
    for triple in graph.triples((None, EX.par, None)):
        graph.remove(triple)
    assert len(graph) == 0


def test_files_are_read_by_rdflib_and_written() -> None:
    graph = Graph(store=TidelogStore())
    graph.parse(data='@prefix ex: <http://example.org/> . ex:a ex:p [ ex:q "x"@EN, 5, 2.5, true ] ; a ex:C .', format="turtle")
    again = Graph().parse(data=graph.serialize(format="turtle"), format="turtle")
    assert again.isomorphic(graph)
    assert "ex:a a ex:C" in graph.serialize(format="turtle")


def test_a_folder(tmp_path: Path) -> None:
    graph = Graph(store=TidelogStore())
    with pytest.raises(TidelogError, match=r"TL060: there is no knowledge base in .*none"):
        graph.open(str(tmp_path / "none"))
    assert graph.open(str(tmp_path / "kb"), create=True) == 1
    graph.store.knowledge_base.add_rules(RULES)  # type: ignore[attr-defined]
    graph.add((EX.a, EX.par, EX.b))
    graph.close()
    again = Graph(store=TidelogStore(str(tmp_path / "kb")))
    assert set(again.triples((None, EX.anc, None))) == {(EX.a, EX.anc, EX.b)}
    with pytest.raises(TidelogError, match="TL074: a store with triples cannot open a folder"):
        again.open(str(tmp_path / "other"), create=True)
    again.close()


def test_commit_and_rollback() -> None:
    graph = family()
    graph.commit()
    before = set(graph)
    graph.add((EX.c, EX.par, EX.d))
    graph.add((EX.a, EX.par, EX.b))  # is there
    graph.remove((EX.a, EX.par, None))
    graph.add((EX.a, EX.par, EX.b))
    graph.remove((None, None, EX.c))
    assert set(graph) != before
    graph.rollback()
    assert set(graph) == before
    graph.rollback()
    assert set(graph) == before
    bare = Graph(store=TidelogStore(transactions=False))
    assert bare.store.transaction_aware is False
    with pytest.raises(TidelogError, match="TL074: this store keeps nothing for a rollback"):
        bare.rollback()


@pytest.mark.parametrize(
    "triple",
    [
        (Literal("x"), EX.p, EX.a),
        (EX.a, Literal("x"), EX.a),
        (EX.a, EX.p, Literal("x", datatype=XSD.integer)),
        (EX.a, EX.p, Graph()),
    ],
    ids=["subject", "predicate", "literal", "graph"],
)
def test_what_no_triple_is(triple: Any) -> None:
    graph = family()
    with pytest.raises(TidelogError, match="TL072"):
        graph.add(triple)
    with pytest.raises(TidelogError, match="TL072"):
        graph.addN([(EX.a, EX.par, EX.x, graph), (*triple, graph)])
    assert len(graph) == 7
    assert list(graph.triples(triple)) == []
    graph.remove(triple)


def test_what_it_cannot_be_made_of() -> None:
    with pytest.raises(TidelogError, match="TL071: 5 of type int is not a knowledge base"):
        TidelogStore(5)  # type: ignore[arg-type]
    with pytest.raises(TidelogError, match="TL074: this store has no quoted graphs"):
        TidelogStore().add((EX.a, EX.p, EX.b), None, quoted=True)


# --- named graphs ------------------------------------------------------------------------------------------------------------


def test_named_graphs() -> None:
    data: Any = Dataset(store=TidelogDatasetStore())
    one, other = data.graph(EX.one), data.graph(EX.other)
    triple = (EX.a, EX.p, EX.b)
    one.add(triple)
    other.add(triple)
    other.add((EX.a, EX.p, EX.c))
    data.add(triple)
    assert (len(one), len(other), len(data), len(data.default_graph)) == (1, 2, 2, 1)
    assert {graph.identifier for graph in data.graphs(triple)} == {EX.one, EX.other, data.default_graph.identifier}
    assert len(list(data.quads((EX.a, None, EX.b, None)))) == 3
    assert set(data.quads((None, None, None, EX.other))) == {(*triple, EX.other), (EX.a, EX.p, EX.c, EX.other)}
    data.remove((*triple, EX.one))
    assert (len(one), len(other)) == (0, 2)
    assert EX.one in {graph.identifier for graph in data.graphs()}
    data.remove_graph(EX.other)
    assert EX.other not in {graph.identifier for graph in data.graphs()}
    assert set(data.triples((None, None, None))) == {triple}


def test_a_graph_of_a_dataset_has_its_own_triples_and_what_follows_there() -> None:
    store = TidelogStore(KnowledgeBase("@relation triple(s, p, o, g) . triple(O, P, S, G) :- triple(S, P, O, G)."))
    assert store.graph_aware
    graph = Graph(store=store, identifier=EX.one)
    graph.add((EX.a, EX.p, EX.b))
    assert set(graph) == {(EX.a, EX.p, EX.b), (EX.b, EX.p, EX.a)}
    assert len(Graph(store=store, identifier=EX.other)) == 0
    assert len(graph.query("SELECT ?s ?o { ?s ?p ?o }")) == 2


def test_a_dataset_asks_about_graphs_and_reads_trig() -> None:
    data: Any = Dataset(store=TidelogDatasetStore())
    data.parse(data="@prefix ex: <http://example.org/> . ex:g { ex:a ex:p ex:b } ex:a ex:q ex:c .", format="trig")
    found = data.query("SELECT ?g ?o { GRAPH ?g { ?s ex:p ?o } }", initNs={"ex": EX})
    assert [tuple(row) for row in found] == [(EX.g, EX.b)]
    assert data.query("ASK { ?s ex:p ?o }", initNs={"ex": EX}).askAnswer is False
    again = Dataset().parse(data=data.serialize(format="nquads"), format="nquads")
    assert len(again) == len(data) == 2


# --- by chance, against the store in memory -----------------------------------------------------------------------------------

NODES: list[Any] = [*(EX[name] for name in "abcd"), BNode("n"), BNode("m")]
OBJECTS: list[Any] = [
    *NODES,
    *(Literal(value) for value in ("", "x", "5", 5, 2.5, 5.0, True, False, -3)),
    Literal("x", lang="en"),
    Literal("x", lang="de-ch"),
    Literal("5", datatype=XSD.byte),
    Literal("2.50", datatype=XSD.decimal, normalize=False),
    Literal("2026-11-15", datatype=XSD.date),
    Literal("2026-11-15T06:43:00Z", datatype=XSD.dateTime, normalize=False),
    Literal('a"\\\n\t☃', datatype=EX.kind),
]
PREDICATES = [EX.p, EX.q, RDF.type]
CLASSES = [EX.C, EX.D, BNode("class")]


def _triple(chance: random.Random) -> tuple[Any, Any, Any]:
    predicate = chance.choice(PREDICATES)
    return chance.choice(NODES), predicate, chance.choice(CLASSES if predicate == RDF.type else OBJECTS)


def _pattern(chance: random.Random) -> tuple[Any, Any, Any]:
    return tuple(term if chance.random() < 0.5 else None for term in _triple(chance))  # type: ignore[return-value]


def _step(chance: random.Random, graphs: list[Graph]) -> None:
    """The same change of both graphs."""
    match chance.randrange(4):
        case 0 | 1:
            triple = _triple(chance)
            for graph in graphs:
                graph.add(triple)
        case 2:
            triples = [_triple(chance) for _ in range(chance.randrange(8))]
            for graph in graphs:
                graph.addN((*triple, graph) for triple in triples)
        case _:
            pattern = _pattern(chance) if chance.random() < 0.9 else (None, None, None)
            for graph in graphs:
                graph.remove(pattern)


def _agree(chance: random.Random, ours: Graph, theirs: Graph) -> None:
    assert set(ours) == set(theirs)
    assert len(ours) == len(theirs)
    for _ in range(4):
        pattern = _pattern(chance)
        found = list(ours.triples(pattern))
        assert sorted(map(str, found)) == sorted(map(str, theirs.triples(pattern)))
        assert set(found) == set(theirs.triples(pattern))


STORES: dict[str, Callable[[], Store]] = {
    "facts": TidelogStore,
    "triples": lambda: TidelogStore(KnowledgeBase("@relation triple(s, p, o) .")),
    "both": lambda: TidelogStore(KnowledgeBase("triple(S, <http://example.org/p>, O) :- <http://example.org/p>(S, O).")),
    "closed": lambda: TidelogStore(KnowledgeBase("<http://e.org/t>(X, Z) :- <http://e.org/t>(X, Y), <http://e.org/t>(Y, Z).")),
}


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.by_night(400)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_changes(kind: str, seed: int) -> None:
    chance = random.Random(f"{kind} {seed}")
    ours, theirs = Graph(store=STORES[kind]()), Graph()
    if kind == "both":
        ours.store._kb.update_rdf(insert=[], triples=False)  # type: ignore[attr-defined]
    kept: set[Any] = set()
    for _ in range(60):
        _step(chance, [ours, theirs])
        _agree(chance, ours, theirs)
        if chance.random() < 0.1:
            ours.commit()
            kept = set(theirs)
        elif chance.random() < 0.1:
            ours.rollback()
            theirs.remove((None, None, None))
            theirs.addN((*triple, theirs) for triple in kept)
            _agree(chance, ours, theirs)


@pytest.mark.by_night(400)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_random_changes_of_graphs(seed: int) -> None:
    chance = random.Random(seed)
    ours, theirs = Dataset(store=TidelogDatasetStore()), Dataset()
    names = [None, EX.one, EX.two, BNode("graph")]
    for _ in range(40):
        name = chance.choice(names)
        pair = [data.default_graph if name is None else data.graph(name) for data in (ours, theirs)]
        _step(chance, pair)
        _agree(chance, *pair)
        assert set(ours.quads()) == set(theirs.quads())
        assert {one.identifier for one in ours.graphs()} == {one.identifier for one in theirs.graphs()}
        assert len(ours) == len({quad[:3] for quad in theirs.quads()})
        some = _pattern(chance)
        assert set(ours.quads((*some, None))) == set(theirs.quads((*some, None)))
        if chance.random() < 0.1:
            for data in (ours, theirs):
                data.remove((*some, None))


@pytest.mark.by_night(400)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_follows_is_what_a_new_knowledge_base_derives(seed: int) -> None:
    chance = random.Random(seed)
    graph, nodes = Graph(store=TidelogStore(KnowledgeBase(RULES))), [EX[f"n{at}"] for at in range(6)]
    there: set[Any] = set()
    for _ in range(40):
        triple = chance.choice(nodes), EX.par, chance.choice(nodes)
        (graph.remove if triple in there else graph.add)(triple)
        there ^= {triple}
        judge = KnowledgeBase(RULES)
        judge.update_rdf(insert=list(there))
        expected = {(s, EX.anc, o) for s, o in ((URIRef(a.text), URIRef(b.text)) for a, b in judge["ex:anc"])}
        assert set(graph.triples((None, EX.anc, None))) == expected
        assert len(graph) == len(there) + len(expected) + judge.count("ex:Parent")


def test_what_is_a_class_and_a_property() -> None:
    text = "@prefix ex: <http://example.org/> . ex:a a ex:p ; ex:p ex:b ."
    with pytest.raises(TidelogError, match=r"TL020: .*\n.*needs one relation for all triples"):
        Graph(store=TidelogStore()).parse(data=text, format="turtle")
    graph = Graph(store=TidelogStore(KnowledgeBase("@relation triple(s, p, o) .")))
    assert set(graph.parse(data=text, format="turtle")) == {(EX.a, RDF.type, EX.p), (EX.a, EX.p, EX.b)}


def test_collections_and_what_graphs_do_with_stores() -> None:
    ours, theirs = (Graph(store=store) for store in (TidelogStore(), "Memory"))
    for graph in (ours, theirs):
        graph.parse(data="@prefix ex: <http://example.org/> . ex:a ex:p (1 2 3) ; ex:q [ ex:r 5 ] .", format="turtle")
        assert [int(item) for item in graph.items(graph.value(EX.a, EX.p))] == [1, 2, 3]  # type: ignore[arg-type, call-overload]
        graph.set((EX.a, EX.q, EX.b))
        graph.parse(data="<http://x> <http://y> 5 .", format="turtle")
    assert ours.isomorphic(theirs)
    with pytest.raises(TidelogError, match="TL074: a knowledge base cannot be pickled"):
        pickle.dumps(ours)
