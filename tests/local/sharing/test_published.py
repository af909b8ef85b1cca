"""Versions share what has not changed, and say what all relations held."""

from __future__ import annotations

from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.local.sharing.published import Publisher

RULES = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z). q(X) :- f(X)."


def test_relations_that_have_not_changed_are_the_same_in_the_next_version() -> None:
    kb = KnowledgeBase(RULES + "e(1, 2). f(1).", modules=False)
    kb.count("p")
    publisher = Publisher(engine_of(kb), kb._schema)
    first = publisher.current
    kb.update(insert=[("e", 2, 3)])
    publisher.publish(engine_of(kb), kb._schema)
    second = publisher.current
    assert second.number == first.number + 1
    assert {name for name in "pqef" if first.tables[name] is not second.tables[name]} == {"p", "e"}
    assert (len(first.held("p")), len(second.held("p"))) == (1, 3)
    assert second.term_count > first.term_count


def test_relations_come_and_go_with_rules() -> None:
    kb = KnowledgeBase(RULES + "e(1, 2). f(1).")
    kb.count("p")
    publisher = Publisher(engine_of(kb), kb._schema)
    kb.add_rules("r(X) :- q(X).")
    publisher.publish(engine_of(kb), kb._schema)
    assert len(publisher.current.held("r")) == 1
    kb.remove_rules("r(X) :- q(X).")
    publisher.publish(engine_of(kb), kb._schema)
    assert "r" not in publisher.current.tables
    assert len(publisher.current.held("p")) == 1
