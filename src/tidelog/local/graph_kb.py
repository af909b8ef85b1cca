"""RDF in and out of a knowledge base in this process: files and graphs as facts, single triples, and facts as files of RDF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from tidelog.arguments import iterable, shown, wrong
from tidelog.changes import Change, LoadReport
from tidelog.errors import Diagnostic, TidelogError, fail
from tidelog.local.saving import SavableKnowledgeBase
from tidelog.local.sharing.direct import DirectAnswers
from tidelog.local.sharing.inquiry import Inquiry, InquiryPlans
from tidelog.local.triples.triple_patterns import TriplePatterns
from tidelog.local.triples.triple_rows import (
    TRIPLE,
    RelationRows,
    Shape,
    by_relation,
    columns_of,
    facts_of_quad,
    ids_of,
    keys_of_rows,
    triples_of_facts,
)
from tidelog.program.same_as import REPRESENTATIVE
from tidelog.surface.keywords import naming_options
from tidelog.syntax.clauses import WELL_KNOWN
from tidelog.text_limits import check_length

if TYPE_CHECKING:
    import pyarrow as pa

    from tidelog.core.arrays import Rows
    from tidelog.local.transaction import Transaction
    from tidelog.rdf.exchange import Quad
    from tidelog.rdf.sources import RdfSource
    from tidelog.rdf.writing import RdfWriteReport
    from tidelog.sparql.results import SparqlResult

_MOST_SHOWN = 5
_FIX = "mend the source; or give a list, `rejects=[]`, that takes what does not fit"


class GraphKnowledgeBase(SavableKnowledgeBase):
    """A knowledge base that takes and gives RDF."""

    @naming_options
    def load_rdf(
        self,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        triples: bool | None = None,
        graphs: bool = False,
        base: str | None = None,
        rejects: list[str] | None = None,
    ) -> list[LoadReport]:
        """As `KnowledgeGraph` says."""
        from tidelog.files.raw import Sizes
        from tidelog.rdf.sources import rdf_source

        if rejects is not None and not isinstance(rejects, list):
            raise wrong("a list", rejects, "give a list, `rejects=[]`, that takes what does not fit")
        with self._sharing:
            sizes = Sizes(self._limit_text, self._all_limits.memory)
            opened = rdf_source(source, format, base, sizes)
            self._collect_terms()
            reports = self._load_source(opened, self.rdf_shape(triples=triples, graphs=graphs), rejects)
        self._deliver()
        return reports

    def sparql(self, text: str, *, graphs: bool | None = None) -> SparqlResult:
        """As `KnowledgeGraph` says."""
        from tidelog.sparql.answering import answer, answers_of, asked

        if (view := self._sharing.begin_reading()) is not None:
            return view.sparql(text, graphs=graphs)
        try:
            if isinstance(text, str):
                if (direct := self._direct.answer(self._started, (text, graphs))) is not None:
                    return answers_of(*direct, self._engine.dictionary)
                check_length(text, "the query", self._limit_text)
            question, is_of_graphs = asked(text, self._schema, graphs=graphs)
            engine, plans = self._maintained(), self._inquiry_plans
            with Inquiry(engine, self._watch(), plans) as inquiry:
                remember = lambda rule, shown: self._direct.remember(engine, (text, graphs), rule, plans, shown)  # noqa: E731
                return answer(question, inquiry, self._schema, graphs=is_of_graphs, remember=remember)
        finally:
            self._sharing.end_reading()

    @cached_property
    def _direct(self) -> DirectAnswers:
        return DirectAnswers()

    @cached_property
    def _inquiry_plans(self) -> InquiryPlans:
        return InquiryPlans()

    def _collect_terms(self) -> None:
        """Before a change: let the engine drop unused terms."""

    def rdf_shape(self, *, triples: bool | None = None, graphs: bool = False) -> Shape:
        """What triples become here: facts of `triple` if the program has that relation, unless that is said."""
        if triples is None:
            known = self._schema.relation(TRIPLE)
            triples = known is not None and known.arity == 3 + graphs
        return Shape(bool(triples), bool(graphs))

    @contextmanager
    def triple_patterns(self, *, graphs: bool = False) -> Iterator[TriplePatterns]:
        """For questions about single triples, one after the other; nobody changes anything meanwhile."""
        with self._sharing:
            if REPRESENTATIVE in self._schema.program.relations:
                fix = "ask with `kb.sparql`, or make the knowledge base without `same_as`"
                raise fail("TL074", "a graph of rdflib does not know that individuals are the same", fix=fix)
            yield TriplePatterns(self._maintained(), self._schema, graphs=graphs)

    def facts_of_quads(
        self, quads: Iterable[Quad], *, triples: bool | None = None, graphs: bool = False
    ) -> list[tuple[Any, ...]]:
        """The facts that triples become here."""
        shape = self.rdf_shape(triples=triples, graphs=graphs)
        return [fact for quad in quads for fact in facts_of_quad(quad, shape, self._schema)]

    def _rdf_of(self, relation: str, source: object, given: str | None, *, upsert: bool) -> LoadReport | None:
        """Load the triples of one relation, as `@input` asks for; None if the source is no file of RDF."""
        from tidelog.rdf.formats import RDF_NAMES, rdf_file_of

        is_rdf = isinstance(source, str | PathLike) and (
            rdf_file_of(source) is not None if given is None else isinstance(given, str) and given in RDF_NAMES
        )
        if not is_rdf:
            return None
        from tidelog.files.raw import Sizes
        from tidelog.rdf.sources import rdf_source

        if upsert:
            raise fail("TL074", "RDF has no rows to upsert", fix="leave `upsert` out")
        opened = rdf_source(source, given, None, Sizes(self._limit_text, self._all_limits.memory))
        self._collect_terms()
        known = self._schema.relation(relation)
        shape = Shape(triples=relation == TRIPLE, graphs=known is not None and known.arity == 4 and relation == TRIPLE)
        reports = self._load_source(opened, shape, only=relation)
        return reports[0] if reports else LoadReport(relation, 0, 0, f"{relation}: no triples from {opened.name}")

    def _load_source(
        self, source: RdfSource, shape: Shape, rejects: list[str] | None = None, only: str | None = None
    ) -> list[LoadReport]:
        if self._journal is not None:
            self._journal.take()
        if self._is_heard:
            self.derive()
        engine, watch = self.engine, self._watch()
        with engine.begin(watch) as transaction:
            pieces: list[Rows] = [np.empty((0, 3 + shape.graphs), np.int32)]
            misfits: list[str] = []
            for batch in source.batches:
                pieces.append(ids_of(engine.state.terms, columns_of(batch, shape)))
                misfits += [f"{source.name}:{line + 1}: {reason}" for line, reason in sorted(batch.triples.rejected)]
                watch.poll()
            rows = np.concatenate(pieces)
            total = len(rows) + len(misfits)
            found = by_relation(engine.state.terms, rows, shape, self._schema, only)
            rejected = len(misfits) + found.rejected
            misfits += [f"{source.name}: {reason}" for reason in found.misfits]
            if rejected and rejects is None:
                raise _refusal(source.name, rejected, total, misfits)
            described = f"from {source.name} ({source.described})"
            how = {"triples": shape.triples, "graphs": shape.graphs, "only": only}
            reports = self._add_relations(transaction, found, described, rejected, (rows, how))
        if rejects is not None:
            rejects += misfits
        return reports

    def _add_relations(
        self,
        transaction: Transaction,
        found: RelationRows,
        described: str,
        rejected: int = 0,
        recorded: tuple[Rows, dict[str, Any]] | None = None,
    ) -> list[LoadReport]:
        """Add rows to relations, record the triples that they come from, and commit."""
        reports: list[LoadReport] = []
        schema = self._telling(transaction, self._schema, {name: rows.shape[1] for name, rows in found.rows.items()})
        for name, rows in found.rows.items():
            schema = schema.knowing(name, rows.shape[1])
            new = self.engine.add(name, rows)
            counted = "1 triple" if len(rows) == 1 else f"{len(rows):,} triples"
            reports.append(LoadReport(name, len(rows), new, f"{name}: {counted} {described}", rejected))
        if self._journal is not None and recorded is not None:
            rows, how = recorded
            write = partial(self._journal.record_triples, keys_of_rows(self.engine.state.terms, rows), how)
            transaction.record(write, self._journal.retract)
        self._commit_load(transaction, schema, reports)
        return reports

    def load_keys(self, columns: list[pa.DictionaryArray], how: Mapping[str, Any]) -> None:
        """Add triples from a journal: their keys, and what they became."""
        shape, terms = Shape(how["triples"], how["graphs"]), self.engine.state.terms
        with self.engine.begin(self._watch()) as transaction:
            rows = ids_of(terms, columns) if columns else np.empty((0, 3 + shape.graphs), np.int32)
            found = by_relation(terms, rows, shape, self._schema, how["only"])
            self._add_relations(transaction, found, "from the journal")

    @naming_options
    def update_rdf(
        self,
        insert: object = (),
        delete: object = (),
        *,
        format: str | None = None,  # noqa: A002
        triples: bool | None = None,
        graphs: bool = False,
    ) -> Change:
        """As `KnowledgeGraph` says."""
        from tidelog.rdf.exchange import quads_of

        become = partial(self.facts_of_quads, triples=triples, graphs=graphs)
        inserted, deleted = (become(quads_of(given, format)) for given in (insert, delete))
        return self.update(insert=inserted, delete=deleted)

    @naming_options
    def sparql_update(self, text: str, *, triples: bool | None = None, graphs: bool | None = None) -> Change:
        """As `KnowledgeGraph` says."""
        from tidelog.sparql.updates import quads_of_update

        check_length(text if isinstance(text, str) else "", "the update", self._limit_text)
        known = self._schema.relation(TRIPLE)
        is_of_graphs = known is not None and known.arity == 4 if graphs is None else bool(graphs)
        both = quads_of_update(text, {**WELL_KNOWN, **self.program.prefixes}, graphs=is_of_graphs)
        inserted, deleted = (self.facts_of_quads(some, triples=triples, graphs=is_of_graphs) for some in both)
        return self.update(insert=inserted, delete=deleted)

    @naming_options
    def write_rdf(
        self,
        path: str | PathLike[str],
        *,
        which: str = "all",
        relations: Iterable[str] | None = None,
        format: str | None = None,  # noqa: A002
    ) -> RdfWriteReport:
        """As `KnowledgeGraph` says."""
        from tidelog.ontology.loaded import ACCOUNT
        from tidelog.rdf.writing import RdfWriteReport, write_rdf

        if not isinstance(which, str) or which not in ("all", "explicit", "derived"):
            raise fail("TL074", f"there is no which={shown(which)}", fix="choose one of all, explicit, derived")
        chosen = (
            [self._known(name).name for name in iterable(relations, "names of relations", "give a list of names")]
            if (relations is not None)
            else [name for name in self.relations if name not in ACCOUNT]
        )
        report = RdfWriteReport()
        with self._sharing:
            engine = self._maintained()
            prefixes = {**WELL_KNOWN, **self.program.prefixes}
            write_rdf(triples_of_facts(engine, chosen, which, report), path, format, prefixes, report)
        return report


def _refusal(name: str, rejected: int, total: int, reasons: list[str]) -> TidelogError:
    counted = f"{rejected:,} of {total:,} triples of {name} {'does' if rejected == 1 else 'do'} not fit; nothing is loaded"
    more = [f"... and {len(reasons) - _MOST_SHOWN:,} more"] if len(reasons) > _MOST_SHOWN else []
    return TidelogError([Diagnostic("TL080", counted, fix=_FIX, notes=(*reasons[:_MOST_SHOWN], *more))])
