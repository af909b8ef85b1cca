"""What a knowledge base should hold, by the reference, and the rules and questions that lives choose from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tidelog import Source, Update
from tidelog.errors import Diagnostics
from tidelog.program.program import Program, check
from tidelog.reference import answers, materialise
from tidelog.syntax.parser import parse_query
from tidelog.values import from_python

DECLARED = "@relation stock(item: string key, count: int) .\n"
POOL = {
    "r0": "path(X, Y) :- edge(X, Y).",
    "r1": "path(X, Z) :- path(X, Y), edge(Y, Z).",
    "r2": "degree(X, C) :- edge(X, _), C = count { Y : edge(X, Y) }.",
    "r3": "alone(X) :- stock(X, _), not path(X, _).",
    "r4": "named(cat(X, string(C))) :- stock(X, C).",
    "r5": "both(X, Y) :- path(X, Y), path(Y, X).",
    "r6": "both(X, Y) :- both(Y, X), edge(X, _).",
    "r7": "most(M) :- M = max { C : stock(_, C) }.",
    "s0": "same(X, Y) :- link(X, Y).",
    "s1": "same(X, Y) :- same(Y, X).",
    "s2": "same(X, Z) :- same(X, Y), same(Y, Z).",
    "s3": "far(X, Y) :- same(X, Y), not path(X, Y).",
    "s4": "size(X, C, S) :- stock(X, C), S = sum { 1 : same(X, Y) }.",
    "s5": "middle(X, M) :- stock(X, _), M = median { C : same(X, Y), stock(Y, C) }.",
    "s6": "path(X, Y) :- link(X, Y), stock(X, C), C > 4.",
}
QUERIES = (
    "edge(X, Y), edge(Y, Z)",
    "stock(X, C), C > 5",
    "edge(X, _), not edge(_, X)",
    "stock(X, C), D = C + 1",
    "edge(n1, Y)",
    "path(X, Y), same(Y, Z)",
    "same(n1, X), not path(n1, X)",
    'path(X, n2), stock(X, C), T = cat(X, " never there before")',
)
Row = tuple[Any, ...]
Held = dict[str, frozenset[Row]]


@lru_cache(maxsize=256)
def program_of(rules: frozenset[str]) -> Program:
    """The program of some rules of the pool."""
    return check(Source(DECLARED + "".join(f"{name}: {POOL[name]}\n" for name in sorted(rules))))


@dataclass(frozen=True)
class Model:
    """The rules by name, and the explicit facts."""

    rules: frozenset[str]
    facts: frozenset[Row]

    def after(self, *updates: Update) -> Model:
        """What updates leave."""
        model = self
        for update in updates:
            facts = set(model.facts - set(update.delete)) | set(update.insert)
            for fact in update.upsert:
                facts = {other for other in facts if other[:2] != fact[:2]} | {fact}
            added = {text.partition(":")[0] for text in update.add_rules}
            model = Model(model.rules - set(update.remove_rules) | added, frozenset(facts))
        return model

    def held(self) -> Held:
        """All facts as values of Python; relations without any are left out."""
        found = _materialised(self)
        return {name: frozenset(tuple(value.content for value in row) for row in rows) for name, rows in found.items() if rows}

    def answers(self, text: str, columns: tuple[str, ...]) -> set[Row]:
        """The answers to a query."""
        found = answers(parse_query(Source(text), Diagnostics(), {}), _materialised(self))
        return {tuple(binding[name].content for name in columns) for binding in found}


@lru_cache(maxsize=64)
def _materialised(model: Model) -> Any:
    """All facts, by the reference."""
    explicit = [(name, tuple(map(from_python, args))) for name, *args in model.facts]
    return materialise(program_of(model.rules), explicit)


def held(kb: Any) -> Held:
    """All facts of a knowledge base or a snapshot."""
    found = {name: list(kb[name]) for name in kb.relations}
    assert all(len(set(rows)) == len(rows) == kb.count(name) for name, rows in found.items())
    return {name: frozenset(rows) for name, rows in found.items() if rows}


def differences(before: Held, after: Held) -> tuple[Held, Held]:
    """The facts that came, and those that have gone."""

    def only(one: Held, other: Held) -> Held:
        found = {name: rows - other.get(name, frozenset()) for name, rows in one.items()}
        return {name: rows for name, rows in found.items() if rows}

    return only(after, before), only(before, after)
