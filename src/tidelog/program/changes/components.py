"""The strongly connected components of predicates, in topological order, while rules are added and removed.

`Components.add` and `Components.remove` meet ZodiacEdge's Algorithms 2 and 3 (Xu and Curé, 2023) in intent: a new rule merges
the hyper-nodes on a new cycle, a removed rule splits its hyper-node.  Departures: the nodes here are components of
predicates, from which the hyper-nodes follow (`hyper_nodes`): all recursive rules of a component are one hyper-node, and every
other rule is one by itself.  As printed, Algorithm 2 adds only the edges that leave a new rule and so misses cycles, and
Algorithm 3 loops over the wrong set; here an edge leads from every predicate of a body to the head.

Each component has a label, and labels rise along edges.  A new edge with rising labels changes nothing.  Any other edge starts
two searches, forward and backward, over the components between its ends.  Components that both searches reach form a cycle and
merge; the others exchange labels (Pearce and Kelly, "A Dynamic Topological Sort Algorithm for Directed Acyclic Graphs", 2007).
Removing an edge never invalidates the order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field

import rustworkx as rx

from tidelog.program.changes.versions import new_version
from tidelog.syntax.tree import Rule, atoms

Label = tuple[int, ...]
"""Compared from left to right; when a component splits, the labels of its parts extend its label."""
_LONGEST_LABEL = 8


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Mutually dependent predicates, or one predicate by itself."""

    predicates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HyperNode:
    """Mutually dependent rules, or one rule by itself, by their numbers."""

    rules: tuple[int, ...]
    is_recursive: bool


