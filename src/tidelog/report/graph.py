"""The hyper-graph of a program as boxes and arrows: what `tidelog graph` and `kb.graph()` draw.

A box is a hyper-node with its rules, or a relation that has none. An arrow leads from what derives a relation to what reads it.
With another program beside it, the picture is of what changing the one into the other would touch: rules are told apart by
sameness (`program.changes.sameness`), so renamed variables are no change.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tidelog.program.changes.sameness import Key, canonical_key
from tidelog.program.hypergraph import POSITIVE, HyperNode
from tidelog.program.program import Program
from tidelog.syntax.tree import atoms

_MOST_RULES = 12
"""A box shows so many rules and says how many more there are."""


class Status(StrEnum):
    """What changing one program into another would do to a box."""

    SAME = "same"
    TOUCHED = "touched"
    """Its rules are the same, and what they read may change."""
    CHANGED = "changed"
    MERGED = "merged"
    SPLIT = "split"
    CREATED = "created"
    DROPPED = "dropped"


@dataclass(slots=True)
class Line:
    """A rule in a box."""

    text: str
    sign: str = ""
    """`+` if the rule comes, `-` if it goes."""


@dataclass(slots=True)
class Box:
    """A hyper-node, or a relation without rules."""

    title: str
    lines: list[Line] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_relation: bool = False
    is_module: bool = False
    status: Status = Status.SAME


@dataclass(slots=True)
class Picture:
    """Boxes, and arrows between them: from, to, and whether what is read is negated or aggregated."""

    title: str
    boxes: list[Box]
    arrows: list[tuple[int, int, bool]]
    is_difference: bool = False


def picture(program: Program, counts: Mapping[str, int] | None = None) -> Picture:
    """A program, with the number of facts of each relation if they are known."""
    return _Drawing(program, counts or {}).picture()


def difference(before: Program, after: Program) -> Picture:
    """What changing one program into another would touch."""
    return _Difference(before, after).picture()


class _Drawing:
    def __init__(self, program: Program, counts: Mapping[str, int]) -> None:
        self.program, self.counts = program, counts
        self.boxes: list[Box] = []
        self.arrows: dict[tuple[int, int, bool], None] = {}
        self.deriving: dict[str, list[int]] = defaultdict(list)
        """The boxes that derive a relation."""

    def picture(self) -> Picture:
        module_of = {at: module for module in self.program.modules for at in module.rules}
        for node in self.program.graph.hyper_nodes:
            modules = dict.fromkeys(module_of[at] for at in node.rules if at in module_of)
            self.add(self.program, node, [f"{module.kind} module" for module in modules], is_module=bool(modules))
        for at, node in enumerate(self.program.graph.hyper_nodes):
            self.point_to(self.program, node, at)
        return Picture(self.program.document.source.name, self.boxes, list(self.arrows))

    def add(self, program: Program, node: HyperNode, notes: list[str], *, is_module: bool = False) -> Box:
        """A box for a hyper-node."""
        heads = dict.fromkeys(program.rules[at].head.predicate for at in node.rules)
        shown = [Line(self.rule(program, at)) for at in node.rules[:_MOST_RULES]]
        if len(node.rules) > _MOST_RULES:
            shown.append(Line(f"and {len(node.rules) - _MOST_RULES:,} more"))
        recursive = ["recursive"] if node.is_recursive else []
        sizes = [f"{self.counts[name]:,} facts" for name in heads if name in self.counts]
        if len(heads) > 1:
            sizes = [f"{name}: {size}" for name, size in zip(heads, sizes, strict=False)]
        title = ", ".join(program.printer.predicate(name) for name in heads)
        for name in heads:
            self.deriving[name].append(len(self.boxes))
        self.boxes.append(Box(title, shown, [*recursive, *notes, *sizes], is_module=is_module))
        return self.boxes[-1]

    @staticmethod
    def rule(program: Program, at: int) -> str:
        """A rule as a box shows it."""
        rule = program.rules[at]
        text = program.printer.rule(rule)
        return text if rule.name is None or rule.name in text else f"{rule.name}: {text}"

    def point_to(self, program: Program, node: HyperNode, box: int) -> None:
        """Arrows to a box, from everything that its rules read."""
        for at in node.rules:
            for atom, sign in atoms(program.rules[at].body):
                name = atom.predicate
                if name not in self.deriving:
                    count = [f"{self.counts[name]:,} facts"] if name in self.counts else []
                    self.deriving[name].append(len(self.boxes))
                    self.boxes.append(Box(program.printer.predicate(name), notes=count, is_relation=True))
                for source in self.deriving[name]:
                    if source != box:
                        self.arrows[source, box, sign != POSITIVE] = None


class _Difference(_Drawing):
    def __init__(self, before: Program, after: Program) -> None:
        super().__init__(after, {})
        self.before, self.after = before, after
        self.old = {canonical_key(rule): at for at, rule in enumerate(before.rules)}
        self.new = {canonical_key(rule): at for at, rule in enumerate(after.rules)}
        self.old_node = {at: node.number for node in before.graph.hyper_nodes for at in node.rules}
        self.key_of = {at: key for key, at in self.new.items()}

    def picture(self) -> Picture:
        nodes = self.after.graph.hyper_nodes
        from_old = [{self.old_node[self.old[self._key(at)]] for at in node.rules if self._key(at) in self.old} for node in nodes]
        uses: dict[int, int] = defaultdict(int)
        for numbers in from_old:
            for number in numbers:
                uses[number] += 1
        gone = self._gone()
        told: set[int] = set()
        """Rules that have gone and stand in a box."""
        for node, numbers in zip(nodes, from_old, strict=True):
            box = self.add(self.after, node, [])
            new = [at for at in node.rules if self._key(at) not in self.old]
            lost = [at for number in sorted(numbers) for at in gone.get(number, ())]
            box.status = _status(numbers, uses, has_others=bool(new or lost))
            box.lines = [Line(self.rule(self.after, at), "+" if at in new else "") for at in node.rules[:_MOST_RULES]]
            box.lines += [Line(self.rule(self.before, at), "-") for at in lost if at not in told]
            told |= set(lost)
            box.notes = [box.status.value, *box.notes] if box.status is not Status.SAME else box.notes
        for at, node in enumerate(nodes):
            self.point_to(self.after, node, at)
        dropped = [node for node in self.before.graph.hyper_nodes if not uses[node.number]]
        first = len(self.boxes)
        for node in dropped:
            box = self.add(self.before, node, [Status.DROPPED.value])
            box.status, box.lines = Status.DROPPED, [Line(line.text, "-") for line in box.lines]
        for at, node in enumerate(dropped):
            self.point_to(self.before, node, first + at)
        for box_at, node in enumerate(nodes):
            self.point_to(self.after, node, box_at)  # once more, for what dropped rules derived
        self._touch()
        title = f"{self.before.document.source.name} to {self.after.document.source.name}"
        return Picture(title, self.boxes, list(self.arrows), is_difference=True)

    def _key(self, at: int) -> Key:
        if at not in self.key_of:  # the same rule twice
            self.key_of[at] = canonical_key(self.after.rules[at])
        return self.key_of[at]

    def _gone(self) -> dict[int, list[int]]:
        """Rules that are not there any more, by their hyper-nodes."""
        result: dict[int, list[int]] = defaultdict(list)
        for key, at in self.old.items():
            if key not in self.new:
                result[self.old_node[at]].append(at)
        return result

    def _touch(self) -> None:
        """Mark what may receive a difference."""
        after: dict[int, list[int]] = defaultdict(list)
        for source, target, _ in self.arrows:
            after[source].append(target)
        waiting = [at for at, box in enumerate(self.boxes) if box.status not in (Status.SAME, Status.TOUCHED)]
        while waiting:
            for target in after[waiting.pop()]:
                if self.boxes[target].status is Status.SAME:
                    self.boxes[target].status = Status.TOUCHED
                    self.boxes[target].notes.insert(0, Status.TOUCHED.value)
                    waiting.append(target)


def _status(numbers: Iterable[int], uses: Mapping[int, int], *, has_others: bool) -> Status:
    """What has become of hyper-nodes of the program before, by their numbers."""
    olds = list(numbers)
    if not olds:
        return Status.CREATED
    if len(olds) > 1:
        return Status.MERGED
    if uses[olds[0]] > 1:
        return Status.SPLIT
    return Status.CHANGED if has_others else Status.SAME
