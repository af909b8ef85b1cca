"""Facts out of a knowledge base in this process, and its engine.  Several threads may read it while one changes it."""

from __future__ import annotations

import weakref
from dataclasses import replace
from functools import cached_property, partial
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, Unpack

from tidelog.arguments import truth, wrong
from tidelog.core.limits import Limits, Watch
from tidelog.core.statistics import Statistics
from tidelog.errors import TidelogError, did_you_mean, fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase
from tidelog.local.encoded_facts import EncodedFacts
from tidelog.local.engine import LocalEngine
from tidelog.local.given_facts import loaded_facts
from tidelog.local.kernel.build import announce_compilation
from tidelog.local.recovery import recover
from tidelog.local.sharing.readers import Sharing
from tidelog.local.sharing.snapshot import Snapshot, shown
from tidelog.local.storage.tables import Table
from tidelog.local.update_reader import UpdateReader
from tidelog.options import Writers, refuse
from tidelog.program.queries import as_text, check_query
from tidelog.program.relations import Relation
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    from tidelog.changes import ChangeStatistics
    from tidelog.core.arrays import Rows
    from tidelog.core.schema import Schema
    from tidelog.files.columns import Loaded
    from tidelog.files.reading import Options
    from tidelog.local.maintenance.update_context import UpdateResult
    from tidelog.local.storage.versions import TableVersion
    from tidelog.report.costs import Kind, ProfiledRule
    from tidelog.report.plan import Plans
    from tidelog.report.profile import Profile
    from tidelog.source import Source
    from tidelog.syntax.tree import Literal

_MEMORY_TO_COUNT = 256 << 20
"""Bindings are counted for a plan if they need no more bytes: about ten million of them."""


