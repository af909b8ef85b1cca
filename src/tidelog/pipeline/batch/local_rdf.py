"""N-Triples and Turtle for the local engine: the relation of a triple is its predicate, or its class if that is `rdf:type`."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tidelog.core.keys import value_of
from tidelog.errors import fail
from tidelog.files.raw import damaged, unreadable
from tidelog.pipeline.report.outcome import RejectedRow
from tidelog.program.relations import Relation
from tidelog.rdf.terms import key_of_term, scope_of
from tidelog.values import IRI, RDF, Kind, Value


@dataclass(slots=True)
class Triples:
    """The triples of a file, by relation of the program."""

    rows: dict[str, list[tuple[Value, ...]]] = field(default_factory=dict)
    rejected: list[RejectedRow] = field(default_factory=list)
    count: int = 0
    others: int = 0
    """Triples whose predicate or class is no relation of the program."""


def triples_of(path: str, syntax: str, relations: dict[str, Relation]) -> Triples:
    """All triples of a file, by relation."""
    found = Triples()
    scope = scope_of(str(Path(path).absolute()))
    for triple in _parsed(Path(path), syntax):
        found.count += 1
        subject, target, predicate = _value(triple.subject, scope), _value(triple.object, scope), triple.predicate.value
        name, values = predicate, [subject, target]
        if predicate == f"{RDF}type" and target is not None and isinstance(target.content, IRI):
            name, values = target.content.text, [subject]
        relation = relations.get(name)
        if relation is None:
            found.others += 1
        elif relation.arity != len(values):
            reason = f"`{name}` has {relation.arity} arguments, and this gives {len(values)}"
            found.rejected.append(RejectedRow(name, path, path, f"{triple} .", reason))
        elif misfit := _misfit(relation, values):
            found.rejected.append(RejectedRow(name, path, path, f"{triple} .", misfit))
        else:
            found.rows.setdefault(name, []).append(tuple(value for value in values if value is not None))
    return found


def _misfit(relation: Relation, values: list[Value | None]) -> str | None:
    """Why these values are no fact of a relation, or None if they are one."""
    from tidelog.functions.conform import conform

    for at, value in enumerate(values):
        declared = relation.columns[at].type if relation.columns is not None else None
        if value is None:
            return "a term has no value: its text does not fit the datatype, or it is no term of RDF 1.1"
        if isinstance(declared, Kind) and conform(declared, value) is None:
            name = relation.columns[at].name if relation.columns else at + 1
            return f"column {name}: it is of the type {value.kind}, and {declared} is declared"
    return None


def _value(term: Any, scope: str) -> Value | None:
    """The value of a term; blank nodes belong to their file.  None if it has none."""
    key = key_of_term(term, scope)
    return None if key is None else value_of(key)


def _parsed(path: Path, syntax: str) -> Iterator[Any]:
    try:
        import pyoxigraph
    except ImportError as error:
        raise fail("TL084", "pyoxigraph is not installed", fix='pip install "tidelog[rdf]"') from error
    form = pyoxigraph.RdfFormat.N_TRIPLES if syntax == "nt" else pyoxigraph.RdfFormat.TURTLE
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            data: Any = file
            yield from pyoxigraph.parse(data, form, base_iri=path.absolute().as_uri())
    except SyntaxError as error:
        raise damaged(path, f"line {error.lineno}: {error.msg}") from error
    except (gzip.BadGzipFile, EOFError) as error:
        raise damaged(path, f"not a whole gzip file ({error})") from error
    except OSError as error:
        raise unreadable(path, error) from error
