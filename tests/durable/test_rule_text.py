"""The text of live rules: read again, it gives the same rules, names, declarations and relations."""

from __future__ import annotations

from hypothesis import given
from tests.differential.judging import Judge
from tests.differential.rule_histories import RuleHistory, rule_histories

from tidelog import KnowledgeBase, Source
from tidelog.durable.rule_text import difference, schema_of, text_of
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.program.program import check

TEXT = """\
# comments stay
@prefix ex: <http://e/> .
one: p(X) :- q(X), ex:r(X, _).  # here, too
q(1). q("a b").
"""


def local(text: str) -> LocalKnowledgeBase:
    kb = KnowledgeBase(Source(text, "rules.dl"))
    assert isinstance(kb, LocalKnowledgeBase)
    return kb


def test_unchanged_rules_are_saved_as_they_were_written() -> None:
    kb = local(TEXT)
    kb.update(insert=[("other", 1, 2)])
    saved = text_of(kb.schema)
    assert (saved.text, saved.name) == (TEXT, "rules.dl")
    again = schema_of(saved.to_json())
    assert again.program.document == kb.program.document
    assert (again.program.relations, again.loaded) == (kb.program.relations, kb.schema.loaded)
    assert again.program.facts == kb.program.facts


def test_changed_rules_keep_names_comments_declarations_and_prefixes() -> None:
    kb = local(TEXT)
    kb.add_rules("@prefix f: <http://f/> . @relation t(a: int key, b: iri, c) . two: f:u(X) :- p(X), not t(X, f:v, _).")
    kb.update(add_rules="another: p(X) :- q(X), ex:r(X, _).", remove_rules="one")  # another name for the same rule
    saved = text_of(kb.schema)
    assert "# comments stay\n" in saved.text
    assert "another: p(X) :- q(X), ex:r(X, _).\n" in saved.text
    assert "two: f:u(X) :- p(X), not t(X, f:v, _).\n" in saved.text
    again = schema_of(saved.to_json())
    assert again.program.relations == kb.program.relations
    assert difference(again.program, kb.program) is None


@given(rule_histories())
def test_any_live_rules_can_be_saved(history: RuleHistory) -> None:
    kb, judge = local(history.text), Judge(history)
    for step in history.steps:
        kb.update(**judge.update(step))
        judge.follow(step)
        saved = text_of(kb.schema)
        again = schema_of(saved.to_json())
        assert sorted(map(str, again.program.rules)) == sorted(map(str, kb.program.rules))
        assert (again.program.relations, again.loaded) == (kb.program.relations, kb.schema.loaded)


def test_differences() -> None:
    one = check(Source("@relation s(a: int) . p(X) :- q(X, Y), r(Y). s(1)."))
    for same in ("@relation s(a: int) . p(A) :- r(B), q(A, B). s(1).", "s(1). @relation s(a: int) . p(X) :- q(X, Y), r(Y)."):
        assert difference(one, check(Source(same))) is None
    for other, problem in (
        ("@relation s(a: int) . s(1).", "the rule `p(X) :- q(X, Y), r(Y).` is in one of them only"),
        ("p(X) :- q(X, Y), r(Y). s(1).", "`s` is declared differently"),
        ("@relation s(a: int) . p(X) :- q(X, Y), r(Y).", "the fact `s(1)` is in one of them only"),
    ):
        assert difference(one, check(Source(other))) == problem
