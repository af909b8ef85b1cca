"""Reading ontologies: which triples are axioms, lists, imports and where these may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ontology.some_ontologies import EX, PREFIXES

from tidelog import IRI, TidelogError
from tidelog.ontology.axioms import Import, Malformed, graph_of, is_blank, read_ontology
from tidelog.values import from_python, text_of

pytest.importorskip("pyoxigraph")
FIRST = "http://www.w3.org/2002/07/owl#members"


def test_assertions_are_what_is_no_axiom_and_no_part_of_one() -> None:
    graph = graph_of(
        PREFIXES
        + """<http://o> a owl:Ontology ; rdfs:label "about" .
        :A a owl:Class ; rdfs:label "a" ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .
        [] a owl:Axiom ; owl:annotatedSource :A ; rdfs:comment "a note" .
        :p a owl:FunctionalProperty . :a a :A , [ owl:complementOf :B ] ; :p :b ."""
    )
    found = [(text_of(s).removeprefix(EX), p.rpartition("#")[2].removeprefix(EX), o) for s, p, o in graph.assertions()]
    assert [what[:2] for what in found] == [("A", "label"), ("a", "type"), ("a", "type"), ("a", "p")]
    assert is_blank(found[2][2])
    assert graph.name == "http://o"


def test_lists() -> None:
    graph = graph_of(PREFIXES + ":x owl:members (:a :b) . :y owl:members [] .")
    (head,) = graph.objects(from_python(IRI(EX + "x")), FIRST)
    assert [text_of(member) for member in graph.members(head)] == [EX + "a", EX + "b"]
    with pytest.raises(Malformed, match="not complete"):
        graph.members(graph.only(from_python(IRI(EX + "y")), FIRST))
    loop = graph_of(PREFIXES + "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . :l rdf:first :a ; rdf:rest :l .")
    with pytest.raises(Malformed, match="circular"):
        loop.members(from_python(IRI(EX + "l")))
    with pytest.raises(Malformed, match="0 values of members"):
        graph.only(from_python(IRI(EX + "z")), FIRST)


@pytest.fixture
def importing(tmp_path: Path) -> Path:
    path = tmp_path / "top" / "top.ttl"
    path.parent.mkdir()
    imports = "<http://o> owl:imports <http://elsewhere/part.owl> , <http://elsewhere/none> , <http://elsewhere/far> ."
    path.write_text(PREFIXES + imports + " :A rdfs:subClassOf :B .", encoding="utf-8")
    (path.parent / "part.owl").write_text(
        PREFIXES + "<http://p> owl:imports <top.ttl> . :B rdfs:subClassOf :C .", encoding="utf-8"
    )
    (tmp_path / "far.ttl").write_text(PREFIXES + ":C rdfs:subClassOf :D .", encoding="utf-8")
    return path


def test_imports_are_followed_where_the_file_is_there(importing: Path) -> None:
    graph = read_ontology(importing)
    found = {one.iri.rpartition("/")[2]: one.file for one in graph.imports}
    assert found == {"part.owl": str(importing.parent / "part.owl"), "none": None, "far": None, "top.ttl": str(importing)}
    assert len([triple for triple in graph.triples if triple.predicate.endswith("subClassOf")]) == 2


def test_imports_may_be_given(importing: Path) -> None:
    graph = read_ontology(importing, imports={"http://elsewhere/far": importing.parent.parent / "far.ttl"})
    assert Import("http://elsewhere/far", str(importing.parent.parent / "far.ttl")) in graph.imports
    assert len([triple for triple in graph.triples if triple.predicate.endswith("subClassOf")]) == 3


def test_imports_do_not_lead_out_of_the_folder(importing: Path) -> None:
    outside = importing.parent.parent / "far.ttl"
    (importing.parent / "far.ttl").symlink_to(outside)
    with pytest.raises(TidelogError, match=r"TL088: the file of owl:imports <http://elsewhere/far>"):
        read_ontology(importing)
    importing.write_text(PREFIXES + f"<http://o> owl:imports <{outside.as_uri()}> .", encoding="utf-8")
    with pytest.raises(TidelogError, match="TL088"):
        read_ontology(importing)
    assert len(read_ontology(importing, root=importing.parent.parent).imports) == 1


def test_graphs_in_memory_import_nothing() -> None:
    graph = read_ontology([(IRI("http://o"), IRI("http://www.w3.org/2002/07/owl#imports"), IRI("http://elsewhere/part.owl"))])
    assert graph.imports == [Import("http://elsewhere/part.owl", None)]


def test_a_string_is_a_path_if_its_ending_says_so(tmp_path: Path) -> None:
    path = tmp_path / "data.ttl"
    path.write_text(PREFIXES + ":a :p :b .", encoding="utf-8")
    assert graph_of(str(path)).triples == graph_of(path).triples == graph_of(path.read_text(encoding="utf-8")).triples
    with pytest.raises(TidelogError, match="TL060"):
        graph_of(str(tmp_path / "none.ttl"))
