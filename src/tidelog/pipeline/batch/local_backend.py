"""A job on the local engine: one process, files in, files out."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog import __version__
from tidelog.errors import TidelogError, fail
from tidelog.pipeline.batch.backend import LoadedSource, ShowProgress
from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.job.parts import SinkPart, SourcePart
from tidelog.pipeline.report.outcome import Placement, Round
from tidelog.stores import Store, store_at

if TYPE_CHECKING:
    from tidelog.kb import KnowledgeBase
    from tidelog.pipeline.job.job_file import Job

_WHY = "the local engine evaluates everything in its kernel"


class LocalBackend:
    """The local engine with the program of a job."""

    def __init__(self, job: Job, progress: ShowProgress | None = None) -> None:
        from tidelog.kb import KnowledgeBase

        self._kb: KnowledgeBase = KnowledgeBase(
            job.program.document.source,
            modules=job.engine.modules,
            progress=progress,
            **job.limits.options(),
        )

    # --- in --------------------------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Nothing has to be started."""

    def load(self, source: SourcePart, rejects: RejectLog) -> LoadedSource:
        """Read a file."""
        if source.is_rdf:
            return self._load_triples(source, rejects)
        name = source.relation or ""
        if not source.columns:
            from tidelog.pipeline.batch.local_rows import local_format

            try:
                report = self._kb.load(name, source.path, format=local_format(source), header=source.header)
                return LoadedSource((name,), report.rows, note=report.description)
            except TidelogError as error:
                if {diagnostic.code for diagnostic in error.diagnostics} != {"TL080"}:
                    raise
        return self._load_what_fits(source, rejects)

    def _load_what_fits(self, source: SourcePart, rejects: RejectLog) -> LoadedSource:
        from tidelog.pipeline.batch.local_rows import rows_of

        name = source.relation or ""
        tables, misfits, rows = rows_of(source, self._kb.relations[name])
        rejected = rejects.add(misfits)
        rejects.check()
        for table in tables:
            self._kb.load(name, table)
        return LoadedSource((name,), rows, rejected)

    def _load_triples(self, source: SourcePart, rejects: RejectLog) -> LoadedSource:
        from tidelog.pipeline.batch.local_rows import tables_of, triples_of

        relations = self._kb.program.relations
        triples = triples_of(source.path or "", source.format or "nt", relations)
        rejected = rejects.add(triples.rejected)
        rejects.check()
        for name, rows in triples.rows.items():
            for table in tables_of(relations[name], rows):
                self._kb.load(name, table)
        note = f"{triples.others:,} triples are of predicates that the program does not use" if triples.others else ""
        return LoadedSource(tuple(triples.rows), triples.count, rejected, note)

    def schema(self, source: SourcePart) -> list[tuple[str, str]]:
        """The columns of a file."""
        from tidelog.pipeline.job.schemas import schema_of_file

        return schema_of_file(source, self._kb.relations.get(source.relation or ""))

    # --- derived ---------------------------------------------------------------------------------------------------------

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        return self._kb.count(relation)

    def placements(self) -> list[Placement]:
        """One for each component that has rules, all in the kernel."""
        found = []
        for component in self._components():
            rounds = [r for r in self._kb.statistics.rounds if r.rule in component.rules]
            facts = sum(self._kb.count(name) for name in component.predicates)
            seconds = sum(r.seconds for r in rounds)
            found.append(
                Placement(component.predicates, "kernel", _WHY, max((r.number for r in rounds), default=0), seconds, facts)
            )
        return found

    def rounds(self) -> list[Round]:
        """The new facts of each round of each component."""
        found = []
        for at, component in enumerate(self._components()):
            new: dict[int, tuple[int, float]] = {}
            for r in self._kb.statistics.rounds:
                if r.rule in component.rules:
                    facts, seconds = new.get(r.number, (0, 0.0))
                    new[r.number] = facts + r.new_facts, seconds + r.seconds
            found += [Round(at, number, facts, seconds) for number, (facts, seconds) in sorted(new.items())]
        return found

    def _components(self) -> list[Any]:
        return [component for component in self._kb.program.graph.components if component.rules]

    def store(self, path: str) -> Store:
        """A folder of this machine."""
        return store_at(path)

    # --- out -------------------------------------------------------------------------------------------------------------

    def write_folder(self, sink: SinkPart, folder: str) -> None:
        """Write the facts as one file."""
        Path(folder).mkdir(parents=True)
        form = "jsonl" if sink.format == "json" else sink.format
        self._kb[sink.relation].write(Path(folder) / f"part-00000.{sink.format}", form)

    def write_table(self, sink: SinkPart) -> None:
        """Refuse it, as the check of the job file does."""
        raise fail("TL091", f"the local engine writes no tables: {sink.target}", fix='use `[engine] name = "spark"`')

    def versions(self) -> dict[str, str]:
        """The software of the run."""
        return {"tidelog": __version__, "python": platform.python_version()}

    def close(self) -> None:
        """Nothing to release."""
