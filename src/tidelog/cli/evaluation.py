"""`tidelog run` and `tidelog query`: commands that derive facts."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from tidelog.cli.common.in_json import AsJson, print_json
from tidelog.cli.common.writing import FileKind, Which, check_targets, write_relations, write_triples
from tidelog.cli.limits import LONGEST, MOST_FACTS, Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, ProgramOrQuestion, app, check_program, reporting, show, source_of
from tidelog.display.counts import counted
from tidelog.errors import fail, render_all
from tidelog.facts import rows_in_json

if TYPE_CHECKING:
    from tidelog.core.limits import Progress
    from tidelog.kb import KnowledgeBase, ShowProgress

FactsFolder = Annotated[
    Path | None,
    typer.Option(
        "--facts", help="A folder with files of facts: those that @input names, or NAME.csv, NAME.parquet, ...", metavar="DIR"
    ),
]
RdfFiles = Annotated[
    list[Path] | None,
    typer.Option("--rdf", help="A file of RDF: `s p o` becomes p(s, o), `s a C` becomes C(s); repeatable.", metavar="FILE"),
]
OntologyFiles = Annotated[
    list[Path] | None,
    typer.Option("--ontology", help="A file of RDF: its axioms become rules, its assertions facts; repeatable.", metavar="FILE"),
]
SameAs = Annotated[bool, typer.Option("--same-as", help="Individuals that are owl:sameAs each other are one.")]
LimitFacts = Annotated[int, typer.Option(min=1, help="Stop with an error beyond so many facts.")]
LimitSeconds = Annotated[float | None, typer.Option(min=0, help="Stop with an error after so many seconds.")]
LimitRounds = Annotated[int | None, typer.Option(min=1, help="Stop with an error beyond so many rounds of a recursion.")]
LimitMemory = Annotated[
    str,
    typer.Option(
        help="Stop with an error if facts and values need more memory, such as 2GB; auto is that of the machine.", metavar="SIZE"
    ),
]
LimitText = Annotated[
    str, typer.Option(help="Refuse programs, values and lines of files and streams that are longer.", metavar="SIZE")
]
InputRoot = Annotated[
    Path | None,
    typer.Option(help="Refuse an @input, and a file of --facts, that leads out of this folder.", metavar="DIR"),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, and nothing about files that were read.")]
NoModules = Annotated[bool, typer.Option("--no-modules", help="Evaluate transitive relations like any other.")]


class AnswerForm(StrEnum):
    """Forms in which `query` prints its answers."""

    TABLE = "table"
    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"


@app.command("run")
@reporting
def run_command(  # each parameter is an argument or option of the command
    program: OptionalProgram = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    out: Annotated[Path | None, typer.Option(help="Write the results to files in this folder.", metavar="DIR")] = None,
    relation: Annotated[list[str] | None, typer.Option("--relation", "-r", help="Only this relation; repeatable.")] = None,
    file_format: Annotated[FileKind, typer.Option("--format", help="The format of files without an @output.")] = FileKind.CSV,
    rdf_out: Annotated[
        Path | None, typer.Option(help="Write all triples to this file, .nt or .ttl, each also with .gz.", metavar="FILE")
    ] = None,
    which: Annotated[Which, typer.Option(help="Which facts --rdf-out writes.")] = Which.ALL,
    stats: Annotated[
        Path | None, typer.Option(help="Write what each rule did in each round to this CSV file.", metavar="FILE")
    ] = None,
    limit_facts: LimitFacts = MOST_FACTS,
    limit_seconds: LimitSeconds = None,
    limit_rounds: LimitRounds = None,
    limit_memory: LimitMemory = "auto",
    limit_text: LimitText = LONGEST,
    input_root: InputRoot = None,
    no_modules: NoModules = False,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Derive everything that follows from a program and its facts; print it as facts, or write it to files."""
    from tidelog.report.facts import chosen_relations, show_facts

    check_program(program, saved, rdf, ontology)
    limits = Limits(limit_facts, limit_seconds, limit_rounds, limit_memory, limit_text, input_root)
    with opened(
        program, facts, limits, modules=not no_modules, quiet=quiet, saved=saved, rdf=rdf, ontology=ontology, same_as=same_as
    ) as kb:
        chosen = chosen_relations(kb.program, relation)
        check_targets(kb, chosen, out, file_format, rdf_out)
        _check_statistics(stats, out)
        for name in chosen:
            kb.count(name)
        written = write_relations(kb, chosen, out, file_format) if out is not None else []
        written += [write_triples(kb, rdf_out, which)] if rdf_out is not None else []
    if stats is not None:
        write_statistics(kb, stats)
    if as_json:
        printer = kb.program.printer
        if out is not None or written:
            print_json({"files": [file.in_json() for file in written]})
        else:
            print_json({"facts": {printer.predicate(name): rows_in_json(kb[name]) for name in chosen}})
    else:
        show(map(str, written) if out is not None or written else show_facts(kb, chosen))


