"""Triples as rows of relations: names, arities, types, and the way back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from tidelog import IRI
from tidelog.core.keys import key_of
from tidelog.core.limits import Limits, Watch
from tidelog.core.schema import Schema
from tidelog.local.engine import LocalEngine
from tidelog.local.triples.triple_rows import (
    TRIPLE,
    RelationRows,
    Shape,
    by_relation,
    facts_of_quad,
    ids_of,
    keys_of_rows,
    triples_of_facts,
)
from tidelog.program.program import check
from tidelog.rdf.exchange import Quad
from tidelog.rdf.terms import TYPE
from tidelog.rdf.writing import RdfWriteReport
from tidelog.source import Source
from tidelog.values import from_python

pytest.importorskip("pyoxigraph")
EX = "http://a/"
S, P, C, TYPED = IRI(EX + "s"), IRI(EX + "p"), IRI(EX + "C"), IRI(TYPE)
TRIPLES: list[tuple[object, object, object]] = [(S, P, 1), (S, P, "x"), (S, TYPED, C), (S, TYPED, IRI("_:b")), (S, TYPED, "C")]


PLAIN = Shape()


def schema(text: str = "") -> Schema:
    return Schema(check(Source(f"@prefix ex: <{EX}> . {text}", "test.dl")))


def grouped(
    triples: Sequence[tuple[object, ...]], shape: Shape = PLAIN, program: str = "", only: str | None = None
) -> tuple[dict[str, set[tuple[object, ...]]], RelationRows]:
    """The facts by relation, and what else was found."""
    known = schema(program)
    terms = LocalEngine(known.program).dictionary
    columns = [pa.array([key_of(from_python(part)) for part in column], pa.string()) for column in zip(*triples, strict=True)]
    found = by_relation(terms, ids_of(terms, columns), shape, known, only)
    facts = {
        name: {tuple(row) for row in zip(*(terms.objects_of(ids) for ids in rows.T), strict=True)}
        for name, rows in found.rows.items()
    }
    return facts, found


def test_predicates_and_classes() -> None:
    facts, found = grouped(TRIPLES)
    assert facts == {EX + "p": {(S, 1), (S, "x")}, EX + "C": {(S,)}, TYPE: {(S, IRI("_:b")), (S, "C")}}
    assert found.rejected == 0


def test_all_types_where_the_program_names_that_relation() -> None:
    facts, _ = grouped(TRIPLES, program="typed(X) :- rdf:type(X, _).")
    assert facts[TYPE] == {(S, C), (S, IRI("_:b")), (S, "C")}
    assert facts[EX + "C"] == {(S,)}


def test_one_relation() -> None:
    assert grouped(TRIPLES, Shape(triples=True))[0] == {TRIPLE: set(TRIPLES)}
    assert grouped(TRIPLES, only=EX + "p")[0] == {EX + "p": {(S, 1), (S, "x")}}
    assert grouped(TRIPLES, only=TRIPLE)[0] == {TRIPLE: set(TRIPLES)}
    assert grouped(TRIPLES, only=EX + "q")[0] == {}


def test_graphs() -> None:
    quads: list[tuple[object, ...]] = [(S, P, 1, C), (S, TYPED, C, "")]
    assert grouped(quads, Shape(graphs=True))[0] == {EX + "p": {(S, 1, C)}, EX + "C": {(S, "")}}


def test_other_arities_are_misfits() -> None:
    facts, found = grouped(TRIPLES, program="q(X) :- ex:p(X). r(X) :- ex:C(X, _).")
    assert facts == {TYPE: {(S, IRI("_:b")), (S, "C")}}
    assert found.rejected == 3
    why = "what is a class and a property, too, needs triples=True"
    assert found.misfits == [
        f"`{EX}C` has 2 arguments, and 1 triple gives it 1; {why}",
        f"`{EX}p` has 1 arguments, and 2 triples give it 2; {why}",
    ]
    both = grouped([(S, P, C), (S, TYPED, P)])[1]
    assert both.rejected == 1


def test_declared_columns() -> None:
    facts, found = grouped(TRIPLES, program="@relation ex:p(s: iri, o: float) .")
    assert facts[EX + "p"] == {(S, 1.0)}
    assert found.misfits == [f"column o of `{EX}p` is float: 1 triples have other values"]


@pytest.mark.parametrize("shape", [Shape(), Shape(triples=True), Shape(graphs=True), Shape(triples=True, graphs=True)])
def test_single_triples_become_the_same_facts(shape: Shape) -> None:
    for program in ("",) if shape.graphs else ("", "typed(X) :- rdf:type(X, _)."):
        quads = [Quad(*map(from_python, triple)) for triple in TRIPLES]
        one_by_one = {fact for quad in quads for fact in facts_of_quad(quad, shape, schema(program))}
        with_graphs: list[tuple[object, ...]] = [(*triple, "") if shape.graphs else triple for triple in TRIPLES]
        together = grouped(with_graphs, shape, program)[0]
        assert one_by_one == {(name, *fact) for name, facts in together.items() for fact in facts}


def test_facts_as_triples() -> None:
    engine = LocalEngine(schema("ex:q(X, Y) :- ex:p(X, Y).").program)
    terms = engine.dictionary
    given: dict[str, list[tuple[object, ...]]] = {EX + "p": [(S, 1), ("no IRI", 2)], EX + "C": [(S,)], "plain": [(S, S)]}
    given[TRIPLE] = [(S, P, C)]
    for name, facts in given.items():
        engine.add(name, np.array([terms.encode([*map(from_python, fact)]) for fact in facts], np.int32))
    engine.maintain(Watch(Limits(None, None, None), None))
    report, names = RdfWriteReport(), [EX + "p", EX + "q", EX + "C", TRIPLE, "plain"]
    found = [
        tuple(key[1:] for key in keys)
        for columns in triples_of_facts(engine, names, "all", report)
        for keys in zip(*(column.to_pylist() for column in columns), strict=True)
    ]
    assert set(found) == {
        (EX + "s", EX + "p", "1"),
        (EX + "s", EX + "q", "1"),
        (EX + "s", TYPE, EX + "C"),
        (EX + "s", EX + "p", EX + "C"),
    }
    assert report.left_out == {EX + "p": 1, EX + "q": 1, "plain": 1}
    derived = list(triples_of_facts(engine, names, "derived", RdfWriteReport()))
    assert [columns[1].to_pylist() for columns in derived if len(columns[1])] == [[f"u{EX}q"]]


def test_keys_of_rows() -> None:
    terms = LocalEngine(schema().program).dictionary
    keys = pa.array(["ua", "i5", "ua"], pa.string())
    rows = ids_of(terms, [keys, keys.dictionary_encode()])
    assert [column.to_pylist() for column in keys_of_rows(terms, rows)] == [keys.to_pylist()] * 2
