"""Schemas: relations of the program and of loaded facts; each change is a new value."""

from __future__ import annotations

import pytest
from tests.local_engine import program

from tidelog.core.schema import Schema
from tidelog.errors import TidelogError
from tidelog.program.changes.rule_changes import plan_change

TEXT = "@relation e(a: int key, b). p(X) :- e(X, _)."


def code(error: pytest.ExceptionInfo[TidelogError]) -> str:
    (diagnostic,) = error.value.diagnostics
    return diagnostic.code


def test_a_relation_of_facts_only() -> None:
    before = Schema(program(TEXT))
    after = before.knowing("loose", 3)
    assert after.relations().keys() == {"e", "p", "loose"}
    assert before.relations().keys() == {"e", "p"}
    assert after.knowing("loose", 3) is after
    assert after.knowing("e", 2) is after


@pytest.mark.parametrize(("name", "arity", "expected"), [("e", 3, "TL020"), ("#x", 1, "TL013"), ("", 1, "TL013")])
def test_refused_relations(name: str, arity: int, expected: str) -> None:
    with pytest.raises(TidelogError) as caught:
        Schema(program(TEXT)).knowing(name, arity)
    assert code(caught) == expected


def test_keys() -> None:
    schema = Schema(program(TEXT))
    assert schema.key_of("e") == (0,)
    for name in ("p", "nowhere"):
        with pytest.raises(TidelogError) as caught:
            schema.key_of(name)
        assert code(caught) == "TL075"


@pytest.mark.parametrize("has_facts", [True, False])
def test_a_relation_that_no_rule_mentions_stays_if_it_has_facts(has_facts: bool) -> None:
    schema = Schema(program("r: p(X) :- e(X, _). q(X) :- f(X).")).knowing("loose", 1)
    change = plan_change(schema.live_rules(), ["r"], ["s(X) :- loose(X)."], schema.loaded)
    after = schema.changed(change, lambda name: has_facts and name == "e")
    assert after.relations().keys() == {"q", "f", "s", "loose"} | ({"e"} if has_facts else set())
    assert after.loaded.keys() == ({"e"} if has_facts else set())
    assert after.live is not None
    assert after.live_rules() is after.live
    assert schema.relations().keys() == {"p", "e", "q", "f", "loose"}
