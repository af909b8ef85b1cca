"""A knowledge base on Spark under change: facts and rules that come and go, and updates that come in a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from tidelog.core.rule_report import rule_report
from tidelog.errors import TidelogError, fail
from tidelog.local.encoded_facts import EncodedUpdate
from tidelog.program.live_rules import LiveRules, RuleDifference
from tidelog.program.rule_changes import NO_CHANGE, RuleChange, plan_change
from tidelog.spark.data.results import Done
from tidelog.spark.data.spark_change import SparkChange
from tidelog.spark.engine import SparkEngine
from tidelog.spark.engine_holder import EngineHolder
from tidelog.spark.maintenance import rules_in_kernel as rule_updating
from tidelog.spark.maintenance.comparison import Comparison, Everything, Followed
from tidelog.spark.maintenance.reuse import reached, reuse_unaffected, visits
from tidelog.spark.maintenance.rules_in_rounds import RulesInRounds
from tidelog.spark.maintenance.stream_in_kernel import StreamInKernel, rows_given
from tidelog.spark.maintenance.update import Updating
from tidelog.spark.maintenance.update_keys import Given, UpdateKeys, given_keys, merged
from tidelog.spark.session.lineage import lost_blocks_explained

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.changes import Change
    from tidelog.spark.ingest import Ingested
    from tidelog.streams.update import Update

_CHANGED_BY_RULES = ("_loaded", "_live", "_program", "_read", "_on_spark", "_has_program_facts", "_has_begun")


class Changeable(EngineHolder):
    """A knowledge base that follows changes."""

    def update(
        self,
        insert: Given = (),
        delete: Given = (),
        upsert: Given = (),
        *,
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> SparkChange:
        """Add, remove and replace explicit facts, deletions first, and derive what follows.  All of it happens, or nothing.

        Facts are tuples of the relation's name and the arguments, `("edge", "a", "b")`; or, by relation, whatever `load` takes:
        `insert={"edge": df}`.  If rules come or go, what they reach follows them, or is derived anew.
        """
        if self._stream is not None:
            self._stream.ahead.forget()
        parts = {"delete": delete, "insert": insert, "upsert": upsert}
        if remove_rules or add_rules:
            return self._change_rules(parts, remove_rules, add_rules)
        return self._update(parts)

    def apply(self, update: Update, next_update: Callable[[], Update | None] = lambda: None) -> Change:
        """Apply one update of a stream; where everything is in the kernel, with a look at the next one."""
        is_marking = self._marking is not False and self._algorithm not in ("counting", "rematerialise")
        engine = self._roomy_engine()
        if update.add_rules or update.remove_rules or not is_marking or not engine.is_in_kernel:
            return self._update_with(update)
        if self._stream is None or not self._stream.serves(engine):
            self._stream = StreamInKernel(engine, self._read_ahead, self._algorithm, always=self._marking is True)
        known, self._loaded = self._loaded, dict(self._loaded)
        try:
            worked = self._stream.work_off(
                update, next_update, lambda: self._rows_of(update), self._watch(), self._know, len(self._loaded)
            )
        except BaseException:
            self._loaded = known
            raise
        return worked.change(dict(self.relations), self._as_frame)

    def _rows_of(self, update: Update) -> EncodedUpdate:
        """What an update of a stream asks for."""
        given = self._given({"delete": update.delete, "insert": update.insert, "upsert": update.upsert})
        for name in given.keys() & self.relations.keys():
            self._maintained_engine().bring(name, given[name].arity)
        return rows_given(self._maintained_engine(), given, len(self._loaded))

    def _read_ahead(self, update: Update) -> EncodedUpdate | None:
        """The same before its turn; None if something is wrong with it, which will be said in its turn."""
        try:
            return self._rows_of(update)
        except TidelogError:
            return None

    def _update(self, parts: dict[str, Given], planned: RuleChange = NO_CHANGE) -> SparkChange:
        started = perf_counter()
        given, engine, known = self._given(parts, planned), self._roomy_engine(), self._loaded
        try:
            done, unknown = self._apply(engine, given)
        except BaseException:
            self._loaded = known
            raise
        engine.lineage.sweep(engine.exchange.in_use())
        return Done(done, dict(self.relations), unknown, perf_counter() - started).change(self._as_frame)

    def _roomy_engine(self) -> SparkEngine:
        """The engine when everything has been derived, and nothing has outgrown the kernel by the updates before."""
        engine = self._maintained_engine()
        if not engine.has_outgrown:
            return engine
        saved = {name: getattr(self, name) for name in _CHANGED_BY_RULES}
        try:
            self.restore(list(self.explicit_facts()), engine.exchange.terms)
            reuse_unaffected(self._started_engine, engine, set())
            return self._maintained_engine()
        except BaseException:
            for name, value in saved.items():
                setattr(self, name, value)
            raise

    def _given(self, parts: dict[str, Given], planned: RuleChange = NO_CHANGE) -> dict[str, UpdateKeys]:
        """What an update does to facts, with those that stand among rules."""
        among_rules: dict[str, Given] = {
            "delete": [(name, *values) for name, values in planned.delete],
            "insert": [(name, *values) for name, values in planned.insert],
        }
        found = [
            given_keys(some, self.program, self.relations.get, self._key_of, self._read_whole) for some in (parts, among_rules)
        ]
        return merged(*found)

    def _apply(self, engine: SparkEngine, given: dict[str, UpdateKeys], kept: Sequence[DataFrame] = ()) -> tuple[Updating, int]:
        """Do what was asked for; and of how many facts that were to go nobody has heard."""
        done = Updating(engine, self._watch(), self._algorithm, kept)
        with lost_blocks_explained():
            done.apply(self._known(given))
        return done, self._unknown(given)

    def _known(self, given: dict[str, UpdateKeys]) -> dict[str, UpdateKeys]:
        """The relations that there are, now that some are given facts of."""
        self._loaded = dict(self._loaded)
        for name, facts in given.items():
            if facts.insert or facts.upsert or name in self.relations:
                self._know(name, facts.arity)
        return {name: facts for name, facts in given.items() if name in self.relations}

    def _unknown(self, given: dict[str, UpdateKeys]) -> int:
        return sum(rows for name, facts in given.items() if name not in self.relations for _, rows in facts.delete)

    def _read_whole(self, relation: str, source: object) -> Ingested:
        """Facts for an update, in which nothing may be rejected."""
        from tidelog.spark.ingest import Rejects, ingest

        lineage = self._started_engine.lineage
        known = self.relations.get(relation)
        found = ingest(self.spark, source, relation, known, rejects=Rejects(), lineage=lineage)
        if found.rejected:
            message = f"{found.rejected:,} rows for `{relation}` do not fit, so nothing is changed"
            raise fail("TL072", message, fix="load them with rejects, or repair them")
        return found

    # --- rules that come and go ------------------------------------------------------------------------------------------

    def _change_rules(self, parts: dict[str, Given], remove: str | Iterable[str], add: str | Iterable[str]) -> SparkChange:
        """Let rules go and come, and facts with them."""
        engine = self._roomy_engine()
        texts = [[given] if isinstance(given, str) else list(given) for given in (remove, add)]
        self._live = self._live or LiveRules.of(self._program)
        planned = plan_change(self._live, texts[0], texts[1], self._loaded)
        saved = {name: getattr(self, name) for name in _CHANGED_BY_RULES}
        try:
            self._loaded = self._loaded | planned.relations
            if planned.difference is None:
                return self._update(parts, planned)
            for name, known in self.relations.items():
                engine.bring(name, known.arity)
            if rule_updating.is_possible(engine):
                try:
                    return self._change_in_kernel(engine, parts, planned, planned.difference)
                except rule_updating.OutgrownError:
                    for name, value in saved.items():
                        setattr(self, name, value)
                    self._loaded = self._loaded | planned.relations
            return self._change_on_spark(engine, parts, planned, planned.difference)
        except BaseException:
            for name, value in saved.items():
                setattr(self, name, value)
            raise

    def _take_up(self, difference: RuleDifference) -> None:
        self._live, self._program = difference.after, difference.after.program
        self._loaded = {name: known for name, known in self._loaded.items() if name not in self._program.relations}

    def _change_in_kernel(
        self, engine: SparkEngine, parts: dict[str, Given], planned: RuleChange, difference: RuleDifference
    ) -> SparkChange:
        """Where all is in the kernel, the local engine follows the rules."""
        started, known = perf_counter(), dict(self.relations)
        done = rule_updating.RuleUpdating(engine, self._watch(), self._algorithm, difference)
        unknown = 0

        def given() -> dict[str, UpdateKeys]:
            nonlocal unknown
            self._take_up(difference)
            tables = engine.state.tables
            for name in difference.forgotten:
                if name in tables and len(tables[name]):
                    self._know(name, known[name].arity)
            found = self._given(parts, planned)
            requested = self._known(found)
            unknown = self._unknown(found)
            return requested

        done.change(given)
        done.forget({name for name in difference.forgotten if name not in self._loaded})
        finished = Done(done, {**known, **self.relations}, unknown, perf_counter() - started)
        return finished.change(self._as_frame, rule_report(difference, done.visits))

    def _change_on_spark(
        self, engine: SparkEngine, parts: dict[str, Given], planned: RuleChange, difference: RuleDifference
    ) -> SparkChange:
        """What the rules reach follows them in rounds, or is derived anew and compared with before; all else stays."""
        started, relations = perf_counter(), dict(self.relations)
        changed = reached(difference)
        explicit = list(self.explicit_facts())
        self._take_up(difference)
        self.restore(explicit, engine.exchange.terms)
        renewed, watch = self._started_engine, self._watch()
        reuse_unaffected(renewed, engine, changed)
        followers = RulesInRounds(renewed, engine, difference, changed, watch, self._algorithm)
        self._has_begun = True
        with lost_blocks_explained():
            renewed.maintain(watch, followers.apply)
        self._read.clear()
        done, unknown = self._apply(renewed, self._given(parts, planned), followers.kept)
        renewed.lineage.sweep((*engine.exchange.in_use(), *renewed.exchange.in_use()))  # the change reads what was before
        anew = changed - followers.followed
        before, after = (
            Everything.of(one, [(name, known.arity) for name, known in some.items() if name in anew])
            for one, some in ((engine, relations), (renewed, self.relations))
        )
        given = ({name: facts.copy() for name, facts in one.exchange.explicit.items()} for one in (engine, renewed))
        followed = Followed(followers.followed, followers.frames, done.frames.differences, *given)
        finished = Done(done, {**relations, **self.relations}, unknown, perf_counter() - started)
        rules = rule_report(difference, [*followers.visits, *visits(renewed, anew)])
        return finished.change_with(Comparison(before, after, self.spark), anew, followed, self._as_frame, rules)
