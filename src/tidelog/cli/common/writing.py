"""What `run` writes: a file for each relation, and one of RDF with all triples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tidelog.errors import fail
from tidelog.syntax.tree import is_iri_name

if TYPE_CHECKING:
    from tidelog.kb import KnowledgeBase
    from tidelog.rdf.writing import RdfWriteReport


class FileKind(StrEnum):
    """Formats that `run` writes."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"
    N_TRIPLES = "nt"
    TURTLE = "ttl"


class Which(StrEnum):
    """The facts that `--rdf-out` writes."""

    ALL = "all"
    EXPLICIT = "explicit"
    DERIVED = "derived"


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file with the facts of a relation, or with triples of all of them."""

    relation: str
    """Empty: all of them."""
    facts: int
    path: Path
    left_out: int = 0
    """Facts that are no triples."""

    def __str__(self) -> str:
        noun = "fact" if self.relation else "triple"
        counted = f"{self.facts:,} {noun}{'' if self.facts == 1 else 's'}"
        left_out = "1 fact is no triple" if self.left_out == 1 else f"{self.left_out:,} facts are no triples"
        more = f"; {left_out}" if self.left_out else ""
        return f"{self.relation}: {counted} -> {self.path}{more}" if self.relation else f"{counted} -> {self.path}{more}"

    def in_json(self) -> dict[str, object]:
        """The same for programs."""
        found = {"relation": self.relation} if self.relation else {}
        return {**found, "facts": self.facts, "path": str(self.path), **({"left_out": self.left_out} if self.left_out else {})}


def is_rdf(path: Path) -> bool:
    """Whether a file is one of RDF, as its ending says."""
    from tidelog.rdf.formats import rdf_file_of

    return rdf_file_of(path) is not None


def _check_holds_triples(kb: KnowledgeBase, name: str, path: Path) -> None:
    """Refuse to write a relation as RDF that can have no triples."""
    arity, shown = kb.relations[name].arity, kb.program.printer.predicate(name)
    if not ((is_iri_name(name) and arity in (1, 2)) or (name == "triple" and arity in (3, 4))):
        fix = "write it as .csv; triples are in relations that are named by IRIs and have one or two columns, and in `triple`"
        raise fail("TL082", f"cannot write `{shown}` to {path}: it has no triples", fix=fix)


def check_targets(kb: KnowledgeBase, chosen: Sequence[str], out: Path | None, kind: FileKind, rdf_out: Path | None) -> None:
    """Look at what is to be written before anything is derived."""
    from tidelog.files.formats import format_of
    from tidelog.files.roots import check_below
    from tidelog.rdf.writing import check_target

    for name in chosen if out is not None else ():
        for path in map(Path, kb.relations[name].outputs or (f"{quote(name, safe='')}.{kind}",)):
            if is_rdf(path):
                check_target(path)
                _check_holds_triples(kb, name, path)
            else:
                format_of(path)
            if out is not None:
                check_below(out, out / path, f"the @output of `{kb.program.printer.predicate(name)}`")
    if rdf_out is not None:
        check_target(rdf_out)


def write_relations(kb: KnowledgeBase, chosen: Sequence[str], out: Path, file_format: FileKind) -> list[WrittenFile]:
    """Write relations to files."""
    _make(out)
    written: list[WrittenFile] = []
    for name in chosen:
        shown = kb.program.printer.predicate(name)
        for path in kb.relations[name].outputs or (f"{quote(name, safe='')}.{file_format.value}",):
            target = out / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if is_rdf(target):
                report = kb.write_rdf(target, relations=[name])
                written.append(WrittenFile(shown, report.triples, target, _left_out(report)))
            else:
                facts = kb[name]
                facts.write(target)
                written.append(WrittenFile(shown, len(facts), target))
    return written


def write_triples(kb: KnowledgeBase, path: Path, which: Which) -> WrittenFile:
    """Write all triples, or the explicit or the derived ones, to one file."""
    _make(path.parent)
    report = kb.write_rdf(path, which=which.value)
    return WrittenFile("", report.triples, path, _left_out(report))


def _left_out(report: RdfWriteReport) -> int:
    return sum(report.left_out.values())


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise fail("TL060", f"cannot make the folder {folder}: {reason}", fix="choose another folder") from error
