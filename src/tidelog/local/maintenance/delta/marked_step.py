"""A step of an update that inserts marked facts and nothing else, so that it can be undone without applying any rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tidelog.core.arrays import Rows
from tidelog.local.maintenance.delta.deltas import Delta
from tidelog.local.storage.state import State


@dataclass(slots=True)
class MarkedStep:
    """A step of an update that did nothing but insert marked facts and derive what follows from them."""

    given: dict[str, Rows]
    """The marked facts, by the relation that stores them."""
    deltas: Mapping[str, Delta]

    @property
    def explicit(self) -> int:
        """How many facts are marked."""
        return sum(map(len, self.given.values()))

    @property
    def implicit(self) -> int:
        """How many facts were derived from them, as far as they are stored."""
        return sum(len(delta.inserted) for delta in self.deltas.values()) - self.explicit

    def undo(self, state: State) -> None:
        """Restore everything to what it was before the step."""
        for name, delta in self.deltas.items():
            if delta.virtual is not None:
                assert delta.virtual.before is not None
                state.set_virtual(name, delta.virtual.before)
                continue
            table = state.table(name)
            table.remove(delta.inserted)
            if len(delta.deleted):
                table.insert(delta.deleted)
            table.mark_delta()
        for name, rows in self.given.items():
            if name in state.explicit:
                state.explicit[name].remove(rows)
