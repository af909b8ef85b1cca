"""`tidelog ontology` and `tidelog consistency`: the axioms of an ontology as rules, and what contradicts them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.evaluation import (
    FactsFolder,
    InputRoot,
    LimitMemory,
    OntologyFiles,
    Quiet,
    RdfFiles,
    SameAs,
    opened,
)
from tidelog.cli.limits import Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, check_program, reporting, show
from tidelog.display.counts import counted
from tidelog.errors import fail

if TYPE_CHECKING:
    from tidelog.ontology.consistency import Inconsistency
    from tidelog.ontology.rule_maker import Translation
    from tidelog.options import Equality as Choice
    from tidelog.syntax.printer import Printer

Equality = Annotated[
    str,
    typer.Option(help="What is the same: auto: a relation owl:sameAs; replace: shares all facts too; none.", metavar="HOW"),
]


@app.command("ontology")
@reporting
def ontology_command(
    source: Annotated[Path | None, typer.Argument(help="A file of RDF with an ontology.", metavar="[ONTOLOGY]")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the program to this file.", metavar="FILE")] = None,
    equality: Equality = "auto",
    import_root: Annotated[
        Path | None, typer.Option(help="Follow owl:imports to files in this folder, not only beside the file.", metavar="DIR")
    ] = None,
    owl_rl: Annotated[
        bool, typer.Option("--owl-rl", help="The rules of OWL 2 RL over triples instead, which read axioms as data.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print an ontology as a program: the rules of OWL 2 RL, named after the axioms, and a list of what is outside of it."""
    from tidelog.ontology.axioms import read_ontology
    from tidelog.ontology.listing import listing, prefixes_of
    from tidelog.ontology.rl_rules import owl_rl_rules
    from tidelog.ontology.translation import translate
    from tidelog.syntax.printer import Printer

    how = cast("Choice", equality)
    if owl_rl == (source is not None):
        raise typer.BadParameter("give a file with an ontology, or --owl-rl")
    found: dict[str, object] = {}
    if source is None:
        text, said = owl_rl_rules(how), "the rules of OWL 2 RL"
    else:
        graph = read_ontology(source, root=import_root)
        prefixes = prefixes_of(graph)
        translated = translate(graph, Printer(prefixes), equality=how)
        text = listing(translated, prefixes, source.name)
        said = f"{counted(len(translated.rules), 'rule')}, {counted(len(translated.outside), 'thing')} outside of OWL 2 RL"
        found = _as_json(translated, Printer(prefixes))
    if out is None:
        if as_json:
            print_json({**found, "program": text})
        else:
            show([text.rstrip("\n")])
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise fail("TL060", f"cannot write {out}: {error.strerror or error}", fix="choose another path") from error
    if as_json:
        print_json({**found, "file": str(out), "said": said})
    else:
        typer.echo(f"{said} -> {out}")


def _as_json(translated: Translation, printer: Printer) -> dict[str, object]:
    return {
        "name": translated.name,
        "rules": [
            {"name": rule.name, "text": printer.rule(rule), "axiom": axiom.text}
            for axiom in translated.axioms
            for rule in axiom.rules
        ],
        "assertions": len(translated.triples),
        "outside": [{"axiom": one.text, "reason": one.reason} for one in translated.outside],
        "imports": [{"iri": one.iri, "file": one.file} for one in translated.imports],
    }


@app.command("consistency")
@reporting
def consistency_command(  # each parameter is an argument or option of the command
    program: OptionalProgram = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    limit_memory: LimitMemory = "auto",
    input_root: InputRoot = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show what contradicts an ontology or program, each with its rule and its facts; the exit status is 1 if anything does."""
    check_program(program, saved, rdf, ontology)
    limits = Limits(memory=limit_memory, input_root=input_root)
    with opened(program, facts, limits, quiet=quiet, saved=saved, rdf=rdf, ontology=ontology, same_as=same_as) as kb:
        found = kb.inconsistencies()
    if as_json:
        print_json({"is_consistent": not found, "contradictions": [_contradiction(one) for one in found]})
    else:
        show([str(one) for one in found])
        counted = "1 contradiction" if len(found) == 1 else f"{len(found):,} contradictions"
        show([counted if found else "consistent: no rule finds a contradiction"])
    if found:
        raise typer.Exit(1)


def _contradiction(one: Inconsistency) -> dict[str, object]:
    """A contradiction, with values as in update streams."""
    from tidelog.files.text.json_values import to_json

    facts = [[name, *map(to_json, arguments)] for name, *arguments in one.facts]
    return {"rule": one.rule, "about": to_json(one.about), "facts": facts, "text": one.text}
