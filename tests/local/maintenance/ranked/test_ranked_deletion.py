"""Deletions by rank: what comes back gets a new rank, and ranks stay right through whatever happens to facts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.local_engine import held, without_empty
from tests.oracles.ranked import check_ranks, ranks_of

from tidelog import KnowledgeBase, Source
from tidelog.local.maintenance import cost_model as choosing
from tidelog.local.maintenance.deletion import Deadline
from tidelog.local.maintenance.ranked.ranked_deletion import RankedDeletion
from tidelog.local.maintenance.rule_maintenance import ALGORITHMS
from tidelog.local.transaction import Transaction
from tidelog.program.program import check
from tidelog.reference import materialise

RULES = """
p(X, Y) :- e(X, Y). p(X, Z) :- q(X, Y), e(Y, Z). q(X, Y) :- p(X, Y), n(Y). q(X, Y) :- p(Y, X), not e(X, X).
"""
Fact = tuple[Any, ...]
FACTS: list[Fact] = [("e", at, to) for at in range(12) for to in ((at + 1) % 12, at * 5 % 12)]
FACTS += [("n", at) for at in range(0, 12, 2)]


def judged(kb: KnowledgeBase, rules: str, explicit: Sequence[Fact]) -> None:
    """The facts are right, and so are the ranks."""
    program = check(Source(" ".join([rules, *(f"{name}({', '.join(map(str, row))})." for name, *row in explicit)])))
    expected = materialise(program)
    assert without_empty(held(kb)) == without_empty(expected)
    check_ranks(program, ranks_of(kb), expected, program.facts)


def knowledge_base(**options: object) -> KnowledgeBase:
    kb = KnowledgeBase(RULES, algorithm="ranked", modules=False, **options)  # type: ignore[arg-type]
    kb.update(insert=FACTS)
    return kb


def test_it_can_be_chosen() -> None:
    assert ALGORITHMS["ranked"] is RankedDeletion
    assert knowledge_base().update(delete=FACTS[:1]).stats.algorithm == "ranked: as asked for"


def test_a_fact_that_comes_back_is_as_new() -> None:
    kb = KnowledgeBase("r(Y) :- s(Y). r(Y) :- r(X), e(X, Y).", algorithm="ranked")
    kb.update(insert=[("s", 1), ("e", 1, 2), ("s", 3), ("e", 3, 2), ("e", 2, 1)])
    change = kb.update(delete=[("s", 1)])
    assert change.stats.counters.overdeleted == 1
    assert set(kb.facts("r")) == {(1,), (2,), (3,)}
    assert set(change.deleted) == {"s"}
    rows = {fact[1]: rank.row for fact, rank in ranks_of(kb).items() if fact[0] == "r"}
    assert max(rows.values()) == 3, "a row more than the facts there were"


def copied(kb: KnowledgeBase, _: Path) -> KnowledgeBase:
    return kb.copy()


def reopened(kb: KnowledgeBase, folder: Path) -> KnowledgeBase:
    kb.save(folder / "kb")
    kb.close()
    return KnowledgeBase.open(folder / "kb")


def stopped(kb: KnowledgeBase, _: Path) -> KnowledgeBase:
    """An update that fails in the end is rolled back."""
    with pytest.raises(ZeroDivisionError), patch.object(Transaction, "end_step", lambda *_: 1 // 0):
        kb.update(delete=FACTS[6:14], insert=[("n", 1), ("e", 3, 3)])
    return kb


@pytest.mark.parametrize("happens", [copied, reopened, stopped], ids=lambda what: what.__name__)
def test_ranks_outlive(happens: Callable[[KnowledgeBase, Path], KnowledgeBase], tmp_path: Path) -> None:
    explicit = list(FACTS)
    kb = knowledge_base()
    for at in (3, 0, 5):
        kb.update(delete=[explicit.pop(at)])
    kb = happens(kb, tmp_path)
    judged(kb, RULES, explicit)
    for at in (2, 7, 1, 4, 9):
        kb.update(delete=[explicit.pop(at)])
        judged(kb, RULES, explicit)
    kb.update(insert=FACTS)
    judged(kb, RULES, FACTS)


def test_units_that_become_one() -> None:
    """The rules of p are of one unit, those of q of another one, until q comes into the rules of p."""
    first = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). q(X, Y) :- p(Y, X), n(X)."
    more = "p(X, Y) :- q(X, Y)."
    kb = KnowledgeBase(first, algorithm="ranked", modules=False)
    kb.update(insert=FACTS)
    kb.update(delete=FACTS[:3])
    kb.update(insert=FACTS[:3])
    kb.update(add_rules=more)
    judged(kb, first + more, FACTS)
    explicit = list(FACTS)
    for at in (0, 4, 6, 2, 9):
        kb.update(delete=[explicit.pop(at)])
        judged(kb, first + more, explicit)
    kb.update(remove_rules=more)
    judged(kb, first, explicit)


def test_a_step_that_was_undone() -> None:
    """With negation, what is inserted ahead takes facts away, and brings others that facts stand by meanwhile."""
    explicit = list(FACTS)
    kb = knowledge_base(marking="auto")
    loops: list[Fact] = [("e", at, at) for at in range(12)]
    updates: list[dict[str, list[Fact]]] = [
        {"insert": loops[:4]},
        {"delete": loops[:4], "insert": loops[4:8]},
        {"delete": loops[4:8]},
        {"delete": FACTS[:5]},
    ]
    with kb.follow(updates) as following:
        for update, _ in zip(updates, following, strict=True):
            explicit = [fact for fact in explicit if fact not in update.get("delete", [])] + update.get("insert", [])
            judged(kb, RULES, explicit)


@pytest.mark.parametrize(
    ("deadline", "gives_up"),
    [
        (Deadline(0.0, 0.0, inf, 1e9), False),  # what is left is little beside starting over
        (Deadline(0.0, 0.0, inf, 1e-9), True),  # ... and here it is not
        (Deadline(inf, 0.0, inf, 1e-9), False),  # too soon to give up
        (Deadline(0.0, 0.0, 0.0, 1e9), False),  # late, and almost done
        (Deadline(0.0, 0.0, 0.0, 1e-9), True),  # late, and not
    ],
)
def test_it_is_given_up_for_what_is_left(deadline: Deadline, gives_up: bool) -> None:
    rules = "r(Y) :- e(_, Y), on(1). r(Y) :- f(Y), on(2)."
    kb = KnowledgeBase(rules, modules=False)
    kb.update(insert=[("on", 1), ("on", 2), *((name, *([0] if name == "e" else []), at) for name in "ef" for at in range(5_000))])
    with patch.object(choosing, "_deadline", lambda *_: deadline):
        change = kb.update(delete=[("on", 1)])
    assert ("rematerialise" in change.stats.algorithm) == gives_up
    assert [cost.gave_up for cost in change.stats.deletions] == [gives_up]
    assert (kb.count("r"), set(change.deleted["on"])) == (5_000, {(1,)})
