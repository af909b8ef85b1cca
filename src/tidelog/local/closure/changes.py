"""What an update has changed, or may have changed, in a virtual relation of either kind."""

from __future__ import annotations

import numpy as np

from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.connectivity.partition_diff import PartitionChange
from tidelog.local.closure.incremental import EdgeDelta
from tidelog.local.closure.new_pairs import ends_of
from tidelog.local.closure.virtual_relation import VirtualRelation


def change_of(
    before: VirtualRelation, after: VirtualRelation, starts: EdgeDelta | None = None, steps: EdgeDelta | None = None
) -> VirtualChange:
    """The change from one version to the next; `starts` and `steps` are the deltas of S and E, if known."""
    if isinstance(before, Partition) and isinstance(after, Partition):
        return PartitionChange(before, after)
    return VirtualChange(before, after, starts, steps)


def paths_through(relation: VirtualRelation, edges: Pairs, most: int) -> Pairs | None:
    """The pairs of a closed relation that depend on some external pairs; None if they are more than `most`.

    Each is between what leads to the pair and what it leads to, so some may be listed twice, and some may not be in the relation.
    """
    reader, found, count = relation.for_reader(), list[Pairs](), 0
    known = np.empty(0, np.int32)
    for source, target in edges.tolist():
        if isinstance(reader, Partition):
            if source in known:
                continue
            before = behind = reader.connected(source)
            known = np.union1d(known, before)
        else:
            before, behind = ends_of(reader, source, is_back=True), ends_of(reader, target, is_back=False)
        count += len(before) * len(behind)
        if count > most:
            return None
        found.append(np.stack([np.repeat(before, len(behind)), np.tile(behind, len(before))], axis=1))
    return np.concatenate(found) if found else np.empty((0, 2), np.int32)
