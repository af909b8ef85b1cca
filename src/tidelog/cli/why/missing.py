"""`tidelog why-not`: why a fact does not hold, and what would have to be inserted."""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson
from tidelog.cli.evaluation import FactsFolder, OntologyFiles, Quiet, RdfFiles, SameAs, opened
from tidelog.cli.limits import Limits
from tidelog.cli.shell import OpenFolder, ProgramOrQuestion, app, reporting, show
from tidelog.cli.why.explaining import ExplanationForm, FormOption, OutFile, fact_behind, printed, tell_file


@app.command("why-not")
@reporting
def why_not_command(
    given: ProgramOrQuestion = None,
    fact: Annotated[str | None, typer.Argument(help='A fact, such as "path(a, d)".', metavar="FACT")] = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    form: FormOption = ExplanationForm.TEXT,
    out: OutFile = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say why a fact does not hold: how near each rule comes, and what would have to be inserted."""
    program, fact = fact_behind(given, fact, saved, rdf, ontology)
    options = {"saved": saved, "rdf": rdf, "ontology": ontology, "same_as": same_as}
    with opened(program, facts, Limits(), quiet=quiet, **options) as kb:
        answer = kb.why_not(fact)
    if out is None:
        show([printed(answer, form, as_json=as_json)])
        return
    answer.save(out)
    said = f"{answer.text} {'holds' if answer.holds else 'does not hold'}"
    tell_file(out, said, as_json=as_json, holds=answer.holds, repairs=len(answer.repairs))
