"""The parts of a job: sources, sinks, engine and limits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

RDF_FORMATS = ("nt", "ttl")
LOCAL_FORMATS = ("csv", "tsv", "facts", "json", "jsonl", "parquet", "arrow")
VERSIONED_FORMATS = ("parquet", "csv", "json")
"""What folder sinks hold; other formats, such as Delta's, keep versions by themselves."""
TABLE_FORMATS = ("delta", "iceberg", "hudi")
"""Formats of tables that can also be a path."""
PLACEMENTS = ("auto", "kernel", "decomposed", "rounds", "components")
LINEAGES = ("auto", "local", "reliable")
VERSIONS_KEPT = 3


@dataclass(frozen=True, slots=True)
class SourcePart:
    """Where facts come from: a path or a table, for one relation, or an RDF file for as many as it has predicates."""

    relation: str | None
    path: str | None = None
    table: str | None = None
    format: str | None = None
    header: bool | Literal["auto"] = "auto"
    columns: dict[str, str] = field(default_factory=dict)
    """From the source's names of columns to the relation's."""
    options: dict[str, str] = field(default_factory=dict)

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
    """Where the facts of one relation go."""

    relation: str
    path: str | None = None
    table: str | None = None
    format: str = "parquet"
    mode: str = "overwrite"
    keep: int = VERSIONS_KEPT
    options: dict[str, str] = field(default_factory=dict)

    @property
    def target(self) -> str:
        """Its path or table."""
        return self.path or (f"table {self.table}" if self.table else "")

    @property
    def is_versioned(self) -> bool:
        """Whether it is a folder with versions and a pointer."""
        return self.path is not None and self.format in VERSIONED_FORMATS


@dataclass(frozen=True, slots=True)
class EnginePart:
    """Which engine derives, and how."""

    name: str = "spark"
    memory_budget: int | None = None
    placement: str = "auto"
    lineage: str = "auto"
    lineage_folder: str | None = None
    modules: bool = True


@dataclass(frozen=True, slots=True)
class LimitsPart:
    """What stops a run."""

    facts: int | None = None
    seconds: float | None = None
    rounds: int | None = None
    rejects: int = 0


@dataclass(frozen=True, slots=True)
class StreamPart:
    """Where updates come from, and what is kept of them."""

    folder: str | None
    """None where a streaming DataFrame takes its place."""
    state: str
    broken_folder: str
    feed: str | None = None
    feed_format: str = "json"
    updates: int = 100
    """How many of them are a batch at most."""
    broken: str = "set aside"
    """What becomes of an update that cannot be worked off: `set aside` or `stop`."""
    snapshot_every: int = 50
    """Batches between two versions of the sinks and snapshots of the state."""
