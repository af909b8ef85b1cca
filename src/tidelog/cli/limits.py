"""The limits of commands: what an evaluation may take, how long texts may be, and where files may be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tidelog.errors import fail
from tidelog.options import machine_memory, size_of

MOST_FACTS = 100_000_000
LONGEST = "256MiB"
"""`text_limits.LONGEST_TEXT`, as users write it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The options of a command."""

    facts: int = MOST_FACTS
    seconds: float | None = None
    rounds: int | None = None
    memory: str = "auto"
    text: str = LONGEST
    input_root: Path | None = None

    def options(self) -> dict[str, Any]:
        """The options of a knowledge base."""
        return {
            "limit_facts": self.facts,
            "limit_seconds": self.seconds,
            "limit_rounds": self.rounds,
            "limit_memory": machine_memory() if self.memory == "auto" else _size(self.memory, "memory"),
            "limit_text": self.longest,
            "input_root": self.input_root,
        }

    @property
    def longest(self) -> int:
        """The most bytes of a text."""
        return _size(self.text, "text")


def _size(text: str, option: str) -> int:
    size = size_of(text)
    if size is None:
        raise fail("TL074", f"there is no --limit-{option} {text!r}", fix="write a size such as 2GB or 512MiB")
    return size
