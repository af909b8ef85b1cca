"""The knowledge base on Spark: the same questions, of facts that come from files, tables and DataFrames."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidelog.errors import TidelogError, fail
from tidelog.kb import LoadReport
from tidelog.secrets import without_secrets
from tidelog.spark.changeable import Changeable

if TYPE_CHECKING:
    from tidelog.spark.ingest import Ingested, Rejects


class SparkKnowledgeBase(Changeable):
    """A knowledge base whose facts may be more than one process can hold."""

    def load(
        self,
        relation: str,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        header: Any = "auto",
        options: dict[str, str] | None = None,
        columns: dict[str, str] | None = None,
        rejects: Rejects | None = None,
        **others: Any,
    ) -> LoadReport:
        """Add the facts of files, a Spark table or a DataFrame to a relation; rows that do not fit are rejects."""
        from tidelog.spark.ingest import Rejects, ingest

        if others:
            fix = "leave it out" if "upsert" not in others else "give the rows to `update(upsert=…)`"
            raise fail("TL074", f'engine="spark" takes no {", ".join(others)} to load', fix=fix)
        with _keeping_secrets(options or {}):
            ingested = ingest(
                self.spark,
                source,
                relation,
                self.relations.get(relation),
                format=format,
                header=header,
                options=options,
                columns=columns,
                rejects=rejects if rejects is not None else Rejects(),
                lineage=self._started_engine.lineage,
            )
        return self._add(ingested)

    def load_rdf(self, source: object, *, format: str | None = None, rejects: Rejects | None = None) -> list[LoadReport]:  # noqa: A002
        """Add the triples of N-Triples or Turtle files to the relations that the program names by their IRIs."""
        from tidelog.spark.ingest import Rejects, ingest_rdf

        rejects = rejects if rejects is not None else Rejects()
        lineage = self._started_engine.lineage
        triples = ingest_rdf(self.spark, source, format=format, rejects=rejects, lineage=lineage)  # type: ignore[arg-type]
        reports: list[LoadReport] = []
        has_others = any(name != "triple" for name in self.relations)
        for name, arity in (*(triples.counts() if has_others else ()), ("triple", 3)):
            relation = self.relations.get(name)
            if relation is not None and relation.arity == arity:
                reports.append(self._add(triples.ingested(relation, rejects=rejects)))
        return reports

    def _add(self, found: Ingested) -> LoadReport:
        relation, rows = found.relation, found.rows
        width = len([name for name in found.frame.columns if name.startswith("k")])
        self._know(relation, self.relations[relation].arity if relation in self.relations else width)
        if not self._started_engine.has_derived:
            self._read.append((relation, found.kept, rows))
        self._started_engine.add(relation, found.kept, rows, self.relations[relation].arity)
        self.loads.append(LoadReport(relation, rows, rows, found.description, found.rejected))
        return self.loads[-1]


@contextmanager
def _keeping_secrets(options: Mapping[str, str]) -> Iterator[None]:
    """Around a reader that is given options: its errors repeat none of the secrets among them, nor does what they came from."""
    try:
        yield
    except TidelogError as error:
        if not options:
            raise
        raise TidelogError(without_secrets(problem, options) for problem in error.diagnostics) from None
