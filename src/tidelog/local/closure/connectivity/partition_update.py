"""The next version of a partition after edges were inserted and deleted: the paper's Add, and Del and Red in one.

Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019).  Departure: their Del deletes the pairs of a
component and Red searches them again; here components are changed in place by `kernel.closures.connectivity`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tidelog.core.arrays import Int32s, Int64s
from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.virtual_relation import Poll
from tidelog.local.kernel.closures.connectivity import components
from tidelog.local.kernel.closures.connectivity import words as word

_LARGE = 512
"""A delta with more edges than this counts as large ..."""
_SHARE = 4
"""... if it also has more than one in so many of all nodes."""
_STEPS = 1 << 16
"""Work that is always within the budget; beside it, as much as there is room for edges."""
_UNUSED = 4
"""Where all nodes are more than so many times those with pairs, they are numbered anew."""

_Change = Callable[[Int64s, Int32s, Int32s, int], int]


def changed(before: Partition, inserted: Pairs, deleted: Pairs, poll: Poll) -> Partition | None:
    """The next version; None if building from scratch is cheaper."""
    before.activate()
    versions, buffers = before.versions, before.versions.buffers
    count, edges, active = buffers.node_count, len(inserted) + len(deleted), int(before.words[word.ACTIVE])
    if (edges > _LARGE and _SHARE * edges > count) or count > _UNUSED * active + _LARGE:
        return None
    versions.begin()
    buffers.words[word.WORK] = _STEPS + buffers.words[word.POOL_ROOM]
    poll()
    if len(inserted):
        inserted = np.ascontiguousarray(inserted)
        buffers.number(inserted)
    parts: tuple[tuple[_Change, Pairs], ...] = ((components.insert_edges, inserted), (components.delete_edges, deleted))
    for change, pairs in parts:
        if not len(pairs):
            continue
        source, target = buffers.nodes(np.ascontiguousarray(pairs))
        at = 0
        while 0 <= (at := change(buffers.words, source, target, at)) < len(source):
            buffers.make_room()
            poll()
        assert at != -2, "an edge that was never there has been deleted"
        if at < 0:
            versions.undo()
            return None
    versions.complete()
    after = Partition.in_buffers(versions)
    versions.sweep()
    return after
