"""The search for a proof, backwards from a fact: facts are goals, and the rule instances that derive them are ways to them.

Three ways to look, one after the other, in one graph of goals and instances:

1. level by level: all instances of the fact, of the facts in their bodies, and so on.  The first level at which the fact is
   proved gives a proof of the smallest height.  The number of things that may be looked at is limited;
2. by times (`local.maintenance.ranked`): a fact that rules derive has an instance of facts that came before it, and these have
   some in turn, so that one instance a fact is enough.  Where the order is not known, this ends without a proof;
3. depth first, until there is one.

A fact counts as proved when all facts of one of its instances are, so that no proof is circular, whatever found it.  In the end
the cheapest proof within the graph is chosen, as in Knuth, "A generalization of Dijkstra's algorithm" (1977): by height, then by
size.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count

from tidelog.explain.access import Access, Cell, Key
from tidelog.explain.bodies import Body
from tidelog.explain.joins import Budget, Exhausted

MOST_LOOKED_AT = 3_000
"""What the search level by level may look at."""
_SUPPORTS = 8
"""So many instances by times are compared."""


class Goal:
    """A fact that is to be proved."""

    __slots__ = ("by", "height", "instances", "is_explicit", "is_proved", "is_settled", "key", "rest", "size", "users")

    def __init__(self, key: Key, *, is_explicit: bool) -> None:
        self.key, self.is_explicit, self.is_proved = key, is_explicit, is_explicit
        self.instances: list[Instance] = []
        self.users: list[Instance] = []
        self.rest: Iterator[Instance] | None = None
        """The instances that have not been looked at."""
        self.by: Instance | None = None
        """The instance of the proof that was chosen."""
        self.height, self.size, self.is_settled = 0, 1.0, False


class Instance:
    """A rule instance, or a chain of facts of a closed relation, that derives a goal from others."""

    __slots__ = ("body", "cells", "head", "left_out", "missing", "needs")

    def __init__(
        self, head: Goal, needs: Sequence[Goal], body: Body | None, cells: Sequence[Cell] = (), left_out: int = 0
    ) -> None:
        self.head, self.needs, self.body, self.cells = head, tuple(needs), body, tuple(cells)
        self.left_out = left_out
        """How many facts of a long chain are left out in its middle; they certainly have proofs of their own."""
        self.missing = 0


class Search:
    """Goals and instances that have been looked at, in one state of a knowledge base."""

    def __init__(self, access: Access, links: int) -> None:
        """Of longer chains than `links`, only the first and the last ones are proved."""
        self.access, self.links = access, links
        self.goals: dict[Key, Goal] = {}
        self.is_stepwise = False
        """Whether facts of closed relations that others recur through are also derived step by step."""
        self.is_shortest = True
        """Whether no proof is lower than the one that was found."""
        self._rules: dict[str, list[int]] = {}
        for at, rule in enumerate(access.program.rules):
            self._rules.setdefault(rule.head.predicate, []).append(at)
        self._bodies: dict[int, Body] = {}

    def goal(self, key: Key) -> Goal:
        """The goal of a fact."""
        found = self.goals.get(key)
        if found is None:
            found = self.goals[key] = Goal(key, is_explicit=self.access.is_explicit(*key))
        return found

    def body(self, at: int) -> Body:
        """A rule's body."""
        if at not in self._bodies:
            self._bodies[at] = Body(self.access.program.rules[at], at, self.access)
        return self._bodies[at]

    def bodies_of(self, name: str) -> Iterator[Body]:
        """The rules that derive the facts that a name stands for, without those that close a relation."""
        relation = self.access.shown(name)
        module = self.access.module_of(relation)
        for at in self._rules.get(relation, ()):
            if module is None or at not in module.rules:
                yield self.body(at)

    # --- looking ---------------------------------------------------------------------------------------------------------

    def prove(self, key: Key, most: int = MOST_LOOKED_AT) -> Goal:
        """The goal of a fact, proved."""
        root = self.goal(key)
        if not root.is_proved:
            self.is_shortest = self._level_by_level(root, most)
            if not root.is_proved and not self._by_times(root):
                self._depth_first(root)
        self._choose(root)
        return root

    def look_at_all(self, key: Key, most: int) -> tuple[Goal, bool]:
        """All instances of a fact and of everything in them; whether these are all, or only as many as may be looked at."""
        root, budget = self.goal(key), Budget(most)
        agenda, seen = [root], {root.key}
        try:
            for goal in agenda:
                for instance in self._instances(goal, budget):
                    self._enter(instance)
                    for need in instance.needs:
                        if need.key not in seen:
                            seen.add(need.key)
                            agenda.append(need)
        except Exhausted:
            return root, False
        return root, True

    def _level_by_level(self, root: Goal, most: int) -> bool:
        budget, level, seen = Budget(most), [root], {root.key}
        try:
            while level and not root.is_proved:
                following: list[Goal] = []
                for goal in level:
                    if goal.is_explicit:
                        continue
                    for instance in self._instances(goal, budget):
                        self._enter(instance)
                        for need in instance.needs:
                            if need.key not in seen:
                                seen.add(need.key)
                                following.append(need)
                        if all(need.is_explicit for need in instance.needs) and not instance.left_out:
                            break  # nothing is shorter
                level = following
        except Exhausted:
            return False
        return root.is_proved

    def _by_times(self, root: Goal) -> bool:
        stack, budget = [root], Budget()
        while stack:
            goal = stack.pop()
            if goal.is_proved:
                continue
            best: Instance | None = None
            earliest, found = float("inf"), 0
            for instance in self._instances(goal, budget):
                latest = self._latest(goal, instance)
                if latest is not None:
                    found += 1
                    if latest < earliest:
                        best, earliest = instance, latest
                    if found == _SUPPORTS or latest < 0:
                        break
            if best is None:
                return False
            self._enter(best)
            stack += [need for need in best.needs if not need.is_proved]
        return root.is_proved

    def _latest(self, goal: Goal, instance: Instance) -> float | None:
        """When the last fact of an instance came; None if one of them may not have come before the goal."""
        own, unit = self.access.came(*goal.key), self.access.unit_of(goal.key[0])
        latest = -1.0
        for need in instance.needs:
            if need.is_proved or unit is None or self.access.unit_of(need.key[0]) != unit:
                continue
            came = self.access.came(*need.key)
            if own is None or came is None:
                return None
            if need.key[0] == goal.key[0]:
                if came[0] >= own[0]:
                    return None
            elif came[2] >= own[1]:
                return None
            latest = max(latest, came[2] + came[0] * 1e-9)
        return latest

    def _depth_first(self, root: Goal) -> None:
        for self.is_stepwise in (False, True):
            agenda, seen, budget = [root], {root.key}, Budget()
            while agenda and not root.is_proved:
                goal = agenda.pop()
                if goal.is_proved:
                    continue
                if goal.rest is None:
                    goal.rest = self._instances(goal, budget)
                for instance in goal.rest:
                    self._enter(instance)
                    agenda.append(goal)
                    for need in instance.needs:
                        if not need.is_proved and need.key not in seen:
                            seen.add(need.key)
                            agenda.append(need)
                    break
                else:
                    goal.rest = None
            if root.is_proved:
                return
            for goal in self.goals.values():
                goal.rest = None
        raise AssertionError(root.key)

    # --- instances -------------------------------------------------------------------------------------------------------

    def _instances(self, goal: Goal, budget: Budget) -> Iterator[Instance]:
        """The instances that derive a goal."""
        name, row = goal.key
        module = self.access.module_of(name)
        if module is not None:
            yield from self._chains(goal, budget)
            return
        for body in self.bodies_of(name):
            for cells in body.instances(row, budget):
                needs = [self.goal((atom.predicate, body.row_of(atom, cells))) for atom in body.atoms]
                yield Instance(goal, needs, body, cells)

    def _chains(self, goal: Goal, budget: Budget) -> Iterator[Instance]:
        """For a fact of a closed relation: a shortest chain, or, step by step, everything that ends with an external fact."""
        name, row = goal.key
        module, given = self.access.module_of(name), self.access.given(name)
        budget.spend(self.access)
        found = self.access.path(name, row)
        if found is None or module is None:
            return
        left_out, links = 0, list(found[: self.links])
        if len(found) > len(links) and module.is_whole:
            first, left_out = self.links // 2, len(found) - self.links
            links = [*found[:first], *found[len(found) - (self.links - first) :]]
        elif len(found) > len(links):
            links = list(found)
        yield Instance(goal, [self.goal(key) for key in links], None, left_out=left_out)
        if not self.is_stepwise or module.is_whole:
            return
        ends: list[tuple[tuple[int, ...], int]] = [((1,), 0), ((0,), 1)] if module.kind == "symmetric-transitive" else [((1,), 0)]
        for columns, other in ends:
            for link in self.access.matching(given, columns, (row[1],)):
                budget.spend(self.access)
                before = (row[0], link[other])
                if before != row and self.access.holds(name, before):
                    yield Instance(goal, [self.goal((name, before)), self.goal((given, link))], None)

    def _enter(self, instance: Instance) -> None:
        """Take an instance into the graph, and let everything be proved that it completes."""
        instance.head.instances.append(instance)
        for need in set(instance.needs):
            need.users.append(instance)
            instance.missing += not need.is_proved
        ready = [instance] if not instance.missing else []
        while ready:
            head = ready.pop().head
            if head.is_proved:
                continue
            head.is_proved = True
            for user in head.users:
                user.missing -= 1
                if not user.missing:
                    ready.append(user)

    # --- the best proof ---------------------------------------------------------------------------------------------------

    def _choose(self, root: Goal) -> None:
        """Choose the proof of the smallest height, then of the smallest size, within what has been looked at."""
        numbers = count()
        open_needs: dict[Instance, int] = {}
        settled: set[Goal] = set()
        heap: list[tuple[int, float, int, Goal, Instance | None]] = []
        for goal in self.goals.values():
            if goal.is_explicit:
                heap.append((0, 1.0, next(numbers), goal, None))
            for instance in goal.instances:
                open_needs[instance] = len(set(instance.needs))
                if not instance.needs:
                    heap.append((1, 1.0, next(numbers), goal, instance))
        heapq.heapify(heap)
        while heap and root not in settled:
            height, size, _, goal, by = heapq.heappop(heap)
            if goal in settled:
                continue
            settled.add(goal)
            goal.is_settled = True
            goal.height, goal.size, goal.by = height, size, by
            for user in goal.users:
                open_needs[user] -= 1
                if not open_needs[user] and user.head not in settled:
                    tall = 1 + max(need.height for need in user.needs)
                    large = 1.0 + user.left_out + sum(need.size for need in user.needs)
                    heapq.heappush(heap, (tall, large, next(numbers), user.head, user))
