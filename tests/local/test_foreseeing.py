"""Rules for changes serve for changes of any relations that have changed before."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from tests.local_engine import program

from tidelog import KnowledgeBase, Source
from tidelog.local.foreseeing import NOTHING_CHANGED, Changed
from tidelog.reference import materialise

NAMES = ("a", "b", "c", "d")
WIDE = """
p(X, Y) :- a(X, Y). p(X, Y) :- b(X, Y), not c(Y, X). p(X, Z) :- p(X, Y), d(Y, Z), a(Z, Y), not b(X, _).
q(X) :- p(X, X), c(X, Y), a(Y, X), b(X, Y), d(Y, Y).
"""


def check(kb: KnowledgeBase, text: str, facts: set[tuple[object, ...]]) -> None:
    told = " ".join(f"{name}({x}, {y})." for name, x, y in sorted(facts, key=str))
    expected = materialise(program(text + told))
    for name in ("p", "q"):
        assert set(kb[name]) == {tuple(value.content for value in row) for row in expected.get(name, ())}


@pytest.mark.parametrize("algorithm", ["auto", "bf", "dred", "counting"])
@pytest.mark.parametrize("most", [256, 3], ids=["all foreseen", "too many"])
def test_ever_other_relations_change(algorithm: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.local.foreseeing._MANY_RULES", most)
    kb, chance, facts = KnowledgeBase(Source(WIDE), algorithm=algorithm), Random(5), set[tuple[object, ...]]()
    sizes = []
    for _ in range(3):
        for size in range(1, 5):
            for names in combinations(NAMES, size):
                new = {(name, chance.randrange(3), chance.randrange(3)) for name in names for _ in range(2)}
                old = {fact for fact in facts if fact[0] in names and chance.random() < 0.5} - new
                facts = (facts | new) - old
                kb.update(insert=list(new), delete=list(old))
                check(kb, WIDE, facts)
        sizes.append(len(kb._settled().state.variants))  # type: ignore[attr-defined]
    if most == 256:
        assert sizes[1] == sizes[2], "there is nothing to be made that has not been"


def test_what_covers_what() -> None:
    some, more = Changed(frozenset("a"), frozenset()), Changed(frozenset("ab"), frozenset("c"))
    assert NOTHING_CHANGED <= some <= more
    assert not more <= some
    assert some | more == more
