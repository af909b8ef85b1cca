"""Safety: which variables nothing binds, and what is said of each, once."""

from __future__ import annotations

import pytest
from hypothesis import given
from tests.program.from_text import rule, rules
from tests.random_programs import RandomProgram, programs

from tidelog.errors import Diagnostics
from tidelog.program.checks.safety import check_fact, check_rule, schedule_of
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Fact


def problems(text: str) -> list[tuple[str, str, str]]:
    """Of a rule: code, the text at the place, and the message."""
    diagnostics = Diagnostics()
    check_rule(rule(text), diagnostics)
    return [(d.code, text[slice(*d.span)] if d.span else "", d.message) for d in diagnostics.errors]


@pytest.mark.parametrize(
    "text",
    [
        "p(X) :- q(X).",
        "p(Y) :- q(X), Y = X + 1.",
        "p(Z) :- Z = Y, Y = X, q(X).",
        "p(X) :- q(X), not r(X, _).",
        "p(X, N) :- q(X), N = count { Y : r(X, Y) }.",
        "p(N) :- N = sum { Y : r(X, Y), Y > X }.",
        "p :- not q(_).",
    ],
)
def test_safe(text: str) -> None:
    assert problems(text) == []
    assert schedule_of(rule(text)).unbound == frozenset()


@pytest.mark.parametrize(
    ("text", "code", "place", "said"),
    [
        ("p(X, Y) :- q(X).", "TL030", "Y", "nothing in the body binds Y, which stands in the head"),
        ("p(Y) :- q(X), not r(Y).", "TL030", "Y", "nothing in the body binds Y, which stands in the head"),
        ("p(_) :- q(X).", "TL030", "_", "nothing in the body binds _, which stands in the head"),
        ("p(X) :- q(X), Y > 3.", "TL031", "Y", "nothing binds Y, which stands in a comparison"),
        ("p(X) :- q(X), r(Y + 1).", "TL031", "Y", "nothing binds Y, which stands in an expression"),
        (
            "p(X) :- q(X), not r(Y), not s(Y).",
            "TL032",
            "Y",
            "nothing binds Y, which stands in more than one place, one of them negated",
        ),
        ("p(N) :- N = sum { Y : q(X) }.", "TL033", "Y", "nothing binds Y, which the aggregate needs"),
    ],
)
def test_unsafe(text: str, code: str, place: str, said: str) -> None:
    assert problems(text) == [(code, place, said)]


def test_each_variable_is_told_once() -> None:
    assert [(code, place) for code, place, _ in problems("p(B, A) :- q(X), A > B, B < C, not r(A).")] == [
        ("TL030", "B"),
        ("TL030", "A"),
        ("TL031", "C"),
    ]


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("p(Y) :- q(X, Z).", "add a positive atom with Y, or use what the body binds: X, Z"),
        ("p(Y) :- not q(Y).", "a negated atom binds nothing; add a positive atom with Y"),
        ("p(Y) :- q(X), Y > X.", "a comparison binds Y only as `Y = …` with everything on the right bound"),
        ("p(_) :- q(X).", "a head cannot hold `_`; write a constant or a variable of the body"),
        ("p(?y) :- q(X).", "add a positive atom with ?y, or use what the body binds: X"),
    ],
)
def test_fixes(text: str, fix: str) -> None:
    diagnostics = Diagnostics()
    check_rule(rule(text), diagnostics)
    assert [problem.fix for problem in diagnostics.errors] == [fix]


def test_facts_are_ground() -> None:
    diagnostics = Diagnostics()
    source = Source("p(X, 1 + Y, _).")
    (fact,) = parse(source, diagnostics).statements
    assert isinstance(fact, Fact)
    check_fact(fact, diagnostics)
    assert [(d.code, d.fix) for d in diagnostics.errors] == [
        ("TL034", "write a constant, or a rule with a body that binds X"),
        ("TL034", "write a constant, or a rule with a body that binds Y"),
        ("TL034", "write a constant"),
    ]


@given(programs())
def test_random_rules_are_safe_and_their_schedules_complete(random_program: RandomProgram) -> None:
    for written in rules("\n".join(f"{head} :- {', '.join(body)}." for head, body in random_program.rules)):
        diagnostics = Diagnostics()
        check_rule(written, diagnostics)
        assert not diagnostics.errors
        assert len(schedule_of(written).steps) >= len(written.body)
