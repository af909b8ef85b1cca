"""Classes of individuals that are the same: their representatives, kept in tables, changed by inserted and deleted edges.

Edges are the pairs of owl:sameAs that are told, and those that rules have found (`tidelog_equated`).  A class that loses an edge
is taken apart and put together from the edges that are left; classes that gain one are joined, and the representative of the
largest stays.
"""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Int32s, Rows
from tidelog.local.kernel.closures.graphs import connected_components
from tidelog.local.program_state import ProgramState
from tidelog.local.storage.tables import Table
from tidelog.program.same_as import CONSTANT, EQUATED, REPRESENTATIVE, SAME, told_name

NO_EDGES: Rows = np.empty((0, 2), np.int32)


class Classes:
    """The classes as tables have them."""

    def __init__(self, engine: ProgramState) -> None:
        self._engine = engine

    def table(self, name: str) -> Table:
        """A table of the account."""
        return self._engine.state.ensure_table(name, 2)

    def representatives(self, ids: Int32s) -> Int32s:
        """Who stands for each of some individuals."""
        table = self.table(REPRESENTATIVE)
        if not len(table) or not len(ids):
            return ids
        known = table.rows_with_keys((0,), np.unique(ids)[:, None])
        return mapped(ids, known)

    def members(self, representatives: Int32s) -> Rows:
        """The members of some classes, each with its representative, which is one of them."""
        own = np.stack([representatives, representatives], axis=1)
        if not len(self.table(REPRESENTATIVE)):
            return own
        return np.concatenate([own, self.table(REPRESENTATIVE).rows_with_keys((1,), representatives[:, None])])

    def change(self, added: Rows, removed: Rows) -> None:
        """Some edges have come to the tables of edges, and others have gone from them."""
        broken = np.unique(self.representatives(removed.reshape(-1)))
        apart = self.members(broken)
        ends = self.representatives(added.reshape(-1)).copy()
        is_apart = np.isin(ends, broken)
        ends[is_apart] = added.reshape(-1)[is_apart]
        edges = np.concatenate([ends.reshape(-1, 2), self._edges_from(apart[:, 0])])
        nodes, joined = np.unique(np.concatenate([apart[:, 0], edges.reshape(-1)]), return_inverse=True)
        if not len(nodes):
            return
        parts = _parts(joined[len(apart) :].reshape(-1, 2).astype(np.int32), len(nodes))
        before = mapped(nodes, apart)
        chosen = self._chosen(nodes, parts, before, broken)
        whole = nodes[(chosen != nodes) & ~np.isin(nodes, apart[:, 0])]  # joins a class, with all its members
        self._replace(np.concatenate([apart, self.members(whole)]), np.stack([nodes, chosen], axis=1), broken)

    def _edges_from(self, members: Int32s) -> Rows:
        """The edges between the members of whole classes."""
        pieces = [NO_EDGES]
        for name in (told_name(SAME), EQUATED) if len(members) else ():
            if len(self.table(name)):
                found = self.table(name).rows_with_keys((0,), members[:, None])
                pieces.append(found[np.isin(found[:, 1], members)])
        return np.concatenate(pieces)

    def _chosen(self, nodes: Int32s, parts: Int32s, before: Int32s, broken: Int32s) -> Int32s:
        """The new representative for each node: of the largest class, else the old one, else the first."""
        weight = np.zeros(len(nodes), np.int64)
        weight[before == nodes] = 1
        whole = np.flatnonzero((before == nodes) & ~np.isin(nodes, broken))
        weight[whole] += mapped_counts(nodes[whole], self.members(nodes[whole])[:, 1])
        order = np.lexsort((nodes, -weight, parts))
        first = order[np.flatnonzero(np.diff(parts[order], prepend=-1))]
        of_part = np.empty(len(first), np.int32)
        of_part[parts[first]] = nodes[first]
        found: Int32s = of_part[parts]
        return found

    def _replace(self, members: Rows, chosen: Rows, broken: Int32s) -> None:
        """Write the representatives of members, which have been listed with those that they had."""
        engine = self._engine
        own = np.isin(members[:, 1], broken)
        after = members[:, 1].copy()
        after[own] = mapped(members[own, 0], chosen)
        after[~own] = mapped(members[~own, 1], chosen)
        changed = after != members[:, 1]
        members, after = members[changed], after[changed]
        new = np.stack([members[:, 0], after], axis=1)
        engine.remove(REPRESENTATIVE, members[members[:, 0] != members[:, 1]])
        engine.add(REPRESENTATIVE, new[new[:, 0] != new[:, 1]])
        constants = self.table(CONSTANT)
        if len(constants) and len(new):
            known = constants.rows_with_keys((0,), np.unique(new[:, 0])[:, None])
            engine.remove(CONSTANT, known)
            engine.add(CONSTANT, np.stack([known[:, 0], mapped(known[:, 0], new)], axis=1))

    def know_constants(self, ids: Int32s) -> None:
        """Have the representatives of individuals that rules name."""
        new = ids[~self.table(CONSTANT).have_keys((0,), ids[:, None])] if len(ids) else ids
        if len(new):
            self._engine.add(CONSTANT, np.stack([new, self.representatives(new)], axis=1))


def mapped(ids: Int32s, pairs: Rows) -> Int32s:
    """For each id the other one of its pair, if it has one."""
    if not len(pairs) or not len(ids):
        return ids
    order = np.argsort(pairs[:, 0], kind="stable")
    keys, values = pairs[order, 0], pairs[order, 1]
    at = np.minimum(np.searchsorted(keys, ids), len(keys) - 1)
    found: Int32s = np.where(keys[at] == ids, values[at], ids)
    return found


def mapped_counts(ids: Int32s, others: Int32s) -> Int32s:
    """How often each id is among others."""
    sorted_others = np.sort(others)
    counts: Int32s = np.searchsorted(sorted_others, ids, "right") - np.searchsorted(sorted_others, ids, "left")
    return counts


def _parts(edges: Rows, count: int) -> Int32s:
    """The number of the connected component of each node; a node without edges is one."""
    parts = np.empty(count, np.int32)
    pairs = np.ascontiguousarray(edges.T)
    found = connected_components(pairs[0], pairs[1], parts)
    alone = parts < 0
    parts[alone] = found + np.arange(np.count_nonzero(alone), dtype=np.int32)
    return parts
