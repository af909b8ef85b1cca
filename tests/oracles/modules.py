"""The functions of a module: Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019, arXiv 1811.02304).

A module closes one relation R over its external facts X, which the user and all other rules give (C_nr counts them). Four
functions maintain it: Add derives what follows from new external facts; Diff derives what changes of lower relations bring,
which is nothing here, because the rules of both modules read R alone; Del over-deletes, and stops at external facts; Red
rederives over-deleted facts that are still derived from what is left.

`joins` counts pairs that are looked at: a module must not look at every instance of `R(x, z) :- R(x, y), R(y, z)`.
"""

# ruff: noqa: N802  -- names as in the paper

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

Pair = tuple[Any, Any]
Pairs = set[Pair]


class Module(ABC):
    """A relation `R`, closed over its external facts `X`."""

    def __init__(self) -> None:
        self.R: Pairs = set()
        self.X: Pairs = set()
        self.joins = 0

    @abstractmethod
    def Add(self, delta: Pairs) -> Pairs:
        """Take external facts in; what is new in R."""

    def Diff(self, plus: Pairs, minus: Pairs) -> Pairs:
        """What changes of lower relations bring or take."""
        del plus, minus
        return set()

    @abstractmethod
    def Del(self, delta: Pairs) -> Pairs:
        """Take external facts away; what may have to go from R, and has."""

    @abstractmethod
    def Red(self, deleted: Pairs) -> Pairs:
        """Which of the deleted facts are derived in one step from what is left."""

    def update(self, deleted: Pairs, inserted: Pairs) -> tuple[Pairs, Pairs]:
        """Over-deletion, rederivation, insertion; what came, and what went."""
        before = set(self.R)
        gone = self.Del(deleted & self.X)
        self._derive(self.Red(gone))
        self.Add(inserted)
        return self.R - before, before - self.R

    @abstractmethod
    def _derive(self, found: Pairs) -> Pairs:
        """Enter derived facts, and all that follows from them."""


class Transitive(Module):
    """TC: `R(x, z) :- R(x, y), R(y, z)`. A path is a path and one external step more, so R is joined with X only."""

    def Add(self, delta: Pairs) -> Pairs:
        new = delta - self.X
        self.X |= new
        return self._derive(new | self._before(new))

    def _before(self, steps: Pairs) -> Pairs:
        """The paths that end with one of these steps."""
        return {(w, v) for u, v in steps for w, x in self._looked_at(self.R) if x == u}

    def _derive(self, found: Pairs) -> Pairs:
        new = found - self.R
        waiting = list(new)
        self.R |= new
        while waiting:
            w, v = waiting.pop()
            for _, x in self._looked_at(step for step in self.X if step[0] == v):
                if (w, x) not in self.R:
                    self.R.add((w, x))
                    new.add((w, x))
                    waiting.append((w, x))
        return new

    def Del(self, delta: Pairs) -> Pairs:
        steps = set(self.X)
        self.X -= delta
        deleted = (delta | self._before(delta)) - self.X
        waiting = list(deleted)
        while waiting:
            w, v = waiting.pop()
            for _, x in self._looked_at(step for step in steps if step[0] == v):
                if (w, x) not in self.X | deleted:
                    deleted.add((w, x))
                    waiting.append((w, x))
        self.R -= deleted
        return deleted

    def Red(self, deleted: Pairs) -> Pairs:
        return {(w, x) for w, x in deleted if any((w, v) in self.R for v, y in self._looked_at(self.X) if y == x)}

    def _looked_at(self, pairs: Iterable[Pair]) -> Iterable[Pair]:
        for pair in pairs:
            self.joins += 1
            yield pair


class SymmetricTransitive(Module):
    """STC: the same and `R(x, y) :- R(y, x)`. R is all pairs within each connected component of X."""

    def Add(self, delta: Pairs) -> Pairs:
        self.X |= delta
        return self._derive(delta)

    def _derive(self, found: Pairs) -> Pairs:
        new: Pairs = set()
        for u, v in found:
            if (u, v) not in self.R:
                merged = self._component(u) | self._component(v)
                new |= {(x, y) for x in merged for y in merged} - self.R
                self.R |= new
        return new

    def _component(self, node: Any) -> set[Any]:
        return {node, *(y for x, y in self.R if x == node)}

    def Del(self, delta: Pairs) -> Pairs:
        self.X -= delta
        touched = {node for u, _ in delta for node in self._component(u)}
        deleted = {(x, y) for x, y in self.R if x in touched} - self.X
        self.R -= deleted
        return deleted

    def Red(self, deleted: Pairs) -> Pairs:
        """In more than one step: a search along external facts from every node whose component was deleted."""
        found: Pairs = set()
        for node in {x for pair in deleted for x in pair}:
            reached, waiting = {node}, [node]
            while waiting:
                at = waiting.pop()
                others = {y for x, y in self.X if x == at} | {x for x, y in self.X if y == at}
                waiting += others - reached
                reached |= others
            if len(reached) > 1 or (node, node) in self.X:
                found |= {(x, y) for x in reached for y in reached}
        return found & deleted
