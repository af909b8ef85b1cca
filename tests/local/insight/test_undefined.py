"""Relations that nothing defines: told of when a result is read, if the name looks wrong or the result is empty."""

from __future__ import annotations

from tests.local.insight.test_silence import told

from tidelog import KnowledgeBase
from tidelog.local.insight.undefined import Undefined

RULES = "known(X) :- person(X). both(X) :- person(X), member(X). all(X) :- both(X). none(X) :- person(X), not banned(X)."


def test_a_similar_name() -> None:
    kb = KnowledgeBase("known(X) :- persn(X).")
    with told() as found:
        kb.update(insert=[("person", "ann")])
    assert found == [], "more may come"
    with told() as found:
        assert not kb["known"]
        assert kb.count("known") == 0
    assert found == ["<rules>:1:13: warning TL101"]


def test_facts_that_no_rule_reads() -> None:
    kb = KnowledgeBase("known(X) :- people(X). q(1).")
    kb.update(insert=[("human", "ann")])
    with told() as found:
        assert list(kb.query("q(X)")) == [(1,)]
    assert found == ["<rules>:1:13: warning TL101"]


def test_an_empty_result() -> None:
    kb = KnowledgeBase(RULES)
    kb.update(insert=[("person", "ann")])
    with told() as found:
        assert len(kb["known"]) == 1
        assert len(kb["none"]) == 1
    assert found == [], "what is read does not depend on it"
    with told() as found:
        assert not kb["all"]
        assert not kb["both"]
        assert not kb.copy()["all"]
    assert found == ["<rules>:1:46: warning TL101"]


def test_not_where_facts_have_come_or_may_come() -> None:
    kb = KnowledgeBase(RULES + "@relation member(name: string) .")
    with told() as found:
        assert not kb["all"]
        kb.update(insert=[("person", "ann")])
        assert not kb["all"]
    assert found == []
    kb = KnowledgeBase(RULES)
    with told() as found:
        kb.update(insert=[("person", "ann"), ("member", "bob")])
        assert not kb["all"]
    assert found == []


def test_rules_that_are_added() -> None:
    kb = KnowledgeBase("known(X) :- person(X).")
    kb.update(insert=[("person", "ann")])
    assert len(kb["known"]) == 1
    kb.add_rules("both(X) :- person(X), persom(X).")
    with told() as found:
        assert len(kb["known"]) == 1
    assert found == ["<added rules>:1:23: warning TL101"]


def test_added_rules_are_looked_at_like_others() -> None:
    kb = KnowledgeBase("known(X) :- person(X).")
    with told() as found:
        kb.add_rules("two(X) :- person(X), person(Other).")
    assert found == ["<added rules>:1:29: warning TL102"]


def test_without_rules_nobody_is_asked() -> None:
    undefined = Undefined()
    assert not undefined.is_asked
    assert Undefined(KnowledgeBase("q(X) :- p(X).").program.warnings).copy().is_asked
