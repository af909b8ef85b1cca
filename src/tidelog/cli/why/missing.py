"""`tidelog why-not`: why a fact does not hold, and what would have to be inserted."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.evaluation import FactsFolder, Quiet, knowledge_base, progress_display
from tidelog.cli.limits import LONGEST, MOST_FACTS, Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, reporting, show
from tidelog.cli.why.explaining import ExplanationForm, fact_behind, printed


@app.command("why-not")
@reporting
def why_not_command(
    program: OptionalProgram = None,
    fact: Annotated[str | None, typer.Argument(help='A fact, such as "path(a, d)".', metavar="FACT")] = None,
    facts: FactsFolder = None,
    form: Annotated[ExplanationForm, typer.Option("--format", help="How to print it.")] = ExplanationForm.TEXT,
    out: Annotated[
        Path | None, typer.Option(help="Write it to a file that ends with .txt, .json, .svg, .png or .html.", metavar="FILE")
    ] = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say why a fact does not hold: how near each rule comes, and what would have to be inserted."""
    program, fact = fact_behind(program, fact, saved)
    limits = Limits(MOST_FACTS, None, None, "auto", LONGEST, None)
    with (
        progress_display(is_quiet=quiet) as display,
        knowledge_base(program, facts, limits, display, modules=True, quiet=quiet, saved=saved) as kb,
    ):
        answer = kb.why_not(fact)
    if out is not None:
        answer.save(out)
        if as_json:
            print_json({"file": str(out), "holds": answer.holds, "repairs": len(answer.repairs)})
        else:
            show([f"{out}: {answer.text} {'holds' if answer.holds else 'does not hold'}"])
        return
    show([printed(answer, ExplanationForm.JSON if as_json else form)])
