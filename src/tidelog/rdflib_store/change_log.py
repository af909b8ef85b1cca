"""What has changed since the last commit, so that it can be taken back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tidelog.changes import Change
from tidelog.values import Value, from_python

_Fact = tuple[str, tuple[Value, ...]]


class ChangeLog:
    """Explicit facts that changes have touched, and whether each was there before the first of them."""

    def __init__(self) -> None:
        self._before: dict[_Fact, bool] = {}

    def __len__(self) -> int:
        return len(self._before)

    def note(self, change: Change, asked: Sequence[tuple[Any, ...]], *, inserted: bool) -> None:
        """Remember what a change has done of what it was asked for: to insert some facts, or to delete them."""
        if change.stats.without_effect:
            facts = (change.inserted if inserted else change.deleted).explicit
            asked = [(name, *row) for name, rows in facts.items() for row in rows]
        for name, *row in asked:
            self._before.setdefault((name, tuple(map(from_python, row))), not inserted)

    def clear(self) -> None:
        """Forget it all: it stays as it is."""
        self._before.clear()

    def undoing(self) -> dict[str, list[tuple[Any, ...]]]:
        """What an update has to insert and to delete to bring back what was there."""
        parts: dict[str, list[tuple[Any, ...]]] = {"insert": [], "delete": []}
        for (name, row), was_there in self._before.items():
            parts["insert" if was_there else "delete"].append((name, *(value.content for value in row)))
        return parts
