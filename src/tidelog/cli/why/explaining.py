"""`tidelog explain`: why a fact holds."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.evaluation import FactsFolder, Quiet, knowledge_base, progress_display
from tidelog.cli.limits import LONGEST, MOST_FACTS, Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, check_program, reporting, show
from tidelog.explain.shown.saved import Saved


class ExplanationForm(StrEnum):
    """Forms in which `explain` prints."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    HTML = "html"


@app.command("explain")
@reporting
def explain_command(
    program: OptionalProgram = None,
    fact: Annotated[str | None, typer.Argument(help='A fact, such as "path(a, c)".', metavar="FACT")] = None,
    facts: FactsFolder = None,
    all_ways: Annotated[bool, typer.Option("--all", help="Every rule instance behind it, not only one proof.")] = False,
    form: Annotated[ExplanationForm, typer.Option("--format", help="How to print it.")] = ExplanationForm.TEXT,
    out: Annotated[
        Path | None, typer.Option(help="Write it to a file that ends with .txt, .json, .svg, .png or .html.", metavar="FILE")
    ] = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say why a fact holds: the rules and explicit facts that it follows from."""
    program, fact = fact_behind(program, fact, saved)
    limits = Limits(MOST_FACTS, None, None, "auto", LONGEST, None)
    with (
        progress_display(is_quiet=quiet) as display,
        knowledge_base(program, facts, limits, display, modules=True, quiet=quiet, saved=saved) as kb,
    ):
        explanation = kb.explain(fact, all=all_ways)
    if out is not None:
        explanation.save(out)
        if as_json:
            print_json({"file": str(out), "facts": len(explanation)})
        else:
            show([f"{out}: {len(explanation):,} facts"])
        return
    show([printed(explanation, ExplanationForm.JSON if as_json else form)])


def printed(answer: Saved, form: ExplanationForm) -> str:
    """An answer in one of its forms."""
    match form:
        case ExplanationForm.TEXT:
            return answer.to_text()
        case ExplanationForm.JSON:
            return answer.to_json()
        case ExplanationForm.SVG:
            return answer.svg
        case ExplanationForm.HTML:
            return answer.html


def fact_behind(program: Path | None, fact: str | None, saved: Path | None) -> tuple[Path | None, str]:
    """The program, if there is one, and the fact, which is the only argument beside a saved knowledge base."""
    if fact is None and saved is not None and program is not None:
        program, fact = None, str(program)
    check_program(program, saved)
    if fact is None:
        raise typer.BadParameter("give a fact behind the program")
    return program, fact
