"""Deletions by ranks in plain Python, with the ranks that the engine has given; and the check that these are ranks.

`overdeleted` and `checked` are exact: what has no support is a matter of ranks alone, and the queue is in one order.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.local_engine import engine_of
from tests.oracles.grounding import Bounds, Unit, instances

from tidelog import KnowledgeBase
from tidelog.local.kernel import layout
from tidelog.local.kernel.rows import row_times
from tidelog.local.maintenance.backward_forward.as_printed import Fact, Instance
from tidelog.local.maintenance.ranked.in_plain_python import ByRanks, Rank
from tidelog.local.storage.tables import Table
from tidelog.program.program import Program
from tidelog.reference import Facts

_NEVER = int(row_times.NEVER)


class RankedOracle:
    """Deletions with the ranks that a knowledge base has before each update."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self._kb = kb
        self.note()

    def note(self) -> None:
        """Note the ranks as they are now."""
        self._ranks = ranks_of(self._kb)

    def delete(self, unit: Unit, bounds: Bounds) -> set[Fact]:
        """The facts of a unit that are left."""
        ranks = {fact: rank for fact, rank in self._ranks.items() if unit.is_own(fact)}
        run = ByRanks(unit.program, unit.explicit, unit.facts, ranks)
        run.delete(unit.gone)
        bounds.add("overdeleted", len(run.S))
        bounds.add("checked", run.looks)
        return {fact for fact in run.I if unit.is_own(fact)}


def ranks_of(kb: KnowledgeBase) -> dict[Fact, Rank]:
    """The ranks of all facts that are stored."""
    state, found = engine_of(kb).state, dict[Fact, Rank]()
    for name, table in state.tables.items():
        rows, is_row = table.all_rows, table.are_rows()
        for at in range(len(rows)):
            if is_row[at]:
                found[name, tuple(state.terms.values_of(rows[at]))] = _rank(name, table, at)
    return found


def _rank(name: str, table: Table, row: int) -> Rank:
    words = table.store.M[table.number]
    times = table._times.reshape(-1, row_times.TIMES_WIDTH)[: words[layout.TIME_COUNT]]
    known = times[times[:, row_times.BEGIN] <= row]
    first, last = (int(known[-1, 1]), int(known[-1, 2])) if len(known) else (0, _NEVER)
    return Rank(first, row if row >= words[layout.UNORDERED] else -1, name, last)


def check_ranks(program: Program, ranks: dict[Fact, Rank], relations: Facts, explicit: Iterable[Fact]) -> None:
    """Fail unless the facts of each unit can come one after the other in an order that their ranks do not contradict."""
    given = set(explicit)
    for component in program.graph.components:
        if not component.rules:
            continue
        own = {fact: rank for fact, rank in ranks.items() if fact[0] in component.predicates}
        derivers: dict[Fact, list[Instance]] = {}
        for instance in instances(program, component.rules, relations):
            derivers.setdefault(instance.head, []).append(instance)
        waiting, there = dict(own), set[Fact]()
        while waiting:
            now = [fact for fact, rank in waiting.items() if not any(other.came_before(rank) for other in waiting.values())]
            came = [
                fact
                for fact in now
                if fact in given or any(there.issuperset(B for B in r.body if B in own) for r in derivers.get(fact, ()))
            ]
            assert came, f"no fact of {component.predicates} can be the next: {now}"
            for fact in came:
                there.add(fact)
                del waiting[fact]
