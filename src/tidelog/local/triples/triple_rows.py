"""Triples as rows of ids, and as rows of relations: what `load_rdf` adds.

Each column of keys is encoded by its distinct keys, whole batches at once; then triples are grouped by predicate and class.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Rows, isin_rows
from tidelog.core.schema import Schema
from tidelog.functions.conform import conform
from tidelog.local.engine import LocalEngine
from tidelog.local.equality.members import members_of
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.tables import Table
from tidelog.program.relations import Relation
from tidelog.syntax.tree import is_iri_name
from tidelog.values import IRI, RDF_TYPE, Kind, from_python, text_of

if TYPE_CHECKING:
    import pyarrow as pa

    from tidelog.rdf.documents import Quads
    from tidelog.rdf.exchange import Quad
    from tidelog.rdf.writing import Columns, RdfWriteReport

TRIPLE = "triple"
"""The relation that has all triples: subject, predicate, object, and the graph if that is asked for."""


class Shape(NamedTuple):
    """What triples become."""

    triples: bool = False
    """Facts of `triple` instead of one relation for each predicate and class."""
    graphs: bool = False
    """Whether the graph is the last argument."""


@dataclass(slots=True)
class RelationRows:
    """The rows of relations, and why some triples are none."""

    rows: dict[str, Rows] = field(default_factory=dict)
    misfits: list[str] = field(default_factory=list)
    """The reasons, for the first of them."""
    rejected: int = 0

    def reject(self, count: int, reason: str) -> None:
        """Count triples that fit no relation."""
        self.rejected += count
        self.misfits.append(reason)


def ids_of(terms: Dictionary, columns: Iterable[pa.Array]) -> Rows:
    """Columns of keys as a matrix of ids."""
    import pyarrow as pa

    encoded = []
    for column in columns:
        coded = column if isinstance(column, pa.DictionaryArray) else column.dictionary_encode()
        ids = terms.encode_keys(coded.dictionary)
        encoded.append(ids[coded.indices.to_numpy(zero_copy_only=False)] if len(ids) else ids)
    return np.column_stack(encoded)


def columns_of(batch: Quads, shape: Shape) -> list[pa.Array]:
    """The columns of keys of a batch."""
    triples = batch.triples
    columns = [triples.subjects, triples.predicates, triples.objects]
    return [*columns, batch.graph_column()] if shape.graphs else columns


def by_relation(terms: Dictionary, rows: Rows, shape: Shape, schema: Schema, only: str | None = None) -> RelationRows:
    """Triples as rows of relations; those that give a relation another number of arguments, or other types, are misfits.

    `only` is the one relation that is wanted, if it is one.
    """
    found = RelationRows()
    groups = _whole(rows, only) if shape.triples or only == TRIPLE else _grouped(terms, rows, schema, only)
    for name, group in groups:
        known = schema.relation(name)
        arity = found.rows[name].shape[1] if name in found.rows else known.arity if known is not None else group.shape[1]
        if arity != group.shape[1]:
            counted = f"{len(group):,} triple{' gives' if len(group) == 1 else 's give'} it"
            why = "; what is a class and a property, too, needs triples=True" if is_iri_name(name) else ""
            found.reject(len(group), f"`{name}` has {arity} arguments, and {counted} {group.shape[1]}{why}")
            continue
        fitting = group if known is None or known.columns is None else _conforming(terms, group, known, found)
        found.rows[name] = fitting if name not in found.rows else np.concatenate([found.rows[name], fitting])
    return found


def _whole(rows: Rows, only: str | None) -> Iterator[tuple[str, Rows]]:
    yield only or TRIPLE, rows


def _grouped(terms: Dictionary, rows: Rows, schema: Schema, only: str | None) -> Iterator[tuple[str, Rows]]:
    """Triples by relation: the predicate, or, under rdf:type, the class, if it is an IRI."""
    if not len(rows):
        return
    type_id = terms.encode([from_python(IRI(RDF_TYPE))])[0]
    is_type = rows[:, 1] == type_id
    is_class = terms.have_kind(Kind.IRI, rows[:, 2])
    is_class[is_class] = ~_are_blank(terms, rows[is_class, 2])
    keeps_types = (known := schema.relation(RDF_TYPE)) is not None and known.arity == rows.shape[1] - 1
    unary = is_type & is_class
    others = [0, 2, *range(3, rows.shape[1])]
    for mask, name_at, columns in ((unary, 2, [0, *others[2:]]), (~unary | (is_type & keeps_types), 1, others)):
        mine = rows[mask]
        order = np.argsort(mine[:, name_at], kind="stable")
        mine = mine[order]
        names, begins = np.unique(mine[:, name_at], return_index=True)
        for at, value in enumerate(terms.values_of(names)):
            name = str(value.content.text) if isinstance(value.content, IRI) else ""
            if only is None or name == only:
                end = begins[at + 1] if at + 1 < len(begins) else len(mine)
                yield name, np.ascontiguousarray(mine[begins[at] : end][:, columns])


def _are_blank(terms: Dictionary, ids: Int32s) -> NDArray[np.bool_]:
    """For each id of an IRI whether it is a blank node."""
    import pyarrow.compute as pc

    distinct, places = np.unique(ids, return_inverse=True)
    blank = pc.starts_with(terms.content_of(Kind.IRI, distinct.astype(np.int32)), "_:")
    result: NDArray[np.bool_] = blank.to_numpy(zero_copy_only=False)[places]
    return result


def _conforming(terms: Dictionary, rows: Rows, relation: Relation, found: RelationRows) -> Rows:
    """The rows whose values are of the declared types, integers as floats where floats are wanted."""
    rows, good = rows.copy(), np.ones(len(rows), np.bool_)
    for at in range(relation.arity):
        kind = relation.columns[at].type if relation.columns is not None else None
        if not isinstance(kind, Kind):
            continue
        other = np.flatnonzero(~terms.have_kind(kind, rows[:, at]))
        distinct, places = np.unique(rows[other, at], return_inverse=True)
        values = [conform(kind, value) for value in terms.values_of(distinct.astype(np.int32))]
        fits = np.array([value is not None for value in values], np.bool_)
        ids = np.zeros(len(values), np.int32)
        ids[fits] = terms.encode([value for value in values if value is not None])
        rows[other, at] = ids[places]
        good[other] &= fits[places]
        if not fits.all():
            column = relation.columns[at].name if relation.columns is not None else at + 1
            number = int((~fits[places]).sum())
            found.reject(number, f"column {column} of `{relation.name}` is {kind}: {number:,} triples have other values")
    return rows[good]


# --- single triples, and the way back ----------------------------------------------------------------------------------------


def facts_of_quad(quad: Quad, shape: Shape, schema: Schema) -> Iterator[tuple[Any, ...]]:
    """The facts that a triple becomes."""
    graph = (quad.graph.content,) if shape.graphs else ()
    subject, predicate, target = quad.subject.content, quad.predicate.content, quad.object.content
    if shape.triples:
        yield (TRIPLE, subject, predicate, target, *graph)
        return
    name = text_of(quad.predicate)
    if name == RDF_TYPE and quad.object.kind is Kind.IRI and not text_of(quad.object).startswith("_:"):
        yield (text_of(quad.object), subject, *graph)
        if (known := schema.relation(RDF_TYPE)) is None or known.arity != 2 + len(graph):
            return
    yield (name, subject, target, *graph)


def keys_of_rows(terms: Dictionary, rows: Rows) -> list[pa.DictionaryArray]:
    """The columns of a matrix of ids as dictionary arrays of keys."""
    import pyarrow as pa

    columns = []
    for ids in rows.T:
        distinct, places = np.unique(ids, return_inverse=True)
        columns.append(pa.DictionaryArray.from_arrays(pa.array(places.astype(np.int32)), terms.decode_keys(distinct)))
    return columns


def triples_of_facts(engine: LocalEngine, relations: Iterable[str], which: str, report: RdfWriteReport) -> Iterator[Columns]:
    """The facts of relations as triples of keys; those that are none are counted in the report."""
    terms, type_id = engine.dictionary, int(engine.dictionary.encode([from_python(IRI(RDF_TYPE))])[0])
    for name in relations:
        for rows in _facts_in(engine, name, which):
            if not len(rows):
                continue
            if name == TRIPLE and rows.shape[1] in (3, 4):
                found = rows[:, :3]
            elif is_iri_name(name) and rows.shape[1] in (1, 2):
                own = np.full(len(rows), int(terms.encode([from_python(IRI(name))])[0]), np.int32)
                others = [np.full(len(rows), type_id, np.int32), own] if rows.shape[1] == 1 else [own, rows[:, 1]]
                found = np.column_stack([rows[:, 0], *others])
            else:
                report.leave_out(name, len(rows))
                continue
            is_triple = terms.have_kind(Kind.IRI, found[:, 0]) & terms.have_kind(Kind.IRI, found[:, 1])
            report.leave_out(name, int((~is_triple).sum()))
            found = found[is_triple]
            columns = keys_of_rows(terms, found)
            yield columns[0], columns[1], columns[2]


def _facts_in(engine: LocalEngine, name: str, which: str) -> Iterator[Rows]:
    """The facts of a relation, some rows at a time: all, the explicit ones, or the others."""
    explicit = engine.explicit_rows(engine.core.explicit_name(name))
    if which == "explicit":
        yield from () if explicit is None else (explicit,)
        return
    stored, members = engine.stored(name), members_of(engine.state.tables, name)
    for columns in stored.version().chunks() if isinstance(stored, Table) else stored.chunks() if stored is not None else ():
        rows = np.column_stack(columns) if columns else np.empty((0, 0), np.int32)
        rows = rows if members is None else members.expanded(rows)
        if which == "derived" and explicit is not None and len(explicit):
            rows = rows[~isin_rows(rows, explicit)]
        yield rows
