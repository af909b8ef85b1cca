"""A job on the Spark engine: its DataFrames go to the sinks."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog import __version__
from tidelog.errors import TidelogError, fail
from tidelog.pipeline.batch.backend import LoadedSource, ShowProgress
from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.job.parts import TABLE_FORMATS, VERSIONED_FORMATS, SinkPart, SourcePart
from tidelog.pipeline.report.outcome import ROWS_SHOWN, Placement, RejectedRow, Round
from tidelog.redaction import redacted, with_variables, without_secrets
from tidelog.stores import Store, is_uri, store_at

if TYPE_CHECKING:
    from tidelog.pipeline.job.job_file import Job

_DEFAULTS = {"csv": {"header": "true"}}
"""Options of writers that a sink may change."""


class SparkBackend:
    """The Spark engine with the program of a job."""

    def __init__(self, job: Job, progress: ShowProgress | None = None, kb: Any = None, spark: Any = None) -> None:
        """`kb` replaces the knowledge base in tests; `spark` is an existing session."""
        self._job, self._progress, self._given, self._spark = job, progress, kb, spark
        self._rejects: Any = None

    @property
    def kb(self) -> Any:
        """The knowledge base; made when it is first needed, since that may start a JVM."""
        if self._given is None:
            from tidelog.kb import KnowledgeBase

            job = self._job
            self._given = KnowledgeBase(
                job.program.document.source,
                engine="spark",
                spark=self._spark,
                placement=job.engine.placement,
                memory_budget=job.engine.memory_budget,
                lineage=None if job.engine.lineage == "auto" else job.engine.lineage,
                lineage_folder=job.engine.lineage_folder,
                modules=job.engine.modules,
                progress=self._progress,
                **job.limits.options(),
            )
        return self._given

    def start(self) -> None:
        """Start Spark."""
        assert self.kb is not None

    # --- in --------------------------------------------------------------------------------------------------------------

    def load(self, source: SourcePart, rejects: RejectLog) -> LoadedSource:
        """Read a file, folder or table."""
        if self._rejects is None:
            self._rejects = _rejects_of_spark(rejects)
        before = self._rejects.count
        with self._without_secrets("TL060", f"cannot read {source.origin}", source.options):
            if source.is_rdf:
                reports = self.kb.load_rdf(source.path, format=source.format, rejects=self._rejects)
            else:
                origin, form = _asked_for(source)
                reports = self.kb.load(
                    source.relation,
                    origin,
                    format=form,
                    header=source.header,
                    columns=source.columns or None,
                    options=_reader_options(source),
                    rejects=self._rejects,
                    **({"defaults": source.defaults} if source.defaults else {}),
                    **({"where": source.where} if source.where else {}),
                )
        found = reports if isinstance(reports, list | tuple) else [reports]
        rejected = self._rejects.count - before  # lines that are no triples belong to no relation's report
        if rejected:
            rejects.take_over(rejected, _first_rejected(self._rejects))
        rejects.check()
        rows = sum(report.rows for report in found) + rejected
        return LoadedSource(
            tuple(report.relation for report in found), rows, rejected, "; ".join(report.description for report in found)
        )

    def schema(self, source: SourcePart) -> list[tuple[str, str]]:
        """The columns: of a file on this machine without Spark, of anything else as Spark's reader says."""
        if source.path is not None and not is_uri(source.path) and (source.format in _READ_WITHOUT_SPARK or source.is_rdf):
            from tidelog.pipeline.job.schemas import schema_of_file

            return schema_of_file(source, self._job.program.relations.get(source.relation or ""))
        if source.is_rdf:
            return [("subject", "iri"), ("predicate", "iri"), ("object", "any")]
        from tidelog.spark.session.private_session import session
        from tidelog.spark.session.users_session import users_session

        with self._without_secrets("TL060", f"cannot read {source.origin}", source.options):
            origin, form = _asked_for(source)
            reader = users_session(session(self._spark)).read.options(**_reader_options(source))
            if form == "table":
                fields = reader.table(origin or "").schema.fields
            else:
                form = {"jsonl": "json", "tsv": "csv"}.get(form, form)
                fields = (reader.format(form).load(origin) if origin else reader.format(form).load()).schema.fields
        return [(field.name, field.dataType.simpleString()) for field in fields]

    # --- derived ---------------------------------------------------------------------------------------------------------

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        return int(self.kb.count(relation))

    def placements(self) -> list[Placement]:
        """Those of the engine, without units that have no rules."""
        return [
            Placement(tuple(p.relations), str(p.where), p.why, int(p.rounds), float(p.seconds), int(p.facts))
            for p in self._placed()
        ]

    def rounds(self) -> list[Round]:
        """New facts of each round, from the history of each placement."""
        return [
            Round(at, number, new)
            for at, placed in enumerate(self._placed())
            for number, new in enumerate(getattr(placed, "history", ()), 1)
        ]

    def _placed(self) -> list[Any]:
        relations = self._job.program.relations
        return [p for p in self.kb.placements if any(relations[name].has_rules for name in p.relations if name in relations)]

    def store(self, path: str) -> Store:
        """A folder, on any file system that Spark reaches."""
        return store_at(path, self.kb.spark if is_uri(path) else None)

    # --- out -------------------------------------------------------------------------------------------------------------

    def write_folder(self, sink: SinkPart, folder: str) -> None:
        """Write the facts as files, as many as Spark has partitions; Parquet of what this process holds, as one by itself."""
        by_spark = sink.format != "parquet" or sink.options or sink.partition_by or is_uri(folder)
        held = None if by_spark else self.kb.facts_in_process(sink.relation)
        if held is not None:
            Path(folder).mkdir(parents=True)
            held.write(Path(folder) / "part-00000.parquet")
            return
        options = _DEFAULTS.get(sink.format, {}) | with_variables(sink.options)
        target = address_of(folder)
        with self._writing(sink):
            self._writer(sink).format(sink.format).options(**options).mode("error").save(target)

    def _writer(self, sink: SinkPart) -> Any:
        """A writer of so many files, in folders by value."""
        frame = self.kb.dataframe(sink.relation)
        if sink.files is not None:
            frame = frame.repartition(sink.files, *sink.partition_by)
        return frame.write.partitionBy(*sink.partition_by) if sink.partition_by else frame.write

    def write_table(self, sink: SinkPart) -> None:
        """Write the facts to a table of the catalog, over JDBC, or to a path in a format that keeps versions by itself."""
        options = with_variables(sink.options)
        with self._writing(sink):
            writer = self._writer(sink).format(sink.format).mode(sink.mode)
            if sink.path is not None:
                writer.options(**options).save(sink.path)
            elif sink.format == "jdbc":
                writer.options(**{"dbtable": sink.table, **options}).save()
            else:
                writer.options(**options).saveAsTable(sink.table)

    def versions(self) -> dict[str, str]:
        """The software of the run."""
        found = {"tidelog": __version__, "python": platform.python_version()}
        try:
            import pyspark
        except ImportError:
            return found
        return found | {"spark": pyspark.__version__}

    def close(self) -> None:
        """Close the knowledge base."""
        close = getattr(self._given, "close", None)
        if close is not None:
            close()

    @contextmanager
    def _writing(self, sink: SinkPart) -> Iterator[None]:
        from tidelog.spark.session.users_session import described

        what = described(self._given.spark, f"write {sink.relation}") if hasattr(self._given, "spark") else nullcontext()
        with self._without_secrets("TL093", f"cannot write to {sink.target}", sink.options), what:
            yield

    @contextmanager
    def _without_secrets(self, code: str, what: str, options: Mapping[str, str]) -> Iterator[None]:
        """Turn Spark's errors into coded ones, without secrets."""
        from tidelog.spark.session.lineage import lost_blocks_explained

        try:
            with lost_blocks_explained():
                yield
        except TidelogError as error:
            raise without_secrets(error, options) from None
        except Exception as error:
            if not type(error).__module__.startswith(("pyspark", "py4j")):
                raise
            problem = redacted(_first_line(error), [options])
            raise fail(code, f"{what}: {problem}", fix="check the path or table, the options and the jars") from None


