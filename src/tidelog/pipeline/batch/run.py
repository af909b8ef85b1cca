"""A job from its sources to its report: read, derive, write, publish, report.

Nothing that a reader sees changes before everything has been derived and written; see `sinks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from time import perf_counter
from typing import TYPE_CHECKING

from tidelog.errors import Diagnostics, TidelogError
from tidelog.pipeline.batch.backend import Backend, ShowProgress
from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.batch.sinks import Sinks, write_report
from tidelog.pipeline.job.job_file import Job
from tidelog.pipeline.job.schemas import missing_file, size_and_age
from tidelog.pipeline.report.outcome import Input, Outcome, shown_size
from tidelog.pipeline.report.terminal import Terminal, input_line
from tidelog.redaction import check_variables, shown_options, without_passwords

if TYPE_CHECKING:
    from tidelog.pipeline.job.job_file import Job


def run_job(job: Job, *, terminal: Terminal | None = None, backend: Backend | None = None) -> Outcome:
    """Run a job; what it did, or a `TidelogError` after which every folder of results is as it was.

    `backend` replaces that of the engine that the job file names.
    """
    shows = terminal or Terminal(is_quiet=True)
    started = perf_counter()
    outcome = outcome_of(job)
    engine = backend or backend_for(job, shows.progress)
    try:
        sinks = Sinks(job.sinks, outcome.run_id, engine.store)
        check_before(job, sinks)
        with sinks:
            if job.engine.name == "spark":
                shows.doing("starting Spark")
                with _stage(outcome, "start"):
                    engine.start()
            with _stage(outcome, "read"):
                read_sources(job, engine, outcome, shows)
            with _stage(outcome, "derive"):
                _derive(job, engine, outcome, shows)
            with _stage(outcome, "write"):
                outcome.outputs += sinks.write(engine, outcome.counts, shows.doing)
            outcome.seconds = perf_counter() - started
            _show_names(job, outcome)
            sinks.publish(outcome)
    finally:
        engine.close()
    if job.report is not None:
        shows.doing("writing the report")
        write_report(outcome, job.report, engine.store)
    return outcome


def publish(job: Job, engine: Backend, shows: Terminal, check: Callable[[], None]) -> Outcome:
    """Publish new versions of all sinks from the current facts of an engine; `check` may refuse just before."""
    outcome = outcome_of(job)
    started = perf_counter()
    with Sinks(job.sinks, outcome.run_id, engine.store) as sinks:
        _derive(job, engine, outcome, shows)
        outcome.outputs += sinks.write(engine, outcome.counts, shows.doing)
        outcome.seconds = perf_counter() - started
        _show_names(job, outcome)
        check()
        sinks.publish(outcome)
    return outcome


def check_before(job: Job, sinks: Sinks, *, reads_sources: bool = True) -> None:
    """Raise one error with all that would stop the run at once: variables, files and folders."""
    diagnostics = Diagnostics()
    for problem in (missing_file(source) for source in job.sources if reads_sources):
        if problem is not None:
            diagnostics.extend(problem.diagnostics)
    try:
        check_variables(job.variables)
    except TidelogError as error:
        diagnostics.extend(error.diagnostics)
    try:
        sinks.check()
    except TidelogError as error:
        diagnostics.extend(error.diagnostics)
    diagnostics.raise_errors()


def outcome_of(job: Job) -> Outcome:
    """What is known of a run before it begins."""
    program, engine, limits = job.program, job.engine, job.limits
    return Outcome(
        job=job.name,
        engine=engine.name,
        program_name=program.document.source.name,
        program_text=program.document.source.text,
        settings={
            "placement": engine.placement,
            "memory_budget": shown_size(engine.memory_budget) or None,
            "lineage": engine.lineage,
            "modules": engine.modules,
            "limits": asdict(limits),
        },
        derived=frozenset(program.printer.predicate(name) for name, known in program.relations.items() if known.has_rules),
        report=job.report,
    )


@contextmanager
def _stage(outcome: Outcome, name: str) -> Iterator[None]:
    started = perf_counter()
    yield
    outcome.stages[name] = perf_counter() - started


def read_sources(job: Job, engine: Backend, outcome: Outcome, shows: Terminal) -> None:
    """Load all sources."""
    rejects = RejectLog(job.rejects_folder, outcome.run_id, job.limits.rejects, engine.store(job.rejects_folder))
    shown = job.program.printer.predicate
    for source in job.sources:
        origin = without_passwords(source.origin)
        shows.doing(f"reading {origin}")
        size, modified = size_and_age(source)
        started = perf_counter()
        loaded = engine.load(source, rejects)
        names = tuple(shown(name) for name in loaded.relations)
        outcome.inputs.append(
            Input(
                names,
                origin,
                source.format or "table",
                loaded.rows,
                loaded.rejected,
                size,
                modified,
                perf_counter() - started,
                loaded.note,
                shown_options(source.options),
            )
        )
        shows.done(input_line(loaded.rows, ", ".join(names) or "no relation", origin, size, loaded.rejected))
    outcome.rejected, outcome.rejected_rows = rejects.count, rejects.first
    outcome.rejects_folder = rejects.folder


def _derive(job: Job, engine: Backend, outcome: Outcome, shows: Terminal) -> None:
    shows.doing("deriving")
    outcome.counts = {name: engine.count(name) for name in job.program.relations}
    outcome.placements, outcome.rounds = engine.placements(), engine.rounds()
    outcome.versions = engine.versions()


def _show_names(job: Job, outcome: Outcome) -> None:
    """Replace the full names of relations by those that the program uses, with prefixes."""
    shown = job.program.printer.predicate
    outcome.counts = {shown(name): count for name, count in outcome.counts.items()}
    outcome.placements = [replace(p, relations=tuple(shown(name) for name in p.relations)) for p in outcome.placements]
    outcome.outputs = [replace(output, relation=shown(output.relation)) for output in outcome.outputs]
    outcome.rejected_rows = [replace(row, relation=shown(row.relation)) for row in outcome.rejected_rows]


def backend_for(job: Job, progress: ShowProgress | None = None) -> Backend:
    """The backend of the engine that the job file names."""
    if job.engine.name == "local":
        from tidelog.pipeline.batch.local_backend import LocalBackend

        return LocalBackend(job, progress)
    from tidelog.pipeline.batch.spark_backend import SparkBackend

    return SparkBackend(job, progress)
