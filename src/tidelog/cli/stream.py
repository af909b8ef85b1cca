"""`tidelog stream`: a materialisation maintained under a stream of updates."""

from __future__ import annotations

import signal
from contextlib import ExitStack
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tidelog.cli import evaluation
from tidelog.cli.limits import LONGEST, MOST_FACTS, Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, check_program, reporting
from tidelog.cli.stopping import Stopped, Stopping
from tidelog.errors import fail

if TYPE_CHECKING:
    from tidelog.changes import Change
    from tidelog.cli.stream_display import StreamDisplay
    from tidelog.core.limits import Progress
    from tidelog.kb import KnowledgeBase
    from tidelog.streams.following import Following
    from tidelog.streams.journal import Journal, Position
    from tidelog.streams.update import Update

_INTERRUPTED = 130


class Durability(StrEnum):
    """What a loss of power may take: nothing, the last moment, everything."""

    FSYNC = "fsync"
    BATCH = "batch"
    NONE = "none"


class Marking(StrEnum):
    """Whether the deletions of the next update are marked while one is applied."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


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
    algorithm: Annotated[str, typer.Option(help="How deletions are maintained: auto, ranked, bf, ...", metavar="NAME")] = "auto",
    marking: Annotated[Marking, typer.Option(help="Prepare for the next update if it is waiting already.")] = Marking.AUTO,
    limit_facts: evaluation.LimitFacts = MOST_FACTS,
    limit_seconds: evaluation.LimitSeconds = None,
    limit_rounds: evaluation.LimitRounds = None,
    limit_memory: evaluation.LimitMemory = "auto",
    limit_text: evaluation.LimitText = LONGEST,
    input_root: evaluation.InputRoot = None,
    no_modules: evaluation.NoModules = False,
    saved: OpenFolder = None,
    durability: Annotated[Durability, typer.Option(help="What a loss of power may take from --open.")] = Durability.BATCH,
    quiet: evaluation.Quiet = False,
) -> None:
    """Maintain what follows from a program under a stream of updates; print or write what each of them changes."""
    from tidelog.cli.stream_display import stream_display
    from tidelog.streams.following import Following, open_source
    from tidelog.streams.journal import Journal

    check_program(program, saved)
    if resume and out is None:
        raise typer.BadParameter("--resume needs --out, beside which the position is recorded")
    if str(program) == updates == "-":
        raise typer.BadParameter("standard input is either the program or the updates")
    limits = Limits(limit_facts, limit_seconds, limit_rounds, limit_memory, limit_text, input_root)
    with ExitStack() as stack:
        stopping = stack.enter_context(Stopping())
        display = stack.enter_context(stream_display(is_quiet=quiet, is_printing=out is None))

        def look(progress: Progress) -> None:
            stopping.look()
            display.progress(progress)

        try:
            source = open_source(updates, wait=follow, longest=limits.longest)
            journal = Journal(out, stats, resume=resume)
            kb = evaluation.knowledge_base(
                program,
                facts,
                limits,
                look,
                modules=not no_modules,
                quiet=quiet,
                algorithm=algorithm,
                marking={"auto": "auto", "on": True, "off": False}[marking.value],
                saved=saved,
                durability=durability.value,
            )
            stack.enter_context(kb)
            following = stack.enter_context(Following(kb, source))
            resumed = _resume(kb, following, journal.position, saved)
            _ = kb.statistics  # what follows from the facts before the first update is derived now
            if resumed is None:
                journal.begin_at(_sequence(kb))
            with journal, stopping.working():
                if resumed is not None:
                    _write_down(kb, resumed, following, journal, display)
                while (update := stopping.waiting_for(following.take)) is not None:
                    _write_down(kb, (update, following.apply(update)), following, journal, display)
        except Stopped:
            pass
    if not quiet:
        typer.echo(("stopped after " if stopping.requested is not None else "") + display.summary(), err=True)
    if stopping.requested == signal.SIGINT:
        raise typer.Exit(_INTERRUPTED)


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


def _write_down(
    kb: KnowledgeBase, done: tuple[Update, Change], following: Following, journal: Journal, display: StreamDisplay
) -> None:
    from tidelog.cli.stream_display import Done, heading

    update, change = done
    shown = Done(following.number, change, following.backlog)
    journal.add(update, following.number, change.to_json() + "\n", heading(), shown.row(), sequence=_sequence(kb))
    display.done(shown)
