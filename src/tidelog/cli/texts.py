"""`tidelog check`, `tidelog format` and `tidelog graph`: commands that read programs and derive nothing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, described, print_json
from tidelog.cli.shell import ProgramFile, app, reporting, show, source_of
from tidelog.errors import Diagnostics, TidelogError, fail, render_all
from tidelog.program.program import Program, check
from tidelog.syntax.parser import parse
from tidelog.syntax.printer import Printer


@app.command("check")
@reporting
def check_command(
    programs: Annotated[list[Path], typer.Argument(help="Programs, or - for standard input.", metavar="PROGRAM...")],
    as_json: AsJson = False,
) -> None:
    """Say what a program is: relations, strata, hyper-nodes, modules, warnings; or list all its errors."""
    failures: list[TidelogError] = []
    for path in programs:
        try:
            program = check(source_of(path))
        except TidelogError as error:
            failures.append(error)
            continue
        if as_json:
            print_json(described(program))
        else:
            show(_description(program))
    if failures:
        raise TidelogError(diagnostic for error in failures for diagnostic in error.diagnostics)


def _description(program: Program) -> Iterable[str]:
    from tidelog.report.structure import describe

    yield from describe(program)
    if program.warnings:
        yield ""
        yield render_all(program.warnings)


@app.command("format")
@reporting
def format_command(
    program: ProgramFile,
    write: Annotated[bool, typer.Option("--write", help="Write the result back to the file.")] = False,
    only_check: Annotated[bool, typer.Option("--check", help="Print nothing; status 1 if the form differs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a program in canonical form, comments kept."""
    if write and only_check:
        message = "--write and --check exclude each other"
        raise typer.BadParameter(message)
    source = source_of(program)
    if source.language != "tidelog" and (write or only_check):
        fix = f"print it, `tidelog format {program}`, and save what is printed as {Path(program).with_suffix('.dl').name}"
        raise fail("TL017", f"{source.name} would be in another language afterwards", fix=fix)
    diagnostics = Diagnostics()
    document = parse(source, diagnostics)
    diagnostics.raise_errors()
    text = Printer().document(document)
    if as_json:
        written = {} if write or only_check else {"text": text}
        print_json({"program": source.name, "is_canonical": text == source.text, **written})
    if only_check:
        if not as_json and text != source.text:
            typer.echo(f"{source.name} is not in canonical form", err=True)
        raise typer.Exit(int(text != source.text))
    if not write or str(program) == "-":
        if not as_json:
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


@app.command("graph")
@reporting
def graph_command(
    program: ProgramFile,
    out: Annotated[Path, typer.Option("--out", help="The picture: a file that ends with .svg, .png or .html.", metavar="FILE")],
    other: Annotated[
        Path | None, typer.Option("--diff", help="Show what changing the program into this one would touch.", metavar="PROGRAM")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draw a program: hyper-nodes with their rules, what they read, negation, modules."""
    from tidelog.report.graph import difference, picture
    from tidelog.report.svg import GraphPicture

    checked = check(source_of(program))
    drawn = picture(checked) if other is None else difference(checked, check(source_of(other)))
    GraphPicture(drawn).save(out)
    if as_json:
        print_json({"picture": str(out), "boxes": len(drawn.boxes), "arrows": len(drawn.arrows)})
    else:
        typer.echo(f"{out}: {len(drawn.boxes)} boxes, {len(drawn.arrows)} arrows")
