"""B/F as printed: Motik, Nenov, Piro, Horrocks, "Incremental Update of Datalog Materialisation" (AAAI 2015), Algorithms 1 to 3.

Plain Python over a ground program, for tests and for readers; the engine never calls it. Comments number the lines of the three
algorithms in turn, as they stand here. `matchBody` and `matchHead` are lookups, because rules are ground. The sets:

E  explicit facts                           I  all facts: the materialisation
C  checked: a proof has been searched for   P  proved, V the part of P whose consequences are known
Y  proved before they were checked          S  disproved: checked, and no proof exists
D  may have to be deleted                   O  the part of D whose consequences are known
"""
# ruff: noqa: N802  -- names as in the paper

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

Fact = tuple[str, tuple[Any, ...]]  # a predicate and its arguments


class Instance(NamedTuple):
    """A ground rule: a rule and a substitution. `name` tells two instances with the same facts apart."""

    head: Fact
    body: tuple[Fact, ...]
    name: Any = None


class Facts(dict[Fact, int]):
    """A set of facts in the order of insertion, which can grow while `rest` returns them: the paper's `next`."""

    returned = 0

    def add(self, fact: Fact) -> bool:
        """Add a fact; whether it is new."""
        return self.setdefault(fact, place := len(self)) == place

    def rest(self) -> Iterator[Fact]:
        """The facts that have not been returned yet, each once."""
        while self.returned < len(self):
            self.returned += 1
            yield list(self)[self.returned - 1]


class AsPrinted:
    """One deletion. Afterwards `I` is the new materialisation, and the three numbers count the rule instances of each step."""

    def __init__(self, program: Iterable[Instance], explicit: Iterable[Fact], facts: Iterable[Fact]) -> None:
        self.E, self.I = set(explicit), set(facts)
        self.C, self.D, self.P = Facts(), Facts(), Facts()  # 1
        self.Y, self.O, self.S, self.V = (set[Fact]() for _ in range(4))
        self.deletion = self.backward = self.forward = 0
        self.matchHead, self.matchBody = (defaultdict[Fact, list[Instance]](list) for _ in range(2))
        for r in dict.fromkeys(program):
            self.matchHead[r.head].append(r)
            for B in set(r.body):
                self.matchBody[B].append(r)

    def BF(self, E_minus: Iterable[Fact]) -> None:
        """Algorithm 1: delete what is not explicit any more, with all that does not follow without it."""
        for F in E_minus:  # 2
            self.E.discard(F)  # 3
            self.D.add(F)
        for F in self.D.rest():  # 4
            self.CheckProvability(F)  # 5
            self.S.update(G for G in self.C if G not in self.P)  # 6
            if F not in self.P:  # 7
                for r in self.matchBody[F]:  # 8
                    if self.I.issuperset(r.body) and self.O.isdisjoint(r.body):  # 9
                        self.deletion += 1
                        self.D.add(r.head)  # 10
                self.O.add(F)  # 11
        self.I -= self.D.keys() - self.P.keys()  # 12

    def CheckProvability(self, F: Fact) -> None:
        """Algorithm 2, backward: check a fact, and what could prove it, until it is proved."""
        if not self.C.add(F):  # 13
            return
        self.Saturate()  # 14
        if F in self.P:  # 15
            return
        for r in self.matchHead[F]:  # 16
            if self.I.issuperset(r.body) and self.S.isdisjoint(r.body):  # 17
                self.backward += 1
                for B in r.body:  # 18
                    self.CheckProvability(B)  # 19
                if F in self.P:  # 20
                    return

    def Saturate(self) -> None:
        """Algorithm 3, forward: prove what follows from checked facts that are explicit, or were proved before."""
        for F in self.C.rest():  # 21
            if F in self.E or F in self.Y:  # 22
                self.P.add(F)  # 23
                for G in self.P.rest():  # 24
                    self.V.add(G)  # 25
                    for r in self.matchBody[G]:  # 26
                        if self.V.issuperset(r.body):  # 27
                            self.forward += 1
                            (self.P.add if r.head in self.C else self.Y.add)(r.head)  # 28
