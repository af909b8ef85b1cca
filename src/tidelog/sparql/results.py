"""What a query gives: answers as tuples, Arrow, pandas and JSON, or triples that can be written as RDF.

A result is a snapshot: later updates do not change it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.arguments import wrong
from tidelog.core.arrays import Int32s, Rows
from tidelog.facts import Result, aligned, require
from tidelog.rdf.writing import RdfWriteReport, typed_text, write_rdf
from tidelog.sparql.terms import term_of
from tidelog.syntax.clauses import WELL_KNOWN
from tidelog.values import IRI, XSD, Literal, Value

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS_AT_FIRST, _ROWS_AT_ONCE = 1 << 6, 1 << 16
_ROWS_SHOWN = 20


class SparqlAnswers(Result):
    """The answers to a SELECT query; some of them may be equal."""

    def __init__(self, variables: Sequence[str], columns: Sequence[Int32s], count: int, terms: Any) -> None:
        """A column of ids for each variable; -1 is not bound."""
        self.variables = tuple(variables)
        """The names of the variables, in the order of the query."""
        self._columns, self._count, self._terms = tuple(columns), count, terms

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Tuples of Python objects; None where a variable is not bound."""
        if not self.variables:
            yield from [()] * self._count
            return
        begin, rows = 0, _ROWS_AT_FIRST
        while begin < self._count:
            pieces = (self._objects(column[begin : begin + rows]) for column in self._columns)
            yield from zip(*pieces, strict=True)
            begin, rows = begin + rows, min(_ROWS_AT_ONCE, 4 * rows)

    def __getitem__(self, part: slice) -> list[tuple[Any, ...]]:
        """Some answers, from the first one on: `answers[:3]`."""
        if not isinstance(part, slice):
            raise wrong("a part of a result", part, "give a slice, as in `answers[:3]`")
        return list(islice(self, part.start, part.stop, part.step))

    def _objects(self, ids: Int32s) -> list[Any]:
        is_bound = ids >= 0
        if is_bound.all():
            found: list[Any] = self._terms.objects_of(ids).tolist()
            return found
        objects = np.full(len(ids), None, object)
        objects[is_bound] = self._terms.objects_of(ids[is_bound])
        return objects.tolist()

    def to_arrow(self) -> pa.Table:
        """An Arrow table; what is not bound is null, and a column of several kinds is one of texts."""
        import pyarrow as pa

        arrays = [self._array(np.ascontiguousarray(column)) for column in self._columns]
        return pa.Table.from_arrays(arrays, names=list(self.variables))

    def _array(self, ids: Int32s) -> pa.Array:
        import pyarrow as pa

        is_bound = ids >= 0
        found = self._terms.decode_column(ids[is_bound])
        if is_bound.all():
            return found
        places = np.where(is_bound, np.cumsum(is_bound) - 1, 0)
        return found.take(pa.array(places, mask=~is_bound)) if is_bound.any() else pa.nulls(len(ids), found.type)

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_json(self) -> str:
        """The text of the answers in the format "SPARQL 1.1 Query Results JSON"."""
        columns = [self._json_terms(column) for column in self._columns]
        rows = zip(*columns, strict=True) if columns else iter([()] * self._count)
        names = self.variables
        bindings = [{name: term for name, term in zip(names, row, strict=True) if term is not None} for row in rows]
        return json.dumps({"head": {"vars": list(names)}, "results": {"bindings": bindings}}, ensure_ascii=False)

    def to_rdflib(self) -> Any:
        """A result of rdflib, with its terms."""
        from rdflib import Variable
        from rdflib.query import Result as RdflibResult

        result = RdflibResult("SELECT")
        result.vars = [Variable(name) for name in self.variables]
        columns = [terms_of(column, self._terms, term_of) for column in self._columns]
        rows = zip(*columns, strict=True) if columns else iter([()] * self._count)
        result.bindings = [{name: term for name, term in zip(result.vars, row, strict=True) if term is not None} for row in rows]
        return result

    def _json_terms(self, ids: Int32s) -> list[Any]:
        return terms_of(ids, self._terms, json_term)

    def __repr__(self) -> str:
        rows = [tuple("" if one is None else shown(one) for one in row) for row in self[:_ROWS_SHOWN]]
        more = [f"... and {self._count - _ROWS_SHOWN:,} more"] if self._count > _ROWS_SHOWN else []
        title = f"{self._count:,} answer{'' if self._count == 1 else 's'}"
        return "\n".join([title, *aligned((tuple(f"?{name}" for name in self.variables), *rows)), *more])


