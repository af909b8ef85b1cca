"""What an update has changed in a virtual relation, whichever kind it is."""

from __future__ import annotations

from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.connectivity.partition_diff import PartitionChange
from tidelog.local.closure.incremental import EdgeDelta
from tidelog.local.closure.virtual_relation import VirtualRelation


def change_of(
    before: VirtualRelation, after: VirtualRelation, starts: EdgeDelta | None = None, steps: EdgeDelta | None = None
) -> VirtualChange:
    """The change from one version to the next; `starts` and `steps` are the deltas of S and E, if known."""
    if isinstance(before, Partition) and isinstance(after, Partition):
        return PartitionChange(before, after)
    return VirtualChange(before, after, starts, steps)
