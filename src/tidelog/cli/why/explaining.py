"""`tidelog explain`: why a fact holds."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.evaluation import FactsFolder, OntologyFiles, Quiet, RdfFiles, SameAs, opened
from tidelog.cli.limits import Limits
from tidelog.cli.shell import OpenFolder, ProgramOrQuestion, app, check_program, reporting, show
from tidelog.explain.shown.saved import Saved


class ExplanationForm(StrEnum):
    """Forms in which `explain` prints."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"
    HTML = "html"


FormOption = Annotated[ExplanationForm, typer.Option("--format", help="How to print it.")]
OutFile = Annotated[
    Path | None, typer.Option(help="Write it to a file that ends with .txt, .json, .svg, .png or .html.", metavar="FILE")
]


@app.command("explain")
@reporting
def explain_command(
    given: ProgramOrQuestion = None,
    fact: Annotated[str | None, typer.Argument(help='A fact, such as "path(a, c)".', metavar="FACT")] = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    all_ways: Annotated[bool, typer.Option("--all", help="Every rule instance behind it, not only one proof.")] = False,
    form: FormOption = ExplanationForm.TEXT,
    out: OutFile = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say why a fact holds: the rules and explicit facts that it follows from."""
    program, fact = fact_behind(given, fact, saved, rdf, ontology)
    options = {"saved": saved, "rdf": rdf, "ontology": ontology, "same_as": same_as}
    with opened(program, facts, Limits(), quiet=quiet, **options) as kb:
        explanation = kb.explain(fact, all=all_ways)
    if out is None:
        show([printed(explanation, form, as_json=as_json)])
        return
    explanation.save(out)
    tell_file(out, f"{len(explanation):,} facts", as_json=as_json, facts=len(explanation))


def tell_file(out: Path, said: str, *, as_json: bool, **found: object) -> None:
    """Say that an answer has been written to a file, and what it is."""
    if as_json:
        print_json({"file": str(out), **found})
    else:
        show([f"{out}: {said}"])


def printed(answer: Saved, form: ExplanationForm, *, as_json: bool) -> str:
    """An answer in one of its forms."""
    match ExplanationForm.JSON if as_json else form:
        case ExplanationForm.TEXT:
            return answer.to_text()
        case ExplanationForm.JSON:
            return answer.to_json()
        case ExplanationForm.SVG:
            return answer.svg
        case ExplanationForm.HTML:
            return answer.html


def fact_behind(given: str | None, fact: str | None, saved: Path | None, *others: object) -> tuple[Path | None, str]:
    """The program, if there is one, and the fact, which is the only argument beside something else to begin with."""
    if fact is None and (saved is not None or any(others)):
        given, fact = None, given
    program = None if given is None else Path(given)
    check_program(program, saved, *others)
    if fact is None:
        raise typer.BadParameter("give a fact behind the program")
    return program, fact
