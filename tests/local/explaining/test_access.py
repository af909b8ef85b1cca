"""What the local engine answers the explainer, against the facts that it holds."""

from __future__ import annotations

import pytest
from tests.local_engine import access_to

from tidelog import KnowledgeBase, Source
from tidelog.explain.access import Access
from tidelog.local.explaining.access import LocalAccess
from tidelog.values import from_python

TEXT = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), path(Y, Z).
same(X, Y) :- same(Y, X).
same(X, Z) :- same(X, Y), same(Y, Z).
from_b(Y) :- linear(b, Y).
linear(X, Z) :- edge(X, Y), linear(Y, Z).
linear(X, Y) :- last(X, Y).
rain() :- edge(_, _).
same(a, b). same(c, b). edge(a, b). edge(b, c). edge(c, a). edge(c, d). last(d, z).
edge3(a, b, c). edge3(a, c, c). edge3(b, b, c).
"""


@pytest.fixture(params=[True, False], ids=["modules", "rules"])
def kb(request: pytest.FixtureRequest) -> KnowledgeBase:
    kb = KnowledgeBase(Source(TEXT), modules=request.param)
    kb.update(delete=[("edge", "c", "d")])
    kb.update(insert=[("edge", "c", "d")])
    return kb


@pytest.mark.parametrize("name", ["path", "same", "linear", "edge", "edge3", "rain", "from_b"])
def test_facts_match_by_any_columns(kb: KnowledgeBase, name: str) -> None:
    rows = {tuple(map(from_python, row)) for row in kb[name]}
    arity = kb.relations[name].arity
    with access_to(kb) as access:
        assert isinstance(access, LocalAccess)
        for row in [*rows, *(tuple(map(from_python, ("nobody",) * arity)) for _ in range(bool(arity)))]:
            cells = tuple(map(access.cell, row))
            assert access.holds(name, cells) == (row in rows)
            for wanted in range(2**arity):
                columns = tuple(at for at in range(arity) if wanted >> at & 1)
                found = list(access.matching(name, columns, tuple(cells[at] for at in columns)))
                assert len(found) == len(set(found))
                expected = {other for other in rows if all(other[at] == row[at] for at in columns)}
                assert {tuple(map(access.value, each)) for each in found} == expected
                assert access.likely(name, columns) >= 0


def test_explicit_facts(kb: KnowledgeBase) -> None:
    with access_to(kb) as access:
        a, b, c = (access.cell(from_python(text)) for text in "abc")
        assert access.is_explicit("same", (a, b))
        assert not access.is_explicit("same", (b, a))
        assert access.is_explicit(access.given("same"), (c, b))
        assert access.is_explicit("edge", (a, b))
        assert not access.is_explicit("path", (a, b))
        assert access.shown(access.given("same")) == "same"


def test_derived_facts_come_after_what_they_follow_from() -> None:
    kb = KnowledgeBase(Source("p(X) :- s(X). p(Y) :- p(X), e(X, Y). s(0)."))
    kb.update(insert=[("e", n, n + 1) for n in range(50)])
    with access_to(kb) as access:
        came = [access.came("p", (access.cell(from_python(n)),)) for n in range(51)]
        numbers = [found[0] for found in came if found is not None]
        assert len(numbers) == 51
        assert numbers == sorted(numbers)
        assert access.came("p", (access.cell(from_python("nobody")),)) is None
        assert access.unit_of("p") is not None
        assert access.unit_of("s") is None


def test_values_that_nothing_has_are_no_ids(kb: KnowledgeBase) -> None:
    with access_to(kb) as access:
        protocol: Access = access
        value = from_python("never seen")
        assert protocol.cell(value) is value
        assert protocol.value(value) is value
        assert not protocol.holds("edge", (value, value))
        assert not protocol.is_explicit("edge", (value, value))
        assert list(protocol.matching("edge", (0,), (value,))) == []
        protocol.polled()
    assert kb.count("edge") == 4


def test_modules_name_rules_of_the_program_as_it_is() -> None:
    kb = KnowledgeBase(Source("x(1) :- y(1). path(X, Z) :- path(X, Y), path(Y, Z). path(a, b). path(b, c)."))
    kb.remove_rules("x(1) :- y(1).")
    assert kb.explain("path(a, c)").rules[0].text == "path(X, Z) :- path(X, Y), path(Y, Z)."
