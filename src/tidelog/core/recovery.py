"""The report on opening a saved knowledge base."""

from __future__ import annotations

from dataclasses import dataclass

from tidelog.changes import Change


@dataclass(frozen=True, slots=True)
class Recovery:
    """What opening did."""

    folder: str
    is_new: bool
    snapshot: int
    """The number of the snapshot that was read."""
    facts: int
    """Facts in it, explicit and derived."""
    updates: int
    loads: int
    """Changes of the journal that were applied again."""
    sequence: int
    """The number of the last change, counted from the beginning."""
    seconds: float
    last_change: Change | None = None
    """What the last update of the journal changed, if one was applied again."""

    def __str__(self) -> str:
        if self.is_new:
            return f"{self.folder}: a new knowledge base"
        counts = f"{self.updates:,} update{'' if self.updates == 1 else 's'}"
        if self.loads:
            counts += f" and {self.loads:,} load{'' if self.loads == 1 else 's'}"
        return f"{self.folder}: snapshot {self.snapshot} with {self.facts:,} facts, {counts} replayed, {self.seconds:.1f} s"
