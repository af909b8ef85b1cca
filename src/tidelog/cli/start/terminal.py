"""`tidelog repl`: reads lines from a terminal, with history and completion, or from a file, without."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import typer

from tidelog import __version__
from tidelog.cli.common.in_json import AsJson, errors_of, print_json
from tidelog.cli.evaluation import FactsFolder, RdfFiles, knowledge_base
from tidelog.cli.limits import Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, reporting
from tidelog.cli.start.session import Session
from tidelog.errors import TidelogError
from tidelog.kb import KnowledgeBase

_PROMPT = "tidelog> "
_LENGTH_OF_HISTORY = 2000


@app.command("repl")
@reporting
def repl_command(
    program: OptionalProgram = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
) -> None:
    """Enter rules, facts and questions line by line; `:help` says how.  Lines from a file are taken as well."""
    if program is None and saved is None:
        opened: KnowledgeBase = KnowledgeBase(**Limits().options())
    else:
        durability = {} if saved is None else {"durability": "batch"}
        opened = knowledge_base(program, facts, Limits(), None, quiet=True, saved=saved, rdf=rdf, **durability)
    status = 0
    with opened as kb:
        session = Session(kb)
        is_terminal = sys.stdin.isatty()
        if is_terminal:
            typer.echo(f"Tidelog {__version__}; :help says what can be entered, Ctrl-D ends")
        for line in _from_terminal(session) if is_terminal else _from_file():
            try:
                answer = list(session.answer(line))
            except TidelogError as error:
                status = 0 if is_terminal else 1
                if as_json:
                    print_json({"line": line, **errors_of(error)})
                else:
                    typer.echo(str(error), err=True)
                continue
            if as_json:
                print_json({"line": line, "answer": answer})
            else:
                for text in answer:
                    typer.echo(text)
            if session.is_over:
                break
    if status:
        raise typer.Exit(status)


def _from_file() -> Iterator[str]:
    for line in sys.stdin:
        if line.strip():
            yield line.rstrip("\n")


def _from_terminal(session: Session) -> Iterator[str]:
    """Lines as they are entered; Ctrl-C leaves a line, Ctrl-D ends."""
    history = _with_history(session)
    try:
        while True:
            try:
                yield input(_PROMPT)
            except EOFError:
                typer.echo("")
                return
            except KeyboardInterrupt:
                typer.echo("")
    finally:
        if history is not None:
            import readline

            with suppress(OSError):
                readline.write_history_file(history)


def _with_history(session: Session) -> Path | None:
    """Prepare readline, where Python has it; the file of the history."""
    try:
        import readline
    except ImportError:  # on Windows
        return None
    readline.set_completer(Completer(session))
    readline.set_completer_delims(" \t\n(),")
    readline.parse_and_bind("tab: complete")
    readline.set_history_length(_LENGTH_OF_HISTORY)
    history = history_file()
    try:
        history.parent.mkdir(parents=True, exist_ok=True)
        if history.exists():
            readline.read_history_file(history)
    except OSError:
        return None
    return history


def history_file() -> Path:
    """Where the lines of earlier sessions are kept."""
    folder = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(folder) / "tidelog" / "history"


class Completer:
    """Completes commands and relations, as readline asks for one after the other."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found: list[str] = []

    def __call__(self, text: str, state: int) -> str | None:
        """The completion of a text of that number, counted from 0; None if there are no more."""
        if state == 0:
            self._found = [name for name in self._session.names() if name.startswith(text)]
        return self._found[state] if state < len(self._found) else None
