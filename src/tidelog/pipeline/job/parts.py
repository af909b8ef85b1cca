"""The parts of a job: sources, sinks, engine and limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tidelog.text_limits import LONGEST_TEXT

RDF_FORMATS = ("nt", "ttl")
LOCAL_FORMATS = ("csv", "tsv", "facts", "json", "jsonl", "parquet", "arrow")
VERSIONED_FORMATS = ("parquet", "csv", "json", "orc")
"""Formats of versioned folders; other formats, such as Delta, keep versions by themselves."""
TABLE_FORMATS = ("delta", "iceberg", "hudi")
"""Formats of tables that may be given by a path."""
PLACEMENTS = ("auto", "kernel", "decomposed", "rounds", "components")
LINEAGES = ("auto", "local", "reliable")
VERSIONS_KEPT = 3


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A source of facts: a path or a table for one relation, or an RDF file for all relations that are its predicates."""

    relation: str | None
    path: str | None = None
    table: str | None = None
    format: str | None = None
    header: bool | Literal["auto"] = "auto"
    columns: dict[str, str] = field(default_factory=dict)
    """From the source's names of columns to the relation's."""
    options: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, Any] = field(default_factory=dict)
    """Values for empty cells, and for columns that the source does not have."""
    where: str | None = None
    """A condition of Spark's SQL on the rows."""

    @property
    def origin(self) -> str:
        """Its path or table."""
        return self.path or (f"table {self.table}" if self.table else f"a source of {self.format}")

    @property
    def is_rdf(self) -> bool:
        """Whether it holds triples for several relations."""
        return self.format in RDF_FORMATS


@dataclass(frozen=True, slots=True)
class SinkPart:
    """A sink for the facts of one relation."""

    relation: str
    path: str | None = None
    table: str | None = None
    format: str = "parquet"
    mode: str = "overwrite"
    keep: int = VERSIONS_KEPT
    options: dict[str, str] = field(default_factory=dict)
    partition_by: tuple[str, ...] = ()
    """Columns whose values become names of folders."""
    files: int | None = None
    """How many files are written, in each folder of a value at most."""

    @property
    def target(self) -> str:
        """Its path or table."""
        return self.path or (f"table {self.table}" if self.table else "")

    @property
    def is_versioned(self) -> bool:
        """Whether it is a versioned folder."""
        return self.path is not None and self.format in VERSIONED_FORMATS


@dataclass(frozen=True, slots=True)
class EnginePart:
    """The engine, and its options."""

    name: str = "spark"
    memory_budget: int | None = None
    placement: str = "auto"
    lineage: str = "auto"
    lineage_folder: str | None = None
    modules: bool = True


@dataclass(frozen=True, slots=True)
class LimitsPart:
    """The limits of a run."""

    facts: int | None = None
    seconds: float | None = None
    rounds: int | None = None
    rejects: int = 0
    memory: int | None = None
    """Bytes of stored facts and values in the kernel."""
    text: int = LONGEST_TEXT
    """Bytes of one program, value or line."""
    input_root: str | None = None
    """The folder that no `@input` of the program leaves."""

    def options(self) -> dict[str, Any]:
        """The options of a knowledge base."""
        return {
            "limit_facts": self.facts,
            "limit_seconds": self.seconds,
            "limit_rounds": self.rounds,
            "limit_memory": self.memory,
            "limit_text": self.text,
            "input_root": self.input_root,
        }


@dataclass(frozen=True, slots=True)
class StreamPart:
    """The stream of updates, and the folders that a streaming job writes."""

    folder: str | None
    """None if a streaming DataFrame is given instead."""
    state: str
    broken_folder: str
    feed: str | None = None
    feed_format: str = "json"
    updates: int = 100
    """The most updates of a micro-batch."""
    broken: str = "set aside"
    """What happens to an update that is refused: `set aside` or `stop`."""
    snapshot_every: int = 50
    """Micro-batches between two snapshots of the state, with which the sinks are published."""
    format: str | None = None
    """A streaming source of Spark's that brings the updates instead of the folder, such as `kafka`."""
    options: dict[str, str] = field(default_factory=dict)
    """For that source."""
