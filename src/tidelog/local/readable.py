"""Facts out of a knowledge base in this process, and its engine.  Several threads may read it while one changes it."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import cached_property, partial
from os import PathLike
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from tidelog.arguments import truth
from tidelog.core.limits import Limits, Watch
from tidelog.core.statistics import Statistics
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase
from tidelog.local.encoded_facts import EncodedFacts
from tidelog.local.engine import LocalEngine
from tidelog.local.equality.members import members_of
from tidelog.local.explaining.access import LocalAccess
from tidelog.local.given_facts import loaded_facts
from tidelog.local.insight.silence import Silence
from tidelog.local.insight.undefined import Undefined
from tidelog.local.recovery import recover
from tidelog.local.sharing.readers import Sharing
from tidelog.local.sharing.snapshot import Snapshot, shown
from tidelog.local.storage.tables import Table
from tidelog.local.update_reader import UpdateReader
from tidelog.options import StartingOver, Writers, refuse, source_of
from tidelog.program.queries import as_text, check_query
from tidelog.program.relations import Relation
from tidelog.program.same_as import source_with_same_as
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    from tidelog.core.arrays import Rows
    from tidelog.explain.access import Access
    from tidelog.files.columns import Loaded
    from tidelog.files.reading import Options
    from tidelog.local.storage.versions import TableVersion
    from tidelog.report.plan import Plans
    from tidelog.report.profile import Profile
    from tidelog.source import Source

_Answer = TypeVar("_Answer")


class ReadableKnowledgeBase(KnowledgeBase):
    """A knowledge base in this process that can be read, by several threads; the base of `LocalKnowledgeBase`."""

    _sharing: Sharing
    _started: LocalEngine | None = None
    _silence: Silence
    _undefined: Undefined
    _profile: Profile | None = None
    """What is recorded of each evaluation."""

    _starting_over: StartingOver = "allow"

    def __init__(
        self,
        rules: str | PathLike[str] | Source = "",
        *,
        writers: Writers = "wait",
        same_as: bool = False,
        starting_over: StartingOver = "allow",
        **options: Any,
    ) -> None:
        """As `KnowledgeBase`; with `writers="refuse"`, a thread that changes it while another one does gets an error.

        With `same_as=True`, individuals that are owl:sameAs each other are one: what holds for one, holds for all of them.
        `starting_over` says what becomes of an update that derives a relation from scratch: `warn`, or `refuse` with an error.
        """
        refuse(writers=writers, same_as=same_as, starting_over=starting_over)
        self._starting_over = starting_over
        if same_as:
            rules = source_with_same_as(source_of(rules))
        self._sharing, self._silence = Sharing(self, waits=writers == "wait"), Silence()
        self._undefined = Undefined()  # while @inputs are loaded
        super().__init__(rules, **options)
        self._undefined = Undefined(self.program.warnings)

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
            if (members := members_of(self._engine.state.tables, known.name)) is not None:
                return shown(known, members.expanded(held.rows), self._engine.state.terms)
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
            held = self._held(known := self._known(relation))
            members = members_of(self._engine.state.tables, known.name)
            return len(held) if members is None else members.count(held.rows)
        finally:
            self._sharing.end_reading()

    def _sizes(self) -> dict[str, int]:
        return super()._sizes() if self._started is not None and self._started.is_maintained else {}

    def query(self, text: str, /, **values: object) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once; `values` are those of some."""
        check_length(as_text(text), "the query", self._limit_text)
        if (view := self._sharing.begin_reading()) is not None:
            return view.query(text, **values)
        try:
            query = check_query(text, self.relations, self.program.prefixes, values)
            engine = self._maintained()
            rows = engine.query(query.body, query.names, self._watch())
            if self._undefined.is_asked:
                self._undefined.look(engine, self._schema)
            if not len(rows):
                self._silence.look_at_query(engine, self._schema, text, query.body)
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
            result._starting_over = self._starting_over
            result.loads, result._sharing = list(self.loads), Sharing(result, waits=self._sharing.waits)
            result._silence, result._undefined = self._silence.copy(), self._undefined.copy()
            result._started = self._maintained().clone()
            return result

    def _asked(self, ask: Callable[[Access], _Answer]) -> _Answer:
        with self._sharing:  # it reads tables and makes indexes; other threads read published versions meanwhile
            engine = self._maintained()
            return ask(LocalAccess(engine, self._schema, self._watch()))

    def _held(self, known: Relation) -> Any:
        engine = self._maintained()
        if self._undefined.is_asked:
            self._undefined.look(engine, self._schema)
        held = engine.stored(known.name)
        if isinstance(held, Table) and not len(held):
            self._undefined.look_at_empty(engine, self._schema, known.name)
        return held

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> LocalEngine:
        """The engine with the facts of the program's text; started when it is first needed, since that takes a moment."""
        if self._started is None:
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

    def set_starting_over(self, way: StartingOver) -> None:
        """What becomes of updates from now on that derive a relation from scratch."""
        refuse(starting_over=way)
        self._starting_over = way
        self.__dict__.pop("_all_limits", None)

    @cached_property
    def _all_limits(self) -> Limits:
        return Limits(*self._limits, starting_over=self._starting_over)

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
                from tidelog.local.insight.profiling import record

                record(self._profile, "materialisation", result, result.change_statistics(perf_counter() - started), self._schema)
            self._silence.look(engine, self._schema, result.statistics)
        return engine

    # --- what it costs ---------------------------------------------------------------------------------------------------

    def profile(self, *, anew: bool = True) -> Profile:
        """Record what rules, units and updates cost from now on: `print` it, or `save` it as a page, JSON or CSV.

        It begins with what it takes to derive everything anew, which is measured on a copy; with `anew=False` that is left out.
        `with kb.profile() as profile:` ends the recording, as `profile.stop()` does.
        """
        from tidelog.local.insight.profiling import begin_profile

        truth(anew, "anew")
        with self._sharing:
            return begin_profile(self, anew=anew)

    def plan(self, rule: str | None = None, *, measure: bool = False) -> Plans:
        """In which order bodies are joined: of a rule, by its name; of all rules of a relation; or of all.

        With `measure`, the bindings after each literal are counted, and not only estimated; that may take as long as the rule.
        """
        from tidelog.local.insight.plans import plans_of

        truth(measure, "measure")
        with self._sharing:
            return plans_of(self, rule, measure=measure)


def _find(kb: weakref.ref[ReadableKnowledgeBase], stored: str, version: TableVersion, row: Rows) -> bool | None:
    """Whether a version of a table has a row, if the knowledge base is still there and can tell."""
    return None if (there := kb()) is None else there._find(stored, version, row)
