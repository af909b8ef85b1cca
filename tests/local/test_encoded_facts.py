"""Reading the facts of an update: the fast path agrees with the full check, and leaves to it what is not plain."""

from __future__ import annotations

from collections import namedtuple
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import rows_of

from tidelog import KnowledgeBase, TidelogError
from tidelog.local.encoded_facts import FactReader

RULES = """
    @relation typed(name: string, size: int, share: float).
    both(X) :- typed(X, _, _), free(X, _).
"""
VALUES = st.one_of(st.integers(-2, 2), st.sampled_from(["a", "b", ""]), st.booleans(), st.sampled_from([0.5, 1.0]))
FACTS = st.one_of(
    st.tuples(st.just("free"), VALUES, VALUES),
    st.tuples(st.just("typed"), st.sampled_from(["a", "b"]), st.integers(-1, 1), st.sampled_from([1, 2.5])),
    st.tuples(st.just("new"), VALUES),
    st.tuples(st.just("nothing")),
)


def held(kb: KnowledgeBase) -> dict[str, Any]:
    return {name: rows_of(kb.facts(name)) for name in sorted(kb.relations)}


@settings(max_examples=60)
@given(st.lists(FACTS, max_size=12), st.integers(0, 12), st.integers(0, 12))
def test_all_ways_of_reading_agree(facts: list[tuple[object, ...]], few: int, many: int) -> None:
    quick, careful = KnowledgeBase(RULES), KnowledgeBase(RULES)
    with patch("tidelog.local.encoded_facts._A_FEW", few), patch("tidelog.local.encoded_facts._MANY", many):
        done = quick.update(insert=facts)
        never = patch.object(FactReader, "_quick_row", lambda *_, **__: None)
        with never, patch.object(FactReader, "_is_plain", lambda *_: False):
            other = careful.update(insert=facts)
        assert held(quick) == held(careful)
        assert (done.stats.inserted, done.stats.without_effect) == (other.stats.inserted, other.stats.without_effect)
        quick.update(delete=facts)
        assert not any(held(quick).values())


@pytest.mark.parametrize("count", [1, 20, 200])
def test_unusual_facts_among_usual_ones_are_not_lost(count: int) -> None:
    kb = KnowledgeBase(RULES)
    pair = namedtuple("pair", "relation left right")  # as users have them
    change = kb.update(insert=[*(("free", "a", n) for n in range(count)), pair("free", "a", 0), pair("free", "b", 1)])
    assert (change.stats.inserted, change.stats.without_effect) == (count + 1, 0)
    assert kb.count("free") == count + 1


@pytest.mark.parametrize("count", [1, 20, 200])
def test_everything_that_is_wrong_is_said_at_once(count: int) -> None:
    kb = KnowledgeBase(RULES)
    wrong = [("typed", "a", 2**70, 0.5), ("typed", "\ud800", 1, 0.5), ("free", 1), ("typed", "a", "b", 1.0)]
    with pytest.raises(TidelogError) as caught:
        kb.update(insert=[*(("typed", "a", n, 1.0) for n in range(count)), *wrong])
    assert [d.code for d in caught.value.diagnostics] == ["TL020", "TL040", "TL072", "TL072"]
    assert kb.count("typed") == 0
