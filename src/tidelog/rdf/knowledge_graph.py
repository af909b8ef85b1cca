"""The part of a knowledge base that concerns RDF: files and graphs as facts, single triples, and facts as files.

`tidelog.rdf` reads and writes; an engine that can do it overrides these methods.
"""

# ruff: noqa: ARG002  # the engine that overrides a method uses its arguments
from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from tidelog.changes import Change, LoadReport
from tidelog.errors import TidelogError, fail

if TYPE_CHECKING:
    from tidelog.rdf.writing import RdfWriteReport
    from tidelog.sparql.results import SparqlResult


class KnowledgeGraph:
    """Triples as facts.  `s p o` is the fact `p(s, o)`, and `s rdf:type C` is `C(s)`; or each is `triple(s, p, o)`."""

    def load_rdf(
        self,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        triples: bool | None = None,
        graphs: bool = False,
        base: str | None = None,
        rejects: Any = None,
    ) -> list[LoadReport]:
        """Add the triples of a file, or of a graph or store of rdflib or pyoxigraph; a report for each relation.

        A triple `s p o` becomes the fact `p(s, o)`, and `s rdf:type C` becomes `C(s)`.  With `triples=True` each becomes
        `triple(s, p, o)`; by default that is so if the program has a relation `triple` with so many columns.  With
        `graphs=True` the graph is the last argument, the empty string for the default graph.  `format` says what a file is
        where its ending does not, and `base` what relative IRIs are relative to.

        All of the source is loaded, or nothing; what is no triple or does not fit its relation goes to the list `rejects`, if
        there is one.
        """
        raise _missing()

    def update_rdf(
        self,
        insert: object = (),
        delete: object = (),
        *,
        format: str | None = None,  # noqa: A002
        triples: bool | None = None,
        graphs: bool = False,
    ) -> Change:
        """Delete and insert triples, deletions first; derive what follows.  All of it happens, or nothing.

        Triples are tuples of terms (`IRI`, `Literal` and values of Python, or terms of rdflib and pyoxigraph), a text of
        Turtle or of another `format`, a path, or a graph.  They become facts as with `load_rdf`.
        """
        raise _missing()

    def sparql(self, text: str, *, graphs: bool | None = None) -> SparqlResult:
        """The answers to a SPARQL query: SELECT gives answers, ASK a bool, CONSTRUCT and DESCRIBE triples.

        A relation that is named by an IRI holds triples, as `load_rdf` says, and so does `triple`.  With `graphs=True` the last
        argument of each fact is its graph; that is the default if the program has a relation `triple` with four columns.
        """
        raise _missing()

    def sparql_update(self, text: str, *, triples: bool | None = None, graphs: bool | None = None) -> Change:
        """Insert and delete the triples of a SPARQL update, `INSERT DATA` and `DELETE DATA`, as one change.

        All of the text is read first; `triples` and `graphs` are those of `update_rdf`.  A blank node is a new node.
        """
        raise _missing()

    def write_rdf(
        self,
        path: str | PathLike[str],
        *,
        which: str = "all",
        relations: Iterable[str] | None = None,
        format: str | None = None,  # noqa: A002
    ) -> RdfWriteReport:
        """Write facts as N-Triples or Turtle, by the ending of the file, which may be `.gz`.

        `which` is `all`, `explicit` or `derived`.  A fact is a triple if its relation is named by an IRI and has one or two
        arguments, or is `triple`; the report says how many facts are none.
        """
        raise _missing()


def _missing() -> TidelogError:
    fix = 'choose engine="local"; on Spark, load triples with `load_rdf`, change facts with `update`, ask with `query`'
    return fail("TL074", 'engine="spark" has no such method', fix=fix)
