"""A streaming job: facts from the sources once, then updates, batch by batch, each exactly once.

Spark's streaming engine gives batches of updates (`stream_sources`), perhaps one again after a crash. A batch is worked off in
this process, update by update (`working_off`), and then committed (`stream_state`): position, explicit changes, change feed and
broken updates count together or not at all. What a commit says has been done is passed over. After a batch that failed, facts and
rules are those of the last commit again, and Spark gives the batch once more; if it fails twice, the job ends. Between two
batches, every so often and at the end, the sinks get a new version, the state a new snapshot, and the report is written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.backend import ShowProgress
from tidelog.pipeline.feed import ENDINGS, RowFile
from tidelog.pipeline.job import Job
from tidelog.pipeline.parts import StreamPart
from tidelog.pipeline.run import check_before
from tidelog.pipeline.spark_backend import SparkBackend
from tidelog.pipeline.stream_query import BatchQuery, StoppedError
from tidelog.pipeline.stream_results import StreamResults
from tidelog.pipeline.stream_sources import FolderUpdates, FrameUpdates, UpdateStream
from tidelog.pipeline.stream_state import HIDDEN, Commit, StreamState, hidden
from tidelog.pipeline.terminal import Terminal
from tidelog.pipeline.working_off import Show, UpdateWorker, Worked
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.syntax.printer import Printer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.changes import Change

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
        self._stream = _stream_of(self.part, self._updates)
        check_before(self.job, reads_sources=not (Path(self.part.state) / "commits").is_dir())
        last = self.state.open()
        started = perf_counter()
        if last is None:
            self._refuse_connect()
            self._results.read_sources(self.job, self.backend)
            started = perf_counter()
            self.terminal.doing("deriving")
            self._results.publish(self.job, self.backend)
            self.state.commit(Commit(snapshot=self.state.write_snapshot(self.backend.kb.explicit_facts())))
        else:
            self._restore(last)
        self._results.took("derive", perf_counter() - started)
        if last is None:
            self._results.report(self.job, self.committed)
        shown = self.job.program.printer.predicate
        for placed in self.backend.placements():
            self.terminal.done(f"{', '.join(map(shown, placed.relations))}: {placed.where}, {placed.facts:,} facts")

    def _restore(self, last: Commit) -> None:
        """Have the rules and the facts of a commit."""
        text, written = last.program, self._given.program.document.source
        if text and last.program_before == written.text:
            changed = check(Source(text, f"{written.name}, as updates have left it"))
            self.job = replace(self._given, program=changed)
            self.backend = self._backend(self.job)
        self._refuse_connect()
        for folder in (self.part.feed, self.part.broken_folder):
            for path in Path(folder).glob(f"{HIDDEN}*") if folder is not None else ():
                path.unlink()  # of a batch that was never committed
        self.terminal.doing("deriving what follows from the facts of the last commit")
        self.backend.kb.restore(list(self.state.facts(self.backend.kb.spark)))
        self._since_snapshot = len(last.log)

    def _begin_again(self, failure: TidelogError) -> None:
        """After a batch that failed, whose updates may be half done here: be what the last commit says, unless another job is."""
        if any(problem.code == "TL093" for problem in failure.diagnostics):
            raise failure
        self.terminal.done(f"{failure.diagnostics[0].message}; going back to the last commit")
        self.state.claim_still_holds()
        self._has_other_rules = False
        try:
            self.backend.close()
            self.job = self._given
            self.backend = self._backend(self.job)
            last = self.state.open()
            assert last is not None
            self._restore(last)
        except TidelogError:
            raise
        except Exception as error:  # Spark itself may have ended
            raise failure from error

    def _refuse_connect(self) -> None:
        from tidelog.spark.session import is_connect

        if is_connect(self.backend.kb.spark):
            fix = "run the job with a classic session; batches run on Spark Connect, too"
            raise fail("TL074", "a stream is not available on Spark Connect, where batches run in another process", fix=fix)

    # --- following -------------------------------------------------------------------------------------------------------

    def follow(self, show: Show, *, once: bool = False) -> Commit:
        """Work off updates until somebody asks to stop, or, with `once`, until nothing is waiting; the last commit."""
        self._show = show
        failures, known = 0, self.committed.number
        while (failure := self._run(once=once)) is not None:
            self._begin_again(failure)
            failures = failures + 1 if self.committed.number == known else 1
            if failures == _TRIES:
                raise failure
            known = self.committed.number
        if self._since_snapshot:
            self._snapshot()
        if self._stopped_at is not None:
            raise self._stopped_at
        return self.committed

    def close(self) -> None:
        """Give back what the knowledge base holds."""
        self.backend.close()

    def _run(self, *, once: bool) -> TidelogError | None:
        """Let Spark give batches until it is over; what a batch has failed with."""
        self._worker = UpdateWorker(self.backend.kb, stops_at_broken=self.part.broken == "stop")
        self._query = BatchQuery(self._stream, Path(self.part.state) / "checkpoint", self._do)

        def is_over() -> bool:
            return self.should_stop() or (once and self._stream.is_over(self.committed))

        return self._query.run(self.backend.kb.spark, is_over, once=once)

    def _do(self, frame: DataFrame, number: int) -> None:
        """Work off a batch, as far as it has not been done, and commit it."""
        arrivals = self._stream.arrivals(frame, number, self._query.id, self.committed)
        if not arrivals.updates:
            return
        part = self.part
        done = Worked(number, self._row_file(part.feed, part.feed_format), self._row_file(part.broken_folder, "json"))
        with done:
            self._worker.work_off(arrivals, done, self.committed.updates, self._tell)
        if done.has_other_rules:
            self.job, self._has_other_rules = replace(self.job, program=self.backend.kb.program), True
        if done.last is not None:
            self._commit(done)
        if done.stopped_at is not None:
            self._stopped_at = done.stopped_at
            raise StoppedError
        if self._since_snapshot >= self.part.snapshot_every:
            self._snapshot()

    def _tell(self, number: int, change: Change, waiting: int) -> None:
        self._results.note(number, change)
        self._show(number, change, waiting)

    # --- committing ------------------------------------------------------------------------------------------------------

    def _row_file(self, folder: str | None, form: str) -> RowFile:
        """A file for rows of the next commit, under a name that hides it until then."""
        final = None if folder is None else Path(folder).absolute() / f"{self.committed.number + 1:08}{ENDINGS[form]}"
        return RowFile(None if final is None else hidden(final, self.state.epoch), form)

    def _commit(self, done: Worked) -> None:
        last, files = self.committed, list[str]()
        for rows in (done.feed, done.aside):
            if rows.path is not None and rows.has_rows:
                files.append(str(rows.path.with_name(rows.path.name.removeprefix(f"{HIDDEN}{self.state.epoch}."))))
        assert done.last is not None
        has_others = self._has_other_rules
        self.state.commit(
            replace(
                last,
                program=Printer().document(self.job.program.document) if has_others else last.program,
                program_before=self._given.program.document.source.text if has_others else last.program_before,
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
        self._results.publish(self.job, self.backend)  # first, for as long as there is a log, the next run does it again
        snapshot = self.state.write_snapshot(self.backend.kb.explicit_facts())
        self.state.commit(replace(self.committed, snapshot=snapshot, log=(), files=()))
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


def _stream_of(part: StreamPart, updates: DataFrame | None) -> UpdateStream:
    return FolderUpdates(part) if updates is None else FrameUpdates(updates)
