"""From a module to its relation: the algorithm that closes it."""

from __future__ import annotations

from tidelog.local.closure.adjacency import Pairs
from tidelog.local.closure.connectivity.partition import Partition
from tidelog.local.closure.virtual_relation import Poll, VirtualRelation
from tidelog.program.modules import Module, ModuleKind


def close(module: Module, starts: Pairs, steps: Pairs | None, poll: Poll = lambda: None) -> VirtualRelation:
    """The relation of a module, from its external pairs and, where it has steps of its own, from these."""
    if module.kind is ModuleKind.SYMMETRIC_TRANSITIVE:
        return Partition(starts, is_irreflexive=module.is_irreflexive, poll=poll)
    is_turned = module.extends == "start"
    return VirtualRelation(starts, steps, is_irreflexive=module.is_irreflexive, is_turned=is_turned, poll=poll)
