"""Deletions by rank in one call: the phases of the loop, and every reason for which it stops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

from tests.local_engine import held

from tidelog import KnowledgeBase
from tidelog.local.kernel import fused_rounds as rounds
from tidelog.local.kernel import layout
from tidelog.local.maintenance.backward_forward import bf_loop
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.ranked import rank_loop
from tidelog.local.maintenance.ranked.ranked_deletion import RankedDeletion

CLOSURE = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."


@contextmanager
def recorded() -> Iterator[list[tuple[int, int]]]:
    """The phase and the reason of each stop."""
    found: list[tuple[int, int]] = []
    call = RankedDeletion.call_loop

    def call_loop(deletion: RankedDeletion) -> None:
        call(deletion)
        found.append((deletion.tables.progress.item(unit.PHASE), deletion.tables.progress.item(unit.RESULT)))

    with patch.object(RankedDeletion, "call_loop", call_loop):
        yield found


def check_deletion(rules: str, facts: list[tuple[object, ...]], deleted: list[tuple[object, ...]]) -> set[int]:
    """Delete facts by rank and compare with deriving everything again; what the loop stopped for."""
    kb, other = (KnowledgeBase(rules, algorithm=name, modules=False) for name in ("ranked", "rematerialise"))
    for each in (kb, other):
        each.update(insert=facts)
    with recorded() as stops:
        kb.update(delete=deleted)
    other.update(delete=deleted)
    assert held(kb) == held(other)
    return {reason for _, reason in stops}


def test_a_small_deletion_is_one_call_that_finishes() -> None:
    kb = KnowledgeBase(CLOSURE, algorithm="ranked", modules=False)
    kb.update(insert=[("e", n, n + 1) for n in range(5)])
    for _ in range(2):
        kb.update(delete=[("e", 4, 5)])
        kb.update(insert=[("e", 4, 5)])
    with recorded() as stops:
        kb.update(delete=[("e", 4, 5)])
    assert stops == [(rank_loop.FINISHED, layout.DONE)]


def test_python_applies_the_rules_of_a_unit_with_computed_functions() -> None:
    rules = "t(X) :- s(X). t(Y) :- t(X), link(X, Z), Y = cat(X, Z), length(Y) < 6."
    facts: list[tuple[object, ...]] = [("s", "a"), ("s", "ab"), ("link", "a", "b"), ("link", "ab", "a"), ("link", "aba", "x")]
    assert bf_loop.APPLY_RULES in check_deletion(rules, facts, [("s", "a")])


def test_python_removes_the_fact_of_a_relation_without_columns() -> None:
    rules = "some :- e(X, Y), p(X). p(X) :- e(X, X), some. p(X) :- q(X)."
    assert bf_loop.REMOVE_NULLARY in check_deletion(rules, [("e", 1, 1), ("e", 2, 2), ("q", 1)], [("q", 1)])


def test_the_queue_and_the_tables_grow() -> None:
    """Every path from 0 has lost an instance and falls: more than there is room for."""
    facts: list[tuple[object, ...]] = [("e", at, at + 1) for at in range(600)]
    reasons = check_deletion("r(Y) :- s(X), e(X, Y). r(Y) :- r(X), e(X, Y). t(X, Y) :- r(X), r(Y), X < Y, Y < X + 9.", [
        *facts,
        ("s", 0),
    ], [("s", 0)])  # fmt: skip
    assert layout.GROW_TABLE in reasons
    many: list[tuple[object, ...]] = [("e", 0, at) for at in range(1000)]
    assert rank_loop.GROW_QUEUE in check_deletion("r(Y) :- s(X), e(X, Y). s(X) :- r(Y), e(Y, X).", [*many, ("s", 0)], [("s", 0)])


def test_of_many_suspects_only_those_without_support_are_queued() -> None:
    rules = "r(Y) :- e(_, Y), on(1). r(Y) :- f(Y). r(Y) :- r(X), g(X, Y)."
    kb = KnowledgeBase(rules, algorithm="ranked", modules=False)
    kb.update(insert=[("on", 1), *(("e", 0, at) for at in range(400)), *(("f", at) for at in range(399))])
    change = kb.update(delete=[("on", 1)])
    assert change.stats.counters.overdeleted == 1
    assert change.stats.counters.checked == 400, "what has no support falls without another look"
    assert kb.count("r") == 399


def test_indexes_that_are_far_behind_are_extended_by_python() -> None:
    reasons = check_deletion(CLOSURE, [("e", at, at + 1) for at in range(2000) if at % 20], [("e", 41, 42)])
    assert rounds.GROW_INDEX in reasons or bf_loop.PREPARE_REMOVAL in reasons
