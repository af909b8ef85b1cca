"""What all commands share: the application, errors on standard error, programs from files or standard input."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, ParamSpec

import typer
from rich.console import Console

from tidelog import __version__
from tidelog.cli.common.in_json import errors_of, print_json
from tidelog.errors import TidelogError, TidelogWarning, fail
from tidelog.program.program import read_source
from tidelog.source import Source
from tidelog.surface.logs import LINT

_P = ParamSpec("_P")
_INTERRUPTED = 130
HELP_NAMES = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    help="Keeps the consequences of Datalog rules true while facts and rules change.",
    no_args_is_help=True,
    context_settings=HELP_NAMES,
    pretty_exceptions_enable=False,
)
OpenFolder = Annotated[
    Path | None,
    typer.Option(
        "--open", help="A saved knowledge base: opened, or begun with the program and its facts if there is none.", metavar="DIR"
    ),
]
ProgramFile = Annotated[Path, typer.Argument(help="A program, or - for standard input.", metavar="PROGRAM")]
OptionalProgram = Annotated[
    Path | None,
    typer.Argument(help="A program, or - for standard input; not needed with --open DIR, which has rules.", metavar="[PROGRAM]"),
]
ProgramOrQuestion = Annotated[
    str | None,
    typer.Argument(help="A program, or - for standard input; not needed with --open or --rdf.", metavar="[PROGRAM]"),
]
"""Where a question alone may stand, too: a path would make one slash of the two in an IRI."""


def show(lines: Iterable[str]) -> None:
    """Print lines."""
    for line in lines:
        typer.echo(line)


def reporting(command: Callable[_P, None]) -> Callable[_P, None]:
    """Let a command end with status 1 and the errors on standard error, with `as_json` as JSON."""

    @wraps(command)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            with _plain_warnings():
                command(*args, **kwargs)
        except TidelogError as error:
            if kwargs.get("as_json"):
                print_json(errors_of(error), err=True)
                raise typer.Exit(1) from None
            console = Console(stderr=True, highlight=False, soft_wrap=True)
            console.print(str(error), style="red" if console.is_terminal else None, markup=False)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            typer.echo("interrupted", err=True)
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:  # the reader has closed the pipe
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    return wrapped


_IS_LINT = re.compile(f"warning (?:{'|'.join((*LINT, 'TL101'))}):")


@contextmanager
def _plain_warnings() -> Iterator[None]:
    """Show warnings of rules as those of `tidelog check`."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show_one(message: Warning | str, category: type[Warning], *place: Any, **where: Any) -> None:
            if issubclass(category, TidelogWarning):
                if not _IS_LINT.search(str(message).partition("\n")[0]):  # commands show these themselves
                    typer.echo(str(message), err=True)
            else:
                others(message, category, *place, **where)

        warnings.showwarning = show_one
        yield


def check_program(program: Path | None, saved: Path | None, *others: object) -> None:
    """A program may be left out where there is a saved knowledge base, or anything else to begin with."""
    if program is None and saved is None and not any(others):
        raise typer.BadParameter("give a program, or --open with the folder of a saved knowledge base")


def source_of(path: Path) -> Source:
    """The text of a program."""
    if str(path) != "-":
        return read_source(path)
    data = sys.stdin.buffer.read()
    try:
        return Source(data.decode("utf-8-sig"), "<stdin>")
    except UnicodeDecodeError as error:
        raise fail("TL061", "standard input is not UTF-8 text") from error


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        typer.echo(f"tidelog {__version__}")
        raise typer.Exit
