"""`kb.why_not` on random histories: it agrees with the reference on what holds, and each repair derives the fact."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.judging import Judge, consequences
from tests.differential.places import ALGORITHMS
from tests.differential.rule_histories import RuleHistory, rule_histories, rule_text
from tests.local_engine import held
from tests.proof_checker import as_key

from tidelog import KnowledgeBase, Source
from tidelog.explain.absent.why_not_query import WhyNotQuery
from tidelog.values import from_python

conditions = st.fixed_dictionaries({"algorithm": st.sampled_from(ALGORITHMS), "modules": st.booleans()})


@given(rule_histories(most_steps=2), conditions, st.data())
@settings(max_examples=20)
@pytest.mark.by_night(1_000)
def test_it_agrees_with_the_reference(history: RuleHistory, options: dict[str, Any], data: st.DataObject) -> None:
    kb, judge = KnowledgeBase(Source(history.text), **options), Judge(history)
    for step in history.steps:
        kb.update(**judge.update(step))
        judge.follow(step)
        before, text = held(kb), "\n".join(map(rule_text, judge.rules))
        values = sorted({value for rows in judge.facts.values() for row in rows for value in row}, key=repr)[:6]
        for name, known in kb.relations.items():
            if not values:
                continue
            row = tuple(data.draw(st.sampled_from(values)) for _ in range(known.arity))
            answer = kb.why_not((name, *(value.content for value in row)))
            key = as_key(answer.fact)
            assert answer.holds == (key[1] in judge.facts.get(name, ()))
            assert not answer.holds or not answer.repairs
            sizes = {len(repair.facts) for repair in answer.repairs}
            assert len(sizes) <= 1
            for repair in answer.repairs:
                after = consequences(text, judge.explicit | {as_key(fact) for fact in repair.facts})
                assert key[1] in after[name]
        assert held(kb) == before


@pytest.mark.parametrize("modules", [True, False])
def test_a_fact_of_a_closed_relation(modules: bool) -> None:
    kb = KnowledgeBase(Source("p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), p(Y, Z). e(a, b). e(c, d)."), modules=modules)
    first, second = kb.why_not("p(a, d)").attempts
    assert [failure.text for miss in first.misses for failure in miss.failed] == ["e(a, d)"]
    assert {miss.true for miss in second.misses} == {("p(a, b)",), ("p(c, d)",)}
    assert {failure.text for miss in second.misses for failure in miss.failed} == {"p(b, d)", "p(a, c)"}


def test_a_fact_that_holds_has_its_proof() -> None:
    kb = KnowledgeBase(Source("p(X) :- q(X). q(1)."))
    answer = kb.why_not("p(1)")
    assert answer.holds
    assert answer.proof is not None
    assert str(answer.proof) == str(kb.explain("p(1)"))
    assert (answer.attempts, answer.repairs) == ((), ())


def test_rules_whose_head_is_another() -> None:
    kb = KnowledgeBase(Source("p(a, X) :- q(X). p(X, X) :- q(X). q(1)."))
    assert [(one.fits, one.reached) for one in kb.why_not("p(b, 1)").attempts] == [(False, 0), (False, 0)]
    assert [(one.fits, one.reached, one.literals) for one in kb.why_not("p(a, 2)").attempts] == [(True, 0, 1), (False, 0, 1)]


def test_no_effort_finds_little_and_fails_at_nothing() -> None:
    kb = KnowledgeBase(Source("p(X) :- q(X, Y), r(Y). q(1, 2). r(3)."))
    answer = kb.why_not("p(1)", effort=0)
    assert not answer.holds
    assert answer.repairs == ()
    assert WhyNotQuery("p", (from_python(1),), 0).effort == 0
