"""A streaming job: facts from the sources once, then updates in micro-batches, each update exactly once.

Updates come in micro-batches (`stream_sources`), of which the last one may come again after a crash. The updates
of a micro-batch are applied in this process, one by one (`batch_worker`), and then committed (`stream_state`): position, explicit
changes, change feed and refused updates take effect together. Updates that a commit contains are skipped. After a micro-batch
that failed, facts and rules of the last commit are restored, and it is tried once more; if it fails twice, the job ends.
Every so often between two micro-batches, and at the end, new versions of the sinks, a snapshot and the report are written.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.batch.backend import ShowProgress
from tidelog.pipeline.batch.run import check_before
from tidelog.pipeline.batch.sinks import Sinks
from tidelog.pipeline.batch.spark_backend import SparkBackend
from tidelog.pipeline.job.job_file import Job
from tidelog.pipeline.report.terminal import Terminal
from tidelog.pipeline.streaming.arrivals import Arrivals
from tidelog.pipeline.streaming.batch_worker import BatchResult, Show, UpdateWorker
from tidelog.pipeline.streaming.change_feed import ENDINGS, RowFile
from tidelog.pipeline.streaming.stream_query import StoppedError, has_ended
from tidelog.pipeline.streaming.stream_results import StreamResults, log_commit
from tidelog.pipeline.streaming.stream_sources import updates_from
from tidelog.pipeline.streaming.stream_state import HIDDEN, Commit, StreamState, TakenOverError, hidden
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.spark.session.users_session import described, users_session
from tidelog.stores import Store
from tidelog.syntax.printer import Printer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TRIES = 2
"""How often a micro-batch may fail before the job ends."""


class StreamingJob:
    """One run of a streaming job: `begin`, `follow`, `close`."""

    def __init__(
        self, job: Job, terminal: Terminal, should_stop: Callable[[], bool], spark: Any = None, updates: DataFrame | None = None
    ) -> None:
        """`spark` is an existing session; without it one is started. `updates` replaces the job's folder."""
        if job.stream is None:
            fix = "add `[stream]` with `folder` and `state`, or use `tidelog pipeline run`"
            raise fail("TL090", "the job has no `[stream]`", source=job.source, fix=fix)
        self.job, self.terminal, self.should_stop, self.part = job, terminal, should_stop, job.stream
        self.progress: ShowProgress = terminal.deriving
        """Called with the progress of an evaluation."""
        self._spark = updates.sparkSession if updates is not None and spark is None else spark
        self.backend = self._backend(job)
        self._given, self._updates = job, updates
        self._stores: dict[str, Store] = {}
        self._show: Show = lambda *_: None
        self._results = StreamResults(job, terminal)
        self._since_snapshot = 0
        self._has_other_rules = False
        self._stopped_at: TidelogError | None = None
        """The error of the update at which the job stops."""

    def _backend(self, job: Job) -> SparkBackend:
        return SparkBackend(job, self._look, spark=self._spark)

    def _look(self, progress: Any) -> None:
        self.progress(progress)

    @property
    def _rules(self) -> str:
        """A hash of the job file's rules."""
        return hashlib.sha256(self._given.program.document.source.text.encode()).hexdigest()

    def _store(self, folder: str) -> Store:
        """A folder; for one that is not on this machine, Spark is started."""
        if folder not in self._stores:
            self._stores[folder] = self.backend.store(folder)
        return self._stores[folder]

    @property
    def committed(self) -> Commit:
        """The last commit."""
        assert self.state.last is not None
        return self.state.last

    def placements(self) -> str:
        """How many units of the program are evaluated in each place."""
        where = Counter(placed.where for placed in self.backend.placements())
        return ", ".join(f"{name} {count}" for name, count in where.items())

    # --- beginning -------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Load the facts of the last commit, or, the first time, those of the sources, and derive what follows."""
        self._stream = updates_from(self.part, self._updates, self._store, lambda: users_session(self.backend.kb.spark))
        self.state = StreamState(self.part.state, self._store)
        sinks = Sinks(self.job.sinks, "", self._store)
        check_before(self.job, sinks, reads_sources=not self.state.has_commits)
        self.terminal.done("starting Spark")
        _ = self.backend.kb.spark
        if not self.state.store.can_exclude:
            self.terminal.done(f"{self.part.state}: this file system cannot tell two jobs apart that begin at the same moment")
        last = self.state.open()
        started = perf_counter()
        if last is None:
            self._refuse_connect()
            self._results.read_sources(self.job, self.backend)
            started = perf_counter()
            self.terminal.doing("deriving")
            self._results.publish(self.job, self.backend, self.state.check_epoch)
            self.state.commit(Commit(snapshot=self.state.write_snapshot(self.backend.kb.explicit_facts()), rules=self._rules))
        else:
            self._stream.check(last, self.state.store)
            self._restore(last)
            self.terminal.done(f"resuming after {last.updates:,} updates, the last at {last.file}:{last.line}")
            if self._since_snapshot:
                self._snapshot()  # the last run ended early, or the job file has other rules
        self._results.outcome.stages["derive"] = perf_counter() - started
        if last is None:
            self._results.report(self.job, self.committed, self._store)
        shown = self.job.program.printer.predicate
        for placed in self.backend.placements():
            facts = "1 fact" if placed.facts == 1 else f"{placed.facts:,} facts"
            self.terminal.done(f"{', '.join(map(shown, placed.relations))}: {placed.where}, {facts}")

    def _restore(self, last: Commit) -> None:
        """Restore the rules and the facts of a commit."""
        text, written = last.program, self._given.program.document.source
        if text and last.program_before == written.text:
            changed = check(Source(text, f"{written.name}, as changed by updates"))
            self.job = replace(self._given, program=changed)
            self.backend.close()
            self.backend = self._backend(self.job)
        self._refuse_connect()
        for folder in (self.part.feed, self.part.broken_folder):
            if folder is not None:
                store = self._store(folder)
                for name in store.entries():
                    if name.startswith(HIDDEN):
                        store.remove(name)  # of a micro-batch that was never committed
        self.terminal.doing("deriving what follows from the facts of the last commit")
        self.backend.kb.restore(list(self.state.facts(self.backend.kb.spark)))
        self._since_snapshot = last.pending + (last.rules != self._rules)

    def _restart(self, failure: TidelogError) -> None:
        """After a micro-batch that failed, whose updates may be half applied in memory: restore the last commit."""
        if isinstance(failure, TakenOverError):
            raise failure
        self.terminal.done(f"{failure.diagnostics[0].message}; restarting from the last commit")
        self.state.check_epoch()
        last = self.state.open()
        assert last is not None
        self.job, self._has_other_rules = self._given, False
        try:
            self.backend.close()
            self.backend = self._backend(self.job)
            self._restore(last)
        except TidelogError:
            raise
        except Exception as error:  # Spark itself may have ended
            raise failure from error

    def _refuse_connect(self) -> None:
        from tidelog.spark.session.private_session import is_connect

        if is_connect(self.backend.kb.spark):
            fix = "run the job with a classic session; batches run on Spark Connect, too"
            raise fail("TL074", "a stream is not available on Spark Connect, where batches run in another process", fix=fix)

    # --- following -------------------------------------------------------------------------------------------------------

    def follow(self, show: Show, *, once: bool = False) -> Commit:
        """Apply updates until `should_stop`, or, with `once`, until none is waiting; the last commit."""
        self._show = show
        try:
            self._run_until_over(once=once)
            if self._since_snapshot:
                self._snapshot()
        except Exception:
            if self.should_stop() and has_ended(self.backend.kb.spark):  # the signal may have ended Spark, too
                self.terminal.done("Spark has ended, too: all commits are kept, and the next start writes the sinks")
                return self.committed
            raise
        if self._stopped_at is not None:
            raise self._stopped_at
        return self.committed

    def close(self) -> None:
        """Close the knowledge base."""
        try:
            self.backend.close()
        except Exception:
            if not has_ended(self.backend.kb.spark):
                raise

    def _run_until_over(self, *, once: bool) -> None:
        """Run queries until one does not fail; a micro-batch may fail once."""
        failures, before = 0, self.committed.updates + self.committed.broken
        while (failure := self._run(once=once)) is not None:
            self._restart(failure)
            now = self.committed.updates + self.committed.broken
            failures, before = failures + 1 if now == before else 1, now
            if failures == _TRIES:
                raise failure

    def _run(self, *, once: bool) -> TidelogError | None:
        """Run one query until it is over; the error of a micro-batch that failed."""
        self._worker = UpdateWorker(self.backend.kb, self.terminal.done, stops_at_broken=self.part.broken == "stop")
        self._query = self._stream.query(lambda: self.committed, self._process, self.state.store)
        try:
            return self._query.run(self.backend.kb.spark, self.should_stop, once=once)
        except TidelogError:  # Spark could not read the stream: our own check may know why
            try:
                self._stream.check(self.committed, self.state.store)
            except TidelogError as error:
                self._stopped_at = error
                return None
            raise

    def _process(self, arrivals: Arrivals, number: int) -> None:
        """Apply the updates of a micro-batch that are not committed yet, and commit them."""
        part, started = self.part, perf_counter()
        done = BatchResult(number, self._row_file(part.feed, part.feed_format), self._row_file(part.broken_folder, "json"))
        with done, described(self.backend.kb.spark, f"batch {number}"):
            self._worker.apply(arrivals, done, self.committed.updates, self._show)
        if done.has_other_rules:
            self.job, self._has_other_rules = replace(self.job, program=self.backend.kb.program), True
        if done.last is not None:
            self._commit(done, arrivals.seen(done.last.file))
            log_commit(self.committed, done, arrivals, perf_counter() - started)
        for update in done.applied:
            self._results.history.note(update)
        if done.stopped_at is not None:
            self._stopped_at = done.stopped_at
            raise StoppedError
        if self._since_snapshot >= self.part.snapshot_every:
            self._snapshot()

    # --- committing ------------------------------------------------------------------------------------------------------

    def _row_file(self, folder: str | None, form: str) -> RowFile:
        """A file for rows of the next commit, under its hidden name."""
        name = hidden(f"{self.committed.number + 1:08}{ENDINGS[form]}", self.state.epoch)
        return RowFile(None if folder is None else self._store(folder), name, form)

    def _commit(self, done: BatchResult, seen: int) -> None:
        last, files = self.committed, list[str]()
        prefix = hidden("", self.state.epoch)
        for rows in (done.feed, done.dead_letters):
            if rows.store is not None and rows.has_rows:
                files.append(rows.store.address(rows.name.removeprefix(prefix)))
        assert done.last is not None
        written = self._given.program.document.source.text
        program = Printer().document(self.job.program.document) if self._has_other_rules else last.program
        is_kept = self._has_other_rules or last.program_before == written  # else the job file has new rules, which replace them
        self.state.commit(
            replace(
                last,
                program=program if is_kept else "",
                program_before=written if is_kept and program else "",
                source=self._stream.kind,
                seen=seen,
                pending=last.pending + 1,
                query=self._query.id,
                batch=done.number,
                rows=done.rows,
                file=done.last.file,
                line=done.last.line,
                updates=last.updates + done.updates,
                broken=last.broken + done.broken,
                log=(*last.log, *self.state.write_log(done.changes)),
                files=tuple(files),
            )
        )
        self._since_snapshot += 1
        self._query.wake()

    def _snapshot(self) -> None:
        """Publish the sinks, write a snapshot, and write the report."""
        self._results.publish(
            self.job, self.backend, self.state.check_epoch
        )  # first: if the job ends here, the next start does it again
        snapshot = self.state.write_snapshot(self.backend.kb.explicit_facts())
        self.state.commit(replace(self.committed, snapshot=snapshot, log=(), files=(), pending=0, rules=self._rules))
        self._since_snapshot = 0
        self._results.report(self.job, self.committed, self._store)


def stream_job(
    job: Job,
    *,
    updates: DataFrame | None = None,
    once: bool = False,
    should_stop: Callable[[], bool] = lambda: False,
    show: Show = lambda *_: None,
    terminal: Terminal | None = None,
    spark: Any = None,
) -> Commit:
    """Run a streaming job until `should_stop`, or, with `once`, until no update is waiting; the last commit.

    `updates` is a streaming DataFrame with a column `value`, string or binary, an update as JSON in each row; where it has
    `topic`, `partition` and `offset`, as Kafka's have, these say the order. Without it, updates come from the job's folder.
    `show` is called after each update: with its number, its change, and how many are known to be waiting.
    """
    streaming = StreamingJob(job, terminal or Terminal(is_quiet=True), should_stop, spark, updates)
    try:
        streaming.begin()
        return streaming.follow(show, once=once)
    finally:
        streaming.close()
