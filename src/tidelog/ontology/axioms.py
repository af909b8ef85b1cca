"""Reads the triples of an ontology, and those of the ontologies that it imports, and says which are axioms.

An import is followed only to a file that is there: one that the caller names, one of a `file:` address, or one beside the
importing file that is named like the last part of the imported IRI.  None of them may be outside the folder of the first file, or
the folder that the caller gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlparse

from tidelog.arguments import path_of, wrong
from tidelog.files.roots import check_below
from tidelog.ontology.vocabulary import (
    AXIOMS,
    DECLARATIONS,
    FIRST,
    IMPORTS,
    NIL,
    NOTES,
    ONTOLOGY,
    RDFS,
    REST,
    STRUCTURE,
    TYPE,
    is_datatype,
)
from tidelog.rdf.exchange import quads_of, quads_of_source
from tidelog.rdf.formats import RDF_NAMES, rdf_file_of
from tidelog.rdf.sources import rdf_source
from tidelog.values import IRI, Kind, Value, from_python, text_of

_ENDINGS = ("", *(f".{name}" for name in RDF_NAMES))


class Triple(NamedTuple):
    """A triple as values."""

    subject: Value
    predicate: str
    object: Value


class Import(NamedTuple):
    """An `owl:imports`, and the file that it was read from; None if there is none."""

    iri: str
    file: str | None


class Malformed(Exception):  # noqa: N818  # it is no error of the user's program, but a reason in a list
    """Something in a graph is not what OWL says it is; the text says what."""


@dataclass(slots=True)
class OntologyGraph:
    """The triples of an ontology, by subject and by predicate."""

    triples: dict[Triple, None] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
    _of: dict[Value, dict[str, list[Value]]] = field(default_factory=dict)
    _subjects: dict[tuple[str, Value], dict[Value, None]] = field(default_factory=dict)

    def add(self, triple: Triple) -> None:
        """Add a triple."""
        if triple in self.triples:
            return
        self.triples[triple] = None
        self.add_expression(triple)

    def add_expression(self, triple: Triple) -> None:
        """Know what a node is, without an axiom that says so."""
        self._of.setdefault(triple.subject, {}).setdefault(triple.predicate, []).append(triple.object)
        if triple.predicate == TYPE:
            self._subjects.setdefault((TYPE, triple.object), {})[triple.subject] = None

    def objects(self, subject: Value, predicate: str) -> list[Value]:
        """The objects of a subject and predicate."""
        return self._of.get(subject, {}).get(predicate, [])

    def predicates(self, subject: Value) -> Mapping[str, list[Value]]:
        """What is said of a subject, by predicate."""
        return self._of.get(subject, {})

    def only(self, subject: Value, predicate: str) -> Value:
        """The one object of a subject and predicate, or `Malformed`."""
        found = self.objects(subject, predicate)
        if len(found) != 1:
            raise Malformed(f"it has {len(found)} values of {predicate.rpartition('#')[2]} instead of one")
        return found[0]

    def types(self, subject: Value) -> set[str]:
        """The IRIs of the types of a subject."""
        return {text_of(value) for value in self.objects(subject, TYPE) if value.kind is Kind.IRI}

    def of_type(self, iri: str) -> list[Value]:
        """What has a type."""
        return list(self._subjects.get((TYPE, from_python(IRI(iri))), {}))

    def members(self, head: Value) -> list[Value]:
        """The members of an rdf:List, or `Malformed`."""
        found: list[Value] = []
        seen: set[Value] = set()
        while text_of(head) != NIL:
            if head in seen:
                raise Malformed("its list is circular")
            seen.add(head)
            if not self.objects(head, FIRST) or not self.objects(head, REST):
                raise Malformed("its list is not complete")
            found.append(self.only(head, FIRST))
            head = self.only(head, REST)
        return found

    def is_datatype(self, value: Value) -> bool:
        """Whether a node stands for a datatype or another range of data."""
        types = self.types(value)
        return is_datatype(text_of(value)) or RDFS + "Datatype" in types or any(name.endswith("#DataRange") for name in types)

    def assertions(self) -> Iterator[Triple]:
        """The triples that are about individuals, and notes about names; neither axioms nor parts of axioms.

        A type that is a blank node is a class expression, and is among them.
        """
        for triple in self.triples:
            subject, predicate, value = triple
            if predicate in AXIOMS or predicate in STRUCTURE or self.types(subject) & NOTES:
                continue
            if predicate == TYPE and (text_of(value) in DECLARATIONS or text_of(value) in _AXIOM_TYPES):
                continue
            yield triple

    @property
    def name(self) -> str | None:
        """The IRI of the ontology, if it has one."""
        names = [text_of(value) for value in self.of_type(ONTOLOGY)]
        return next((name for name in names if not name.startswith("_:")), None)


_AXIOM_TYPES = frozenset(
    f"http://www.w3.org/2002/07/owl#{name}"
    for name in (
        "AllDisjointClasses",
        "AllDisjointProperties",
        "AllDifferent",
        "NegativePropertyAssertion",
        "FunctionalProperty",
        "InverseFunctionalProperty",
        "TransitiveProperty",
        "SymmetricProperty",
        "AsymmetricProperty",
        "IrreflexiveProperty",
        "ReflexiveProperty",
    )
)
"""Types that are axioms themselves, or belong to one."""


def is_blank(value: Value) -> bool:
    """Whether a value is a blank node."""
    return value.kind is Kind.IRI and text_of(value).startswith("_:")


def read_ontology(
    source: object,
    given: str | None = None,
    *,
    base: str | None = None,
    root: str | PathLike[str] | None = None,
    imports: Mapping[str, str | PathLike[str]] | None = None,
) -> OntologyGraph:
    """The triples of a file or graph with those of its imports; `imports` says which files certain IRIs are."""
    graph = OntologyGraph()
    if imports is not None and not isinstance(imports, Mapping):
        raise wrong("files by the IRIs that are imported", imports, 'give a mapping: `imports={"http://…": "part.ttl"}`')
    named = {iri: path_of(file) for iri, file in (imports or {}).items()}
    beside = None if root is None else path_of(root)
    if isinstance(source, str | PathLike):
        path = path_of(source)
        _read_file(graph, path, given, base, beside or path.parent, named, {path.absolute()})
        return graph
    for quad in quads_of(source):
        graph.add(Triple(quad.subject, text_of(quad.predicate), quad.object))
    graph.imports += [Import(text_of(triple.object), None) for triple in graph.triples if triple.predicate == IMPORTS]
    return graph


def graph_of(given: object, syntax: str | None = None) -> OntologyGraph:
    """The triples of a path, a text of Turtle, a graph, or single triples, without imports.

    A string is a path if its ending is one of RDF.
    """
    is_path = isinstance(given, str) and not set(given) & set("\n<") and rdf_file_of(given) is not None
    graph = OntologyGraph()
    for quad in quads_of(Path(given), syntax) if is_path and isinstance(given, str) else quads_of(given, syntax):
        graph.add(Triple(quad.subject, text_of(quad.predicate), quad.object))
    return graph


def _read_file(
    graph: OntologyGraph,
    path: Path,
    given: str | None,
    base: str | None,
    root: Path,
    named: Mapping[str, Path],
    seen: set[Path],
) -> None:
    own: list[str] = []
    for quad in quads_of_source(rdf_source(path, given, base)):
        triple = Triple(quad.subject, text_of(quad.predicate), quad.object)
        graph.add(triple)
        if triple.predicate == IMPORTS:
            own.append(text_of(triple.object))
    for iri in own:
        file = named[iri] if iri in named else _local_file(iri, path.parent)
        graph.imports.append(Import(iri, None if file is None else str(file)))
        if file is None or file.absolute() in seen:
            continue
        if iri not in named:
            check_below(root, file, f"the file of owl:imports <{iri}>")
        seen.add(file.absolute())
        _read_file(graph, file, None, None, root, named, seen)


def _local_file(iri: str, folder: Path) -> Path | None:
    """The file that an imported IRI stands for, if there is one."""
    try:
        address = urlparse(iri)
        candidates = [Path(unquote(address.path))] if address.scheme == "file" else []
        name = unquote(address.path).rstrip("/").rpartition("/")[2] or address.netloc
        candidates += [folder / (name + ending) for ending in _ENDINGS if "/" not in name and name not in ("", ".", "..")]
        return next((file for file in candidates if file.is_file() and file.suffix), None)
    except (OSError, ValueError):
        return None
