"""The results of a streaming job between two micro-batches: new versions of its sinks, and a report."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

from tidelog.pipeline.batch.run import outcome_of, publish, read_sources
from tidelog.pipeline.batch.sinks import StoreOf, write_report
from tidelog.pipeline.batch.spark_backend import SparkBackend
from tidelog.pipeline.job.job_file import Job
from tidelog.pipeline.report.outcome import Outcome, StreamHistory
from tidelog.pipeline.report.terminal import Terminal
from tidelog.pipeline.streaming.arrivals import Arrivals
from tidelog.pipeline.streaming.batch_worker import BatchResult
from tidelog.pipeline.streaming.stream_state import Commit
from tidelog.syntax.printer import Printer

_LOG = logging.getLogger("tidelog.spark.stream")


def log_commit(commit: Commit, done: BatchResult, arrivals: Arrivals, seconds: float) -> None:
    """A line for each commit; handlers that send metrics find the numbers in the attribute `tidelog` of the record."""
    numbers = {
        "commit": commit.number,
        "batch": done.number,
        "updates": done.updates,
        "broken": done.broken,
        "inserted": sum(update.facts_in for update in done.applied),
        "deleted": sum(update.facts_out for update in done.applied),
        "waiting": arrivals.behind,
        "seconds": round(seconds, 6),
        "updates_in_all": commit.updates,
        "broken_in_all": commit.broken,
    }
    shown = numbers["updates"], numbers["broken"], numbers["inserted"], numbers["deleted"], seconds
    _LOG.info(f"batch {done.number}: %d updates, %d broken, %d facts in, %d out, in %.3f s", *shown, extra={"tidelog": numbers})


class StreamResults:
    """The outcome of a streaming job since it was started."""

    def __init__(self, job: Job, terminal: Terminal) -> None:
        self._given, self._terminal = job, terminal
        self.outcome = outcome_of(job)
        self.history = StreamHistory()

    def read_sources(self, job: Job, backend: SparkBackend) -> None:
        """Load all sources."""
        started = perf_counter()
        backend.start()
        self.outcome.stages["start"] = perf_counter() - started
        started = perf_counter()
        read_sources(job, backend, self.outcome, self._terminal)
        self.outcome.stages["read"] = perf_counter() - started

    def publish(self, job: Job, backend: SparkBackend, check: Callable[[], None]) -> None:
        """Publish new versions of the sinks whose relations exist: updates may have removed rules, and relations with them.

        `check` raises an error if another job has taken over.
        """
        known = backend.kb.relations
        sinks = tuple(sink for sink in job.sinks if sink.relation in known)
        outcome = publish(replace(job, sinks=sinks), backend, self._terminal, check)
        before, self.outcome = self.outcome, outcome
        outcome.inputs, outcome.rejected = before.inputs, before.rejected
        outcome.rejected_rows, outcome.rejects_folder = before.rejected_rows, before.rejects_folder
        outcome.stages = before.stages
        if job.program is not self._given.program:
            outcome.program_text = Printer().document(job.program.document)  # as changed by updates

    def report(self, job: Job, last: Commit, store_of: StoreOf) -> Outcome:
        """Write the report, if the job wants one."""
        history, outcome = self.history, self.outcome
        history.in_all, history.broken = last.updates, last.broken
        outcome.stream, outcome.stages["updates"] = history, history.seconds
        if job.report is not None:
            write_report(outcome, job.report, store_of)
        return outcome
