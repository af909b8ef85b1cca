"""A program described: counts, relations with their columns, hyper-nodes, modules."""

from __future__ import annotations

import pytest

from tidelog import Source
from tidelog.program.program import check
from tidelog.report.structure import describe


def described(text: str) -> list[list[str]]:
    """The tables of a description, as lines."""
    lines = list(describe(check(Source(text, "test.dl"))))
    tables: list[list[str]] = [[]]
    for line in lines:
        if line:
            tables[-1].append(line)
        else:
            tables.append([])
    return tables


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", "0 rules, 0 facts, 0 relations, 0 strata, 0 hyper-nodes"),
        ("p(1).", "0 rules, 1 fact, 1 relation, 0 strata, 0 hyper-nodes"),
        ("p(X) :- e(X).", "1 rule, 0 facts, 2 relations, 1 stratum, 1 hyper-node"),
        ("p(X) :- e(X), not q(X). q(X) :- f(X).", "2 rules, 0 facts, 4 relations, 2 strata, 2 hyper-nodes"),
    ],
)
def test_counts(text: str, counts: str) -> None:
    assert described(text)[0] == [f"test.dl: {counts}"]


def test_relations() -> None:
    text = """
    @relation temp(turbine: string key, celsius: float, note).
    hot(T) :- temp(T, C, _), C > 20.
    hot(a).
    none(X) :- hot(X), X = b.
    """
    assert described(text)[1] == [
        "relation  arity  columns                                         facts                 stratum",
        "temp      3      turbine: string key, celsius: float, note: any  explicit              0",
        "hot       1      string  (inferred)                              explicit and derived  0",
        "none      1      string  (inferred)                              derived               0",
    ]


def test_hyper_nodes() -> None:
    text = "base: p(X) :- e(X).\np(X) :- q(X).\nq(X) :- p(X).\nr(X) :- e(X), not q(X)."
    _, _, nodes = described(text)
    assert nodes == [
        "hyper-node  stratum  derives  rules           notes",
        "1           0        p        base",
        "2           0        p, q     line 2, line 3  recursive",
        "3           1        r        line 4",
    ]


@pytest.mark.parametrize(
    ("rules", "kind", "meaning"),
    [
        ("r(X, Z) :- r(X, Y), r(Y, Z).", "transitive", "transitive closure of the other facts of r"),
        (
            "r(X, Z) :- r(X, Y), r(Y, Z), X != Z.",
            "transitive",
            "transitive closure of the other facts of r, no pair (X, X) derived",
        ),
        (
            "r(X, Z) :- r(X, Y), r(Y, Z). r(X, Y) :- r(Y, X).",
            "symmetric-transitive",
            "connected components of the other facts of r",
        ),
        (
            "r(X, Z) :- r(X, Y), e(Y, Z).",
            "linear transitive",
            "other facts of r, prolonged at their end by paths of e",
        ),
        (
            "r(X, Z) :- e(X, Y), r(Y, Z). r(X, Y) :- e(X, Y).",
            "linear transitive",
            "other facts of r, prolonged at their start by paths of e; e is among them",
        ),
        (
            "r(X, Z) :- r(X, Y), r(Y, Z). r(X, Y) :- r(X, Z), s(Z, Y, X).",
            "transitive",
            "transitive closure of the other facts of r; beside other recursive rules",
        ),
    ],
)
def test_modules(rules: str, kind: str, meaning: str) -> None:
    header, row = described(rules)[-1]
    assert header.split() == ["module", "kind", "rules", "meaning"]
    assert row.startswith(f"r       {kind}  ")
    assert row.endswith(meaning)