@app.command("query")
@reporting
def query_command(  # each parameter is an argument or option of the command
    given: ProgramOrQuestion = None,
    query: Annotated[str | None, typer.Argument(help='A body, such as "path(a, X), X != b".', metavar="QUERY")] = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    ontology: OntologyFiles = None,
    same_as: SameAs = False,
    form: Annotated[AnswerForm, typer.Option("--format", help="How to print the answers.")] = AnswerForm.TABLE,
    limit_facts: LimitFacts = MOST_FACTS,
    limit_seconds: LimitSeconds = None,
    limit_rounds: LimitRounds = None,
    limit_memory: LimitMemory = "auto",
    limit_text: LimitText = LONGEST,
    input_root: InputRoot = None,
    saved: OpenFolder = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Answer a query: all values of its variables that make it true, or whether it holds."""
    from tidelog.report.facts import show_answers

    if query is None and (saved is not None or rdf or ontology):  # the only argument
        given, query = None, given
    program = None if given is None else Path(given)
    check_program(program, saved, rdf, ontology)
    if query is None:
        raise typer.BadParameter("give a query behind the program")
    limits = Limits(limit_facts, limit_seconds, limit_rounds, limit_memory, limit_text, input_root)
    with opened(program, facts, limits, quiet=quiet, saved=saved, rdf=rdf, ontology=ontology, same_as=same_as) as kb:
        answers = kb.query(query)
    if as_json:
        print_json({"columns": answers.columns, "answers": rows_in_json(answers)})
    else:
        show(show_answers(answers, kb.program, form.value))


@contextmanager
def opened(program: Path | None, facts: Path | None, limits: Limits, *, quiet: bool, **options: Any) -> Iterator[KnowledgeBase]:
    """The knowledge base of a command, with a progress line while the command works."""
    options.setdefault("modules", True)
    with (
        progress_display(is_quiet=quiet) as display,
        knowledge_base(program, facts, limits, display, quiet=quiet, **options) as kb,
    ):
        yield kb


def knowledge_base(
    program: Path | None,
    folder: Path | None,
    limits: Limits,
    display: ShowProgress | None,
    *,
    quiet: bool,
    saved: Path | None = None,
    **options: Any,
) -> KnowledgeBase:
    """The program with the facts of its files; or what is saved in a folder, opened for reading unless `durability` is given."""
    from tidelog.files.formats import find_files
    from tidelog.kb import KnowledgeBase

    options |= {**limits.options(), "progress": display}
    durability, rdf = options.pop("durability", None), options.pop("rdf", None) or ()
    ontologies = options.pop("ontology", None) or ()
    if not options.get("same_as"):
        options.pop("same_as", None)
    if saved is not None and (program is None or (saved / "manifest.sqlite").exists()):
        rules, read_only = None if program is None else source_of(program), durability is None
        if not (saved / "manifest.sqlite").exists():
            fix = "check the path, or give a program to begin one there"
            raise fail("TL060", f"cannot open {saved}: there is no saved knowledge base", fix=fix)
        if options.get("modules") is True:  # nobody has said --no-modules: they are as they were saved
            del options["modules"]
        kb = KnowledgeBase.open(saved, rules, read_only=read_only, durability=durability or "batch", **options)
        if not quiet:
            typer.echo(str(kb.recovery), err=True)
        _load_rdf(kb, rdf, ontologies, quiet=quiet)
        return kb
    kb = KnowledgeBase(source_of(program) if program is not None else "", folder=folder, **options)
    for known in list(kb.program.relations.values()) if folder is not None else ():
        if not known.inputs and folder is not None:
            for path in find_files(folder, known.name, root=limits.input_root):
                kb.load(known.name, path)
    of_files = list(kb.loads)
    _load_rdf(kb, rdf, ontologies, quiet=quiet)
    filled = {report.relation for report in kb.loads}
    warnings = [warning for warning in kb.program.warnings if warning.code != "TL101" or warning.relation not in filled]
    if warnings:
        typer.echo(render_all(warnings), err=True)
    if not quiet:
        for loaded in of_files:
            typer.echo(loaded.description, err=True)
    if saved is not None:
        kb.save(saved, durability=durability)
        if not quiet:
            typer.echo(f"{saved}: a new knowledge base", err=True)
    return kb


def _load_rdf(kb: KnowledgeBase, files: Sequence[Path], ontologies: Sequence[Path], *, quiet: bool) -> None:
    """Add the ontologies and then the triples of files, and say so."""
    for path in ontologies:
        report = kb.add_ontology(path)
        if not quiet:
            typer.echo(str(report), err=True)
    for path in files:
        reports = kb.load_rdf(path)
        if not quiet:
            typer.echo(
                f"{path}: {counted(sum(report.rows for report in reports), 'fact')} of {counted(len(reports), 'relation')}",
                err=True,
            )


def _check_statistics(stats: Path | None, out: Path | None) -> None:
    """Look at where statistics are to be written before anything is derived."""
    if stats is not None and not stats.parent.is_dir() and stats.parent != out:
        raise fail("TL060", f"cannot write {stats}: there is no such folder", fix="make the folder first")


@contextmanager
def progress_display(*, is_quiet: bool) -> Iterator[ShowProgress | None]:
    """A progress line on standard error; nothing if standard error is not a terminal."""
    if is_quiet or not sys.stderr.isatty():
        yield None
        return
    console = Console(stderr=True)
    with console.status("reading") as status:
        yield lambda progress: status.update(escape(progress_line(progress)))


def progress_line(progress: Progress) -> str:
    """The progress of an evaluation, in one line."""
    rate = progress.derivations / progress.seconds if progress.seconds else 0.0
    return (
        f"unit {progress.unit + 1} of {progress.units}  {progress.working_on}  round {progress.round}  "
        f"{progress.facts:,} facts  {rate:,.0f} derivations/s  {progress.seconds:.1f} s"
    )


def write_statistics(kb: KnowledgeBase, path: Path) -> None:
    """What each rule did in each round, as CSV."""
    program = kb.program
    node_of = {rule: node.number + 1 for node in program.graph.hyper_nodes for rule in node.rules}
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("hyper_node", "rule", "derives", "round", "derivations", "new_facts", "seconds"))
            for r in kb.statistics.rounds:
                head = program.rules[r.rule].head.predicate
                seconds = f"{r.seconds:.6f}"
                writer.writerow((node_of[r.rule], program.rule_name(r.rule), head, r.number, r.derivations, r.new_facts, seconds))
    except OSError as error:
        raise fail("TL060", f"cannot write {path}: {error.strerror or error}", fix="choose another path") from error
