"""What a rollback takes back."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.rdflib_store.change_log import ChangeLog


def test_the_first_change_of_a_fact_counts() -> None:
    kb, log = KnowledgeBase("p(1). q(X) :- p(X)."), ChangeLog()
    for inserted, facts in (
        (True, [("p", 1), ("p", 2)]),
        (False, [("p", 1)]),
        (False, [("p", 2), ("p", 3)]),
        (True, [("p", 1.0)]),
    ):
        change = kb.update(insert=facts) if inserted else kb.update(delete=facts)
        log.note(change, facts, inserted=inserted)
    assert len(log) == 3
    assert log.undoing() == {"insert": [("p", 1)], "delete": [("p", 2), ("p", 1.0)]}
    kb.update(**log.undoing())  # type: ignore[arg-type]
    assert list(kb["p"]) == [(1,)]
    log.clear()
    assert log.undoing() == {"insert": [], "delete": []}
