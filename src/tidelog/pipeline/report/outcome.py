"""The record of a run: inputs, counts, placements, rounds, times, rejected rows, sinks; a stream's updates; and as a manifest."""

from __future__ import annotations

import hashlib
import secrets
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tidelog.changes import Change


ROWS_SHOWN = 50
"""How many rejected rows a report shows."""
MANIFEST = "_manifest.json"
"""The name of the manifest's file; readers of Parquet, CSV and JSON ignore names that start with `_`."""
_FORM_OF_MANIFEST = 1
_KEPT = 2_400
"""Updates of a stream that are kept one by one."""


@dataclass(frozen=True, slots=True)
class AppliedUpdate:
    """One update that has been applied."""

    number: int
    name: str
    facts_in: int
    facts_out: int
    seconds: float
    algorithm: str
    phases: Mapping[str, float] = field(default_factory=dict)
    """Seconds of each."""

    @classmethod
    def of(cls, number: int, change: Change) -> AppliedUpdate:
        """The record of a change."""
        stats, name = change.stats, "" if change.id is None else str(change.id)
        facts = change.inserted.total, change.deleted.total
        return cls(number, name, *facts, stats.seconds, stats.algorithm, stats.seconds_by_phase)


@dataclass(slots=True)
class StreamHistory:
    """The updates of a streaming job since its start: totals, and the last ones one by one."""

    updates: int = 0
    facts_in: int = 0
    facts_out: int = 0
    seconds: float = 0.0
    phases: dict[str, float] = field(default_factory=dict)
    """Seconds of each phase, all updates together."""
    broken: int = 0
    """Refused updates since the state was begun; `in_all` counts those applied since then."""
    in_all: int = 0
    recent: deque[AppliedUpdate] = field(default_factory=lambda: deque(maxlen=_KEPT))

    def note(self, update: AppliedUpdate) -> None:
        """Add an update that has been committed."""
        self.updates += 1
        self.facts_in += update.facts_in
        self.facts_out += update.facts_out
        self.seconds += update.seconds
        for name, seconds in update.phases.items():
            self.phases[name] = self.phases.get(name, 0.0) + seconds
        self.recent.append(update)


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


def manifest_of(outcome: Outcome, previous: list[str] | None = None) -> dict[str, Any]:
    """The manifest of a run, which traces a result to its program and inputs.

    `previous` are the versions of the same sink that are kept beside this one.
    """
    digest = hashlib.sha256(outcome.program_text.encode()).hexdigest()
    return {
        "manifest": _FORM_OF_MANIFEST,
        "run": outcome.run_id,
        "job": outcome.job,
        "started": _moment(outcome.started),
        "seconds": round(outcome.seconds, 3),
        "engine": outcome.engine,
        "settings": outcome.settings,
        "versions": outcome.versions,
        "program": {"name": outcome.program_name, "sha256": digest, "text": outcome.program_text},
        "inputs": [asdict(entry) | {"modified": _moment(entry.modified)} for entry in outcome.inputs],
        "rejected": outcome.rejected,
        "rejects_folder": outcome.rejects_folder if outcome.rejected else None,
        "counts": outcome.counts,
        "placements": [asdict(entry) for entry in outcome.placements],
        "stages": {name: round(seconds, 3) for name, seconds in outcome.stages.items()},
        "sinks": [asdict(entry) for entry in outcome.outputs],
        **({} if previous is None else {"previous": previous}),
    }


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")


def shown_size(size: int | None) -> str:
    """A size for people."""
    if size is None:
        return ""
    amount, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"
