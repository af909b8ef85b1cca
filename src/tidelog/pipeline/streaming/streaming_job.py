"""A streaming job: facts from the sources once, then updates, batch by batch, each exactly once.

Spark's streaming engine gives batches of updates (`stream_sources`), perhaps one again after a crash. A batch is worked off in
this process, update by update (`working_off`), and then committed (`stream_state`): position, explicit changes, change feed and
broken updates count together or not at all. What a commit says has been done is passed over. After a batch that failed, facts and
rules are those of the last commit again, and Spark gives the batch once more; if it fails twice, the job ends. Between two
batches, every so often and at the end, the sinks get a new version, the state a new snapshot, and the report is written.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.batch.backend import ShowProgress
from tidelog.pipeline.batch.run import check_before
from tidelog.pipeline.batch.spark_backend import SparkBackend
from tidelog.pipeline.job.job_file import Job
from tidelog.pipeline.report.terminal import Terminal
from tidelog.pipeline.streaming.batch_worker import Show, UpdateResult, UpdateWorker
from tidelog.pipeline.streaming.change_feed import ENDINGS, RowFile
from tidelog.pipeline.streaming.stream_query import BatchQuery, StoppedError, has_ended
from tidelog.pipeline.streaming.stream_results import StreamResults
from tidelog.pipeline.streaming.stream_sources import updates_from
from tidelog.pipeline.streaming.stream_state import HIDDEN, Commit, StreamState, TakenOverError, hidden
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.syntax.printer import Printer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TRIES = 2
"""How often a batch may fail before the job ends."""


class StreamingJob:
    """One run of a streaming job: `begin`, `follow`, `close`."""

    def __init__(
        self, job: Job, terminal: Terminal, should_stop: Callable[[], bool], spark: Any = None, updates: DataFrame | None = None
    ) -> None:
        """`spark` is a session to work beside; one is started if there is none. `updates` take the place of the job's folder."""
        if job.stream is None:
            fix = "add `[stream]` with `folder` and `state`, or use `tidelog pipeline run`"
            raise fail("TL090", "the job has no `[stream]`", source=job.source, fix=fix)
        self.job, self.terminal, self.should_stop, self.part = job, terminal, should_stop, job.stream
        self.state = StreamState(self.part.state)
        self.progress: ShowProgress = terminal.deriving
        """Told, while something is derived, how far that is."""
        self._spark = updates.sparkSession if updates is not None and spark is None else spark
        self.backend = self._backend(job)
        self._given, self._updates = job, updates
        self._show: Show = lambda *_: None
        self._results = StreamResults(job, terminal)
        self._since_snapshot = 0
        self._has_other_rules = False
        self._stopped_at: TidelogError | None = None
        """What was wrong with the update that the job stops at."""

    def _backend(self, job: Job) -> SparkBackend:
        return SparkBackend(job, self._look, spark=self._spark)

    def _look(self, progress: Any) -> None:
        self.progress(progress)

    @property
    def _rules(self) -> str:
        """What tells the rules of the job file from others."""
        return hashlib.sha256(self._given.program.document.source.text.encode()).hexdigest()

    @property
    def _checkpoint(self) -> Path:
        return Path(self.part.state) / "checkpoint"

    @property
    def committed(self) -> Commit:
        """How far the stream has come."""
        assert self.state.last is not None
        return self.state.last

    def placements(self) -> str:
        """How many parts of the program are where."""
        where = Counter(placed.where for placed in self.backend.placements())
        return ", ".join(f"{name} {count}" for name, count in where.items())

    # --- beginning -------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Have the facts of the last commit, or, the first time, those of the sources, and all that follows from them."""
        self._stream = updates_from(self.part, self._updates)
        check_before(self.job, reads_sources=not (Path(self.part.state) / "commits").is_dir())
        self.terminal.done("starting Spark")
        _ = self.backend.kb.spark
        last = self.state.open()
        started = perf_counter()
        if last is None:
            self._refuse_connect()
            self._results.read_sources(self.job, self.backend)
            started = perf_counter()
            self.terminal.doing("deriving")
            self._results.publish(self.job, self.backend, self.state.claim_still_holds)
            self.state.commit(Commit(snapshot=self.state.write_snapshot(self.backend.kb.explicit_facts()), rules=self._rules))
        else:
            self._stream.check(last, self._checkpoint)
            self._restore(last)
            self.terminal.done(f"going on after {last.updates:,} updates, the last at {last.file}:{last.line}")
            if self._since_snapshot:
                self._snapshot()  # the last run was broken off, or the rules of the job are others
        self._results.took("derive", perf_counter() - started)
        if last is None:
            self._results.report(self.job, self.committed)
        shown = self.job.program.printer.predicate
        for placed in self.backend.placements():
            facts = "1 fact" if placed.facts == 1 else f"{placed.facts:,} facts"
            self.terminal.done(f"{', '.join(map(shown, placed.relations))}: {placed.where}, {facts}")

    def _restore(self, last: Commit) -> None:
        """Have the rules and the facts of a commit."""
        text, written = last.program, self._given.program.document.source
        if text and last.program_before == written.text:
            changed = check(Source(text, f"{written.name}, as updates have left it"))
            self.job = replace(self._given, program=changed)
            self.backend.close()
            self.backend = self._backend(self.job)
        self._refuse_connect()
        for folder in (self.part.feed, self.part.broken_folder):
            for path in Path(folder).glob(f"{HIDDEN}*") if folder is not None else ():
                path.unlink(missing_ok=True)  # of a batch that was never committed
        self.terminal.doing("deriving what follows from the facts of the last commit")
        self.backend.kb.restore(list(self.state.facts(self.backend.kb.spark)))
        self._since_snapshot = last.pending + (last.rules != self._rules)

    def _begin_again(self, failure: TidelogError) -> None:
        """After a batch that failed, whose updates may be half done here: be what the last commit says, unless another job is."""
        if isinstance(failure, TakenOverError):
            raise failure
        self.terminal.done(f"{failure.diagnostics[0].message}; going back to the last commit")
        self.state.claim_still_holds()
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
        """Work off updates until somebody asks to stop, or, with `once`, until nothing is waiting; the last commit."""
        self._show = show
        try:
            self._run_until_over(once=once)
            if self._since_snapshot:
                self._snapshot()
        except Exception:
            if self.should_stop() and has_ended(self.backend.kb.spark):  # whoever asked to stop may have asked Spark, too
                self.terminal.done("Spark has ended, too: what is committed counts, and the next start writes the sinks")
                return self.committed
            raise
        if self._stopped_at is not None:
            raise self._stopped_at
        return self.committed

    def close(self) -> None:
        """Give back what the knowledge base holds."""
        try:
            self.backend.close()
        except Exception:
            if not has_ended(self.backend.kb.spark):
                raise

    def _run_until_over(self, *, once: bool) -> None:
        """Run queries until one has not failed; a batch may fail once."""
        failures, before = 0, self.committed.updates + self.committed.broken
        while (failure := self._run(once=once)) is not None:
            self._begin_again(failure)
            now = self.committed.updates + self.committed.broken
            failures, before = failures + 1 if now == before else 1, now
            if failures == _TRIES:
                raise failure

    def _run(self, *, once: bool) -> TidelogError | None:
        """Let Spark give batches until it is over; what a batch has failed with."""
        self._worker = UpdateWorker(self.backend.kb, self.terminal.done, stops_at_broken=self.part.broken == "stop")
        self._query = BatchQuery(self._stream, self._checkpoint, self._do)

        def is_over() -> bool:
            return self.should_stop() or (once and self._stream.is_over(self.committed))

        try:
            return self._query.run(self.backend.kb.spark, is_over, once=once)
        except TidelogError:  # Spark could not read the stream: perhaps we know better why
            try:
                self._stream.check(self.committed, self._checkpoint)
            except TidelogError as error:
                self._stopped_at = error
                return None
            raise

    def _do(self, frame: DataFrame, number: int) -> None:
        """Work off a batch, as far as it has not been done, and commit it."""
        arrivals = self._stream.arrivals(frame, number, self._query.id, self.committed)
        if not arrivals.updates:
            return
        part = self.part
        done = UpdateResult(number, self._row_file(part.feed, part.feed_format), self._row_file(part.broken_folder, "json"))
        with done:
            self._worker.work_off(arrivals, done, self.committed.updates, self._show)
        if done.has_other_rules:
            self.job, self._has_other_rules = replace(self.job, program=self.backend.kb.program), True
        if done.last is not None:
            self._commit(done, arrivals.seen(done.last.file))
        for step in done.steps:
            self._results.note(step)
        if done.stopped_at is not None:
            self._stopped_at = done.stopped_at
            raise StoppedError
        if self._since_snapshot >= self.part.snapshot_every:
            self._snapshot()

    # --- committing ------------------------------------------------------------------------------------------------------

    def _row_file(self, folder: str | None, form: str) -> RowFile:
        """A file for rows of the next commit, under a name that hides it until then."""
        final = None if folder is None else Path(folder).absolute() / f"{self.committed.number + 1:08}{ENDINGS[form]}"
        return RowFile(None if final is None else hidden(final, self.state.epoch), form)

    def _commit(self, done: UpdateResult, seen: int) -> None:
        last, files = self.committed, list[str]()
        for rows in (done.feed, done.aside):
            if rows.path is not None and rows.has_rows:
                files.append(str(rows.path.with_name(rows.path.name.removeprefix(f"{HIDDEN}{self.state.epoch}."))))
        assert done.last is not None
        written = self._given.program.document.source.text
        program = Printer().document(self.job.program.document) if self._has_other_rules else last.program
        is_kept = self._has_other_rules or last.program_before == written  # else the job file's rules have taken their place
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
        self._query.look()

    def _snapshot(self) -> None:
        """New versions of the sinks, a state that starts from here, and a report."""
        self._results.publish(self.job, self.backend, self.state.claim_still_holds)  # first: if it ends here, it is done again
        snapshot = self.state.write_snapshot(self.backend.kb.explicit_facts())
        self.state.commit(replace(self.committed, snapshot=snapshot, log=(), files=(), pending=0, rules=self._rules))
        self._since_snapshot = 0
        self._results.report(self.job, self.committed)


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
    """Run a streaming job until `should_stop` says so, or, with `once`, until nothing is waiting; how far it has come.

    `updates` is a streaming DataFrame with a column `value`, string or binary, an update as JSON in each row; where it has
    `topic`, `partition` and `offset`, as Kafka's have, these say the order. Without it, updates come from the job's folder.
    `show` is told of each update: its number, its change, and how many are known to be waiting.
    """
    streaming = StreamingJob(job, terminal or Terminal(is_quiet=True), should_stop, spark, updates)
    try:
        streaming.begin()
        return streaming.follow(show, once=once)
    finally:
        streaming.close()
