"""Questions that are asked again: answered directly while nothing has changed, as usual otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from tidelog import KnowledgeBase
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule
from tidelog.local.kernel import join
from tidelog.local.sharing import direct
from tidelog.local.sharing.direct import DirectAnswers
from tidelog.local.sharing.inquiry import Inquiry, InquiryPlans
from tidelog.sparql.evaluation.inquiries import answer_name
from tidelog.syntax.tree import Atom, Variable

X, Y, Z = (Variable(name) for name in "XYZ")
JOIN = CoreRule(Atom(answer_name(2), (X, Z)), (Atom("edge", (X, Y)), Atom("edge", (Y, Z))), 0, "test")


def asked(kb: Any, known: DirectAnswers, rule: CoreRule = JOIN, key: str = "join") -> InquiryPlans:
    """Ask as usual, and remember it."""
    plans = InquiryPlans()
    kb.derive()
    with Inquiry(kb.engine, Watch(), plans) as inquiry:
        inquiry.answer([rule], len(rule.head.args))
    known.remember(kb.engine, key, rule, plans, "shown")
    return plans


def count(kb: Any, known: DirectAnswers, key: str = "join") -> int | None:
    found = known.answer(kb.engine, key)
    if found is None:
        return None
    rows, shown = found
    assert shown == "shown"
    return len(rows)


@pytest.fixture
def kb() -> Any:
    made = KnowledgeBase("")
    made.update(insert=[("edge", at, at + 1) for at in range(5)])
    return made


def test_while_nothing_has_changed(kb: Any) -> None:
    known = DirectAnswers()
    assert count(kb, known) is None
    asked(kb, known)
    assert [count(kb, known) for _ in range(3)] == [4, 4, 4]
    list(kb.query("edge(X, Y), edge(Y, Z), edge(Z, W)"))  # makes tables and indexes of its own
    assert count(kb, known) == 4
    with Inquiry(kb.engine, Watch(), InquiryPlans()) as inquiry:
        inquiry.answer([CoreRule(Atom(answer_name(2), (X, Y)), (Atom("edge", (X, Y)),), 0, "other")], 2)
    assert count(kb, known) == 4
    assert known.answer(None, "join") is None


def test_after_a_change(kb: Any) -> None:
    for change in (
        lambda: kb.update(insert=[("edge", 10, 0)]),
        lambda: kb.update(delete=[("edge", 0, 1)]),
        kb.update,
        lambda: kb.add_rules("edge(X, Y) :- other(X, Y)."),
        lambda: kb.load("edge", __import__("pyarrow").table({"a": [20], "b": [21]})),
    ):
        known = DirectAnswers()
        asked(kb, known)
        assert count(kb, known) is not None
        change()
        assert count(kb, known) is None
        assert count(kb, known) is None


def test_many_answers_and_many_steps(kb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kb.update(insert=[("edge", at, 1000) for at in range(300)] + [("edge", 1000, at) for at in range(2000, 2300)])
    known = DirectAnswers()
    asked(kb, known)
    kb.engine.state.helpers[answer_name(2)].empty()  # as small as it was: it grows again
    assert count(kb, known) == len({(row[0], row[2]) for row in kb.query("edge(X, Y), edge(Y, Z)")})
    monkeypatch.setattr(direct, "STEP_BUDGET", 100)
    assert count(kb, known) is None  # one portion is not enough


def test_an_exception_in_between(kb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    known = DirectAnswers()
    asked(kb, known)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(join, "run", stop)
        with pytest.raises(KeyboardInterrupt):
            count(kb, known)
    assert count(kb, known) is None
    asked(kb, known)
    assert count(kb, known) == 4


def test_what_is_not_remembered(kb: Any) -> None:
    known = DirectAnswers()
    asked(kb, known, CoreRule(Atom(answer_name(0), ()), (Atom("edge", (X, Y)),), 0, "test"), "none")
    assert count(kb, known, "none") is None
    for at in range(600):
        known.remember(kb.engine, at, JOIN, InquiryPlans(), "shown")  # no plan: nothing to remember
    assert count(kb, known, "none") is None
