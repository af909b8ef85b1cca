"""Join orders of the rules of a knowledge base, for people."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Protocol

from tidelog.arguments import wrong
from tidelog.core.limits import Watch
from tidelog.core.schema import Schema
from tidelog.errors import TidelogError, did_you_mean, fail
from tidelog.local.engine import LocalEngine
from tidelog.local.insight.profiling import known_rule
from tidelog.local.planning.plan_report import PlanReport
from tidelog.report.plan import JoinPlan, Plans
from tidelog.syntax.tree import Literal

_MEMORY_TO_COUNT = 256 << 20
"""Bindings are counted if they need no more bytes: about ten million of them."""


class Planned(Protocol):
    """What a plan needs of a knowledge base."""

    _schema: Schema

    def _maintained(self) -> LocalEngine: ...

    def _watch(self) -> Watch: ...


def plans_of(kb: Planned, wanted: str | None, *, measure: bool) -> Plans:
    """The plans of a rule, by its name; of all rules of a relation; or of all."""
    engine, schema = kb._maintained(), kb._schema
    report = PlanReport(engine.state, schema.program.printer, partial(_count, engine, kb) if measure else None)
    plans: list[JoinPlan] = []
    for number in _numbers_of(schema, wanted):
        shown, part = known_rule(schema, number), engine.core.parts.get(number)
        assert shown is not None
        if part is None:
            plans.append(JoinPlan(shown, None, (), note="a module keeps this relation closed"))
        else:
            plans += report.of_rule(part.rules[-1], part.operators, shown)
    return Plans(plans)


def _numbers_of(schema: Schema, wanted: str | None) -> list[int]:
    """The numbers of the rules that have a name, or derive a relation; of all if there is none."""
    rules = schema.rules
    if wanted is None:
        return list(rules)
    if not isinstance(wanted, str):
        raise wrong("the name of a rule or relation", wanted, 'give a string, such as "path", or leave it out')
    relation = schema.program.relation_name(wanted)
    found = [number for number, rule in rules.items() if wanted == rule.name or relation == rule.head.predicate]
    if not found:
        names = [name for rule in rules.values() for name in (rule.name, rule.head.predicate) if name is not None]
        raise fail("TL073", f"there is no rule `{wanted}`, and none derives it", fix=did_you_mean(wanted, names))
    return found


def _count(engine: LocalEngine, kb: Planned, body: tuple[Literal, ...], names: list[str]) -> int | None:
    """How many bindings make a body true; None if there are too many to count."""
    watch, most = kb._watch(), engine.state.budget.in_use + _MEMORY_TO_COUNT
    memory = most if watch.limits.memory is None else min(most, watch.limits.memory)
    watch.limits = replace(watch.limits, memory=memory)
    try:
        return len(engine.query(body, names, watch))
    except TidelogError as error:
        if all(problem.code == "TL070" for problem in error.diagnostics):
            return None
        raise
