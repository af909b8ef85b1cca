"""`tidelog what-if`: what an update would change, without making it."""

from __future__ import annotations

from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.common.told import told
from tidelog.cli.evaluation import FactsFolder, OntologyFiles, Quiet, RdfFiles, SameAs, opened
from tidelog.cli.limits import Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, check_program, reporting, show

Clauses = list[str] | None
_FIX = "give facts or rules with --insert or --delete"


@app.command("what-if")
@reporting
def what_if_command(
    program: OptionalProgram = None,
    insert: Annotated[
        Clauses, typer.Option("--insert", help='Facts, or rules, such as "edge(a, b)."; repeatable.', metavar="CLAUSES")
    ] = None,
    delete: Annotated[
        Clauses, typer.Option("--delete", help="Facts, or rules, which would go; repeatable.", metavar="CLAUSES")
    ] = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Say which facts would come and go if facts or rules did; nothing is changed."""
    check_program(program, saved, rdf, ontology)
    if not insert and not delete:
        raise typer.BadParameter(_FIX)
    options = {"saved": saved, "rdf": rdf, "ontology": ontology, "same_as": same_as}
    with opened(program, facts, Limits(), quiet=quiet, **options) as kb:
        change = kb.what_if(add_rules=list(map(clauses, insert or ())), remove_rules=list(map(clauses, delete or ())))
        if as_json:
            print_json(change.to_dict())
        else:
            show(told(change, kb.program.printer, None))


def clauses(text: str) -> str:
    """A text of clauses, with the final dot that people leave away."""
    return text if text.rstrip().endswith(".") else f"{text.rstrip()}."
