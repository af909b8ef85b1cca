"""`tidelog warm-up`: compiles the kernel ahead."""

from __future__ import annotations

import time

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.shell import app, reporting


@app.command("warm-up")
@reporting
def warm_up_command(as_json: AsJson = False) -> None:
    """Compile what programs commonly need of the kernel, with all processors, so that nobody waits for it later."""
    from tidelog.local.kernel.tiers.folder import CACHE_FOLDER
    from tidelog.local.kernel.tiers.warm_up import warm_up

    if CACHE_FOLDER is None:
        typer.echo("no folder for compiled code can be written: set TIDELOG_CACHE_DIR", err=True)
        raise typer.Exit(1)
    began = time.perf_counter()
    count = warm_up()
    if as_json:
        print_json({"parts": count, "seconds": round(time.perf_counter() - began, 3), "folder": str(CACHE_FOLDER)})
        return
    done = f"{count} parts of the kernel compiled in {time.perf_counter() - began:.1f} s" if count else "the kernel is compiled"
    typer.echo(f"{done}: {CACHE_FOLDER}")