def terms_of(ids: Int32s, terms: Any, term: Callable[[Value], Any]) -> list[Any]:
    """A column of ids as terms, each made once; None for what is not bound."""
    distinct, places = np.unique(ids, return_inverse=True)
    bound = distinct[distinct >= 0]
    made = [None] * (len(distinct) - len(bound)) + [term(value) for value in terms.values_of(bound)]
    return [made[place] for place in places.reshape(-1).tolist()]


def shown(thing: Any) -> str:
    """A Python object of a result as a cell of a table."""
    return thing.text if isinstance(thing, IRI | Literal) else str(thing)


def json_term(value: Value) -> dict[str, str]:
    """A value as a term of the JSON format."""
    match value.content:
        case IRI(text):
            return {"type": "bnode", "value": text[2:]} if text.startswith("_:") else {"type": "uri", "value": text}
        case Literal(text, None, str(language)):
            return {"type": "literal", "value": text, "xml:lang": language}
        case Literal(text, str(datatype), _):
            return {"type": "literal", "value": text, "datatype": datatype}
        case str(text):
            return {"type": "literal", "value": text}
    text, datatype = typed_text(value)
    return {"type": "literal", "value": text, "datatype": XSD + datatype}


class SparqlTriples(Result):
    """The triples that a CONSTRUCT or DESCRIBE query gives, each once."""

    def __init__(self, rows: Rows, terms: Any, prefixes: Mapping[str, str]) -> None:
        """Rows of ids."""
        self._rows, self._terms, self._prefixes = rows, terms, prefixes

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[tuple[Any, Any, Any]]:
        """Tuples of Python objects: subject, predicate, object."""
        yield from zip(*(self._terms.objects_of(ids).tolist() for ids in self._rows.T), strict=True)

    def __repr__(self) -> str:
        return f"{len(self):,} triple{'' if len(self) == 1 else 's'}"

    def to_arrow(self) -> pa.Table:
        """An Arrow table with the columns subject, predicate and object."""
        import pyarrow as pa

        arrays = [self._terms.decode_column(np.ascontiguousarray(ids)) for ids in self._rows.T]
        return pa.Table.from_arrays(arrays, names=["subject", "predicate", "object"])

    def to_rdflib(self) -> Any:
        """A graph of rdflib."""
        from rdflib import Graph

        graph = Graph()
        columns = [terms_of(np.ascontiguousarray(ids), self._terms, term_of) for ids in self._rows.T]
        graph.addN((*triple, graph) for triple in zip(*columns, strict=True))
        return graph

    def write(self, path: str | PathLike[str], format: str | None = None) -> RdfWriteReport:  # noqa: A002
        """Write the triples as N-Triples or Turtle, by the ending of the file, which may be `.gz`."""
        import pyarrow as pa

        columns = []
        for ids in self._rows.T:
            distinct, places = np.unique(ids, return_inverse=True)
            keys = self._terms.decode_keys(distinct.astype(np.int32))
            columns.append(pa.DictionaryArray.from_arrays(pa.array(places.reshape(-1).astype(np.int32)), keys))
        report = RdfWriteReport()
        write_rdf([(columns[0], columns[1], columns[2])], path, format, {**WELL_KNOWN, **self._prefixes}, report)
        return report


SparqlResult = SparqlAnswers | SparqlTriples | bool
"""What a query gives: answers to SELECT, triples of CONSTRUCT and DESCRIBE, the truth of ASK."""
