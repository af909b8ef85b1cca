"""`tidelog sparql`: a query in SPARQL over facts and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.evaluation import (
    FactsFolder,
    InputRoot,
    LimitMemory,
    LimitSeconds,
    OntologyFiles,
    Quiet,
    RdfFiles,
    SameAs,
    opened,
)
from tidelog.cli.limits import Limits
from tidelog.cli.shell import OpenFolder, ProgramOrQuestion, app, check_program, reporting, show

if TYPE_CHECKING:
    from tidelog.program.program import Program
    from tidelog.sparql.results import SparqlResult


@app.command("sparql")
@reporting
def sparql_command(  # each parameter is an argument or option of the command
    given: ProgramOrQuestion = None,
    query: Annotated[str | None, typer.Argument(help='A query, such as "SELECT ?x { ?x a ex:C }".', metavar="QUERY")] = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    graphs: Annotated[bool, typer.Option("--graphs", help="The last argument of facts is their graph.")] = False,
    limit_seconds: LimitSeconds = None,
    limit_memory: LimitMemory = "auto",
    input_root: InputRoot = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer a query in SPARQL: a table, true or false, or triples; with --json, SPARQL 1.1 results."""
    if query is None and (saved is not None or rdf or ontology):  # the only argument
        given, query = None, given
    program = None if given is None else Path(given)
    check_program(program, saved, rdf, ontology)
    if query is None:
        raise typer.BadParameter("give a query behind the program")
    limits = Limits(seconds=limit_seconds, memory=limit_memory, input_root=input_root)
    with opened(program, facts, limits, quiet=quiet, saved=saved, rdf=rdf, ontology=ontology, same_as=same_as) as kb:
        result = kb.sparql(query, graphs=True if graphs else None)
        if as_json:
            print_json(_in_json(result))
        else:
            show(_lines(result, kb.program))


def _in_json(result: SparqlResult) -> object:
    """The result for programs: SPARQL 1.1 Query Results JSON, or the lines of N-Triples."""
    import json

    from tidelog.sparql.results import SparqlAnswers

    if isinstance(result, bool):
        return {"head": {}, "boolean": result}
    return json.loads(result.to_json()) if isinstance(result, SparqlAnswers) else {"triples": list(_n_triples(result))}


def _lines(result: SparqlResult, program: Program) -> Iterator[str]:
    """The result for people: a table, a word, or lines of N-Triples."""
    from tidelog.facts import aligned
    from tidelog.sparql.results import SparqlAnswers
    from tidelog.values import from_python

    if isinstance(result, bool):
        yield "true" if result else "false"
    elif isinstance(result, SparqlAnswers):
        printer = program.printer
        cells = [tuple("" if one is None else printer.value(from_python(one)) for one in row) for row in result]
        widths = [max(map(len, column)) for column in zip(result.variables, *cells, strict=True)]
        yield from aligned((result.variables, tuple("-" * width for width in widths), *cells)) if result.variables else ()
        yield f"{len(result):,} answer{'' if len(result) == 1 else 's'}"
    else:
        yield from _n_triples(result)


def _n_triples(triples: Any) -> Iterator[str]:
    from tidelog.rdf.writing import term_of
    from tidelog.values import from_python

    for triple in triples:
        yield " ".join(term_of(from_python(term)) for term in triple) + " ."
