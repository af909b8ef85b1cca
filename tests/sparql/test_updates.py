"""`INSERT DATA` and `DELETE DATA`: one change, all of it or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rdflib")
pytest.importorskip("pyoxigraph")

from tidelog import IRI, KnowledgeBase, TidelogError
from tidelog.sparql.updates import quads_of_update

EX = "http://example.org/"
RULES = f"@prefix ex: <{EX}> . ex:r(X, Y) :- ex:p(X, Y). ex:r(X, Z) :- ex:r(X, Y), ex:p(Y, Z)."


def knowledge_base() -> Any:
    kb = KnowledgeBase(RULES)
    kb.sparql_update("INSERT DATA { ex:a ex:p ex:b . ex:b ex:p ex:c ; a ex:C ; ex:n 5, 'five'@en }")
    return kb


def test_inserts_and_deletes() -> None:
    kb = knowledge_base()
    assert kb.count("ex:r") == 3
    assert (EX + "C", IRI(EX + "b")) in kb
    assert kb.count("ex:n") == 2
    change = kb.sparql_update("DELETE DATA { ex:a ex:p ex:b . ex:b ex:n '05'^^xsd:integer } ; INSERT DATA { ex:c ex:p ex:d }")
    assert {name: len(facts) for name, facts in change.inserted.items()} == {EX + "p": 1, EX + "r": 2}
    assert {name: len(facts) for name, facts in change.deleted.items()} == {EX + "p": 1, EX + "r": 2, EX + "n": 1}


def test_the_last_operation_on_a_triple_counts() -> None:
    kb = knowledge_base()
    kb.sparql_update(
        "INSERT DATA { ex:x ex:p ex:y } ; DELETE DATA { ex:x ex:p ex:y . ex:a ex:p ex:b } ; INSERT DATA { ex:a ex:p ex:b }"
    )
    assert kb.count("ex:p") == 2
    assert not kb.sparql_update("DELETE DATA { ex:none ex:p ex:none }").inserted
    assert not kb.sparql_update("").inserted


def test_blank_nodes_are_new() -> None:
    kb = knowledge_base()
    for _ in range(2):
        kb.sparql_update("INSERT DATA { _:b ex:q _:b . ex:a ex:q [] }")
    assert kb.count("ex:q") == 4
    assert len(list(kb.sparql("SELECT ?x { ?x ex:q ?x }"))) == 2


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("DELETE WHERE { ?x ex:p ?y }", "1:8"),
        ("DELETE { ?x ex:p ?y } INSERT { ?y ex:p ?x } WHERE { ?x ex:p ?y }", "1:45"),
        ("INSERT DATA { ex:x ex:p ex:y } ; CLEAR ALL", "1:34"),
        ("LOAD <http://example.org/data>", "1:1"),
        ("DELETE DATA { ex:a ex:p _:b }", "1:1"),
        ("INSERT DATA { GRAPH ex:g { ex:a ex:p ex:b } }", "1:15"),
        ("INSERT DATA { ex:a ex:p ?x }", "1:25"),
    ],
)
def test_other_updates_change_nothing(text: str, place: str) -> None:
    kb = knowledge_base()
    before = set(kb.facts())
    with pytest.raises(TidelogError, match=r"TL01[56]") as raised:
        kb.sparql_update(text)
    assert str(raised.value).startswith(f"<sparql>:{place}: ")
    assert set(kb.facts()) == before


def test_named_graphs() -> None:
    kb: Any = KnowledgeBase("@relation triple(s, p, o, g) .")
    kb.sparql_update("PREFIX ex: <http://example.org/> INSERT DATA { ex:a ex:p 1 . GRAPH ex:g { ex:a ex:p 2 } }")
    assert {fact[2:] for fact in kb.facts("triple")} == {(1, ""), (2, IRI(EX + "g"))}
    kb.sparql_update("PREFIX ex: <http://example.org/> DELETE DATA { GRAPH ex:g { ex:a ex:p 2 } }")
    assert kb.count("triple") == 1


def test_a_saved_knowledge_base_remembers(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "kb", RULES) as kb:
        kb.sparql_update("INSERT DATA { ex:a ex:p ex:b . _:x ex:p ex:b }")
    with KnowledgeBase.open(tmp_path / "kb") as again:
        assert again.count("ex:r") == 2


def test_the_triples_of_a_text() -> None:
    inserted, deleted = quads_of_update("INSERT DATA { ex:a ex:p 1 } ; DELETE DATA { ex:a ex:p 2 }", {"ex": EX}, graphs=False)
    assert [quad.object.content for quad in inserted] == [1]
    assert [quad.object.content for quad in deleted] == [2]
    with pytest.raises(TidelogError, match="TL071"):
        quads_of_update(5, {}, graphs=False)
