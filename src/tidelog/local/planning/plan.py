"""A join plan: the compiled steps of a rule, their buffers, and the state of a run."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.memory import address_of
from tidelog.local.storage.indexes import Index, OrderedIndex
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table

_TESTS = (layout.TEST, layout.EARLIER, layout.SOME)


@dataclass(slots=True)
class Walk:
    """A step that lists the successors of a value in a virtual relation."""

    relation: str
    depth: int
    scratch: Int32s
    """The buffer of the list."""
    counts_loops: bool = False
    """Whether the step needs the number of pairs (x, x)."""


@dataclass(slots=True)
class Plan:
    """A rule ready to run: its code, and the state of a run."""

    code: Int32s
    slots: Int32s
    cursor: Int64s
    lists: Int64s
    key: Int32s
    stack: Int64s
    state: Int64s
    services: Int64s
    indexes: tuple[tuple[Table, Index | OrderedIndex], ...]
    """The indexes that it uses."""
    walks: tuple[Walk, ...]
    """Its steps over virtual relations; a later version may need larger buffers."""
    addresses: Int64s = field(init=False)
    """The addresses of its buffers: a plan's row, as `layout` names its words."""

    def __post_init__(self) -> None:
        words = [word for buffer in (self.code, self.slots, self.cursor) for word in (address_of(buffer), len(buffer))]
        words.append(address_of(self.lists))
        words += [word for buffer in (self.key, self.stack) for word in (address_of(buffer), len(buffer))]
        self.addresses = np.array([*words, address_of(self.state), address_of(self.services)], np.int64)

    @property
    def is_test(self) -> bool:
        """Whether it is a single test, so that there is at most one instance."""
        return bool(self.code[layout.STEP_COUNT] == 2 and self.code[self.code[layout.STEPS_AT]] in _TESTS)

    def can_walk(self, state: State) -> bool:
        """Whether the buffers fit the current virtual relations; also counts their pairs (x, x) where a step needs that."""
        for walk in self.walks:
            if state.virtual[walk.relation].longest_list > len(walk.scratch):
                return False
            if walk.counts_loops:
                state.count_loops(walk.relation)
        return True
