"""A rule ready to run, and whether it still can be when the virtual relations that it walks have changed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.kernel import layout
from tidelog.local.kernel.memory import address_of
from tidelog.local.storage.indexes import Index
from tidelog.local.storage.state import State
from tidelog.local.storage.tables import Table


@dataclass(slots=True)
class Walk:
    """A step that needs a list of what one value is related to by a virtual relation."""

    relation: str
    depth: int
    scratch: Int32s
    """Room for the list."""
    counts_loops: bool = False
    """Whether the step asks how many pairs (x, x) there are."""


@dataclass(slots=True)
class Plan:
    """A rule ready to run: its code, and where a run of it stands."""

    head: str
    code: Int32s
    slots: Int32s
    cursor: Int64s
    lists: Int64s
    key: Int32s
    stack: Int64s
    state: Int64s
    services: Int64s
    indexes: tuple[tuple[Table, Index], ...]
    """The indexes that it uses."""
    walks: tuple[Walk, ...]
    """What it needs of virtual relations, which another version may have more of."""
    _addresses: list[Int64s] = field(default_factory=list)

    @property
    def addresses(self) -> Int64s:
        """Where its buffers are: a plan's row, as `layout` names its words."""
        if not self._addresses:
            pairs = [[address_of(buffer), len(buffer)] for buffer in (self.code, self.slots, self.cursor)]
            words = [
                *(word for pair in pairs for word in pair),
                address_of(self.lists),
                *(word for buffer in (self.key, self.stack) for word in (address_of(buffer), len(buffer))),
                address_of(self.state),
                address_of(self.services),
            ]
            self._addresses.append(np.array(words, np.int64))
        return self._addresses[0]

    @property
    def is_test(self) -> bool:
        """Whether it is nothing but one test, so that there is one instance or none."""
        return bool(self.code[layout.STEP_COUNT] == 2 and self.code[self.code[layout.STEPS_AT]] in (layout.TEST, layout.SOME))

    def can_walk(self, state: State) -> bool:
        """Whether there is room for what virtual relations are now; what is to be counted of them is counted."""
        for walk in self.walks:
            if state.virtual[walk.relation].longest_list > len(walk.scratch):
                return False
            if walk.counts_loops:
                state.count_loops(walk.relation)
        return True
