"""Recording: it begins and ends, it changes nothing, and what it takes to derive everything is measured on a copy."""

from __future__ import annotations

from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.local.insight.profiling import known_rule

RULES = (
    "one: path(X, Y) :- edge(X, Y). two: path(X, Z) :- path(X, Y), edge(Y, Z). n(X, N) :- edge(X, _), N = count { path(X, _) }."
)


def loaded(**options: bool) -> KnowledgeBase:
    kb = KnowledgeBase(RULES, **options)  # type: ignore[arg-type]
    kb.update(insert=[("edge", at, at + 1) for at in range(30)])
    return kb


def test_everything_is_derived_anew_on_a_copy() -> None:
    for modules in (False, True):
        kb = loaded(modules=modules)
        before, engine = set(kb.facts()), engine_of(kb)
        version = engine.version
        profile = kb.profile()
        assert (engine.version, set(kb.facts())) == (version, before)
        assert [one.kind for one in profile.updates] == ["materialisation"]
        assert {unit.relations for unit in profile.units} >= {("path",), ("n",)}
        counts = {cost.rule.name: cost.anew for cost in profile.rules}
        assert ("two" in counts and counts["two"] == (435, 435)) is not modules


def test_what_is_not_derived_yet_is_derived_and_recorded() -> None:
    kb = KnowledgeBase(RULES + " edge(1, 2).")
    profile = kb.profile(anew=False)
    assert [one.kind for one in profile.updates] == ["materialisation"]


def test_another_profile_takes_the_place_of_the_first() -> None:
    kb = loaded()
    first = kb.profile(anew=False)
    second = kb.profile(anew=False)
    first.stop()
    kb.update(insert=[("edge", 50, 51)])
    second.stop()
    kb.update(insert=[("edge", 51, 52)])
    assert (first.count, second.count) == (0, 1)
    assert not engine_of(kb).is_profiled


def test_streams_and_copies() -> None:
    kb = loaded()
    with kb.profile(anew=False) as profile:
        for _ in kb.follow([{"insert": [["edge", 60, 61]]}, {"delete": [["edge", 60, 61]]}, {"delete": [["edge", 1, 2]]}]):
            pass
        other = kb.copy()
        other.update(insert=[("edge", 70, 71)])
    assert profile.count == 3
    assert not engine_of(other).is_profiled


def test_rules_are_known_by_their_numbers() -> None:
    kb = loaded()
    assert known_rule(kb._schema, 99) is None
    kb.remove_rules("one")
    kb.add_rules("more: path(X, X) :- edge(X, _).")
    known = [known_rule(kb._schema, number) for number in range(5)]
    assert [rule.name if rule is not None else None for rule in known] == [None, "two", "line 1", "more", None]