_READ_WITHOUT_SPARK = ("csv", "tsv", "facts", "json", "jsonl", "parquet")


_OF_THE_CATALOG = (None, "table", *TABLE_FORMATS, *VERSIONED_FORMATS, "orc")


def _asked_for(source: SourcePart) -> tuple[str | None, str]:
    """What a reader is given as the source, and as the format: a table of the catalog is read by its name alone."""
    if source.path is not None:
        return source.path, source.format or "parquet"
    if source.format in _OF_THE_CATALOG and source.table is not None:
        return source.table, "table"
    return None if source.format == "jdbc" else source.table, source.format or "table"


def address_of(folder: str) -> str:
    """A folder as a URI: without a scheme, Spark would take the cluster's default file system."""
    return folder if is_uri(folder) else store_at(folder).address()


def _reader_options(source: SourcePart) -> dict[str, str]:
    options = with_variables(source.options)
    return {"dbtable": source.table, **options} if source.format == "jdbc" and source.table else options


def _rejects_of_spark(rejects: RejectLog) -> Any:
    """The rejects of the Spark engine."""
    from tidelog.spark.ingest import Rejects

    return Rejects(address_of(rejects.folder), rejects.limit)


def _first_rejected(rejects: Any) -> list[RejectedRow]:
    """The first rejected rows of the run."""
    return [
        RejectedRow(
            row.relation, row.source, row.place, row.record, f"column {row.column}: {row.reason}" if row.column else row.reason
        )
        for row in rejects.first(ROWS_SHOWN)
    ]


def _first_line(error: BaseException) -> str:
    """The message of an error, without that of py4j."""
    lines = [line.strip().removeprefix(": ") for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("An error occurred while calling")]
    return said[0] if said else type(error).__name__
