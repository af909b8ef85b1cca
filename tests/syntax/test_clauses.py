"""Clauses: where a text is cut, which comments go with which clause, and what makes tokens ready for the grammar."""

from __future__ import annotations

import pytest
from tests.syntax.parsed import X, body, only, statements, value

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.clauses import Clause, Preparation, cut
from tidelog.syntax.tree import Atom, Fact, Rule


def clauses(text: str) -> list[Clause]:
    return list(cut(Source(text)))


def prepared(text: str, **prefixes: str) -> list[tuple[str, str]]:
    """The tokens of a clause as the grammar gets them; `_END` is left out."""
    diagnostics = Diagnostics()
    preparation = Preparation(Source(text), diagnostics)
    preparation.prefixes.update(prefixes)
    found = preparation.prepare(clauses(text)[0])
    assert not diagnostics.errors
    return [(token.type, str(token)) for token in found or () if token.type != "_END"]


def refused(text: str) -> list[tuple[str, str | None]]:
    """The codes and fixes of a clause that never gets to the grammar."""
    diagnostics = Diagnostics()
    assert Preparation(Source(text), diagnostics).prepare(clauses(text)[0]) is None
    return [(problem.code, problem.fix) for problem in diagnostics.errors]


# --- where a text is cut -------------------------------------------------------------------------------------------------


def test_a_clause_ends_with_its_dot() -> None:
    assert [[str(token) for token in clause.tokens] for clause in clauses("p(a). q(1.5).r :- s")] == [
        ["p", "(", "a", ")", "."],
        ["q", "(", "1.5", ")", "."],
        ["r", ":-", "s"],
        [],
    ]


def test_behind_an_open_text_the_next_line_is_a_new_clause() -> None:
    assert [len(clause.tokens) for clause in clauses('p("open).\nq.')] == [3, 2, 0]


def test_comments_belong_to_the_clause_below_or_before_on_the_line() -> None:
    first, second, last = clauses("% above\np(a). % behind\n\n% one\n\n% two\nq(b).\n% the end")
    assert (first.comments, first.trailing, first.blank_before) == (["% above"], "% behind", False)
    assert (second.comments, second.trailing, second.blank_before) == (["% one", "", "% two"], None, True)
    assert (last.tokens, last.comments) == ([], ["% the end"])


def test_the_span_of_a_clause() -> None:
    text = "  p(a).\n q(b)."
    assert [text[slice(*clause.span)] for clause in clauses(text)[:2]] == ["p(a).", "q(b)."]


def test_a_text_without_clauses() -> None:
    (only_one,) = clauses(" \n % nothing\n")
    assert (only_one.tokens, only_one.comments) == ([], ["% nothing"])


# --- what the grammar gets -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Übung über.", [("VARIABLE", "Übung"), ("NAME", "über")]),
        ("ex:a.", [("IRI", "http://e/a")]),
        ("xsd:byte.", [("IRI", "http://www.w3.org/2001/XMLSchema#byte")]),
        ("<http://e/\\u00e9>.", [("IRI", "http://e/é")]),
        ("@prefix psi-ms: <http://p/> .", [("_PREFIX", "@prefix"), ("NAME", "psi-ms"), ("COLON", ":"), ("IRI", "http://p/")]),
        ("h <- p.", [("NAME", "h"), ("_ARROW", "<-"), ("NAME", "p")]),
        (
            "h :- X <- Y.",
            [("NAME", "h"), ("_ARROW", ":-"), ("VARIABLE", "X"), ("COMPARE", "<"), ("MINUS", "-"), ("VARIABLE", "Y")],
        ),
        ("X <- 3", [("VARIABLE", "X"), ("COMPARE", "<"), ("INT", "-3")]),
        ("X - 3.", [("VARIABLE", "X"), ("MINUS", "-"), ("INT", "3")]),
        ("= - 3.", [("COMPARE", "="), ("INT", "-3")]),
        ("X - - 3.", [("VARIABLE", "X"), ("MINUS", "-"), ("INT", "-3")]),
        ("_ X ?_.", [("VARIABLE", "_#1"), ("VARIABLE", "X"), ("VARIABLE", "_#2")]),
        (
            "@relation t(a:int).",
            [
                ("_RELATION", "@relation"),
                ("NAME", "t"),
                ("LPAR", "("),
                ("NAME", "a"),
                ("COLON", ":"),
                ("NAME", "int"),
                ("RPAR", ")"),
            ],
        ),
        ("{ X:p }.", [("LBRACE", "{"), ("VARIABLE", "X"), ("COLON", ":"), ("NAME", "p"), ("RBRACE", "}")]),
    ],
)
def test_prepared(text: str, expected: list[tuple[str, str]]) -> None:
    assert prepared(text, ex="http://e/") == expected


def test_a_prefix_is_known_from_its_declaration_on() -> None:
    source, diagnostics = Source("p(ex:a). @prefix ex: <http://e/> . p(ex:b)."), Diagnostics()
    preparation = Preparation(source, diagnostics)
    found = [preparation.prepare(clause) for clause in cut(source) if clause.tokens]
    assert [tokens is None for tokens in found] == [True, False, False]
    assert [(problem.code, problem.fix) for problem in diagnostics.errors] == [("TL009", "add `@prefix ex: <…> .` above")]
    assert "http://e/b" in map(str, found[2] or ())


@pytest.mark.parametrize(
    ("text", "code", "fix"),
    [
        ('p("open', "TL003", "close it; a line break in a text is written `\\n`"),
        ("@imput p.", "TL010", "did you mean `@input`?"),
        ("@zzz.", "TL010", "the directives are @prefix, @relation, @input, @output"),
        ("PREFIX ex: <http://e/>", "TL010", "write `@prefix name: <…> .`"),
        ("p == q.", "TL002", "write `=`"),
        ("p ≠ q.", "TL002", "write `!=`"),
        ("p ~ q.", "TL002", "write `not`"),
        ("p ` q.", "TL002", None),
        ("p(owll:a).", "TL009", "did you mean `owl`?"),
        ("p(<http://e/\\u0020>).", "TL004", None),
    ],
)
def test_refused_before_the_grammar(text: str, code: str, fix: str | None) -> None:
    assert refused(text) == [(code, fix)]


# --- as the parser sees them ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["p, q", "p and q", "p ∧ q", "p AND q", "p $\\wedge$ q", "p,q"])
def test_conjunctions(text: str) -> None:
    assert body(text) == (Atom("p", ()), Atom("q", ()))


@pytest.mark.parametrize("text", ["h(X) :- p(X).", "h(X) <- p(X).", "h(X) ← p(X).", "h(X):-p(X).", "h(X)<-p(X) ."])
def test_arrows(text: str) -> None:
    assert only(text) == Rule(Atom("h", (X,)), (Atom("p", (X,)),))


def test_facts_follow_each_other_without_spaces() -> None:
    assert statements("p(1).p(2.5).p(a).q.") == (
        Fact(Atom("p", (value(1),))),
        Fact(Atom("p", (value(2.5),))),
        Fact(Atom("p", (value("a"),))),
        Fact(Atom("q", ())),
    )


def test_comments_end_with_the_line() -> None:
    text = 'p("100%"). % p(1).\n// p(2).\n# p(3).\nq(<http://e/%20#x>). p(a) % inside\n.'
    assert len(statements(text)) == 3
