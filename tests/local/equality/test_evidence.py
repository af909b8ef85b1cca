"""What makes individuals equal: pairs and equal values that rules have derived, and on which relations that depends."""

from __future__ import annotations

from tidelog import IRI
from tidelog.core.limits import Watch
from tidelog.local.encoded_facts import EncodedFacts
from tidelog.local.engine import LocalEngine
from tidelog.local.equality.evidence import are_individuals, constants_of, edges_found, what_matters
from tidelog.program.program import check
from tidelog.program.same_as import SAME, source_with_same_as, told_name
from tidelog.source import Source
from tidelog.values import from_python

RULES = """
@prefix owl: <http://www.w3.org/2002/07/owl#> .
tidelog_same_by_1(f, X, Y) :- f(X, Y). f(X, Y) :- e(X, Y). other(X) :- e(X, <x:a>). total(N) :- N = count { e(_, _) }.
t(X, Z) :- t(X, Y), t(Y, Z). t(X, Y) :- f(X, Y). owl:sameAs(X, Y) :- t(X, Y), t(Y, X), g(X).
"""


def engine_of(facts: str) -> LocalEngine:
    program = check(source_with_same_as(Source(RULES + facts, "text")))
    engine = LocalEngine(program)
    for name, rows in EncodedFacts(engine.dictionary, {}, program.facts).rows().items():
        engine.add(name, rows)
    return engine


def test_what_it_depends_on() -> None:
    found = what_matters(engine_of("").structure)
    assert {"tidelog_same_by_1", "f", "t", "#given t", "e", "g", told_name("e"), told_name("g"), told_name(SAME)} <= found
    assert found.isdisjoint({"other", "total", told_name("total")})


def test_the_individuals_that_rules_name() -> None:
    assert constants_of(engine_of("").structure) == {from_python(IRI("x:a"))}


def test_individuals() -> None:
    engine = engine_of("")
    values = [IRI("x:a"), "x:a", 1, IRI("http://www.w3.org/2002/07/owl#Thing"), IRI("_:b")]
    ids = engine.dictionary.encode([from_python(value) for value in values])
    assert are_individuals(engine, ids).tolist() == [True, False, False, False, True]


def test_a_pair_for_each_but_the_first() -> None:
    engine = engine_of("e(1, <x:a>). e(1, <x:b>). e(1, <x:c>). e(1, 5). e(2, <x:d>).")
    with engine.begin(Watch()) as transaction:
        transaction._step()
        (first, one), (second, other) = edges_found(engine, None).tolist()
        assert first == second
        ids = engine.dictionary.encode([from_python(IRI(f"x:{name}")) for name in "abc"])
        assert {first, one, other} == set(ids.tolist())
