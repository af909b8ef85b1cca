"""A knowledge base that is read: its copies, and what it says about itself."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from tests.differential.judging import agrees, steps_of
from tests.differential.update_histories import maintained
from tests.random_programs import History

from tidelog import KnowledgeBase, Source, TidelogError
from tidelog.local.readable import ReadableKnowledgeBase

RULES = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
"""


def test_a_knowledge_base_in_this_process_can_be_read() -> None:
    assert isinstance(KnowledgeBase(RULES), ReadableKnowledgeBase)


@pytest.mark.parametrize("way", [lambda kb: kb.copy(), copy.copy, copy.deepcopy])
def test_a_copy_is_independent(way: Callable[[KnowledgeBase], KnowledgeBase]) -> None:
    kb = KnowledgeBase(RULES + "edge(1, 2). edge(2, 3).")
    other = way(kb)
    kb.update(delete=[("edge", 1, 2)], insert=[("edge", "new", "one")])
    other.update(insert=[("edge", 3, "another")])
    other.add_rules("back(Y, X) :- edge(X, Y).")
    assert set(kb["path"]) == {("new", "one"), (2, 3)}
    assert set(other["path"]) == {(1, 2), (1, 3), (2, 3), (1, "another"), (2, "another"), (3, "another")}
    assert "back" not in kb.relations
    assert other.count("back") == 3


@given(maintained())
@settings(max_examples=20)
def test_copies_in_the_middle_of_a_history(history: History) -> None:
    kb, steps = KnowledgeBase(Source(history.program.text)), steps_of(history)
    copies = [kb.copy()]
    for step in steps[1:]:
        for one in (kb, *copies):
            one.update(**step.update)
        copies.append(kb.copy())
    for one in copies:
        agrees(one, steps[-1].expected)


def test_a_knowledge_base_is_not_pickled() -> None:
    with pytest.raises(TidelogError, match=r"TL074.*cannot be pickled"):
        pickle.dumps(KnowledgeBase(RULES))
