"""RDF in and out of a knowledge base: loading, updates, files, folders, and errors that change nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.local.graph_kb import GraphKnowledgeBase

pytest.importorskip("pyoxigraph")
EX = "http://a/"
PREFIX = f"@prefix ex: <{EX}> . "
RULES = PREFIX + "ex:path(X, Y) :- ex:p(X, Y). ex:path(X, Z) :- ex:path(X, Y), ex:p(Y, Z)."
TURTLE = PREFIX + 'ex:a ex:p ex:b . ex:b ex:p ex:c, _:x . _:x ex:p [] . ex:a a ex:C ; ex:name "A"@en ; ex:age 5 .'


def iri(name: str) -> IRI:
    return IRI(EX + name)


def knowledge_base(rules: str = RULES) -> KnowledgeBase:
    kb = KnowledgeBase(rules)
    assert isinstance(kb, GraphKnowledgeBase)
    return kb


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


def facts(kb: KnowledgeBase) -> set[tuple[Any, ...]]:
    return set(kb.facts())


def test_a_file(file: Path) -> None:
    kb = knowledge_base()
    reports = kb.load_rdf(file)
    assert reports[0].description == f"{EX}C: 1 triple from {file} (ttl)"
    assert kb.loads == reports
    assert {report.relation.removeprefix(EX): (report.rows, report.new_facts) for report in reports} == {
        "C": (1, 1),
        "p": (4, 4),
        "name": (1, 1),
        "age": (1, 1),
    }
    assert kb.count("ex:path") == 8
    assert set(kb.facts("ex:C")) == {(iri("a"),)}
    assert set(kb.facts(EX + "name")) == {(iri("a"), Literal("A", None, "en"))}
    assert [report.new_facts for report in kb.load_rdf(file)] == [0, 0, 0, 0]  # its blank nodes are the same


def test_one_relation_for_all_triples(file: Path) -> None:
    kb = knowledge_base()
    (report,) = kb.load_rdf(file, triples=True)
    assert (report.relation, report.rows) == ("triple", 7)
    asks = knowledge_base("linked(X, Y) :- triple(X, P, Y), triple(Y, P, _).")
    asks.load_rdf(file)  # the program names it
    assert (iri("a"), iri("b")) in asks["linked"]
    assert len(asks.relations) == 2


def test_graphs_as_a_column(tmp_path: Path) -> None:
    (tmp_path / "data.trig").write_text(PREFIX + "ex:g { ex:a ex:p ex:b } ex:b ex:p ex:c .", encoding="utf-8")
    kb = knowledge_base("")
    kb.load_rdf(tmp_path / "data.trig", triples=True, graphs=True)
    assert set(kb["triple"]) == {(iri("a"), iri("p"), iri("b"), iri("g")), (iri("b"), iri("p"), iri("c"), "")}
    kb.load_rdf(tmp_path / "data.trig", triples=False, graphs=True)
    assert set(kb[EX + "p"]) == {(iri("a"), iri("b"), iri("g")), (iri("b"), iri("c"), "")}


def test_a_load_into_a_maintained_knowledge_base(file: Path, tmp_path: Path) -> None:
    kb = knowledge_base()
    kb.load_rdf(file)
    assert kb.count("ex:path") == 8
    (tmp_path / "more.nt").write_text(f"<{EX}z> <{EX}p> <{EX}a> .\n", encoding="utf-8")
    kb.load_rdf(tmp_path / "more.nt")
    assert kb.count("ex:path") == 13


WRONG = f'<{EX}a> <{EX}p> <{EX}b> .\nnonsense\n<{EX}a> <{EX}age> "x"^^<http://www.w3.org/2001/XMLSchema#integer> .\n'


def test_what_does_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "data.nt"
    path.write_text(WRONG, encoding="utf-8")
    kb = knowledge_base("@relation <http://a/p>(x: string, y: iri) .")
    with pytest.raises(TidelogError) as caught:
        kb.load_rdf(path)
    (problem,) = caught.value.diagnostics
    assert problem.code == "TL080"
    assert problem.message == f"3 of 3 triples of {path} do not fit; nothing is loaded"
    assert len(problem.notes) == 3
    assert problem.notes[0].startswith(f"{path}:2: it is no triple")
    assert facts(kb) == set()
    assert kb.loads == []
    rejects: list[str] = []
    other = knowledge_base("")
    (report,) = other.load_rdf(path, rejects=rejects)
    assert (report.rows, report.rejected, len(rejects)) == (1, 2, 2)


def test_inputs(tmp_path: Path) -> None:
    (tmp_path / "data.ttl").write_text(TURTLE, encoding="utf-8")
    kb = KnowledgeBase(PREFIX + '@input ex:p "data.ttl" . q(X) :- ex:p(X, _).', folder=tmp_path)
    assert set(kb.relations) == {EX + "p", "q"}
    assert kb.count("q") == 3
    everything = KnowledgeBase('@input triple "data.ttl" . q(X) :- triple(X, _, _).', folder=tmp_path)
    assert everything.count("triple") == 7
    assert knowledge_base().load("ex:none", tmp_path / "data.ttl").rows == 0
    with pytest.raises(TidelogError, match="TL074"):
        kb.load("ex:p", tmp_path / "data.ttl", upsert=True)


# --- updates -----------------------------------------------------------------------------------------------------------------


def test_triples_are_inserted_and_deleted(file: Path) -> None:
    kb = knowledge_base()
    kb.load_rdf(file)
    before = facts(kb)
    change = kb.update_rdf(insert=[(iri("c"), iri("p"), iri("d"))])
    assert set(change.inserted["ex:path"]) == {(iri(name), iri("d")) for name in "abc"}
    change = kb.update_rdf(delete=f"<{EX}c> <{EX}p> <{EX}d> .", insert=PREFIX + "ex:b a ex:C .")
    assert set(change.inserted["ex:C"]) == {(iri("b"),)}
    kb.update_rdf(delete=PREFIX + "ex:b a ex:C .")
    assert facts(kb) == before
    kb.update_rdf(delete=file)
    assert facts(kb) == set()


def test_triples_of_one_relation() -> None:
    kb = knowledge_base("q(P) :- triple(_, P, _).")
    kb.update_rdf(insert=PREFIX + "ex:a a ex:C .")
    assert kb.count("triple") == 1
    kb.update_rdf(insert=PREFIX + "ex:a a ex:C .", triples=False)
    assert kb.count(EX + "C") == 1
    kb.update_rdf(insert=f'<{EX}a> <{EX}p> "x" <{EX}g> .', format="nq", graphs=True)
    assert set(kb[EX + "p"]) == {(iri("a"), "x", iri("g"))}


def test_a_wrong_update_changes_nothing() -> None:
    kb = knowledge_base()
    with pytest.raises(TidelogError, match="TL080"):
        kb.update_rdf(insert="ex:a a ex:C .")
    with pytest.raises(TidelogError, match="TL020"):
        kb.update_rdf(insert=PREFIX + "ex:a a ex:path .")
    assert facts(kb) == set()


# --- out ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["nt", "ttl", "nt.gz"])
def test_what_is_written_is_read_again(file: Path, tmp_path: Path, ending: str) -> None:
    kb = knowledge_base()
    kb.load_rdf(file)
    path = tmp_path / f"out.{ending}"
    assert repr(kb.write_rdf(path)) == "15 triples"
    assert repr(kb.write_rdf(tmp_path / "explicit.nt", which="explicit")) == "7 triples"
    assert repr(kb.write_rdf(tmp_path / "derived.nt", which="derived")) == "8 triples"
    assert repr(kb.write_rdf(tmp_path / "some.nt", relations=["ex:C", EX + "age"])) == "2 triples"
    other = knowledge_base("")
    other.load_rdf(path)
    assert {name: other.count(name) for name in other.relations} == {name: kb.count(name) for name in kb.relations}
    kb.update_rdf(delete=(tmp_path / "explicit.nt").read_text(encoding="utf-8"))  # in a text labels are those of the nodes
    assert facts(kb) == set()


def test_facts_that_are_no_triples(tmp_path: Path) -> None:
    kb = knowledge_base("p(1). q(X, X) :- p(X).")
    assert repr(kb.write_rdf(tmp_path / "out.nt")) == "0 triples; no triples: 1 of p, 1 of q"


def test_arguments_of_writing(tmp_path: Path) -> None:
    kb = knowledge_base()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"which": "most"}, "TL074"),
        ({"relations": ["none"]}, "TL073"),
        ({"relations": 5}, "TL071"),
    ]
    for options, code in wrong:
        with pytest.raises(TidelogError) as caught:
            kb.write_rdf(tmp_path / "out.nt", **options)
        assert caught.value.diagnostics[0].code == code
    assert list(tmp_path.iterdir()) == []


# --- folders -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("triples", [False, True])
def test_loads_are_saved(file: Path, tmp_path: Path, triples: bool) -> None:
    folder = tmp_path / "saved"
    with KnowledgeBase.open(folder, RULES) as kb:
        kb.load_rdf(file, triples=triples)
        kb.update_rdf(delete=PREFIX + "ex:a ex:p ex:b .", triples=triples)
        kb.load_rdf(file, triples=triples)
        expected = facts(kb)
    with KnowledgeBase.open(folder) as again:
        assert facts(again) == expected
    (tmp_path / "wrong.nt").write_text(WRONG, encoding="utf-8")
    with KnowledgeBase.open(folder) as kb:
        with pytest.raises(TidelogError, match="TL080"):
            kb.load_rdf(tmp_path / "wrong.nt")
        assert facts(kb) == expected
    with KnowledgeBase.open(folder, read_only=True) as kb, pytest.raises(TidelogError, match="TL065"):
        kb.load_rdf(file)


def test_an_empty_file_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "empty.nt").touch()
    with KnowledgeBase.open(tmp_path / "saved", RULES) as kb:
        assert kb.load_rdf(tmp_path / "empty.nt") == []
    with KnowledgeBase.open(tmp_path / "saved") as again:
        assert facts(again) == set()
