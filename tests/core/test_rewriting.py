"""Programs in core form: joins, and relations that operators fill."""

from __future__ import annotations

import pytest
from tests.local_engine import program

from tidelog.core.rewriting import core_of
from tidelog.core.rules import Aggregation, Closure, Core, FunctionCalls, Unit
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Negation

PATHS = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). "


def core(text: str, *, modules: bool = True) -> Core:
    return core_of(program(text), modules=modules)


def operators(found: Core) -> list[Closure | Aggregation | FunctionCalls]:
    return [operator for unit in found.units for operator in unit.operators.values()]


def unit_of(found: Core, relation: str) -> Unit:
    (unit,) = (unit for unit in found.units if relation in unit.relations)
    return unit


def test_a_plain_rule_stays_as_it_is() -> None:
    (unit,) = core("h(X) :- p(X, Y), not q(Y), X < 3.").units
    assert unit.relations == ("h",)
    (rule,) = unit.rules
    assert {type(literal) for literal in rule.body} == {Atom, Negation, Comparison}
    assert unit.uses == {"p", "q"}
    assert unit.uses_negatively == {"q"}


def test_a_transitive_relation_is_virtual() -> None:
    found = core(PATHS)
    assert found.given == {"path": "#given path"}
    assert found.stored_name("path") == "#given path"
    assert found.stored_name("edge") == "edge"
    (closure,) = operators(found)
    assert isinstance(closure, Closure)
    assert closure.given == "#given path"
    names = [unit.relations for unit in found.units]
    assert names.index(("#given path",)) < names.index(("path",))


def test_without_modules_it_is_a_recursion() -> None:
    found = core(PATHS, modules=False)
    assert found.given == {}
    assert operators(found) == []
    assert len(unit_of(found, "path").rules) == 2


def test_a_module_in_a_larger_recursion_is_stored() -> None:
    found = core(PATHS + "edge(X, Y) :- path(Y, X), odd(X).")
    assert found.given == {}
    assert set(unit_of(found, "path").relations) == {"path", "edge"}


def test_a_function_becomes_a_relation() -> None:
    found = core("h(X, N) :- p(X), N = length(cat(X, b)) + 1.")
    assert sorted(operator.function for operator in operators(found) if isinstance(operator, FunctionCalls)) == ["cat", "length"]
    (rule,) = unit_of(found, "h").rules
    calls = [literal for literal in rule.body if isinstance(literal, Comparison) and isinstance(literal.right, Call)]
    assert [literal.right.function for literal in calls if isinstance(literal.right, Call)] == ["+"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("h(X, N) :- N = count { p(X, _) }.", {"folded"}),
        ("h(X, N) :- N = count { p(X, _, 1) }.", {"inner", "folded"}),
        ("h(X, N) :- k(X), N = max { Y : p(X, Y) }.", {"folded"}),
        ("h(X, N) :- k(X), N = count { p(X, _) }.", {"requested", "folded", "total"}),
        ("h(X, N) :- k(X), N = count { p(X, Y), Y > 1 }.", {"requested", "inner", "folded", "total"}),
        ("h(X, N) :- k(X), N = max { Y : p(Y), Y < X }.", {"requested", "inner", "folded"}),
    ],
)
def test_an_aggregate_becomes_relations(text: str, parts: set[str]) -> None:
    found = core(text)
    made = {name.removeprefix("#").split()[0] for name in found.arities if name.startswith("#")}
    assert made == parts
    assert not any(isinstance(literal, Aggregate) for unit in found.units for rule in unit.rules for literal in rule.body)
    assert any(isinstance(operator, Aggregation) for operator in operators(found))


def test_units_come_in_the_order_of_their_needs() -> None:
    text = (
        PATHS + "far(X, N) :- node(X), N = count { path(X, _) }. lonely(X) :- node(X), not far(X, 0). t(upper(X)) :- lonely(X)."
    )
    done: set[str] = {"edge", "node"}
    for unit in core(text).units:
        assert unit.uses <= done | set(unit.relations)
        assert unit.uses_negatively <= done
        done |= set(unit.relations)
    assert {"far", "lonely", "t", "path"} <= done


def test_names_that_it_makes_cannot_be_written() -> None:
    found = core(PATHS + "h(upper(X), N) :- path(X, _), N = count { path(X, _) }.")
    own = {"path", "edge", "h"}
    assert all(name.startswith("#") for name in found.arities if name not in own)


def test_every_rule_knows_where_it_comes_from() -> None:
    found = core("a(X) :- b(X). c(X, N) :- a(X), N = sum { Y : d(X, Y) }. e(upper(X)) :- c(X, _).")
    assert {rule.origin for unit in found.units for rule in unit.rules} == {0, 1, 2}
    assert all(rule.origin == 2 for unit in found.units for rule in unit.rules if rule.head.predicate == "e")
