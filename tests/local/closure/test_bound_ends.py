"""Diff for some ends: what rules read of each change equals what they would find in all of it."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local.closure.test_incremental import KINDS, changed, given_by, random_history, reached
from tests.local.closure.test_virtual_relation import Pairs

from tidelog import KnowledgeBase
from tidelog.local.closure import bound_ends
from tidelog.local.closure.bound_ends import BoundEnds
from tidelog.local.closure.changes import change_of
from tidelog.local.closure.incremental import next_version

_IDS = st.lists(st.sampled_from((0, 1, 2, 5, 70, 200, 5000)), max_size=3, unique=True)


@pytest.mark.parametrize("few", [0, 256], ids=["listed", "tested"])
@pytest.mark.parametrize("budget", [None, 0], ids=["bits", "search"])
@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 1 << 30), nodes=st.integers(1, 9), edges=st.integers(0, 18), lefts=_IDS, rights=_IDS)
@settings(max_examples=12)
def test_what_rules_read(
    kind: str, budget: int | None, few: int, seed: int, nodes: int, edges: int, lefts: list[int], rights: list[int]
) -> None:
    history = random_history(KINDS[kind], seed, nodes, edges, 4)
    bound, relation = BoundEnds(np.array(lefts, np.int32), np.array(rights, np.int32)), history[0].build(budget)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bound_ends, "_FEW_ENDS", few)
        patch.setattr(bound_ends, "_TESTS", 4 * few)
        for old, new in pairwise(history):
            starts = changed(old.starts, new.starts)
            steps = None if old.steps is None or new.steps is None else changed(old.steps, new.steps)
            after = next_version(relation, starts, steps, partial(given_by, new), lambda: None)
            change = change_of(relation, after, starts, steps)
            change.bound = bound
            came, went = reached(new) - reached(old), reached(old) - reached(new)
            for inserted, expected in ((True, came), (False, went)):
                rows = [(x, y) for x, y in change.read_by_rules(inserted=inserted).tolist()]
                assert len(rows) == len(set(rows)), "a pair twice"
                assert set(rows) <= expected
                assert _with(set(rows), lefts, rights) == _with(expected, lefts, rights)
            assert {(x, y) for x, y in change.inserted().tolist()} == came
            relation = after


def _with(pairs: Pairs, lefts: list[int], rights: list[int]) -> Pairs:
    return {(x, y) for x, y in pairs if x in lefts or y in rights}


def test_rules_that_read_other_pairs_later() -> None:
    """As long as rules read the pairs of one node only those are looked for; then a rule comes that reads all."""
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). far(X) :- path(0, X).")
    kb.update(insert=[("edge", at, at + 1) for at in range(60)] + [("node", at) for at in range(0, 61, 10)])
    change = kb.update(delete=[("edge", 30, 31)])
    assert len(change.deleted["path"]) == 31 * 30
    assert len(change.deleted["far"]) == len(kb["far"]) == 30
    kb.add_rules("alone(X) :- node(X), not path(X, 45). near(X, Y) :- path(X, Y), node(Y).")
    kb.update(insert=[("edge", 30, 31)])
    assert set(kb["alone"]) == {(50,), (60,)}
    assert len(kb["near"]) == 210
    kb.remove_rules("near(X, Y) :- path(X, Y), node(Y).")
    change = kb.update(delete=[("edge", 46, 47)])
    assert set(kb["alone"]) == {(50,), (60,)}
    assert len(change.deleted["far"]) == 14
    assert len(change.deleted["path"]) == 47 * 14
