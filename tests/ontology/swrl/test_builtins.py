"""The built-ins of SWRL by what they give for values."""

from __future__ import annotations

import pytest

from tidelog import KnowledgeBase
from tidelog.ontology.expressions import Outside
from tidelog.ontology.swrl.builtins import literals_of
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Constant, Term, Variable
from tidelog.values import from_python


def terms(*values: object) -> list[Term]:
    return [Variable("R") if value is ... else Constant(from_python(value)) for value in values]


def answers(name: str, *values: object) -> list[object]:
    """The results, `...` among the values; or whether it holds."""
    body = ", ".join(map(Printer().literal, literals_of(name, terms(*values))))
    head = "r(R)" if ... in values else "r(1)"
    return [value for (value,) in KnowledgeBase(f"go. {head} :- go, {body}.")["r"]]


@pytest.mark.parametrize(
    ("name", "values", "result"),
    [
        ("add", (1, 2, 3), 6),
        ("subtract", (5, 2.5), 2.5),
        ("multiply", (2, 3, 4), 24),
        ("divide", (7, 2), 3.5),
        ("integerDivide", (-7, 2), -3),
        ("mod", (7, 3), 1),
        ("pow", (2, 10), 1024),
        ("unaryMinus", (5,), -5),
        ("abs", (-5,), 5),
        ("ceiling", (1.2,), 2),
        ("floor", (-1.2,), -2),
        ("round", (2.5,), 3),
        ("roundHalfToEven", (2.5,), 2),
        ("stringConcat", ("a", "b", "c"), "abc"),
        ("substring", ("hello", 2), "ello"),
        ("substring", ("hello", 2, 3), "ell"),
        ("stringLength", ("hello",), 5),
        ("upperCase", ("a",), "A"),
        ("lowerCase", ("A",), "a"),
    ],
)
def test_what_is_computed(name: str, values: tuple[object, ...], result: object) -> None:
    assert answers(name, ..., *values) == [result]
    assert answers(name, result, *values) == [1]
    assert answers(name, "other", *values) == []


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("equal", (2, 2.0), (2, 3)),
        ("equal", ("a", "a"), ("a", "b")),
        ("notEqual", (2, 3), (2, 2.0)),
        ("lessThan", (2, 2.5), (2, 2)),
        ("lessThanOrEqual", (2, 2), (3, 2)),
        ("greaterThan", ("b", "a"), ("a", "b")),
        ("greaterThanOrEqual", (2, 2), (1, 2)),
        ("contains", ("hello", "ell"), ("hello", "x")),
        ("startsWith", ("hello", "he"), ("hello", "lo")),
        ("endsWith", ("hello", "lo"), ("hello", "he")),
        ("stringEqualIgnoreCase", ("Hello", "hELLO"), ("a", "b")),
        ("containsIgnoreCase", ("Hello", "ELL"), ("a", "b")),
        ("matches", ("hello", "l+o$"), ("hello", "^l")),
    ],
)
def test_what_is_compared(name: str, good: tuple[object, ...], bad: tuple[object, ...]) -> None:
    assert answers(name, *good) == [1]
    assert answers(name, *bad) == []


@pytest.mark.parametrize(("name", "count"), [("equal", 3), ("add", 2), ("contains", 1), ("matches", 1), ("nothing", 1)])
def test_what_is_outside(name: str, count: int) -> None:
    with pytest.raises(Outside):
        literals_of(name, [Variable("X")] * count)
    with pytest.raises(Outside, match="computed"):
        literals_of("matches", [Variable("X"), Variable("Y")])
