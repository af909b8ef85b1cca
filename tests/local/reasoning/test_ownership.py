"""To whom rules and triples belong."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.local.reasoning.ownership import Ownership
from tidelog.values import from_python


def test_ownership() -> None:
    kb = KnowledgeBase()
    assert isinstance(kb, LocalKnowledgeBase)
    rows = [("one", "r"), ("two", "r"), ("one", "s"), ("one", 1), ("two", True)]
    kb.update(insert=[("account", *row) for row in rows])
    r, s, number, truth, other = ((from_python(thing),) for thing in ("r", "s", 1, True, "t"))
    one, two, three = (Ownership(kb.engine, "account", name) for name in ("one", "two", "three"))
    assert sorted(one.stale()) == sorted([r, s, number])
    assert sorted(one.gone()) == sorted([s, number])
    assert one.gone([s, other]) == [number]
    assert sorted(one.stale([s])) == sorted([r, number])
    assert two.gone() == [truth]
    assert three.stale() == three.gone([r]) == []
    assert three.are_owned([r, other, truth]).tolist() == [True, False, True]


def test_there_is_nothing() -> None:
    kb = KnowledgeBase()
    assert isinstance(kb, LocalKnowledgeBase)
    nothing = Ownership(kb.engine, "account", "one")
    assert nothing.are_owned([(from_python("r"),)]).tolist() == [False]
    assert nothing.are_owned([]).tolist() == []
    assert nothing.stale() == nothing.gone() == []
