"""Queries: a body without a head, and what is wrong with some."""

from __future__ import annotations

from typing import Any

import pytest
from tests.local_engine import program

from tidelog import KnowledgeBase
from tidelog.errors import TidelogError
from tidelog.program.queries import check_query

PROGRAM = program("""
@prefix ex: <http://example.org/> .
@relation temp(turbine: string, celsius: float) .
path(X, Y) :- edge(X, Y).
ex:near(X, Y) :- edge(X, Y).
warm(X) :- temp(X, C), C > 20.
""")


def names(text: str) -> tuple[str, ...]:
    return check_query(text, PROGRAM.relations, PROGRAM.prefixes).names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("path(X, Y)", ("X", "Y")),
        ("path(Y, X), X != b", ("Y", "X")),
        ("path(a, b)", ()),
        ("path(X, _)", ("X",)),
        ("path(X, Y), not edge(Y, Z)", ("X", "Y")),
        ("path(X, Y), not edge(Y, X)", ("X", "Y")),
        ("Y = X + 1, temp(_, X)", ("Y", "X")),
        ("N = count { path(X, Y) }", ("N",)),
        ("warm(X), N = count { Y : path(X, Y) }", ("X", "N")),
        ("?x = 1", ("x",)),
        ("ex:near(X, Y)", ("X", "Y")),
    ],
)
def test_the_variables_of_an_answer(text: str, expected: tuple[str, ...]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    ("text", "codes", "fix"),
    [
        ("paht(X, Y)", ["TL073"], "did you mean `path`?"),
        ("path(X), edge(X, Y, Z)", ["TL020", "TL020"], None),
        ("zzz(X), path(X)", ["TL073", "TL020"], None),
        ("X < 3", ["TL031"], None),
        ("path(X, Y), not edge(Z, U), not edge(U, Z)", ["TL032", "TL032"], None),
        ("path(X, Y) edge(Y, Z)", ["TL001"], None),
        ("path(X, Y) :- edge(X, Y)", ["TL001"], None),
        ("path(X, Y), N = cuont { edge(X, _) }", ["TL023"], "did you mean `count`?"),
        ("temp(X, C), C > abc", ["TL042"], None),
        ("temp(1, C)", ["TL040"], None),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, codes: list[str], fix: str | None) -> None:
    with pytest.raises(TidelogError) as caught:
        names(text)
    found = caught.value.diagnostics
    assert sorted(problem.code for problem in found) == sorted(codes)
    assert all(problem.source is not None and problem.source.name == "<query>" and problem.span is not None for problem in found)
    assert fix is None or fix in [problem.fix for problem in found]


def test_constants_are_kept_to_the_types_of_their_columns() -> None:
    """A float column holds floats, so 21 means 21.0 there, as in a rule."""
    requested = check_query("temp(X, 21)", PROGRAM.relations, {}).body
    assert "21.0" in str(requested)


def test_a_lone_surrogate_is_no_character() -> None:
    with pytest.raises(TidelogError, match="TL002: half of a surrogate pair is no character"):
        KnowledgeBase("q(X) :- p(X).").query('p("\ud800")')


@pytest.mark.parametrize("odd", [None, 5, b"p(X)", ["p(X)"]])
def test_a_query_is_a_text(odd: object) -> None:
    with pytest.raises(TidelogError, match=r"TL071: .* is not a query"):
        KnowledgeBase("q(X) :- p(X).").query(odd)  # type: ignore[arg-type]


def test_values_of_variables() -> None:
    kb = KnowledgeBase("""
        @relation paid(who: string, what: string, amount: float) .
        paid("Ann \\"A\\"", rent, 7.5). paid("Ann \\"A\\"", food, 2.5). paid(bob, rent, 4.0).
        big(W) :- paid(W, _, A), A > 5.
    """)
    ann = 'Ann "A"'
    assert sorted(kb.query("paid(W, X, A)", W=ann)) == [("food", 2.5), ("rent", 7.5)]
    assert kb.query("paid(W, X, A)", W=ann).columns == ("X", "A")
    assert sorted(kb.query("paid(W, X, A), A > B", W=ann, B=5)) == [("rent", 7.5)]
    assert sorted(kb.query("paid(W, X, _), not big(W), W != V", V="x")) == [("bob", "rent")]
    assert sorted(kb.query("paid(W, X, _), not big(W)", W=ann)) == []
    assert list(kb.query("N = count { X : paid(W, X, _) }", W=ann)) == [(2,)]
    assert bool(kb.query("N = count { X : paid(W, X, _) }", W="bob", N=1))
    assert not kb.query("N = count { X : paid(W, X, _) }", W="bob", N=2)
    assert list(kb.query("paid(W, X, A)", W="bob", X="rent", A=4.0)) == [()]
    with kb.snapshot() as view:
        kb.update(insert=[("paid", "bob", "food", 1.0)])
        assert list(view.query("paid(W, X, _)", W="bob")) == [("rent",)]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"V": "ann"}, "TL074: the query has no variable V for V='ann'"),
        ({"W": None}, "TL072: None of type NoneType cannot be an argument of a fact"),
        ({"W": 5}, "TL040"),
    ],
)
def test_values_that_do_not_fit(values: dict[str, Any], message: str) -> None:
    kb = KnowledgeBase("@relation paid(who: string, what: string) . paid(ann, rent).")
    with pytest.raises(TidelogError, match=message):
        kb.query("paid(W, X)", **values)