class ReadableKnowledgeBase(KnowledgeBase):
    """A knowledge base in this process that can be read, by several threads; the base of `LocalKnowledgeBase`."""

    _sharing: Sharing
    _started: LocalEngine | None = None
    _profile: Profile | None = None
    """What is recorded of each evaluation."""

    def __init__(self, rules: str | PathLike[str] | Source = "", *, writers: Writers = "wait", **options: Any) -> None:
        """As `KnowledgeBase`; with `writers="refuse"`, a thread that changes it while another one does gets an error."""
        refuse(writers=writers)
        self._sharing = Sharing(self, waits=writers == "wait")
        super().__init__(rules, **options)

    @property
    def statistics(self) -> Statistics:
        """What the last evaluation did, rule by rule and round by round."""
        if self._sharing.begin_reading() is None:
            try:
                self._maintained()
            finally:
                self._sharing.end_reading()
        found = self._engine.statistics
        if (live := self._schema.live) is None:
            return found
        return found.renumbered({number: place for place, number in enumerate(live.written)})

    # --- facts out -------------------------------------------------------------------------------------------------------

    def __getitem__(self, relation: str) -> Facts:
        if (view := self._sharing.begin_reading()) is not None:
            return view[relation]
        try:
            known = self._known(relation)
            held = self._held(known)
            if not isinstance(held, Table):
                return shown(known, held, self._engine.state.terms)
            version = held.version()
            find = partial(_find, weakref.ref(self), known.name, version)  # a result does not keep the knowledge base alive
            return shown(known, version, self._engine.state.terms, find)
        finally:
            self._sharing.end_reading()

    def _find(self, stored: str, version: TableVersion, row: Rows) -> bool | None:
        """Whether a version of a table has a row, by the table as it is now; None if that cannot tell or somebody changes it."""
        if not self._sharing.begins_reading():
            return None
        try:
            engine = self._started
            table = engine.state.tables.get(stored) if engine is not None and engine.unfinished is None else None
            return None if table is None else table.held_by(version, row)
        finally:
            self._sharing.end_reading()

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        if (view := self._sharing.begin_reading()) is not None:
            return view.count(relation)
        try:
            return len(self._held(self._known(relation)))
        finally:
            self._sharing.end_reading()

    def _sizes(self) -> dict[str, int]:
        return super()._sizes() if self._started is not None and self._started.is_maintained else {}

    def query(self, text: str) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once."""
        check_length(as_text(text), "the query", self._limit_text)
        if (view := self._sharing.begin_reading()) is not None:
            return view.query(text)
        try:
            query = check_query(text, self.relations, self.program.prefixes)
            engine = self._maintained()
            rows = engine.query(query.body, query.names, self._watch())
            return Facts(text.strip(), query.names, rows, engine.state.terms, noun="answer")
        finally:
            self._sharing.end_reading()

    def facts(self, relation: str | None = None) -> Any:
        """The facts of a relation, as tuples; of all relations, with the name of the relation first, if none is given."""
        if relation is not None:
            return self[relation]
        with self.snapshot() as view:  # all of them in one state
            return view.facts()

    def snapshot(self) -> Snapshot:
        """The state after the last update, for several questions: later updates do not show in it.

        Any thread may take one and use it.
        """
        return self._sharing.snapshot()

    def copy(self) -> Self:
        """An independent knowledge base with the same rules and facts; nothing is derived anew."""
        with self._sharing:
            result = type(self).__new__(type(self))
            for name in ("_schema", "_limits", "_progress", "_modules", "_algorithm", "_marking", "_limit_text"):
                setattr(result, name, getattr(self, name))
            result.loads, result._sharing = list(self.loads), Sharing(result, waits=self._sharing.waits)
            result._started = self._maintained().clone()
            return result

    def _held(self, known: Relation) -> Any:
        return self._maintained().stored(known.name)

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> LocalEngine:
        """The engine with the facts of the program's text; started when it is first needed, since that takes a moment."""
        if self._started is None:
            announce_compilation()
            engine = LocalEngine(self.program, modules=self._modules, algorithm=self._algorithm)
            engine.dictionary.longest = self._limit_text
            for name, rows in EncodedFacts(engine.dictionary, {}, self.program.facts).rows().items():
                engine.add(name, rows)
            self._started = engine
        return self._started

    @cached_property
    def _update_reader(self) -> UpdateReader:
        there = weakref.ref(self)  # the reader has a dictionary, which should not outlive the knowledge base

        def read(source: object, name: str, known: Relation | None) -> Loaded:
            kb = there()
            assert kb is not None, "it is the one that reads"
            return kb.read_source(source, name, known)

        return UpdateReader(self._engine.state.terms, self._schema, read)

    def read_source(self, source: object, name: str, known: Relation | None, **how: Unpack[Options]) -> Loaded:
        """The rows of a source, for a relation; a result keeps the kinds of its values."""
        if isinstance(source, Facts):
            return loaded_facts(source, name, known)
        from tidelog.files.raw import Sizes
        from tidelog.files.reading import read

        return read(source, name, known, sizes=Sizes(self._limit_text, self._all_limits.memory), **how)

    @cached_property
    def _all_limits(self) -> Limits:
        return Limits(*self._limits)

    def _watch(self) -> Watch:
        return Watch(self._all_limits, self._progress)

    def _maintained(self) -> LocalEngine:
        """The engine when everything that follows has been derived."""
        engine = self._started if self._started is not None else self._engine
        if engine.unfinished is not None:
            recover(engine)
        if not engine.is_maintained:
            started = perf_counter()
            result = engine.maintain(self._watch())
            if self._profile is not None:
                self._record("materialisation", result, result.change_statistics(perf_counter() - started), self._schema)
        return engine

    # --- what it costs ---------------------------------------------------------------------------------------------------

    def profile(self, *, anew: bool = True) -> Profile:
        """Record what rules, units and updates cost from now on: `print` it, or `save` it as a page, JSON or CSV.

        It begins with what it takes to derive everything anew, which is measured on a copy; with `anew=False` that is left out.
        `with kb.profile() as profile:` ends the recording, as `profile.stop()` does.
        """
        from tidelog.report.profile import Profile

        truth(anew, "anew")
        with self._sharing:
            profile = Profile(lambda: self._end_profile(profile))
            engine = self._engine
            self._profile, engine.is_profiled = profile, True
            if not engine.is_maintained:
                self._maintained()
            elif anew:
                started = perf_counter()
                result = engine.rederived(self._watch())
                self._record("materialisation", result, result.change_statistics(perf_counter() - started), self._schema)
            return profile

    def plan(self, rule: str | None = None, *, measure: bool = False) -> Plans:
        """In which order bodies are joined: of a rule, by its name; of all rules of a relation; or of all.

        With `measure`, the bindings after each literal are counted, and not only estimated; that may take as long as the rule.
        """
        from tidelog.local.planning.plan_report import PlanReport
        from tidelog.report.plan import JoinPlan, Plans

        truth(measure, "measure")
        with self._sharing:
            engine, schema = self._maintained(), self._schema
            report = PlanReport(engine.state, self.program.printer, self._count_bindings if measure else None)
            plans: list[JoinPlan] = []
            for number in _numbers_of(schema, rule):
                shown = _profiled(schema, number)
                assert shown is not None
                part = engine.core.parts.get(number)
                if part is None:
                    plans.append(JoinPlan(shown, None, (), note="a module keeps this relation closed"))
                else:
                    plans += report.of_rule(part.rules[-1], part.operators, shown)
            return Plans(plans)

    def _count_bindings(self, body: tuple[Literal, ...], names: list[str]) -> int | None:
        """How many bindings make a body true; None if there are too many to count."""
        engine = self._maintained()
        most = engine.state.budget.in_use + _MEMORY_TO_COUNT
        memory = most if self._all_limits.memory is None else min(most, self._all_limits.memory)
        try:
            return len(engine.query(body, names, Watch(replace(self._all_limits, memory=memory), self._progress)))
        except TidelogError as error:
            if all(problem.code == "TL070" for problem in error.diagnostics):
                return None
            raise

    def _end_profile(self, profile: Profile) -> None:
        with self._sharing:
            if self._profile is profile:
                self._profile = None
                self._engine.is_profiled = False

    def _record(self, kind: Kind, result: UpdateResult, done: ChangeStatistics, *schemas: Schema) -> None:
        """Add an evaluation to the profile; schemas know the rules of before and after."""
        assert self._profile is not None

        def rule_of(number: int) -> ProfiledRule:
            return next(found for schema in schemas if (found := _profiled(schema, number)) is not None)

        self._profile.record(kind, done, result.statistics.rounds, result.visits, rule_of)


