"""Why facts came and went, on random histories: all that is named has changed, by the reference, and leads to the update."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.differential.judging import Judge, steps_of
from tests.differential.places import ALGORITHMS
from tests.differential.rule_histories import RuleHistory, rule_histories
from tests.differential.update_histories import maintained
from tests.local_engine import held
from tests.proof_checker import Checker, as_key
from tests.random_programs import History

from tidelog import KnowledgeBase, Source
from tidelog.changes import Change
from tidelog.explain.changed.answer import ChangedFact
from tidelog.explain.changed.causes import Causes
from tidelog.explain.explanation import Explanation
from tidelog.local.explaining.reversal import Reversal
from tidelog.values import from_python

MOST = 5
conditions = st.fixed_dictionaries({"algorithm": st.sampled_from(ALGORITHMS), "modules": st.booleans()})


def check(changed: ChangedFact, change: Change, checkers: dict[str, Checker]) -> None:
    """Every step is a fact that changed, for a reason that changed; the proof is one in its state."""
    assert isinstance(changed.proof, Explanation)
    checkers["now" if changed.what != "went" else "before"].check(changed.proof)
    for step in changed.steps:
        side, before, after = change.inserted, checkers["before"].facts, checkers["now"].facts
        if step.what == "went":
            side, before, after = change.deleted, after, before
        relation, row = as_key(step.fact)
        assert row in after[relation]
        assert row not in before.get(relation, ())
        if step.is_explicit:
            assert step.fact[1:] in side.explicit[relation]
        else:
            assert step.rule_changed or any(reason.steps for reason in step.reasons), step
    assert bool(changed.steps) == bool(changed.started_by)
    if changed.what == "stayed":
        assert not changed.lost or changed.started_by
    else:
        assert changed.steps[0].fact == changed.fact
        assert changed.steps[0].what == changed.what


def check_all(kb: KnowledgeBase, change: Change, checkers: dict[str, Checker]) -> None:
    state = held(kb)
    for what, side in (("came", change.inserted), ("went", change.deleted)):
        for name, facts in side.items():
            for row in sorted(facts, key=repr)[:MOST]:
                changed = change.explain((name, *row))
                assert changed.what == what
                check(changed, change, checkers)
                assert changed.to_text()
    for name in kb.relations:
        for row in sorted((row for row in kb[name] if row not in change.inserted[name]), key=repr)[:2]:
            changed = change.explain((name, *row))
            assert changed.what == "stayed"
            check(changed, change, checkers)
    assert held(kb) == state


@given(maintained(), conditions)
@settings(max_examples=15)
@pytest.mark.by_night(1_500)
def test_random_updates(history: History, options: dict[str, Any]) -> None:
    first, *steps = steps_of(history)
    kb, before = KnowledgeBase(Source(history.program.text), **options), first
    for step in steps:
        change = kb.update(**step.update)
        check_all(kb, change, {"before": Checker(kb.program, before.explicit), "now": Checker(kb.program, step.explicit)})
        before = step


@given(rule_histories(most_steps=3), conditions)
@settings(max_examples=15)
@pytest.mark.by_night(1_500)
def test_random_changes_of_rules(history: RuleHistory, options: dict[str, Any]) -> None:
    kb, judge = KnowledgeBase(Source(history.text), **options), Judge(history)
    for step in history.steps:
        program, explicit = kb.program, judge.explicit
        change = kb.update(**judge.update(step))
        judge.follow(step)
        check_rules(change, Checker(program, explicit), Checker(kb.program, judge.explicit))


def check_rules(change: Change, before: Checker, now: Checker) -> None:
    """The same, but that proofs from before number the rules as they are when the change has been taken back."""
    for what, side in (("came", change.inserted), ("went", change.deleted)):
        for name, facts in side.items():
            for row in sorted(facts, key=repr)[:MOST]:
                changed = change.explain((name, *row))
                assert changed.what == what
                for step in changed.steps:
                    relation, values = as_key(step.fact)
                    assert (values in now.facts.get(relation, ())) == (step.what == "came")
                    assert (values in before.facts.get(relation, ())) == (step.what == "went")
                    assert step.is_explicit or step.rule_changed or any(reason.steps for reason in step.reasons)
                assert changed.started_by


def test_behind_a_negation_and_a_group_the_other_side_has_changed() -> None:
    kb = KnowledgeBase(
        "p(X) :- a(X), not q(X + 1). q(X) :- b(X), not r(X, _). n(N) :- N = count { Y : s(Y), not t(Y) }. s(1). s(2). a(0). b(1)."
    )
    change = kb.update(insert=[("r", 1, 5), ("t", 2)])
    changed = change.explain("p(0)")
    assert [(step.text, step.what) for step in changed.steps] == [("p(0)", "came"), ("q(1)", "went"), ("r(1, 5)", "came")]
    assert changed.started_by == ("r(1, 5) inserted",)
    assert [step.text for step in change.explain("n(1)").steps] == ["n(1)", "t(2)"]


def test_a_fact_that_lost_its_support_and_stayed() -> None:
    kb = KnowledgeBase("p(X) :- q(X). p(X) :- r(X). q(X) :- s(X). s(1). r(1). p(1). p(2). r(2).", modules=False)
    assert kb.count("p") == 2
    changed = kb.update(delete=[("p", 1), ("p", 2)]).explain("p(1)")
    assert (changed.what, changed.was_explicit, changed.lost) == ("stayed", True, ())
    changed = kb.update(delete=[("r", 1)]).explain("p(1)")
    assert changed.what == "stayed"
    assert [changed.steps[number].text for number in changed.lost] == ["r(1)"]
    assert changed.proof is not None
    assert [leaf.text for leaf in changed.proof.leaves] == ["s(1)"]
    assert kb.update(insert=[("z", 1)]).explain("p(1)").lost == ()


def test_each_fact_is_asked_for_once() -> None:
    kb = KnowledgeBase("p(X) :- q(X).")
    change = kb.update(insert=[("q", 1)])
    made = change.explainer.args[0]  # type: ignore[union-attr]
    causes = Causes(Reversal(made, change), change)
    one = (from_python(1),)
    assert [causes.number(("came", "p", one)), causes.number(("came", "q", one)), causes.number(("came", "p", one))] == [0, 1, 0]
    assert [step.text for step in causes.steps()] == ["p(1)", "q(1)"]
    assert causes.has_changed("came", "p", one)
    assert not causes.has_changed("went", "p", one)