@dataclass(slots=True)
class Components:
    """Rules by number, and the components of their predicates; a change is made on a `copy`."""

    rules: MutableMapping[int, Rule] = field(default_factory=dict)
    deriving: MutableMapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The rules that derive a predicate."""
    using: MutableMapping[str, tuple[int, ...]] = field(default_factory=dict)
    """The rules that have a predicate in the body."""
    of: MutableMapping[str, Component] = field(default_factory=dict)
    label: MutableMapping[Component, Label] = field(default_factory=dict)
    lowest: int = 0
    highest: int = 0
    moved: set[Component] = field(default_factory=set)
    """Components that were relabelled since the copy."""

    @classmethod
    def build(cls, rules: Iterable[tuple[int, Rule]]) -> Components:
        """The components of some numbered rules."""
        self = cls(dict(rules))
        deriving: dict[str, list[int]] = {}
        using: dict[str, list[int]] = {}
        for number, rule in self.rules.items():
            deriving.setdefault(rule.head.predicate, []).append(number)
            for name in body_of(rule):
                using.setdefault(name, []).append(number)
        self.deriving = {name: tuple(numbers) for name, numbers in deriving.items()}
        self.using = {name: tuple(numbers) for name, numbers in using.items()}
        for part in self._ordered(dict.fromkeys((*deriving, *using))):
            self.highest += 1
            self._enter(part, (self.highest,))
        return self

    def copy(self) -> Components:
        """A copy that can change; from now on this object must not."""
        rules, deriving, using = new_version(self.rules), new_version(self.deriving), new_version(self.using)
        return Components(rules, deriving, using, new_version(self.of), new_version(self.label), self.lowest, self.highest)

    # --- reading ---------------------------------------------------------------------------------------------------------

    def rules_of(self, component: Component) -> list[int]:
        """The numbers of the rules that derive a component's predicates, in order."""
        return sorted(number for name in component.predicates for number in self.deriving.get(name, ()))

    def is_recursive(self, number: int) -> bool:
        """Whether a rule reads the component that it derives."""
        rule = self.rules[number]
        own = self.of[rule.head.predicate]
        return any(self.of[name] is own for name in body_of(rule))

    def hyper_nodes(self, component: Component) -> list[HyperNode]:
        """The hyper-nodes that derive a component's predicates."""
        rules = self.rules_of(component)
        cycle = tuple(number for number in rules if self.is_recursive(number))
        alone = [HyperNode((number,), is_recursive=False) for number in rules if number not in cycle]
        return [*alone, HyperNode(cycle, is_recursive=True)] if cycle else alone

    def mentions(self, predicate: str) -> bool:
        """Whether any rule mentions a predicate."""
        return predicate in self.deriving or predicate in self.using

    # --- removing a rule -------------------------------------------------------------------------------------------------

    def remove(self, number: int) -> set[Component]:
        """Remove a rule; the components whose rules or predicates changed.  `forget` removes a predicate without rules."""
        was_recursive = self.is_recursive(number)
        rule = self.rules.pop(number)
        _discard(self.deriving, rule.head.predicate, number)
        for name in body_of(rule):
            _discard(self.using, name, number)
        component = self.of[rule.head.predicate]
        if not was_recursive or len(component.predicates) == 1:
            return {component}
        parts = self._ordered(component.predicates)
        if len(parts) == 1:
            return {component}
        label = self.label.pop(component)
        changed = {self._enter(part, (*label, at)) for at, part in enumerate(parts)}
        if len(label) >= _LONGEST_LABEL:
            self._relabel()
        return changed

    def forget(self, predicate: str) -> None:
        """Remove a predicate that no rule mentions."""
        del self.label[self.of.pop(predicate)]

    # --- adding a rule ---------------------------------------------------------------------------------------------------

    def add(self, number: int, rule: Rule) -> set[Component]:
        """Add a rule; the components whose rules or predicates changed."""
        body, head = body_of(rule), rule.head.predicate
        for name in body:
            if name not in self.of and name != head:
                self.lowest -= 1
                self._enter((name,), (self.lowest,))
        if head not in self.of:
            self.highest += 1
            self._enter((head,), (self.highest,))
        self.rules[number] = rule
        self.deriving[head] = (*self.deriving.get(head, ()), number)
        for name in body:
            self.using[name] = (*self.using.get(name, ()), number)
        own = self.of[head]
        late = {self.of[name] for name in body if self.label[self.of[name]] > self.label[own]}
        return {self._reorder(own, late) if late else own}

    def _reorder(self, own: Component, late: set[Component]) -> Component:
        """Move a component behind others that it reads now; returns it, or the component that a cycle merged it into."""
        label = self.label
        begin, end = label[own], max(label[component] for component in late)
        behind = self._reached([own], self._readers, lambda at: at <= end)
        before = self._reached(late, self._read, lambda at: at >= begin)
        cycle = behind & before
        free = sorted(label[component] for component in behind | before)
        first, last = (sorted(some - cycle, key=label.__getitem__) for some in (before, behind))
        self.moved.update(first, last)
        for component, place in zip(first, free, strict=False):
            label[component] = place
        for component, place in zip(reversed(last), reversed(free), strict=False):
            label[component] = place
        if not cycle:
            return own
        for component in cycle:
            del label[component]
        merged = [name for component in cycle for name in component.predicates]
        return self._enter(tuple(sorted(merged)), free[len(first)])

    def _reached(
        self,
        start: Iterable[Component],
        step: Callable[[Component], set[Component]],
        is_near: Callable[[Label], bool],
    ) -> set[Component]:
        """All components reachable by steps through components whose labels are near."""
        found = set(start)
        waiting = list(found)
        while waiting:
            for other in step(waiting.pop()):
                if other not in found and is_near(self.label[other]):
                    found.add(other)
                    waiting.append(other)
        return found

    def _readers(self, component: Component) -> set[Component]:
        used = (number for name in component.predicates for number in self.using.get(name, ()))
        return {self.of[self.rules[number].head.predicate] for number in used}

    def _read(self, component: Component) -> set[Component]:
        derived = (number for name in component.predicates for number in self.deriving.get(name, ()))
        return {self.of[name] for number in derived for name in body_of(self.rules[number])}

    # --- components and labels -------------------------------------------------------------------------------------------

    def _enter(self, predicates: Sequence[str], label: Label) -> Component:
        component = Component(tuple(predicates))
        self.label[component] = label
        self.moved.add(component)
        for name in predicates:
            self.of[name] = component
        return component

    def _ordered(self, predicates: Iterable[str]) -> list[tuple[str, ...]]:
        """The strongly connected components of some predicates, each behind those that it reads."""
        names = list(predicates)
        place = {name: at for at, name in enumerate(names)}
        graph: rx.PyDiGraph[int, None] = rx.PyDiGraph()
        graph.add_nodes_from(range(len(names)))
        edges = {
            (place[read], place[name])
            for name in names
            for number in self.deriving.get(name, ())
            for read in body_of(self.rules[number])
            if read in place
        }
        graph.add_edges_from_no_data(sorted(edges))
        parts = rx.strongly_connected_components(graph)  # in reverse topological order
        return [tuple(names[at] for at in sorted(part)) for part in reversed(parts)]

    def _relabel(self) -> None:
        """Replace labels by short ones, in the same order."""
        self.label = {component: (at,) for at, component in enumerate(sorted(self.label, key=self.label.__getitem__))}
        self.lowest, self.highest = 0, len(self.label)
        self.moved.update(self.label)


def body_of(rule: Rule) -> set[str]:
    """The predicates of a rule's body."""
    return {atom.predicate for atom, _ in atoms(rule.body)}


def _discard(numbers_of: MutableMapping[str, tuple[int, ...]], name: str, number: int) -> None:
    left = tuple(other for other in numbers_of[name] if other != number)
    if left:
        numbers_of[name] = left
    else:
        del numbers_of[name]
