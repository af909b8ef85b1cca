"""`tidelog stream`: a materialisation maintained under a stream of updates."""

from __future__ import annotations

import json
import signal
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidelog.cli import evaluation
from tidelog.cli.common.in_json import AsJson, errors_of, print_json
from tidelog.cli.common.stopping import Stopped, Stopping
from tidelog.cli.limits import LONGEST, MOST_FACTS, Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, check_program, reporting
from tidelog.errors import fail

if TYPE_CHECKING:
    from tidelog.changes import Change
    from tidelog.cli.stream_display import StreamDisplay
    from tidelog.core.limits import Progress
    from tidelog.kb import KnowledgeBase
    from tidelog.streams.following import Following
    from tidelog.streams.journal import Journal, Position
    from tidelog.streams.update import Update, UpdateError

_INTERRUPTED = 130


class Durability(StrEnum):
    """What a loss of power may take: nothing, the last moment, everything."""

    FSYNC = "fsync"
    BATCH = "batch"
    NONE = "none"


class OnError(StrEnum):
    """What becomes of an update that cannot be read or applied."""

    STOP = "stop"
    SET_ASIDE = "set-aside"


class Marking(StrEnum):
    """Whether the deletions of the next update are marked while one is applied."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


class StartingOver(StrEnum):
    """What becomes of an update that would derive a relation from scratch."""

    ALLOW = "allow"
    WARN = "warn"
    REFUSE = "refuse"


@app.command("stream")
@reporting
def stream_command(  # each parameter is an argument or option of the command
    updates: Annotated[
        str, typer.Option(help="Updates: a file of JSON Lines, a folder of such files, or - for standard input.", metavar="PATH")
    ],
    program: OptionalProgram = None,
    facts: evaluation.FactsFolder = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write a line of JSON for each change to this file, not to standard output.", metavar="FILE"),
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more when the file or folder has been read.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Resume after the last update that an earlier run finished.")] = False,
    stats: Annotated[Path | None, typer.Option(help="Write what each update took to this CSV file.", metavar="FILE")] = None,
    algorithm: Annotated[
        str | None, typer.Option(help="How deletions are maintained: auto, ranked, bf, ...; auto by default.", metavar="NAME")
    ] = None,
    marking: Annotated[
        Marking | None, typer.Option(help="Prepare for the next update if it is waiting already; auto by default.")
    ] = None,
    starting_over: Annotated[
        StartingOver | None, typer.Option(help="An update that would derive a relation from scratch is made, noted, or an error.")
    ] = None,
    limit_facts: evaluation.LimitFacts = MOST_FACTS,
    limit_seconds: evaluation.LimitSeconds = None,
    limit_rounds: evaluation.LimitRounds = None,
    limit_memory: evaluation.LimitMemory = "auto",
    limit_text: evaluation.LimitText = LONGEST,
    input_root: evaluation.InputRoot = None,
    no_modules: evaluation.NoModules = False,
    saved: OpenFolder = None,
    on_error: Annotated[
        OnError,
        typer.Option("--on-error", help="An update with an error ends the stream, or is set aside in FILE.set-aside."),
    ] = OnError.STOP,
    durability: Annotated[Durability, typer.Option(help="What a loss of power may take from --open.")] = Durability.BATCH,
    as_json: AsJson = False,
    quiet: evaluation.Quiet = False,
) -> None:
    """Maintain what follows from a program under a stream of updates; print or write what each of them changes."""
    from tidelog.cli.stream_display import stream_display
    from tidelog.streams.following import Following, open_source
    from tidelog.streams.journal import Journal

    check_program(program, saved)
    _check(program, updates, out, resume=resume, sets_aside=(sets_aside := on_error is OnError.SET_ASIDE))
    limits = Limits(limit_facts, limit_seconds, limit_rounds, limit_memory, limit_text, input_root)
    with ExitStack() as stack:
        stopping = stack.enter_context(Stopping())
        display = stack.enter_context(stream_display(is_quiet=quiet, is_printing=out is None))

        def look(progress: Progress) -> None:
            stopping.look()
            display.progress(progress)

        try:
            source = open_source(updates, wait=follow, longest=limits.longest)
            journal = Journal(out, stats, resume=resume, sets_aside=sets_aside)
            given = {"modules": not no_modules, "durability": durability.value}
            given |= _chosen(algorithm, marking, starting_over)
            kb = evaluation.knowledge_base(program, facts, limits, look, quiet=quiet, saved=saved, **given)
            stack.enter_context(kb)
            following = stack.enter_context(Following(kb, source))
            following.passes_over_errors = sets_aside
            resumed = _resume(kb, following, journal.position, saved)
            _ = kb.statistics  # what follows from the facts before the first update is derived now
            if resumed is None:
                journal.begin_at(_sequence(kb))
            with journal, stopping.working():
                if resumed is not None:
                    _write_down(kb, resumed, following, journal, display)
                _apply_all(kb, following, journal, display, stopping, sets_aside=sets_aside)
        except Stopped:
            pass
    _end(display, stopping, as_json=as_json, quiet=quiet)


def _chosen(algorithm: str | None, marking: Marking | None, starting_over: StartingOver | None) -> dict[str, Any]:
    """The options that are given: others are those with which a folder was saved, or as usual."""
    given: dict[str, Any] = {} if algorithm is None else {"algorithm": algorithm}
    if marking is not None:
        given["marking"] = {"auto": "auto", "on": True, "off": False}[marking.value]
    return given if starting_over is None else given | {"starting_over": starting_over.value}


def _check(program: Path | None, updates: str, out: Path | None, *, resume: bool, sets_aside: bool) -> None:
    """Refuse options that do not go together."""
    if resume and out is None:
        raise typer.BadParameter("--resume needs --out, beside which the position is recorded")
    if sets_aside and out is None:
        raise typer.BadParameter("--on-error set-aside needs --out, beside which updates are set aside")
    if str(program) == updates == "-":
        raise typer.BadParameter("standard input is either the program or the updates")


def _end(display: StreamDisplay, stopping: Stopping, *, as_json: bool, quiet: bool) -> None:
    """Say what has been done."""
    if as_json:
        print_json({**display.counts(), "stopped": stopping.requested is not None}, err=True)
    elif not quiet:
        typer.echo(("stopped after " if stopping.requested is not None else "") + display.summary(), err=True)
    if stopping.requested == signal.SIGINT:
        raise typer.Exit(_INTERRUPTED)


def _apply_all(
    kb: KnowledgeBase, following: Following, journal: Journal, display: StreamDisplay, stopping: Stopping, *, sets_aside: bool
) -> None:
    """Apply one update after the other and write down what it has changed, or what is wrong with it."""
    from tidelog.streams.update import UpdateError

    while True:
        try:
            if (update := stopping.waiting_for(following.take)) is None:
                return
            done = update, following.apply(update)
        except UpdateError as error:
            if not sets_aside or _is_of_the_folder(error):
                raise
            _set_aside(kb, error, journal, display)
        else:
            _write_down(kb, done, following, journal, display)


def _resume(kb: KnowledgeBase, following: Following, position: Position, saved: Path | None) -> tuple[Update, Change] | None:
    """Go on after the last update that an earlier run finished; an update that only the folder has, with its change.

    A saved knowledge base has these updates already, and perhaps one more, whose change was not written down.
    """
    if saved is None:
        if position.finished:
            position.check(following.replay(position.finished), following.number)
        return None
    if not position.finished and position.sequence < 0:
        return None
    position.check(following.skip(position.finished), following.number)
    ahead = _sequence(kb) - position.sequence
    if ahead == 0:
        return None
    change = kb.recovery.last_change if kb.recovery is not None else None
    if ahead != 1 or change is None or (update := following.take()) is None:
        fix = "start over without --resume and with another folder"
        raise fail("TL077", f"cannot resume: {saved} has {ahead:,} changes that are not in this stream's output", fix=fix)
    return update, replace(change, id=update.id)


def _sequence(kb: KnowledgeBase) -> int:
    """The number of the last change of a saved knowledge base."""
    journal = getattr(getattr(kb, "saved", None), "journal", None)
    return journal.sequence if journal is not None else -1


def _is_of_the_folder(error: UpdateError) -> bool:
    """Whether not the update is wrong, but what it is read from or recorded in."""
    return not {problem.code for problem in error.diagnostics}.isdisjoint(("TL060", "TL062", "TL065", "TL066", "TL096"))


def _set_aside(kb: KnowledgeBase, error: UpdateError, journal: Journal, display: StreamDisplay) -> None:
    """Write an update down that has changed nothing, with what is wrong with it."""
    update = error.update
    described = {} if update is None else {"place": update.place, "update": update.to_dict()}
    line = json.dumps({"number": error.number, **described, **errors_of(error)}, ensure_ascii=False) + "\n"
    journal.set_aside(update, error.number, line, sequence=_sequence(kb))
    display.set_aside(error)


def _write_down(
    kb: KnowledgeBase, done: tuple[Update, Change], following: Following, journal: Journal, display: StreamDisplay
) -> None:
    from tidelog.cli.stream_display import Done, heading

    update, change = done
    shown = Done(following.number, change, following.backlog)
    journal.add(update, following.number, change.to_json() + "\n", heading(), shown.row(), sequence=_sequence(kb))
    display.done(shown)
