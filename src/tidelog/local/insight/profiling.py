"""Profiles: each evaluation of a knowledge base is recorded, beginning with what it takes to derive everything anew."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from tidelog.changes import ChangeStatistics
from tidelog.core.limits import Watch
from tidelog.core.schema import Schema
from tidelog.local.engine import LocalEngine, UpdateResult
from tidelog.report.costs import Kind, ProfiledRule
from tidelog.report.profile import Profile

if TYPE_CHECKING:
    from tidelog.local.sharing.readers import Sharing


class Profiled(Protocol):
    """What a profile needs of a knowledge base."""

    _schema: Schema
    _sharing: Sharing
    _profile: Profile | None

    @property
    def _engine(self) -> LocalEngine: ...

    def _maintained(self) -> LocalEngine: ...

    def _watch(self) -> Watch: ...


def begin_profile(kb: Profiled, *, anew: bool) -> Profile:
    """Record all evaluations from now on, in the place of another profile; first, on a copy, what deriving everything takes."""
    profile, engine = Profile(lambda: _end_profile(kb, profile)), kb._engine
    kb._profile, engine.is_profiled = profile, True
    if not engine.is_maintained:
        kb._maintained()
    elif anew:
        started = perf_counter()
        result = engine.rederived(kb._watch())
        record(profile, "materialisation", result, result.change_statistics(perf_counter() - started), kb._schema)
    return profile


def _end_profile(kb: Profiled, profile: Profile) -> None:
    with kb._sharing:
        if kb._profile is profile:
            kb._profile, kb._engine.is_profiled = None, False


def record(profile: Profile, kind: Kind, result: UpdateResult, done: ChangeStatistics, *schemas: Schema) -> None:
    """Add an evaluation; schemas know the rules of before and after."""

    def rule_of(number: int) -> ProfiledRule:
        return next(known for schema in schemas if (known := known_rule(schema, number)) is not None)

    profile.record(kind, done, result.statistics.rounds, result.visits, rule_of)


def known_rule(schema: Schema, number: int) -> ProfiledRule | None:
    """What a rule is, if a schema knows it."""
    rule = schema.rules.get(number)
    if rule is None:
        return None
    line = rule.source.line_of(rule.span.start)
    return ProfiledRule(rule.name or f"line {line}", f"{rule.source.name}:{line}", schema.program.printer.rule(rule))
