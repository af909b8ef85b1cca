"""Several questions about one state, plans that outlive it, and what must not happen meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule
from tidelog.local.sharing.inquiry import Inquiry, InquiryPlans
from tidelog.sparql.evaluation.inquiries import answer_name, given_name
from tidelog.syntax.tree import Atom, Variable

X, Y, Z = (Variable(name) for name in "XYZ")
JOIN = CoreRule(Atom(answer_name(2), (X, Z)), (Atom("edge", (X, Y)), Atom("edge", (Y, Z))), 0, "test")


def engine(*edges: tuple[int, int], rules: str = "") -> Any:
    kb: Any = KnowledgeBase(rules)
    kb.update(insert=[("edge", *pair) for pair in edges])
    return kb.engine


def shown(inquiry: Inquiry, rows: Any) -> list[tuple[object, ...]]:
    return sorted(tuple(inquiry.terms.objects_of(row).tolist()) for row in rows)


def test_questions_and_temporary_relations() -> None:
    one = engine((1, 2), (2, 3), (3, 4))
    plans = InquiryPlans()
    for _ in range(2):
        with Inquiry(one, Watch(), plans) as inquiry:
            assert shown(inquiry, inquiry.answer([JOIN], 2)) == [(1, 3), (2, 4)]
            given = inquiry.give(inquiry.terms.encode_uniform([1]).reshape(1, 1))
            assert given == given_name(1)
            rule = CoreRule(Atom(answer_name(1), (Y,)), (Atom(given, (X,)), Atom("edge", (X, Y))), 0, "test")
            assert shown(inquiry, inquiry.answer([rule], 1)) == [(2,)]
            name = inquiry.new_name()
            first = CoreRule(Atom(name, (X, Y)), (Atom("edge", (X, Y)),), 0, "test")
            then = CoreRule(Atom(name, (X, Z)), (Atom(name, (X, Y)), Atom("edge", (Y, Z))), 0, "test")
            inquiry.derive({name: 2}, [first, then])
            assert len(inquiry.rows(name)) == inquiry.size(name) == 6
        assert name not in one.state.tables
    assert inquiry.size("unknown") == 0


def test_plans_are_kept_and_made_again() -> None:
    kb: Any = KnowledgeBase("")
    kb.update(insert=[("edge", 1, 2), ("edge", 2, 3)])
    plans = InquiryPlans()

    def ask() -> int:
        with Inquiry(kb.engine, Watch(), plans) as inquiry:
            return len(inquiry.answer([JOIN], 2))

    assert ask() == 1
    before = plans.plan(JOIN, kb.engine.state)
    assert ask() == 1
    assert plans.plan(JOIN, kb.engine.state) is before
    kb.update(insert=[("edge", at, at + 1) for at in range(3, 2000)], delete=[("edge", 1, 2)])
    assert ask() == 1997
    kb.add_rules("edge(X, Y) :- edge(X, Z), edge(Z, Y), X < 3.")
    assert ask() > 1997
    other: Any = KnowledgeBase("edge(5, 6). edge(6, 7).")
    other.derive()
    with Inquiry(other.engine, Watch(), plans) as inquiry:
        assert shown(inquiry, inquiry.answer([JOIN], 2)) == [(5, 7)]


def test_subjects_that_are_no_iris() -> None:
    from tidelog import IRI

    kb: Any = KnowledgeBase("")
    kb.update(insert=[("p", IRI("a:"), 1)])
    plans = InquiryPlans()

    def others() -> bool:
        with Inquiry(kb.engine, Watch(), plans) as inquiry:
            assert not inquiry.holds_other_subjects("unknown", 1)
            return inquiry.holds_other_subjects("p", 1)

    assert not others()
    kb.update(insert=[("p", IRI("b:"), 1)])
    assert not others()
    kb.update(insert=[("p", 5, 1)])
    assert others()
    with Inquiry(kb.engine, Watch(), plans) as inquiry:
        assert inquiry.holds_other_subjects("p", 2)


def test_a_closed_relation_has_subjects_too() -> None:
    one = engine((1, 2), (2, 3), rules="edge(X, Z) :- edge(X, Y), edge(Y, Z).")
    with Inquiry(one, Watch(), InquiryPlans()) as inquiry:
        assert inquiry.holds_other_subjects("edge", 1)
        assert inquiry.holds_other_subjects("edge", 1)
        assert len(inquiry.rows("edge")) == 3


def test_an_inquiry_is_alone() -> None:
    one = engine((1, 2))
    with Inquiry(one, Watch(), InquiryPlans()), pytest.raises(TidelogError, match=r"TL096.*in the middle of a SPARQL query"):
        Inquiry(one, Watch(), InquiryPlans())


def test_an_error_leaves_nothing_behind() -> None:
    one = engine((1, 2), (2, 3))
    plans = InquiryPlans()
    with Inquiry(one, Watch(), plans) as inquiry:
        name = inquiry.new_name()

    def fail() -> None:
        with Inquiry(one, Watch(), plans) as inquiry:
            inquiry.derive({name: 1}, [])
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert name not in one.state.tables
    with Inquiry(one, Watch(), plans) as inquiry:
        assert len(inquiry.answer([JOIN], 2)) == 1
        inquiry.ask(10)
    assert np.array_equal(one.rows("edge").shape, (2, 2))
