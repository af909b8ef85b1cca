"""Relations of a program: what is collected of them, and every check on names, arities and columns."""

from __future__ import annotations

import pytest

from tidelog.errors import Diagnostics
from tidelog.functions.signatures import ANY
from tidelog.program.program import check
from tidelog.program.relations import Relation, check_declarations, check_names, collect, mentions
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Column, Document
from tidelog.values import Kind

ALL_FUNCTIONS = (
    "the functions are abs, cat, ceil, contains, ends_with, float, floor, int, length, lower, matches, max, min, pow, round, "
    "sqrt, starts_with, string, substr, upper"
)


def document(text: str) -> Document:
    diagnostics = Diagnostics()
    found = parse(Source(text, "test.dl"), diagnostics)
    diagnostics.raise_errors()
    return found


def collected(text: str) -> dict[str, Relation]:
    diagnostics = Diagnostics()
    found = collect(document(text), diagnostics, str)
    assert not diagnostics
    return found


def problems(text: str) -> list[tuple[str, str, str | None]]:
    """What all checks of this module say: code, message, fix."""
    diagnostics, read = Diagnostics(), document(text)
    collect(read, diagnostics, str)
    check_declarations(read, diagnostics)
    check_names(read, diagnostics)
    return [(problem.code, problem.message, problem.fix) for problem in diagnostics]


# --- what is collected ---------------------------------------------------------------------------------------------------


def test_relations_in_the_order_of_their_first_appearance() -> None:
    text = """
    p(X) :- q(X, Y), not r(Y), N = count { s(X) }, N > 0.
    @relation t(a: int, b).
    q(1, 2).
    @input q "q.csv". @input q "more.csv". @output p "p.csv".
    """
    assert collected(text) == {
        "p": Relation("p", 1, has_rules=True, outputs=("p.csv",), variables=("X",)),
        "q": Relation("q", 2, has_facts=True, inputs=("q.csv", "more.csv")),
        "r": Relation("r", 1),
        "s": Relation("s", 1),
        "t": Relation("t", 2, (Column("a", Kind.INT), Column("b"))),
    }
    assert list(collected(text)) == ["p", "q", "r", "s", "t"]


@pytest.mark.parametrize(
    ("text", "is_defined"),
    [
        ("p(X) :- q(X).", False),
        ("p(X) :- q(X). q(1).", True),
        ("p(X) :- q(X). q(X) :- p(X).", True),
        ("p(X) :- q(X). @relation q(a).", True),
        ('p(X) :- q(X). @input q "q.csv".', True),
        ('p(X) :- q(X). @output q "q.csv".', False),
    ],
)
def test_a_relation_is_defined_if_something_gives_its_facts(text: str, is_defined: bool) -> None:
    assert collected(text)["q"].is_defined is is_defined


def test_keys_and_declared_types() -> None:
    relation = collected("@relation t(a: int key, b, c: string key).")["t"]
    assert relation.key == (0, 2)
    assert [relation.declared_type(at) for at in range(4)] == [frozenset({Kind.INT}), ANY, frozenset({Kind.STRING}), ANY]
    undeclared = Relation("t", 3)
    assert (undeclared.key, undeclared.declared_type(0), undeclared.is_declared) == ((), ANY, False)


def test_mentions() -> None:
    rule, fact, declaration, port = document('p(X) :- q(X), not r(X). s(1). @relation t(a, b). @input s "s.csv".').statements
    assert [atom.predicate for atom in mentions(rule)] == ["p", "q", "r"]
    assert [atom.predicate for atom in mentions(fact)] == ["s"]
    assert [(atom.predicate, len(atom.args)) for atom in mentions(declaration)] == [("t", 2)]
    assert list(mentions(port)) == []


# --- what is refused -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "message", "fix"),
    [
        (
            "p(X) :- q(X). q(1, 2).",
            "TL020",
            "`q` has 2 arguments here and 1 at test.dl:1:9",
            "a relation has one arity; use another name for one of the two",
        ),
        ("@relation p(a). @relation p(b).", "TL021", "`p` is declared already, at test.dl:1:11", "keep one of the two"),
        ("@relation p(a: strng).", "TL022", "there is no type `strng`", "did you mean `string`?"),
        ("@relation p(a: double).", "TL022", "there is no type `double`", "did you mean `float`?"),
        ("@relation p(a, a).", "TL027", "the column `a` stands twice in `p`", "give each column a name of its own"),
        (
            "@relation contains(a, b).",
            "TL025",
            "`contains` is a function and cannot be the name of a relation",
            "give the relation another name",
        ),
        ("p(X) :- q(X), X > conct(X).", "TL023", "there is no function `conct`", ALL_FUNCTIONS),
        ("p(X) :- q(X), X > concat(X).", "TL023", "there is no function `concat`", "did you mean `cat`?"),
        ("p(X) :- q(X), X > q(X).", "TL023", "there is no function `q`", "`q` is a relation; write it as a literal of its own"),
        ("p(X) :- q(X), X > sum(X).", "TL023", "there is no function `sum`", "an aggregate has braces: `sum { … }`"),
        ("p(X) :- q(X), X > abs(X, 1).", "TL024", "`abs` takes 1 argument, not 2", None),
        (
            "p(X) :- q(X), X > date(X).",
            "TL024",
            "`date` takes one quoted text",
            "only constants are written so; there is no conversion from text",
        ),
        (
            "r: p(X) :- q(X). r: p(X) :- s(X).",
            "TL026",
            "another rule is named `r` already, at test.dl:1:1",
            "give one of them another name",
        ),
    ],
)
def test_refused(text: str, code: str, message: str, fix: str | None) -> None:
    assert problems(text) == [(code, message, fix)]


def test_a_pattern_that_is_no_regular_expression() -> None:
    ((code, message, _),) = problems('p(X) :- q(X), matches(X, "(").')
    assert (code, message.partition(":")[0]) == ("TL028", "not a regular expression in RE2's syntax")
    assert problems('p(X) :- q(X), matches(X, "a.*").') == []


def test_ports_of_unknown_relations_are_warned_of() -> None:
    found = problems('edge(1, 2). @input edgs "e.csv". @output other "o.csv".')
    assert [(code, fix) for code, _, fix in found] == [
        ("TL101", "did you mean `edge`?"),
        ("TL101", "declare it: `@relation other(…) .`"),
    ]


@pytest.mark.parametrize(
    ("rules", "names"),
    [
        ("p(X, N) :- q(X, N).", ["X", "N"]),
        ("p(X, N) :- q(X, N). p(X, N) :- r(N, X). p(1, 2).", ["X", "N"]),
        ("p(X, N) :- q(X, N). p(X, M) :- q(X, M).", ["c1", "c2"]),
        ("p(X, X) :- q(X, _).", ["c1", "c2"]),
        ("p(?x, ?X) :- q(?x, ?X).", ["c1", "c2"]),
        ("p(X, N + 1) :- q(X, N).", ["c1", "c2"]),
        ("p(a, N) :- q(_, N).", ["c1", "c2"]),
        ("@relation p(name: any, size: any) . p(X, N) :- q(X, N).", ["name", "size"]),
    ],
)
def test_columns_are_called_as_in_all_heads(rules: str, names: list[str]) -> None:
    assert check(Source(rules)).relations["p"].column_names == names
