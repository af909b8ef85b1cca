"""Planning a change of rules: what is read from names and texts, and what is refused."""

from __future__ import annotations

import pytest
from tests.local_engine import program

from tidelog.errors import TidelogError
from tidelog.program.live_rules import LiveRules
from tidelog.program.relations import Relation
from tidelog.program.rule_changes import RuleChange, plan_change
from tidelog.values import from_python

TEXT = "@relation n(a: int). base: p(X) :- e(X, _). q(X) :- p(X), not r(X). r(X) :- n(X)."


def planned(remove: tuple[str, ...] = (), add: tuple[str, ...] = ()) -> RuleChange:
    return plan_change(LiveRules.of(program(TEXT)), remove, add, {"loose": Relation("loose", 3)})


def refused(remove: tuple[str, ...] = (), add: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(TidelogError) as caught:
        planned(remove, add)
    return [diagnostic.code for diagnostic in caught.value.diagnostics]


@pytest.mark.parametrize("text", ["base", " base ", "p(Y) :- e(Y, _).", "base: p(Y) :- e(Y, Z)."])
def test_a_rule_is_removed_by_its_name_or_its_text(text: str) -> None:
    difference = planned((text,)).difference
    assert difference is not None
    assert difference.removed == (0,)
    assert list(difference.after.written) == [1, 2]


def test_a_rule_is_added_with_its_relations() -> None:
    difference = planned(add=("s(X, Y) :- p(X), t(Y).",)).difference
    assert difference is not None
    assert difference.added == (3,)
    assert {"s", "t"} <= difference.after.program.relations.keys()


def test_the_same_rule_removed_and_added_changes_its_name_only() -> None:
    difference = planned(("base",), ("other: p(A) :- e(A, _).",)).difference
    assert difference is not None
    assert (difference.removed, difference.added) == ((), ())
    assert difference.after.named == {"other": 0}


def test_clauses_without_a_body_are_facts() -> None:
    change = planned(("n(1).",), ("n(1 + 1). loose(1, 2, 3).",))
    assert change.difference is None
    assert change.delete == [("n", (from_python(1),))]
    assert change.insert == [("n", (from_python(2),)), ("loose", tuple(map(from_python, (1, 2, 3))))]


@pytest.mark.parametrize(
    ("remove", "add", "codes"),
    [
        (("bass",), (), ["TL079"]),
        (("p(X) :- f(X).",), (), ["TL079"]),
        (("nowhere(1).",), (), ["TL079"]),
        ((), ("p(X) :- e(X, Y).",), ["TL078"]),
        ((), ("base: p(X) :- n(X).",), ["TL026"]),
        ((), ("p(X, Y) :- e(X, Y).",), ["TL020"]),
        ((), ("s(X) :- loose(X).",), ["TL020"]),
        ((), ("s(X) :- not p(X).",), ["TL030"]),
        ((), ("r(X) :- q(X).",), ["TL050"]),
        ((), ("@relation n(b: int).",), ["TL021"]),
        ((), ('@input e "e.csv".',), ["TL074"]),
        (("bass",), ("p(X) :- e(X, Y).", "s(X) :- loose(X)."), ["TL079", "TL020"]),
    ],
)
def test_refusals(remove: tuple[str, ...], add: tuple[str, ...], codes: list[str]) -> None:
    assert refused(remove, add) == codes
