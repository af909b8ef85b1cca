"""Deletion by ranks in plain Python over a ground program, for tests and for readers; the engine never calls it.

`E` are the explicit facts, `I` all facts, `S` those without support. Facts below the unit have no rank: they are what they
will be.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from tidelog.local.maintenance.backward_forward.as_printed import Fact, Instance


class Rank(NamedTuple):
    """When a fact came; facts are looked at in the order of their ranks."""

    first: int
    """Its tick, at the earliest."""
    row: int
    """Its row; one number for all rows of which it is not known which came first."""
    relation: str
    last: int
    """Its tick, at the latest."""

    def came_before(self, other: Rank) -> bool:
        """Whether a fact came before another for sure: by its row in one relation, by the clock in two."""
        return self.row < other.row if self.relation == other.relation else self.last < other.first


class ByRanks:
    """One deletion. Afterwards `I` is what is left, with the facts that come back at once."""

    def __init__(
        self, program: Iterable[Instance], explicit: Iterable[Fact], facts: Iterable[Fact], ranks: Mapping[Fact, Rank]
    ) -> None:
        self.E, self.I, self.ranks = set(explicit), set(facts), ranks
        self.S, self.back, self.looks = set[Fact](), set[Fact](), 0
        self.derivers, self.users = (defaultdict[Fact, list[Instance]](list) for _ in range(2))
        for r in dict.fromkeys(program):
            self.derivers[r.head].append(r)
            for B in set(r.body):
                self.users[B].append(r)
        self.queue: list[tuple[Rank, Fact]] = []

    def delete(self, gone: Collection[Fact]) -> None:
        """Delete what has no support, and take back what still follows from the rest."""
        self.E.difference_update(gone)
        lost = {F for F in gone if F not in self.ranks}
        heads = {r.head for F in lost for r in self.users[F] if self._may_support(r)}
        self._look_later({F for F in gone if F in self.ranks} | heads)
        self.I -= lost
        now = -1
        while self.queue:
            fallen: set[Fact] = set()
            while self.queue and (self.queue[0][0].first == now or not fallen):
                rank, F = heappop(self.queue)
                while self.queue and self.queue[0][1] == F:
                    heappop(self.queue)
                now = rank.first
                self.looks += 1
                if not self._stands(F, fallen):
                    fallen.add(F)
            heads = {r.head for F in fallen for r in self.users[F] if self.I.issuperset(r.body) and self._may_support(r)}
            self.I -= fallen
            self.S |= fallen
            self._look_later(heads)
        self.back = {F for F in self.S if any(self.I.issuperset(r.body) for r in self.derivers[F])}
        self.I |= self.back

    def _may_support(self, r: Instance) -> bool:
        """Whether no fact of a body is the head, or came after it for sure."""
        if r.head not in self.I:
            return False
        rank = self.ranks[r.head]
        return not any(r.head == B or (B in self.ranks and rank.came_before(self.ranks[B])) for B in r.body)

    def _look_later(self, facts: Iterable[Fact]) -> None:
        for F in facts:
            if F in self.I:
                heappush(self.queue, (self.ranks[F], F))

    def _stands(self, F: Fact, fallen: set[Fact]) -> bool:
        """Whether a fact is explicit, or has an instance all of whose facts came before it and have not fallen."""
        if F in self.E:
            return True
        return any(
            self.I.issuperset(r.body)
            and fallen.isdisjoint(r.body)
            and all(B not in self.ranks or self.ranks[B].came_before(self.ranks[F]) for B in r.body)
            for r in self.derivers[F]
        )
