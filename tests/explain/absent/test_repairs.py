"""Sets of facts that derive a fact: small ones, through rules, with values for what nothing binds."""

from __future__ import annotations

import pytest
from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.explain.absent.repairs import Repairs, approaches_of
from tidelog.values import from_python


def texts(text: str, fact: str, **options: bool) -> list[tuple[str, ...]]:
    return [repair.texts for repair in KnowledgeBase(Source(text), **options).why_not(fact).repairs]  # type: ignore[arg-type]


@pytest.mark.parametrize("modules", [True, False])
def test_through_recursive_rules(modules: bool) -> None:
    rules = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). edge(a, b). edge(c, d)."
    assert set(texts(rules, "path(a, d)", modules=modules)) == {
        ("edge(a, d)",),
        ("edge(b, d)",),
        ("edge(a, c)",),
        ("edge(b, c)",),
    }


def test_several_facts_when_one_is_not_enough() -> None:
    assert texts("p(X) :- a(X), b(X), c(X). a(1).", "p(1)") == [("b(1)", "c(1)")]
    assert texts("p(X) :- q(X), c(X). q(X) :- a(X), b(X). a(2).", "p(1)") == [("a(1)", "b(1)", "c(1)")]
    assert texts("p(X) :- a(X), b(X), c(X), d(X). a(2).", "p(1)") == []


def test_values_for_variables_that_nothing_binds() -> None:
    rules = "adult(X) :- person(X, A), A >= 18. person(ann, 12)."
    (repair,) = KnowledgeBase(Source(rules)).why_not("adult(bob)").repairs
    assert (repair.facts, repair.chosen) == ((("person", "bob", 18),), ("18",))
    assert texts("next(X + 1) :- n(X). n(1).", "next(7)") == [("n(6)",)]
    assert texts("p(X) :- q(X, _).", "p(1)") == [("q(1, x)",)]


def test_what_is_proposed_derives_the_fact() -> None:
    """The inserted fact makes the negation false."""
    assert texts("p(X) :- a(X), not b(X). b(X) :- a(X).", "p(1)") == []
    assert texts("p(X) :- a(X), not b(X). b(X) :- c(X). p(X) :- c(X).", "p(1)") == [("a(1)",), ("c(1)",)]


def test_declared_columns_and_declared_relations() -> None:
    rules = "@relation q(x: int) . p(X) :- q(X). p(X) :- r(X)."
    assert texts(rules, "p(abc)") == [("r(abc)",)]
    assert texts(rules, "p(1)") == [("q(1)",), ("r(1)",)]
    kb = KnowledgeBase(Source("@relation q(x) . @relation p(x) . @relation r(x) . p(X) :- q(X). p(X) :- r(X)."), strict=True)
    assert len(kb.why_not("p(abc)").repairs) == 2


def test_facts_of_relations_that_rules_derive_are_proposed_if_there_are_some_already() -> None:
    rules = "p(X) :- q(X). q(X) :- r(X)."
    assert texts(rules, "p(1)") == [("r(1)",)]
    assert texts(rules + " q(5).", "p(1)") == [("q(1)",), ("r(1)",)]


def test_a_budget_ends_the_search() -> None:
    kb = KnowledgeBase(Source("p(X) :- q(X), r(X, Y), s(Y). q(1)."))
    kb.update(insert=[("r", 1, n) for n in range(5_000)])
    with access_to(kb) as access:
        repairs = Repairs(access, access.can_be_given, approaches_of(access), 10)
        assert repairs.of_size(("p", (access.cell(from_python(2)),)), 1, 8) == []
        assert repairs.of_size(("p", (access.cell(from_python(1)),)), 1, 2) != []
