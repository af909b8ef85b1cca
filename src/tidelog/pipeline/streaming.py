"""A streaming job: facts from the sources once, then updates from a folder, batch by batch, each exactly once.

Spark's streaming engine gives batches of updates, perhaps one again after a crash. A batch is worked off in this process, update
by update, and then committed (`stream_state`): position, explicit changes, change feed and broken updates count together or not
at all. Updates up to the position of the last commit are passed over, whatever batch they come in. Between two batches, every so
often and at the end, the sinks get a new version and the state a new snapshot.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.feed import ENDINGS, rows_of, write_rows
from tidelog.pipeline.job import Job
from tidelog.pipeline.parts import StreamPart
from tidelog.pipeline.run import check_before, outcome_of, publish, read_sources
from tidelog.pipeline.spark_backend import SparkBackend
from tidelog.pipeline.stream_state import HIDDEN, Commit, StreamState, hidden
from tidelog.pipeline.terminal import Terminal
from tidelog.program.program import check
from tidelog.source import Source
from tidelog.streams.fitting import fitting
from tidelog.streams.update import Update
from tidelog.syntax.printer import Printer

if TYPE_CHECKING:
    from tidelog.changes import Change

_LOOK_EVERY = 0.1
"""Seconds between two looks at whether the stream is to end; a commit is a reason to look at once."""


Show = Callable[[int, "Change", int], None]
"""Told of each update: its number, what it changed, and how many are waiting in its batch."""


class StoppedError(Exception):
    """A batch that comes when the job is about to end; Spark will give it again."""


class BrokenUpdateError(Exception):
    """An update is broken, and the job is to stop at those."""

    def __init__(self, error: TidelogError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(slots=True)
class _Batch:
    """What a batch has done so far."""

    position: tuple[str, int]
    updates: int = 0
    feed: list[dict[str, Any]] = field(default_factory=list)
    broken: list[dict[str, Any]] = field(default_factory=list)
    changes: list[tuple[bool, Any]] = field(default_factory=list)


class StreamingJob:
    """One run of a streaming job: `begin`, `follow`, `close`."""

    def __init__(self, job: Job, terminal: Terminal, should_stop: Callable[[], bool], spark: Any = None) -> None:
        """`spark` is a session to work beside; one is started if there is none."""
        self.job, self.terminal, self.should_stop = job, terminal, should_stop
        self._show: Show = lambda *_: None
        if job.stream is None:
            fix = "add `[stream]` with `folder` and `state`, or use `tidelog pipeline run`"
            raise fail("TL090", "the job has no `[stream]`", source=job.source, fix=fix)
        self.part: StreamPart = job.stream
        self.state = StreamState(self.part.state)
        self.backend = SparkBackend(job, spark=spark)
        self._spark, self._written = spark, job.program.document.source.text
        self._lock, self._has_news = threading.Lock(), threading.Event()
        self._is_stopping = False
        self._since_snapshot = 0
        self._has_other_rules = False
        self._broken: BrokenUpdateError | None = None
        self._failed: Exception | None = None
        """What a batch broke off with: Spark tells it only when its own thread has ended."""
        self._seen: tuple[tuple[Any, ...], Update] | None = None
        """An update that was looked at before its turn: the knowledge base knows it again by its identity."""

    @property
    def committed(self) -> Commit:
        """How far the stream has come."""
        assert self.state.last is not None
        return self.state.last

    def _refuse_connect(self) -> None:
        from tidelog.spark.session import is_connect

        if is_connect(self.backend.kb.spark):
            fix = "run the job with a classic session; batches run on Spark Connect, too"
            raise fail("TL074", "a stream is not available on Spark Connect, where batches run in another process", fix=fix)

    def begin(self) -> None:
        """Have the facts of the last commit, or, the first time, those of the sources, and all that follows from them."""
        check_before(self.job, reads_sources=not (Path(self.part.state) / "commits").is_dir())
        last = self.state.open()
        if last is not None and last.program and last.program_before == self._written:
            changed = check(Source(last.program, f"{self.job.program.document.source.name}, as updates have left it"))
            self.job = replace(self.job, program=changed)
            self.backend = SparkBackend(self.job, spark=self._spark)
        self._refuse_connect()
        kb = self.backend.kb
        for folder in (self.part.feed, self.part.broken_folder):
            for path in Path(folder).glob(f"{HIDDEN}*") if folder is not None else ():
                path.unlink()  # of a batch that was never committed
        if last is None:
            outcome = outcome_of(self.job)
            read_sources(self.job, self.backend, outcome, self.terminal)
            self.terminal.doing("deriving")
            self._publish()
            self.state.commit(Commit(snapshot=self.state.write_snapshot(kb.explicit_facts())))
        else:
            self.terminal.doing("deriving what follows from the facts of the last commit")
            kb.restore(list(self.state.facts(kb.spark)))
            self._since_snapshot = len(last.log)
        for placed in self.backend.placements():
            self.terminal.done(f"{', '.join(placed.relations)}: {placed.where}, {placed.facts:,} facts")

    # --- following -------------------------------------------------------------------------------------------------------

    def follow(self, show: Show, *, once: bool = False) -> Commit:
        """Work off updates until somebody asks to stop, or, with `once`, until nothing is waiting; the last commit."""
        self._show = show
        self._query(once=once)
        if self._since_snapshot:
            self._snapshot()
        if self._broken is not None:
            raise self._broken.error
        return self.committed

    def close(self) -> None:
        """Give back what the knowledge base holds."""
        self.backend.close()

    def _query(self, *, once: bool) -> None:
        from tidelog.spark.update_folder import entries, updates_of

        spark, part = self.backend.kb.spark, self.part
        self._fit = fitting(self.backend.kb.relations)
        checkpoint = Path(part.state) / "checkpoint"
        writer = updates_of(spark, part.folder, part.updates).writeStream.foreachBatch(self._batch)
        writer = writer.option("checkpointLocation", f"file://{checkpoint.absolute()}")
        query = writer.trigger(processingTime="100 milliseconds").start()
        try:
            while query.isActive and not self.should_stop():
                if once and next(entries(Path(part.folder), self.committed.position), None) is None:
                    break
                self._has_news.wait(_LOOK_EVERY)
                self._has_news.clear()
        finally:
            with self._lock:  # a batch in hand is finished first
                self._is_stopping = True
            error = query.exception()
            query.stop()
        if self._broken is not None:
            return
        if self._failed is not None:
            raise broken_off(f"{type(self._failed).__name__}: {self._failed}")
        if error is not None and StoppedError.__name__ not in str(error):
            raise broken_off(str(error))

    def _batch(self, frame: Any, number: int) -> None:
        with self._lock:
            if self._is_stopping:
                raise StoppedError
            try:
                self._do(sorted(map(tuple, frame.collect()), key=lambda row: row[:2]), number)
            except Exception as error:
                self._failed = error
                raise

    def _do(self, rows: Sequence[tuple[Any, ...]], number: int) -> None:
        """Work off a batch, as far as it has not been done."""
        self._work_off([row for row in rows if row[:2] > self.committed.position], number)
        if self._broken is not None:
            self._is_stopping = True
            raise self._broken
        if self._since_snapshot >= self.part.snapshot_every:
            self._snapshot()

    def _work_off(self, rows: Sequence[tuple[Any, ...]], number: int) -> None:
        """Work off the updates of a batch, and commit them."""
        done = _Batch(self.committed.position)
        texts = [row for row in rows if not row[4]]
        for at, (file, line, text, *_) in enumerate(texts):
            place = f"{file}:{line}"
            try:
                update = self._update(texts[at][:4])
                change = self.backend.kb._work_off(update, lambda at=at: self._ahead(rows[at + 1 : at + 2]))
            except TidelogError as error:
                if self.part.broken == "stop":
                    self._broken = BrokenUpdateError(error)
                    break
                reason = str(error)
                done.broken.append({"batch": number, "file": file, "line": line, "text": text, "reason": reason})
            else:
                name = place if update.id is None else str(update.id)
                done.feed += rows_of(number, name, change)
                done.changes += change.explicit()
                self._show(self.committed.updates + done.updates + 1, change, len(texts) - at - 1)
                done.updates += 1
                if update.add_rules or update.remove_rules:
                    self._take_up_rules()
            done.position = file, line
        if done.position > self.committed.position:
            self._commit(done, number)

    def _update(self, row: tuple[Any, ...]) -> Update:
        """The update of a row of a batch: file, line, text, and what is wrong with it."""
        seen, self._seen = self._seen, None
        if seen is not None and seen[0] == row:
            return seen[1]
        file, line, text, problem = row
        if problem is not None:
            code, _, said = problem.partition(": ")
            raise fail(code if code.startswith("TL") else "TL060", said or problem, fix="write the file again under another name")
        return self._fit(Update.from_json(text, f"{file}:{line}"))

    def _take_up_rules(self) -> None:
        """Go on with the rules that the last update has left."""
        self.job = replace(self.job, program=self.backend.kb.program)
        self._fit = fitting(self.backend.kb.relations)
        self._has_other_rules, self._seen = True, None

    def _ahead(self, rows: Sequence[tuple[Any, ...]]) -> Update | None:
        """The update behind the one in hand, if it is there and can be understood."""
        if not rows:
            return None
        try:
            update = self._update(rows[0][:4])
        except TidelogError:
            return None  # what is wrong with it is said when its turn comes
        self._seen = rows[0][:4], update
        return update

    # --- committing ------------------------------------------------------------------------------------------------------

    def _commit(self, done: _Batch, batch: int) -> None:
        last, part, files = self.committed, self.part, []
        name = f"{last.number + 1:08}"
        for rows, folder, form in ((done.feed, part.feed, part.feed_format), (done.broken, part.broken_folder, "json")):
            if rows and folder is not None:
                path = Path(folder).absolute() / f"{name}{ENDINGS[form]}"
                write_rows(rows, hidden(path, self.state.epoch), form)
                files.append(str(path))
        file, line = done.position
        has_others = self._has_other_rules
        self.state.commit(
            replace(
                last,
                program=Printer().document(self.job.program.document) if has_others else last.program,
                program_before=self._written if has_others else last.program_before,
                query=self._query_id(),
                batch=batch,
                file=file,
                line=line,
                updates=last.updates + done.updates,
                broken=last.broken + len(done.broken),
                log=(*last.log, *self.state.write_log(done.changes)),
                files=tuple(files),
            )
        )
        self._since_snapshot += 1
        self._has_news.set()

    def _query_id(self) -> str:
        text = (Path(self.part.state) / "checkpoint" / "metadata").read_text(encoding="utf-8")
        return str(json.loads(text)["id"])

    def _snapshot(self) -> None:
        """New versions of the sinks, and a state that starts from here."""
        self._publish()  # first, for as long as there is a log, the next run does it again
        snapshot = self.state.write_snapshot(self.backend.kb.explicit_facts())
        self.state.commit(replace(self.committed, snapshot=snapshot, log=(), files=()))
        self._since_snapshot = 0

    def _publish(self) -> None:
        known = self.backend.kb.relations
        sinks = tuple(sink for sink in self.job.sinks if sink.relation in known)
        if sinks:
            publish(replace(self.job, sinks=sinks), self.backend, self.terminal)


def broken_off(problem: str) -> TidelogError:
    """What Spark says of a query that failed, in one sentence."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    said = next((line for line in reversed(lines) if _ERROR.match(line)), lines[0] if lines else "nobody said why")
    fix = "start the job again: it goes on after the last commit"
    return fail("TL095", f"the stream broke off: {_ERROR.sub('', said)}", fix=fix)


_ERROR = re.compile(r"([\w.]+(Error|Exception): |error (?=TL\d))")
