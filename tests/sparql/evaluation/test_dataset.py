"""Which atoms a triple pattern stands for."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.rdf.terms import TYPE
from tidelog.sparql.algebra import Triple
from tidelog.sparql.evaluation.dataset import Dataset, dataset_of
from tidelog.syntax.tree import Comparison, Variable, iri_constant

S, P, T, G = (Variable(name) for name in "spog")
RELATIONS = {"a:p": 2, "a:C": 1, "edge": 2, "triple": 3, "a:wide": 3}


def held(dataset: Dataset, pattern: Triple) -> list[tuple[str, int, dict[str, str]]]:
    found = [(one.atom.predicate, len(one.atom.args), one.fixed) for one in dataset.holders(pattern)]
    return [(name, arity, {at: str(value.value.content) for at, value in fixed.items()}) for name, arity, fixed in found]


def test_known_predicates() -> None:
    dataset = Dataset(RELATIONS, graphs=False)
    assert [one[0] for one in held(dataset, Triple(S, iri_constant("a:p"), T))] == ["a:p", "triple"]
    assert [one[0] for one in held(dataset, Triple(S, iri_constant("a:other"), T))] == ["triple"]
    assert [one[:2] for one in held(dataset, Triple(S, iri_constant(TYPE), iri_constant("a:C")))] == [("a:C", 1), ("triple", 3)]
    assert held(Dataset({"a:p": 2}, graphs=False), Triple(S, iri_constant("a:none"), T)) == []


def test_variables_for_predicates_and_classes() -> None:
    dataset = Dataset(RELATIONS, graphs=False)
    names = [(one[0], sorted(one[2])) for one in held(dataset, Triple(S, P, T))]
    assert names == [("a:p", ["p"]), ("a:C", ["o", "p"]), ("triple", [])]
    assert [one[0] for one in held(dataset, Triple(S, P, T, None, frozenset({"a:p", TYPE})))] == ["triple"]
    (last,) = [one for one in dataset.holders(Triple(S, P, T, None, frozenset({"a:p"}))) if one.atom.predicate == "triple"]
    assert last.literals == (Comparison("!=", P, iri_constant("a:p")),)
    assert [one[0] for one in held(dataset, Triple(S, P, P))] == ["a:p", "triple"]  # no class is rdf:type


def test_graphs() -> None:
    dataset = Dataset({"a:p": 3, "a:C": 2, "a:q": 1, "triple": 4}, graphs=True)
    assert [one[:2] for one in held(dataset, Triple(S, P, T, G))] == [("a:p", 3), ("a:C", 2), ("triple", 4)]


def test_guards_only_where_they_are_needed() -> None:
    (holder,) = Dataset({"a:p": 2}, graphs=False).holders(Triple(S, iri_constant("a:p"), T))
    assert len(holder.body(frozenset())) == 1
    assert len(holder.body(frozenset({"a:p"}))) == 2
    assert holder.head(("s", "o")) == (S, T)


def test_the_relations_of_a_schema() -> None:
    kb = KnowledgeBase("@prefix a: <a:> . a:r(X, Z) :- a:r(X, Y), a:r(Y, Z). a:l(X, Z) :- a:l(X, Y), a:e(Y, Z).")
    kb.update(insert=[("a:r", 1, 2)])
    schema = kb.schema  # type: ignore[attr-defined]
    assert dataset_of(schema, graphs=False) is dataset_of(schema, graphs=False)
    assert dataset_of(schema, graphs=False).closed == {"a:r"}
