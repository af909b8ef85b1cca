"""`tidelog pipeline`, with `run`, `stream` and `check`: jobs from their files."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidelog.cli.common.in_json import AsJson, job_in_json, print_json
from tidelog.cli.common.stopping import Stopped, Stopping
from tidelog.cli.shell import HELP_NAMES, app, reporting, show
from tidelog.errors import render_all

if TYPE_CHECKING:
    from tidelog.changes import Change

JobFile = Annotated[Path, typer.Argument(help="A job file (TOML).", metavar="JOB")]

pipeline = typer.Typer(
    help="Run jobs: files and tables in, facts derived, results out.", no_args_is_help=True, context_settings=HELP_NAMES
)
app.add_typer(pipeline, name="pipeline")


class PlacementName(StrEnum):
    """Where the Spark engine evaluates."""

    AUTO = "auto"
    KERNEL = "kernel"
    DECOMPOSED = "decomposed"
    ROUNDS = "rounds"
    COMPONENTS = "components"


@pipeline.command("run")
@reporting
def run_command(
    job: JobFile,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show sources, schemas, placements expected and sinks; run nothing.")
    ] = False,
    placement: Annotated[
        PlacementName | None, typer.Option(help="Evaluate everything there, whatever the job file says.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write the report to this file.", metavar="FILE")] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
) -> None:
    """Run a job: read its sources, derive what follows, write its sinks and its report."""
    from tidelog.pipeline.job.job_file import read_job
    from tidelog.pipeline.report.outcome import manifest_of
    from tidelog.pipeline.report.terminal import summary, terminal

    chosen = read_job(job)
    if placement is not None:
        chosen = replace(chosen, engine=replace(chosen.engine, placement=placement.value))
    if report is not None:
        chosen = replace(chosen, report=str(report))
    if dry_run:
        from tidelog.pipeline.batch.dry_run import describe
        from tidelog.pipeline.batch.run import backend_for, check_before
        from tidelog.pipeline.batch.sinks import Sinks

        engine = backend_for(chosen)
        check_before(chosen, Sinks(chosen.sinks, "", engine.store))
        lines = list(describe(chosen, engine))
        if as_json:
            print_json(job_in_json(chosen, lines))
        else:
            show(lines)
        return
    from tidelog.pipeline.batch.run import run_job

    with terminal(is_quiet=quiet) as shown:
        outcome = run_job(chosen, terminal=shown)
    if as_json:
        print_json(manifest_of(outcome))
    elif not quiet:
        show(summary(outcome))


@pipeline.command("stream")
@reporting
def stream_command(
    job: JobFile,
    once: Annotated[bool, typer.Option("--once", help="Apply the updates that are waiting, and end.")] = False,
    report: Annotated[Path | None, typer.Option(help="Write the report to this file.", metavar="FILE")] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
) -> None:
    """Follow a folder of updates: maintain what follows, write what each update changes; resume where an earlier run stopped.

    SIGTERM and Ctrl-C end it after the current micro-batch.
    """
    from tidelog.cli.stream_display import Done, stream_display
    from tidelog.pipeline.job.job_file import read_job
    from tidelog.pipeline.report.terminal import terminal
    from tidelog.pipeline.streaming.streaming_job import StreamingJob

    chosen = read_job(job)
    if report is not None:
        chosen = replace(chosen, report=str(report))
    with Stopping() as stopping:
        with terminal(is_quiet=quiet) as shown:
            streaming = StreamingJob(chosen, shown, lambda: stopping.requested is not None)
            try:
                streaming.begin()
            except Stopped:
                streaming.close()
                shown.done("stopped before the first update; the next start resumes after the last commit, if there is one")
                return
        try:
            with stopping.working(), stream_display(is_quiet=quiet, is_printing=False) as display:

                def show_update(number: int, change: Change, waiting: int) -> None:
                    display.done(Done(number, change, waiting, streaming.placements()))

                streaming.progress = display.progress
                last = streaming.follow(show_update, once=once)
        finally:
            streaming.close()
    if as_json:
        counted = {"updates": display.updates, "facts_in": display.facts_in, "facts_out": display.facts_out}
        print_json({**counted, "updates_in_all": last.updates, "broken": last.broken, "last": f"{last.file}:{last.line}"})
    elif not quiet:
        broken = f", {last.broken:,} broken set aside" if last.broken else ""
        typer.echo(f"{display.summary()}; {last.updates:,} in all{broken}, last {last.file}:{last.line}", err=True)
        if chosen.report is not None:
            typer.echo(f"report -> {chosen.report}", err=True)
    if stopping.requested == signal.SIGINT:
        raise typer.Exit(130)


@pipeline.command("check")
@reporting
def check_command(job: JobFile, as_json: AsJson = False) -> None:
    """Check a job file and its program, without opening sources or sinks; list all errors, or say what the job is."""
    from tidelog.pipeline.batch.dry_run import describe
    from tidelog.pipeline.job.job_file import read_job

    chosen = read_job(job)
    if as_json:
        print_json(job_in_json(chosen, list(describe(chosen))))
        return
    show(describe(chosen))
    filled = {source.relation for source in chosen.sources}
    has_triples = any(source.is_rdf for source in chosen.sources)
    warnings = [
        warning
        for warning in chosen.program.warnings
        if warning.code != "TL101" or not (has_triples or warning.relation in filled)
    ]
    if warnings:
        show(["", render_all(warnings)])
    for name in chosen.variables:
        if name not in os.environ:
            typer.echo(f"the environment has no variable {name}, which a run will need", err=True)
