"""Contradictions: the rule's body as a question, and its answers as facts."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.ontology.consistency import inconsistency_of, is_contradiction, name_in, question_of
from tidelog.program.program import check
from tidelog.source import Source


def test_the_question_binds_every_variable_of_every_atom() -> None:
    program = check(Source("inconsistent(two, X) :- p(X, _), p(_, X), not q(X, _), X != Any1, r(Any1).", "rules"))
    (rule,) = program.rules
    text, atoms = question_of(rule, program.printer)
    assert text == "p(X, Any2), p(Any3, X), not q(X, _), X != Any1, r(Any1)"
    assert [atom.predicate for atom in atoms] == ["p", "p", "r"]
    values = {"X": "a", "Any1": "b", "Any2": 1, "Any3": 2}
    found = inconsistency_of(rule, atoms, values, program)
    assert found.facts == (("p", "a", 1), ("p", 2, "a"), ("r", "b"))
    assert str(found) == "two: a\n    p(a, 1).\n    p(2, a).\n    r(b)."


def test_rules_that_find_contradictions() -> None:
    rules = check(
        Source("inconsistent(one, X) :- p(X). inconsistent(N, X) :- q(N, X). inconsistent2(X, X) :- p(X).", "rules")
    ).rules
    assert [is_contradiction(rule) for rule in rules] == [True, True, False]
    assert [name_in(rule) for rule in rules[:2]] == ["one", None]


def test_rules_of_a_program() -> None:
    kb = KnowledgeBase("inconsistent(late, X) :- due(X, D), done(X, E), D < E. inconsistent(N, X) :- wrong(N, X).")
    assert kb.inconsistencies() == []
    kb.update(insert=[("due", "a", 1), ("done", "a", 2), ("done", "a", 3), ("wrong", "so", "b"), ("inconsistent", "said", "c")])
    assert [(one.rule, one.about, one.facts) for one in kb.inconsistencies()] == [
        ("late", "a", (("due", "a", 1), ("done", "a", 2))),
        ("late", "a", (("due", "a", 1), ("done", "a", 3))),
        ("said", "c", ()),
        ("so", "b", (("wrong", "so", "b"),)),
    ]
    kb.update(delete=[("due", "a", 1), ("wrong", "so", "b"), ("inconsistent", "said", "c")])
    assert kb.inconsistencies() == []
    assert KnowledgeBase("inconsistent(X) :- p(X). p(1).").inconsistencies() == []
