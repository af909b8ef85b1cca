"""Histories of facts, equalities and rules by chance, and what follows by the plain rules eq-sym, eq-trans and eq-rep-*."""

from __future__ import annotations

import random
from typing import Any

from tidelog import IRI, KnowledgeBase

SAME = "http://www.w3.org/2002/07/owl#sameAs"
EX = "http://example.org/"
PREFIXES = f"@prefix ex: <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
ARITIES = {"p": 2, "q": 2, "c": 1, "d": 1, "t": 2, "s": 2, "r": 3, "f": 2, "g": 2, "v": 2}
Pair = tuple[str, str]

PLAIN = [
    "ex:q(X, Z) :- ex:p(X, Y), ex:p(Y, Z).",
    "ex:c(X) :- ex:p(X, ex:i0).",
    "ex:p(X, ex:i1) :- ex:c(X), ex:d(X).",
    "ex:d(X) :- ex:q(X, X).",
    "ex:t(X, Z) :- ex:t(X, Y), ex:t(Y, Z).",
    "ex:t(X, Y) :- ex:q(X, Y).",
    "ex:d(Y) :- ex:t(ex:i2, Y).",
    "ex:s(X, Y) :- ex:s(Y, X).",
    "ex:p(X, Y) :- ex:s(X, Y), ex:c(X).",
    "ex:r(X, Y, Z) :- ex:p(X, Y), ex:q(Y, Z).",
    "ex:p(X, Z) :- ex:r(X, _, Z), ex:d(Z).",
    "ex:f(X, Y) :- ex:q(X, Y), ex:c(X).",
    "owl:sameAs(X, Y) :- ex:f(X, Z), ex:g(Z, Y).",
]
RULES: list[Pair] = [
    *((rule, rule) for rule in PLAIN),
    ("owl:sameAs(Y, Z) :- ex:f(X, Y), ex:f(X, Z).", "tidelog_same_by_1(f, X, Y) :- ex:f(X, Y)."),
    ("owl:sameAs(X, Y) :- ex:g(X, Z), ex:g(Y, Z).", "tidelog_same_by_1(g, Z, X) :- ex:g(X, Z)."),
    ("owl:sameAs(X, Y) :- ex:v(X, Z), ex:v(Y, Z).", "tidelog_same_by_1(v, Z, X) :- ex:v(X, Z)."),
    (
        "owl:sameAs(X, Y) :- ex:c(X), ex:p(X, Z), ex:q(X, W), ex:c(Y), ex:p(Y, Z), ex:q(Y, W).",
        "tidelog_same_by_2(key, Z, W, X) :- ex:c(X), ex:p(X, Z), ex:q(X, W).",
    ),
]
"""Rules as the W3C has them, and as a knowledge base with `same_as` has them."""


def individual(number: int) -> IRI:
    return IRI(f"{EX}i{number}")


def replacing() -> list[str]:
    """Every fact about one individual is one about those that are the same, rule by rule."""
    rules = ["owl:sameAs(X, Y) :- owl:sameAs(Y, X).", "owl:sameAs(X, Z) :- owl:sameAs(X, Y), owl:sameAs(Y, Z)."]
    for name, arity in ARITIES.items():
        args = [f"X{at}" for at in range(arity)]
        for at in range(arity):
            head = ", ".join([*args[:at], "Y", *args[at + 1 :]])
            rules.append(f"ex:{name}({head}) :- ex:{name}({', '.join(args)}), owl:sameAs(X{at}, Y).")
    return rules


def by_the_rules(rules: list[Pair], facts: set[tuple[Any, ...]]) -> dict[str, set[tuple[Any, ...]]]:
    """What follows, from nothing, without any module."""
    kb = KnowledgeBase(PREFIXES + "\n".join([*(plain for plain, _ in rules), *replacing()]), modules=False)
    kb.update(insert=sorted(facts, key=str))
    return facts_of(kb)


def facts_of(kb: KnowledgeBase) -> dict[str, set[tuple[Any, ...]]]:
    """All facts; that something is the same as itself does not matter."""
    known = kb.relations
    found = {name: set(kb[EX + name]) if EX + name in known else set() for name in ARITIES}
    return found | {"same": {pair for pair in kb[SAME] if pair[0] != pair[1]}}


class History:
    """Rules and facts that come and go."""

    def __init__(self, chance: random.Random) -> None:
        self._chance, self._count = chance, chance.choice([4, 6, 9])
        self.rules = [rule for rule in RULES if chance.random() < 0.6]
        self.facts: set[tuple[Any, ...]] = set()

    def start(self, **options: Any) -> KnowledgeBase:
        return KnowledgeBase(PREFIXES + "\n".join(rule for _, rule in self.rules), same_as=True, **options)

    def step(self) -> dict[str, Any]:
        """The next update."""
        chance = self._chance
        new = {self._fact() for _ in range(chance.choice([1, 2, 8]))}
        share = chance.choice([0.0, 0.1, 0.4])
        gone = {fact for fact in sorted(self.facts, key=str) if chance.random() < share}
        added = [rule for rule in RULES if rule not in self.rules and chance.random() < 0.15]
        removed = [rule for rule in self.rules if chance.random() < 0.1] if chance.random() < 0.3 else []
        self.facts = (self.facts - gone) | new
        self.rules = [rule for rule in self.rules if rule not in removed] + added
        update: dict[str, Any] = {"insert": sorted(new, key=str), "delete": sorted(gone, key=str)}
        if added:
            update["add_rules"] = [PREFIXES + rule for _, rule in added]
        if removed:
            update["remove_rules"] = [PREFIXES + rule for _, rule in removed]
        return update

    def _fact(self) -> tuple[Any, ...]:
        chance = self._chance
        if chance.random() < 0.25:
            return SAME, individual(chance.randrange(self._count)), individual(chance.randrange(self._count))
        name = chance.choice(sorted(ARITIES))
        arguments: list[Any] = [individual(chance.randrange(self._count)) for _ in range(ARITIES[name])]
        if name == "v":
            arguments[1] = chance.choice(["x", "y", "z", 5])
        return (EX + name, *arguments)
