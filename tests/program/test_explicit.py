"""Explicit facts from Python: what is taken, what is refused, all at once."""

from __future__ import annotations

import pytest

from tidelog.errors import TidelogError
from tidelog.program.explicit import explicit_facts
from tidelog.program.program import check
from tidelog.reference import materialise
from tidelog.source import Source
from tidelog.values import from_python

PROGRAM = check(Source("@relation temp(name: string, celsius: float) . hot(X) :- temp(X, C), C > 20. known(X) :- seen(X)."))


def test_facts_are_taken_and_kept_to_their_types() -> None:
    given = [("temp", "a", 21), ("temp", "b", 2.5), ("seen", 1), ("seen", "x"), ("other", True, "y"), ("flag",)]
    facts = materialise(PROGRAM, explicit_facts(PROGRAM, given))
    assert facts["temp"] == {(from_python("a"), from_python(21.0)), (from_python("b"), from_python(2.5))}
    assert facts["hot"] == {(from_python("a"),)}
    assert facts["known"] == {(from_python(1),), (from_python("x"),)}
    assert facts["other"] == {(from_python(True), from_python("y"))}
    assert facts["flag"] == {()}


def test_all_problems_come_at_once() -> None:
    given = [("temp", "a"), ("temp", 1, "hot"), ("seen", None), (), ("seen", "fine"), 7]
    with pytest.raises(TidelogError) as caught:
        explicit_facts(PROGRAM, given)  # type: ignore[arg-type]
    assert sorted(d.code for d in caught.value.diagnostics) == ["TL020", "TL040", "TL040", "TL072", "TL072", "TL072"]
