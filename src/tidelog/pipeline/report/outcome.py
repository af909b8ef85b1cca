"""The record of a run: inputs, counts, placements, rounds, times, rejected rows, sinks."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tidelog.pipeline.report.stream_history import StreamHistory

ROWS_SHOWN = 50
"""How many rejected rows a report shows."""


@dataclass(frozen=True, slots=True)
class Input:
    """What was read from one source."""

    relations: tuple[str, ...]
    origin: str
    format: str
    rows: int
    rejected: int = 0
    size: int | None = None
    modified: datetime | None = None
    seconds: float = 0.0
    note: str = ""
    options: dict[str, str] = field(default_factory=dict)
    """Without secrets."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one unit was evaluated, and why."""

    relations: tuple[str, ...]
    where: str
    why: str
    rounds: int = 0
    seconds: float = 0.0
    facts: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """One round of one unit."""

    placement: int
    """The number of the placement, counted from 0."""
    number: int
    new_facts: int
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RejectedRow:
    """A row of a source that does not fit its relation."""

    relation: str
    source: str
    place: str
    """`measurements.csv:17`, or what else tells a person where it is."""
    record: str
    reason: str


@dataclass(frozen=True, slots=True)
class Output:
    """What was written to one sink."""

    relation: str
    target: str
    format: str
    facts: int
    seconds: float = 0.0
    version: str | None = None
    options: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Outcome:
    """One run, from its start to its end."""

    job: str
    engine: str
    program_name: str
    program_text: str
    run_id: str = ""
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    seconds: float = 0.0
    settings: dict[str, object] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    inputs: list[Input] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """Facts of each relation, by its name as the program writes it."""
    derived: frozenset[str] = frozenset()
    """The relations that rules derive."""
    placements: list[Placement] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    stages: dict[str, float] = field(default_factory=dict)
    """Seconds of each stage, in their order."""
    rejected: int = 0
    rejected_rows: list[RejectedRow] = field(default_factory=list)
    """The first of them."""
    rejects_folder: str | None = None
    outputs: list[Output] = field(default_factory=list)
    report: str | None = None
    stream: StreamHistory | None = None
    """The updates of a streaming job."""

    def __post_init__(self) -> None:
        self.run_id = self.run_id or f"{self.started:%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}"
