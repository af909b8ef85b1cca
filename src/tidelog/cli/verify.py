"""`tidelog verify`: checks a saved knowledge base."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.shell import app, reporting


@app.command("verify")
@reporting
def verify_command(
    folder: Annotated[Path, typer.Argument(help="The folder of a saved knowledge base.", metavar="DIR")],
    recompute: Annotated[bool, typer.Option("--recompute", help="Derive everything from scratch, and compare.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a saved knowledge base: all checksums, and that its journal replays.  Nothing is changed."""
    from tidelog.durable.verification import verify

    found = verify(folder, recompute=recompute)
    if as_json:
        print_json(asdict(found))
    else:
        typer.echo(str(found))
