"""The stores of rdflib: a graph with live inference, and a dataset of named graphs.

Each change is one update of the knowledge base, so what follows is there at once.  Derived triples are found and counted like
others; they cannot be removed, since they follow.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import rdflib.plugin
from rdflib import Graph, URIRef
from rdflib.query import Result
from rdflib.store import VALID_STORE, Store, TripleAddedEvent, TripleRemovedEvent

from tidelog.arguments import path_of, wrong
from tidelog.changes import Change
from tidelog.durable.manifest import NAME as SAVED
from tidelog.errors import TidelogError, fail
from tidelog.kb import KnowledgeBase
from tidelog.local.triples.triple_rows import TRIPLE
from tidelog.rdf.exchange import Quad
from tidelog.rdflib_store.change_log import ChangeLog
from tidelog.rdflib_store.namespaces import Namespaces
from tidelog.rdflib_store.querying import answer, is_answerable
from tidelog.rdflib_store.terms import DEFAULT_GRAPH, Terms, can_be_subject, value_of_context, value_to_add, value_to_find
from tidelog.values import Value

_FIX = 'give a knowledge base of the local engine, `TidelogStore(kb)`, or the folder of a saved one, `graph.open("folder")`'
_FIX_FOR_BOTH = (
    "what is a class and a property, too, needs one relation for all triples: "
    'TidelogStore(KnowledgeBase("@relation triple(s, p, o) ."))'
)
_NAMES = {"Tidelog": "TidelogStore", "TidelogDataset": "TidelogDatasetStore"}
_Triple = tuple[Any, Any, Any]


class TidelogStore(Store):
    """A store whose triples are the facts of a knowledge base, explicit and derived.

    >>> from rdflib import Graph
    >>> kb = KnowledgeBase("@prefix ex: <http://example.org/> . ex:q(X, Y) :- ex:p(Y, X).")
    >>> graph = Graph(store=TidelogStore(kb))
    """

    formula_aware = False

    def __init__(
        self,
        source: KnowledgeBase | str | None = None,
        identifier: object = None,
        *,
        graphs: bool | None = None,
        transactions: bool = True,
    ) -> None:
        """The store of a knowledge base, of the saved one in a folder, or of a new one.

        With `graphs=True` the last argument of facts is their graph, and rdflib may have a `Dataset` of it; that is the default
        if the program has a relation `triple` with four columns.  With `transactions=False` nothing is kept for a rollback.
        """
        super().__init__()
        self.identifier, self.transaction_aware = identifier, transactions
        self._wants_graphs, self._terms, self._log = graphs, Terms(), ChangeLog()
        self._empty_graphs: dict[Any, Graph] = {}
        self._use(source if isinstance(source, KnowledgeBase) else KnowledgeBase())
        if isinstance(source, str):
            self.open(source)
        elif source is not None and not isinstance(source, KnowledgeBase):
            raise wrong("a knowledge base", source, _FIX)

    def _use(self, kb: KnowledgeBase) -> None:
        if not hasattr(kb, "triple_patterns"):
            raise fail("TL074", "a store of rdflib needs a knowledge base of the local engine", fix=_FIX)
        self._kb: Any = kb
        known = kb.relations.get(TRIPLE)
        graphs = known is not None and known.arity == 4 if self._wants_graphs is None else bool(self._wants_graphs)
        self.context_aware = self.graph_aware = graphs
        self._namespaces = Namespaces(kb.program.prefixes)

    @property
    def knowledge_base(self) -> KnowledgeBase:
        """The knowledge base: for rules, ontologies, files, and everything else that graphs of rdflib cannot do."""
        found: KnowledgeBase = self._kb
        return found

    # --- folders ---------------------------------------------------------------------------------------------------------

    def open(self, configuration: Any, create: bool = False) -> int | None:
        """Open the knowledge base that is saved in a folder; with `create`, a new one if there is none."""
        if len(self):
            fix = "make another graph, or save this one: graph.store.knowledge_base.save(folder)"
            raise fail("TL074", "a store with triples cannot open a folder", fix=fix)
        if not create and not (path_of(configuration) / SAVED).exists():
            raise fail("TL060", f"there is no knowledge base in {configuration}", fix="create it: `open(folder, create=True)`")
        self._use(KnowledgeBase.open(configuration))
        return VALID_STORE

    def close(self, commit_pending_transaction: bool = False) -> None:  # noqa: ARG002  # all has been saved at once
        """Close the folder; nothing is taken back."""
        self._log.clear()
        self._kb.close()

    # --- changes ---------------------------------------------------------------------------------------------------------

    def add(self, triple: _Triple, context: Any, quoted: bool = False) -> None:
        """Add a triple to a graph, and derive what follows."""
        if quoted:
            raise fail("TL074", "this store has no quoted graphs", fix="add the triple to a graph")
        self._insert([self._quad(triple, context)])
        self._tell(TripleAddedEvent, triple, context)

    def addN(self, quads: Iterable[tuple[Any, Any, Any, Any]]) -> None:  # noqa: N802
        """Add triples to their graphs, in one update."""
        given = list(quads)
        self._insert([self._quad((s, p, o), context) for s, p, o, context in given])
        for s, p, o, context in given:
            self._tell(TripleAddedEvent, (s, p, o), context)

    def remove(self, triple: Any, context: Any = None) -> None:
        """Remove the triples that match, of one graph or of all, in one update; derived ones stay as long as they follow."""
        pattern = self._pattern(triple, context)
        if pattern is not None:
            with self._kb.triple_patterns(graphs=self.graph_aware) as patterns:
                facts = patterns.explicit_facts(pattern)
            if facts:
                self._note(self._kb.update(delete=facts), facts, inserted=False)
        self._tell(TripleRemovedEvent, triple, context)

    def _tell(self, what: Any, triple: Any, context: Any) -> None:
        """Tell those who have subscribed to changes of this store."""
        dispatcher: Any = self.dispatcher
        dispatcher.dispatch(what(triple=triple, context=context))

    def commit(self) -> None:
        """Keep what has been done since the last commit: `rollback` will not take it back."""
        self._log.clear()

    def rollback(self) -> None:
        """Take back, in one update, what this store has added and removed since the last commit."""
        if not self.transaction_aware:
            raise fail("TL074", "this store keeps nothing for a rollback", fix="make it with transactions=True")
        if len(self._log):
            self._kb.update(**self._log.undoing())
            self._log.clear()

    def _insert(self, quads: list[Quad]) -> None:
        facts = self._kb.facts_of_quads(quads, graphs=self.graph_aware)
        try:
            change = self._kb.update(insert=facts)
        except TidelogError as error:
            if (first := error.diagnostics[0]).code != "TL020":
                raise
            raise fail("TL020", first.message, fix=_FIX_FOR_BOTH) from error
        self._note(change, facts, inserted=True)

    def _note(self, change: Change, facts: list[tuple[Any, ...]], *, inserted: bool) -> None:
        if self.transaction_aware:
            self._log.note(change, facts, inserted=inserted)

    def _quad(self, triple: _Triple, context: Any) -> Quad:
        subject, predicate, target = (value_to_add(term) for term in triple)
        if not can_be_subject((subject, predicate)):
            raise fail("TL072", "a literal cannot be the subject or the predicate of a triple", fix="give a URIRef or a BNode")
        graph = value_of_context(context) if self.graph_aware else None
        return Quad(subject, predicate, target, graph if graph is not None else DEFAULT_GRAPH)

    def __reduce__(self) -> Any:
        return self._kb.__reduce__()

    # --- questions -------------------------------------------------------------------------------------------------------

    def _pattern(self, triple: Any, context: Any) -> list[Value | None] | None:
        """What to look for; None if nothing can match."""
        found = [value_to_find(term) for term in triple]
        pattern = [value for _, value in found]
        if not all(may_match for may_match, _ in found) or not can_be_subject(pattern):
            return None
        return [*pattern, value_of_context(context)] if self.graph_aware else pattern

    def triples(self, triple_pattern: Any, context: Any = None) -> Iterator[tuple[_Triple, Iterator[Any]]]:
        """The triples that match, as they are when the first one is asked for, each with its graphs."""
        pattern = self._pattern(triple_pattern, context)
        if pattern is None:
            return
        with self._kb.triple_patterns(graphs=self.graph_aware) as patterns:
            rows, dictionary = patterns.rows(pattern), patterns.terms
        subjects, predicates, objects = (self._terms.of(rows[:, at], dictionary) for at in range(3))
        triples = zip(subjects, predicates, objects, strict=True)
        if not self.graph_aware:
            yield from ((triple, iter(())) for triple in triples)
            return
        named = zip(rows[:, :3].tolist(), triples, self._terms.graphs(rows[:, 3], dictionary), strict=True)
        for _, group in groupby(sorted(named, key=lambda one: one[0]), key=lambda one: one[0]):
            same = list(group)
            yield same[0][1], iter([self._graph(name) for _, _, name in same])

    def _graph(self, name: Any) -> Graph:
        return self._empty_graphs[name] if name in self._empty_graphs else Graph(store=self, identifier=name)

    def __len__(self, context: Any = None) -> int:
        """How many triples there are, in one graph or in all, derived ones among them."""
        with self._kb.triple_patterns(graphs=self.graph_aware) as patterns:
            if not self.graph_aware:
                return int(patterns.count())
            rows = patterns.rows((None, None, None, value_of_context(context)))
        return len(set(map(tuple, rows[:, :3].tolist())))

    def contexts(self, triple: Any = None) -> Generator[Graph, None, None]:
        """The graphs, also empty ones that have been added; of a triple, those that it is in."""
        if not self.graph_aware:
            return
        pattern = self._pattern(triple or (None, None, None), None)
        names: dict[Any, None] = {} if triple is not None else dict.fromkeys(self._empty_graphs)
        if pattern is not None:
            with self._kb.triple_patterns(graphs=True) as patterns:
                ids, dictionary = patterns.rows(pattern)[:, 3], patterns.terms
            names.update(dict.fromkeys(self._terms.graphs(ids, dictionary)))
        yield from [self._graph(name) for name in names]

    def add_graph(self, graph: Graph) -> None:
        """Know a graph, even if it has no triples."""
        self._empty_graphs.setdefault(graph.identifier, graph)

    def remove_graph(self, graph: Graph) -> None:
        """Remove a graph with its triples."""
        self.remove((None, None, None), graph)
        self._empty_graphs.pop(graph.identifier, None)

    # --- SPARQL ----------------------------------------------------------------------------------------------------------

    def query(  # the names are those of rdflib
        self,
        query: Any,
        initNs: Mapping[str, Any],  # noqa: N803
        initBindings: Mapping[str, Any],  # noqa: N803
        queryGraph: Any,  # noqa: N803
        **kwargs: Any,
    ) -> Result:
        """Answer a query by `kb.sparql`; NotImplementedError if rdflib has to evaluate it, as its graphs expect."""
        found = None
        if not kwargs and is_answerable(query, initBindings, queryGraph, graphs=self.graph_aware):
            found = answer(self._kb, query, initNs, graphs=self.graph_aware)
        if found is None:
            raise NotImplementedError
        return found

    # --- prefixes --------------------------------------------------------------------------------------------------------

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Let a prefix stand for a namespace."""
        self._namespaces.bind(prefix, namespace, override=override)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._namespaces.namespace(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._namespaces.prefix(namespace)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """All prefixes with their namespaces."""
        return iter(self._namespaces)


class TidelogDatasetStore(TidelogStore):
    """A store of named graphs: the last argument of each fact is its graph."""

    def __init__(
        self, source: KnowledgeBase | str | None = None, identifier: object = None, *, transactions: bool = True
    ) -> None:
        super().__init__(source, identifier, graphs=True, transactions=transactions)


for _name, _class in _NAMES.items():  # the entry points of the package say the same, where it is installed
    rdflib.plugin.register(_name, Store, __name__, _class)
