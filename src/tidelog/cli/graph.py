"""`tidelog graph`: a program, or the difference of two, as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.shell import ProgramFile, app, reporting, source_of
from tidelog.program.program import check


@app.command("graph")
@reporting
def graph_command(
    program: ProgramFile,
    out: Annotated[Path, typer.Option("--out", help="The picture: a file that ends with .svg or .html.", metavar="FILE")],
    other: Annotated[
        Path | None, typer.Option("--diff", help="Show what changing the program into this one would touch.", metavar="PROGRAM")
    ] = None,
) -> None:
    """Draw a program: hyper-nodes with their rules, what they read, negation, modules."""
    from tidelog.report.graph import difference, picture
    from tidelog.report.svg import GraphPicture

    checked = check(source_of(program))
    drawn = picture(checked) if other is None else difference(checked, check(source_of(other)))
    GraphPicture(drawn).save(out)
    typer.echo(f"{out}: {len(drawn.boxes)} boxes, {len(drawn.arrows)} arrows")
