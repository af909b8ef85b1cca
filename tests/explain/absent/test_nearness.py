"""How near rules come: never less than the reference finds by trying all sets of literals, and never more."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.local_engine import access_to
from tests.random_programs import RandomProgram, programs

from tidelog import KnowledgeBase, Source, reference
from tidelog.explain.absent.nearness import Approach
from tidelog.explain.bodies import Body
from tidelog.explain.joins import Budget
from tidelog.program.checks.scope import schedule
from tidelog.program.lowering import lower
from tidelog.program.program import check
from tidelog.reference import Facts
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Literal, Negation, Rule, Variable, names_of
from tidelog.values import Value, from_python


def most_true(rule: Rule, row: tuple[Value, ...], facts: Facts) -> int:
    """How many literals of a body can be true together with a head, by the reference."""
    lowered = lower(rule)
    given = [Comparison("=", arg, Constant(value)) for arg, value in zip(lowered.head.args, row, strict=True)]
    uses = [names_of([literal]) for literal in (lowered.head, *lowered.body)]
    shared = {name for at, names in enumerate(uses) for name in names if any(name in other for other in uses[at + 1 :])}
    for size in range(len(lowered.body), 0, -1):
        for chosen in combinations(lowered.body, size):
            body: list[Literal] = [*given, *chosen]
            needed = [
                Variable(name)
                for literal in chosen
                for name in names_of([literal]) & shared
                if isinstance(literal, Negation | Comparison)
            ]
            planned = schedule(body, needed)
            if not planned.unbound and len(planned.steps) == len(body) and reference._solve(planned.steps, [{}], facts):
                return size
    return 0


@given(programs(), st.data())
@settings(max_examples=40)
@pytest.mark.by_night(3_000)
def test_nothing_comes_nearer(random: RandomProgram, data: st.DataObject) -> None:
    program = check(Source(random.text))
    facts = reference.materialise(program)
    kb = KnowledgeBase(Source(random.text), modules=data.draw(st.booleans()))
    values = sorted({value for rows in facts.values() for row in rows for value in row}, key=repr)[:8] or [from_python(1)]
    for at, rule in enumerate(program.rules):
        if any(isinstance(literal, Aggregate) for literal in rule.body) or len(rule.body) > 5:
            continue
        row = tuple(data.draw(st.sampled_from(values)) for _ in rule.head.args)
        if row in facts.get(rule.head.predicate, ()):
            continue
        with access_to(kb) as access:
            approach = Approach(Body(rule, at, access))
            start = approach.bind(tuple(map(access.cell, row)))
            if start is None:
                continue
            found, is_whole = approach.nearest(start, Budget(100_000))
            if is_whole:
                assert {len(near.true) for near in found} == {most_true(rule, row, facts)}, (rule, row)
            for near in found:
                known = {name: access.value(cell) for name, cell in near.known.items()}
                for step in near.true:
                    if isinstance(step.literal, Atom):
                        fact = tuple(arg.value if isinstance(arg, Constant) else known[arg.name] for arg in step.literal.args)  # type: ignore[union-attr]
                        assert fact in facts[step.literal.predicate]


def near(text: str, fact: tuple[str, ...]) -> set[tuple[int, int, int]]:
    """How many literals are true, fail, and could not be looked at."""
    kb = KnowledgeBase(Source(text))
    with access_to(kb) as access:
        approach = Approach(Body(kb.program.rules[0], 0, access))
        start = approach.bind(tuple(access.cell(from_python(value)) for value in fact))
        assert start is not None
        found, _ = approach.nearest(start, Budget(10_000))
        return {(len(one.true), len(one.failed), len(one.unseen)) for one in found}


def test_what_depends_on_what_is_left_out_is_left_out_too() -> None:
    text = "p(X) :- a(X, Y), Y > 3, not b(Y), c(X)."
    assert near(text + " c(1). b(1).", (1,)) == {(1, 1, 2)}  # type: ignore[arg-type]
    assert near(text + " c(1). a(1, 2).", (1,)) == {(3, 1, 0)}  # type: ignore[arg-type]
    assert near(text + " c(2). a(1, 5). b(5).", (1,)) == {(2, 2, 0)}  # type: ignore[arg-type]


def test_long_bodies() -> None:
    body = ", ".join(f"e{at}(X{at}, X{at + 1})" for at in range(12))
    facts = " ".join(f"e{at}({at}, {at + 1})." for at in range(12) if at not in (4, 8, 10))
    assert near(f"p(X0) :- {body}. {facts}", (0,)) == {(9, 3, 0)}  # type: ignore[arg-type]
