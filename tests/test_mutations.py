"""Damaged programs: the outcome is a program or a `TidelogError`, never another exception, and it comes soon.

Programs are damaged byte by byte and token by token: parts deleted, doubled, swapped, inserted from elsewhere.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.rule_sets import RS1, RS2

from tidelog.errors import Diagnostics, TidelogError, render_all
from tidelog.program.program import check
from tidelog.report.structure import describe
from tidelog.source import Source
from tidelog.syntax.lexing import tokens
from tidelog.syntax.parser import parse
from tidelog.syntax.printer import Printer

EVERYTHING = r"""% all forms of the language
@prefix ex: <http://example.org/> .
@relation edge(src: string, dst: string) .
@relation temp(turbine: string key, celsius: float) .
@input edge "edges.csv" .
@output path "path.parquet" .
edge(a, b). edge("b", 'c'). temp(t1, 21). temp("t\u00e9", -2.5e3).
odd(true, <http://e/x>, ex:name, "chat"@fr, "5"^^xsd:byte, date("2026-11-15"), timestamp("2026-11-15T06:43:00Z")).
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).   // linear
r7: lonely(X) :- node(X), not edge(X, _), !edge(_, X).   # negation
node(X) <- edge(X, _) ∧ X != b. node(?y) ← edge(_, ?y) and length(?y) >= 1.
far(X, N) :- node(X), N = count { Y : path(X, Y), Y != X }, N > 1.
warm(T, M) :- M = max { C : temp(T, C) }, D = abs(M - 20) * 2 mod 7, D<-3, matches(T, "t.*").
ex:p[?s, ?o] :- [?s, ex:q, ?o], [?s, rdf:type, ex:C], not contains(?s, "x").
n(X + 1) :- n(X), X < 3. n(0). flag. flag() :- n(2).
"""


def _bytes(text: str, rng: random.Random) -> str:
    data = bytearray(text.encode())
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(data) or 1), rng.choice((1, 1, 2, 5, 20))
        match rng.randrange(5):
            case 0:
                del data[at : at + length]
            case 1:
                data[at:at] = data[at : at + length]
            case 2:
                other = rng.randrange(len(data) or 1)
                data[at : at + length], data[other : other + length] = data[other : other + length], data[at : at + length]
            case 3:
                data[at:at] = bytes(rng.choices(range(256), k=length))
            case _:
                data[at:at] = rng.choice((b'"', b"(", b")", b"{", b"<", b"-", b".", b":", b"@", b"\\", b"%", b"_", b"\x00"))
    return data.decode("utf-8", errors="replace")


def _tokens(text: str, rng: random.Random) -> str:
    pieces = [str(token) for token in tokens(text)]
    for _ in range(rng.randint(1, 4)):
        if not pieces:
            break
        at, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
        match rng.randrange(4):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, pieces[at])
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case _:
                pieces.insert(at, pieces[other])
    return "".join(piece + ("\n" if piece[:1] in "%#/" else " ") for piece in pieces)


def outcome(text: str) -> str:
    """`program` or `errors`; what is a program also prints, parses back and can be described."""
    try:
        program = check(Source(text, "damaged.dl"))
    except TidelogError as error:
        return _checked(error)
    render_all(program.warnings)
    assert list(describe(program))
    assert parse(Source(Printer().document(program.document)), Diagnostics()) == program.document
    return "program"


def _checked(error: TidelogError) -> str:
    assert error.diagnostics
    assert all(d.is_error for d in error.diagnostics)
    assert str(error)
    return "errors"


def damage(rounds: range) -> dict[str, int]:
    examples = [path.read_text(encoding="utf-8") for path in sorted(Path("examples").glob("*.dl"))]
    texts = [EVERYTHING, *EVERYTHING.splitlines(), *EVERYTHING.splitlines(), RS1, RS2, *examples]
    outcomes = {"program": 0, "errors": 0}
    for seed in rounds:
        rng = random.Random(seed)
        text = rng.choice(texts)
        outcomes[outcome((_bytes if rng.random() < 0.5 else _tokens)(text, rng))] += 1
    return outcomes


def test_damaged_programs() -> None:
    outcomes = damage(range(2_000))
    assert outcomes["program"] > 100
    assert outcomes["errors"] > 100


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(10))
def test_a_hundred_thousand_damaged_programs(part: int) -> None:
    outcomes = damage(range(1_000_000 + part * 10_000, 1_000_000 + (part + 1) * 10_000))
    assert sum(outcomes.values()) == 10_000


FEW, MANY = 5_000, 20_000
"""How long extremes are, by day and by night; each is far beyond what recursion could take."""
LONG_CYCLE = "p :- " + ", ".join(f"e(A{i}, A{(i + 1) % 200})" for i in range(200)) + "."


def extremes(many: int) -> dict[str, str]:
    """Texts that are long or deep, by name."""
    return {
        "parentheses": f"p({'(' * many}1{')' * many}).",
        "open parentheses": f"p({'(' * many}1",
        "nested calls": f"p(X) :- q(X), X > {'abs(' * many}1{')' * many}.",
        "signs": f"p(X) :- q(X), X > {'- ' * many}Y.",
        "long sum": f"p(X) :- q(X), X > {' + '.join(['1'] * many)}.",
        "braces": "p(N) :- N = " + "count { X = " * 2_000 + "1" + " }" * 2_000 + ".",
        "brackets": f"p(X) :- {'[' * many}.",
        "nots": f"p(X) :- q(X), {'not ' * many} q(X).",
        "dots": "." * many,
        "one line of a megabyte": f'p("{"x" * 1_000_000}").',
        "one line of many facts": "".join(f"p({i})." for i in range(many)),
        "long body": f"p(X) :- {', '.join(['q(X)'] * many)}.",
        "long body of many variables": f"p(X) :- {', '.join(f'q(X{i}, X{i + 1})' for i in range(many // 4))}, X = X1.",
        "long chain of assignments": "p(X0) :- " + ", ".join(f"X{i} = X{i + 1} + 1" for i in range(many // 4)) + f", q(X{many // 4}).",
        "many negations": f"p(X) :- q(X), {', '.join(['not r(X, _)'] * (many // 4))}.",
        "many aggregates": "p(X) :- q(X), " + ", ".join(f"N{i} = count {{ r(X, _) }}" for i in range(1_000)) + ".",
        "chained aggregates": "p(N0) :- " + ", ".join(f"N{i} = count {{ r(N{i + 1}, _) }}" for i in range(300)) + ", N300 = 1.",
        "wide relation": f"p({', '.join(['a'] * many)}).",
        "unterminated texts": '"\n' * many,
        "garbage": "\x00\x01\x7f\ufeff\u202e" * 5_000,
        "backslashes": "p(" + "\\" * many,
        "open text of a megabyte": '"' + "\\" * 1_000_000,
        "comments": "%\n" * many,
        "many unknown names": "".join(f"p{i}(X) :- q{i}(X).\n" for i in range(3_000)),
        "one name in two arities": "".join(f"p({', '.join(['1'] * (i % 3))}).\n" for i in range(3_000)),
        "many warnings": "".join(f"p(X) :- q(X, Y{i}).\n" for i in range(3_000)),
        "interchangeable variables": f"p :- {', '.join(f'e(X{i}, Y{i})' for i in range(12))}. p :- {', '.join(f'e(Y{i}, X{i})' for i in range(12))}.",
        "a large cycle": "".join(f"p{i}(X) :- p{(i + 1) % 3000}(X).\n" for i in range(3_000)),
        "a large cycle through negation": "p0(X) :- e(X), not p1(X).\n" + "".join(f"p{i}(X) :- p{(i + 1) % 3000}(X).\n" for i in range(1, 3_000)),
        "words of ZodiacEdge": "p(X) :- " + "bind(" * many,
        "words of ZodiacEdge, closed": "p(X) :- " + "comp(" * 5_000 + ")" * 5_000 + ".",
        "a chain of copies, last one first": "".join(f"p{i}(X) :- p{i - 1}(X).\n" for i in range(2_000, 0, -1)),
        "many unknown prefixes": "".join(f"@prefix pre{i}: <http://e/{i}> . q(prefix{i}:a).\n" for i in range(1_500)),
        "two long cycles": f"{LONG_CYCLE}\n{LONG_CYCLE}",
    }  # fmt: skip


EXTREMES = extremes(FEW)


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes(name: str) -> None:
    assert outcome(EXTREMES[name]) in ("program", "errors")


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXTREMES)
def test_longer_extremes(name: str) -> None:
    assert outcome(extremes(MANY)[name]) in ("program", "errors")


def test_deep_nesting_is_an_error_with_a_place() -> None:
    with pytest.raises(TidelogError, match="TL006"):
        check(Source(EXTREMES["nested calls"]))
