"""A change as lines."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.cli.common.told import told


def test_what_has_come_and_gone() -> None:
    kb = KnowledgeBase("@prefix ex: <http://ex/> . ex:q(X) :- p(X).")
    printer = kb.program.printer
    assert sorted(told(kb.update(insert=[("p", "a b"), ("p", 1.0)]), printer)) == [
        '+ ex:q("a b")',
        "+ ex:q(1.0)",
        '+ p("a b")',
        "+ p(1.0)",
    ]
