"""`tidelog warm-up`: compiles the kernel ahead."""

from __future__ import annotations

import time

import typer

from tidelog.cli.shell import app, reporting


@app.command("warm-up")
@reporting
def warm_up_command() -> None:
    """Compile what programs commonly need of the kernel, with all processors, so that nobody waits for it later."""
    from tidelog.local.kernel.tiers.folder import CACHE_FOLDER
    from tidelog.local.kernel.tiers.warm_up import warm_up

    if CACHE_FOLDER is None:
        typer.echo("no folder for compiled code can be written: set TIDELOG_CACHE_DIR", err=True)
        raise typer.Exit(1)
    began = time.perf_counter()
    count = warm_up()
    done = f"{count} parts of the kernel compiled in {time.perf_counter() - began:.1f} s" if count else "the kernel is compiled"
    typer.echo(f"{done}: {CACHE_FOLDER}")
