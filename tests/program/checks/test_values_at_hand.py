"""Rules that no values of the given kinds can make derive anything, and where they say so."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.differential.update_histories import maintained
from tests.local_engine import engine_of
from tests.random_programs import History

from tidelog import KnowledgeBase, Source
from tidelog.functions.signatures import ANY, Type
from tidelog.local.insight.columns_at_hand import ColumnsAtHand
from tidelog.program.checks.values_at_hand import can_lack_values, lacks_values, never_holds
from tidelog.program.program import check
from tidelog.values import Kind, from_python

INT, FLOAT, STRING, DATE, IRI = (frozenset({kind}) for kind in (Kind.INT, Kind.FLOAT, Kind.STRING, Kind.DATE, Kind.IRI))
COLUMNS: dict[str, tuple[Type, ...]] = {
    "i": (INT,),
    "f": (FLOAT,),
    "s": (STRING,),
    "d": (DATE,),
    "r": (IRI,),
    "if": (INT | FLOAT,),
}


def found(text: str) -> str | None:
    program = check(Source(text))
    problem = never_holds(program.rules[0], COLUMNS, program.printer)
    if problem is None:
        return None
    assert (problem.code, problem.is_error) == ("TL105", False)
    assert problem.fix
    return problem.message.removeprefix("the rule derives nothing: ")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("i(X), f(X)", "`X` is int in `i` and float in `f`, and these are never the same"),
        ('d(X), X < "2024"', '`X` is date, `"2024"` is string, and these have no order'),
        ("s(X), i(Y), X >= Y", "`X` is string, `Y` is int, and these have no order"),
        ("r(X), r(Y), X < Y", "`X` is iri, `Y` is iri, and these have no order"),
        ('i(X), Y = cat(X, "a")', "`cat(X, a)` has no value: X is int"),
        ("s(X), Y = 2 * abs(X)", "`abs(X)` has no value: X is string"),
        ('i(X), contains(X, "a")', "`contains(X, a)` has no value: X is int"),
        ("i(X), N = sum { Y : s(Y) }", "sum has no value for string"),
    ],
)
def test_what_is_found(body: str, message: str) -> None:
    assert found(f"p(X) :- {body}.") == message


@pytest.mark.parametrize(
    "body",
    [
        "if(X), f(X)",
        "i(X), f(Y), X < Y",
        "unknown(X), d(Y), X < Y",
        's(X), X < "a"',
        'i(X), X != "a"',
        'i(X), Y = cat(string(X), "a")',
        "if(X), Y = X + 1",
        "i(X), not f(X)",
        "i(X), N = count { Y : s(Y) }",
        "i(X), N = sum { Y : if(Y) }",
    ],
)
def test_what_may_hold(body: str) -> None:
    assert found(f"p(X) :- {body}.") is None


@given(maintained())
@settings(max_examples=40)
def test_a_rule_that_derives_something_is_never_found(history: History) -> None:
    kb = KnowledgeBase(Source(history.program.text))
    _ = kb.statistics  # everything is derived
    columns = ColumnsAtHand(engine_of(kb))
    for rule in kb.program.rules:
        if never_holds(rule, columns, kb.program.printer) is not None:
            assert not kb.query(", ".join(map(kb.program.printer.literal, rule.body)))


def test_all_kinds_may_be_anything() -> None:
    program = check(Source("p(X) :- q(X, Y), Y < 5."))
    assert never_holds(program.rules[0], {"q": (ANY, ANY)}, program.printer) is None


# --- values that some rows have -------------------------------------------------------------------------------------------

MIXED = {**COLUMNS, "m": (INT | STRING,), "o": (INT | DATE,), "any": (ANY,), "of": (IRI, INT | STRING)}


@pytest.mark.parametrize(
    ("rule", "message", "place"),
    [
        ("p(X) :- m(X), X > 3.", "`X > 3` has no value where `X` is string", ("m", 0)),
        ("p(Y) :- of(Y, X), i(Z), Z < X.", "`Z < X` has no value where `X` is string", ("of", 1)),
        ("p(Y) :- m(X), Y = X + 1.", "`Y = X + 1` has no value where `X` is string", ("m", 0)),
        ("p(X + 1) :- m(X).", "`X + 1` has no value where `X` is string", ("m", 0)),
        ("p(S) :- S = sum { X : m(X) }.", "sum has no value for a group in which `X` is string", ("m", 0)),
        ("p(S) :- S = max { X : m(X) }.", "max has no value for a group in which `X` is string", ("m", 0)),
        ("p(S) :- S = min { X : o(X) }.", "min has no value for a group in which `X` is int", ("o", 0)),
        ("p(S) :- S = sum { X : s(X) }.", "sum has no value for a group in which `X` is string", ("s", 0)),
        ("p(S) :- S = count { m(X), X > 3 }.", "`X > 3` has no value where `X` is string", ("m", 0)),
    ],
)
def test_what_some_values_lack(rule: str, message: str, place: tuple[str, int]) -> None:
    program = check(Source(rule))
    assert can_lack_values(program.rules[0])
    lack = lacks_values(program.rules[0], MIXED, program.printer)
    assert lack is not None
    assert (lack.message, (lack.relation, lack.column)) == (message, place)


@pytest.mark.parametrize(
    "rule",
    [
        "p(X) :- m(X), X != 3.",
        "p(X) :- if(X), X > 3.",
        "p(X) :- any(X), X > 3.",
        "p(S) :- S = count { X : m(X) }.",
        "p(S) :- S = sum { X : if(X) }.",
        "p(Y) :- m(X), Y = string(X).",
        "p(Y) :- m(X), i(X), Y = X + 1.",
    ],
)
def test_what_lacks_nothing(rule: str) -> None:
    program = check(Source(rule))
    assert lacks_values(program.rules[0], MIXED, program.printer) is None


@given(maintained())
@settings(max_examples=40)
def test_what_is_said_to_lack_a_value_is_in_no_answer(history: History) -> None:
    kb = KnowledgeBase(Source(history.program.text))
    _ = kb.statistics  # everything is derived
    columns = ColumnsAtHand(engine_of(kb))
    for rule in kb.program.rules:
        lack = lacks_values(rule, columns, kb.program.printer)
        if lack is None:
            continue
        assert can_lack_values(rule)
        assert lack.kind in columns[lack.relation][lack.column]
        answers = kb.query(", ".join(map(kb.program.printer.literal, rule.body)))
        if lack.variable in answers.columns and any(literal.span == lack.span for literal in rule.body):
            at = answers.columns.index(lack.variable)
            assert all(from_python(answer[at]).kind is not lack.kind for answer in answers)
