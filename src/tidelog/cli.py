"""The command `tidelog`."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import wraps
from pathlib import Path
from typing import Annotated, ParamSpec

import typer
from rich.console import Console

from tidelog import __version__
from tidelog.errors import Diagnostics, TidelogError, fail, render_all
from tidelog.program.program import Program, check, read_source
from tidelog.source import Source

_P = ParamSpec("_P")
_INTERRUPTED = 130

app = typer.Typer(
    help="Keeps the consequences of Datalog rules true while facts and rules change.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
ProgramFile = Annotated[Path, typer.Argument(help="A program, or - for standard input.", metavar="PROGRAM")]


def _show(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


def _show_problems(error: TidelogError) -> None:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(str(error), style="red" if console.is_terminal else None, markup=False)


def _reporting(command: Callable[_P, None]) -> Callable[_P, None]:
    """Let a command end with status 1 and the errors on standard error."""

    @wraps(command)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except TidelogError as error:
            _show_problems(error)
            raise typer.Exit(1) from None
        except KeyboardInterrupt:
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    return wrapped


def _source(path: Path) -> Source:
    if str(path) != "-":
        return read_source(path)
    data = sys.stdin.buffer.read()
    try:
        return Source(data.decode("utf-8-sig"), "<stdin>")
    except UnicodeDecodeError as error:
        raise fail("TL061", "standard input is not UTF-8 text") from error


@app.command("check")
@_reporting
def check_command(
    programs: Annotated[list[Path], typer.Argument(help="Programs, or - for standard input.", metavar="PROGRAM...")],
) -> None:
    """Say what a program is: relations, strata, hyper-nodes, modules, warnings; or list all its errors."""
    failures: list[TidelogError] = []
    for path in programs:
        try:
            program = check(_source(path))
        except TidelogError as error:
            failures.append(error)
            continue
        _show(_description(program))
    if failures:
        raise TidelogError(diagnostic for error in failures for diagnostic in error.diagnostics)


def _description(program: Program) -> Iterable[str]:
    from tidelog.report.structure import describe

    yield from describe(program)
    if program.warnings:
        yield ""
        yield render_all(program.warnings)


@app.command("format")
@_reporting
def format_command(
    program: ProgramFile,
    write: Annotated[bool, typer.Option("--write", help="Write the result back to the file.")] = False,
    only_check: Annotated[bool, typer.Option("--check", help="Print nothing; status 1 if the form differs.")] = False,
) -> None:
    """Print a program in canonical form, comments kept."""
    from tidelog.syntax.parser import parse
    from tidelog.syntax.printer import Printer

    if write and only_check:
        message = "--write and --check exclude each other"
        raise typer.BadParameter(message)
    source = _source(program)
    diagnostics = Diagnostics()
    document = parse(source, diagnostics)
    diagnostics.raise_errors()
    text = Printer().document(document)
    if only_check:
        if text != source.text:
            typer.echo(f"{source.name} is not in canonical form", err=True)
        raise typer.Exit(int(text != source.text))
    if not write or str(program) == "-":
        typer.echo(text, nl=False)
    elif text != source.text:
        _replace(program.resolve(), text)


def _replace(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old or the new one."""
    if not os.access(path, os.W_OK):
        raise fail("TL060", f"cannot write {path}: it is write-protected")
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(text)
    Path(file.name).chmod(path.stat().st_mode)
    Path(file.name).replace(path)


@app.command("run")
@_reporting
def run_command(
    program: ProgramFile,
    relation: Annotated[list[str] | None, typer.Option("--relation", "-r", help="Show this relation only; repeatable.")] = None,
    limit_facts: Annotated[int, typer.Option(min=1, help="Stop with an error beyond so many facts.")] = 1_000_000,
) -> None:
    """Derive everything that follows from a program's facts, and print it as facts."""
    from tidelog.reference import materialise
    from tidelog.report.facts import show_facts

    checked = check(_source(program))
    inputs = [r for r in checked.relations.values() if r.inputs]
    if inputs:
        message = f"`run` does not read files yet, and the program has an @input for `{inputs[0].name}`"
        raise fail("TL071", message, fix="put the facts into the program", source=checked.document.source)
    if checked.warnings:
        typer.echo(render_all(checked.warnings), err=True)
    facts = materialise(checked, limit_facts=limit_facts)
    _show(show_facts(checked, facts, relation))


@app.callback(invoke_without_command=True)
def _options(version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    if version:
        typer.echo(f"tidelog {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line."""
    app(prog_name="tidelog")
