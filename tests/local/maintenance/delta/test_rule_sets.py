"""Rules for changes serve for changes of any relations that have changed before."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest
from tests.differential.checks import check_rule_changes
from tests.differential.places import OpenPlace, local
from tests.differential.rule_histories import RuleHistory, RuleStep
from tests.local_engine import kept_counts, program

from tidelog import KnowledgeBase, Source
from tidelog.local.maintenance.delta.rule_sets import NOTHING_CHANGED, Changed
from tidelog.reference import materialise

NAMES = ("a", "b", "c", "d")
WIDE = """
p(X, Y) :- a(X, Y). p(X, Y) :- b(X, Y), not c(Y, X). p(X, Z) :- p(X, Y), d(Y, Z), a(Z, Y), not b(X, _).
q(X) :- p(X, X), c(X, Y), a(Y, X), b(X, Y), d(Y, Y).
"""


def check(kb: KnowledgeBase, text: str, facts: set[tuple[object, ...]]) -> None:
    told = " ".join(f"{name}({x}, {y})." for name, x, y in sorted(facts, key=str))
    expected = materialise(program(text + told))
    for name in ("p", "q"):
        assert set(kb[name]) == {tuple(value.content for value in row) for row in expected.get(name, ())}


@pytest.mark.parametrize("algorithm", ["auto", "bf", "dred", "counting"])
@pytest.mark.parametrize("most", [256, 3], ids=["all foreseen", "too many"])
def test_ever_other_relations_change(algorithm: str, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidelog.local.maintenance.delta.rule_sets._MANY_RULES", most)
    kb, chance, facts = KnowledgeBase(Source(WIDE), algorithm=algorithm), Random(5), set[tuple[object, ...]]()  # type: ignore[arg-type]
    sizes = []
    for _ in range(3):
        for size in range(1, 5):
            for names in combinations(NAMES, size):
                new = {(name, chance.randrange(3), chance.randrange(3)) for name in names for _ in range(2)}
                old = {fact for fact in sorted(facts, key=str) if fact[0] in names and chance.random() < 0.5} - new
                facts = (facts | new) - old
                kb.update(insert=list(new), delete=list(old))
                check(kb, WIDE, facts)
        sizes.append(kept_counts(kb)["delta rules"])
    if most == 256:
        assert sizes[1] == sizes[2], "there is nothing to be made that has not been"


def test_what_covers_what() -> None:
    some, more = Changed(frozenset("a"), frozenset()), Changed(frozenset("ab"), frozenset("c"))
    assert NOTHING_CHANGED <= some <= more
    assert not more <= some
    assert some | more == more


@pytest.mark.parametrize("algorithm", ["auto", "bf", "dred", "counting", "rematerialise"])
def test_rules_that_were_made_while_rules_changed_do_not_serve_for_facts(algorithm: str) -> None:
    """A relation that only lost facts when rules changed gains some in the next update."""
    more = ("v(1)", "e(1, 3)", "r(7, 1)")
    history = RuleHistory(
        rules=(),
        facts=("e(1, 5)", "e(1, 8)", "e(2, 1)", "e(1, 3)", "r(7, 1)", "r(1, 8)", "v(1)"),
        steps=(
            RuleStep((("a7(X, N)", ("v(X), N = count { Y : v(Y), not r(X, Y) }",)),), (), ()),
            RuleStep((("n5(yes)", ("not r(Z, Z)",)),), ("e(1, 5)",), more),
            RuleStep((("r(X, Y)", ("e(X, Y)",)), ("j2(X)", ("r(X, X)",))), (), ()),
            RuleStep((("n5(yes)", ("not r(Z, Z)",)),), more, ("e(1, 5)",)),
            RuleStep((), ("e(1, 5)",), more),
        ),
    )
    check_rule_changes(history, OpenPlace(local(algorithm, modules=False)))