def _numbers_of(schema: Schema, wanted: str | None) -> list[int]:
    """The numbers of the rules that have a name, or derive a relation; of all if there is none."""
    written = dict(enumerate(schema.program.rules)) if schema.live is None else schema.live.written
    if wanted is None:
        return list(written)
    if not isinstance(wanted, str):
        raise wrong("the name of a rule or relation", wanted, 'give a string, such as "path", or leave it out')
    relation = schema.program.relation_name(wanted)
    found = [number for number, rule in written.items() if wanted == rule.name or relation == rule.head.predicate]
    if not found:
        names = [name for rule in written.values() for name in (rule.name, rule.head.predicate) if name is not None]
        raise fail("TL073", f"there is no rule `{wanted}`, and none derives it", fix=did_you_mean(wanted, names))
    return found


def _profiled(schema: Schema, number: int) -> ProfiledRule | None:
    """What a rule is, if a schema knows it."""
    from tidelog.report.costs import ProfiledRule

    live, program = schema.live, schema.program
    rule = program.rules[number] if live is None else live.written.get(number)
    if rule is None:
        return None
    line = rule.source.line_of(rule.span.start)
    return ProfiledRule(rule.name or f"line {line}", f"{rule.source.name}:{line}", program.printer.rule(rule))


def _find(kb: weakref.ref[ReadableKnowledgeBase], stored: str, version: TableVersion, row: Rows) -> bool | None:
    """Whether a version of a table has a row, if the knowledge base is still there and can tell."""
    return None if (there := kb()) is None else there._find(stored, version, row)
