"""The hyper-graph of a program as a picture: hyper-nodes with their rules, what they read, and what a change would touch.

Hyper-nodes stand in columns, each to the right of all that it reads (layers by topological rank).  Within a column they are put
near what they read, by the mean of its places, as Sugiyama's method does.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tidelog.program.components import Components, HyperNode, body_of
from tidelog.program.live_rules import LiveRules
from tidelog.program.program import Program
from tidelog.syntax.tree import atoms

_LINE, _PAD, _GAP, _COLUMN_GAP = 18, 10, 22, 90
_CHARACTER = 6.7
_LONGEST = 64
_SWEEPS = 4
_MOST_LINES = 12
_STYLE = """
.graph { --card: #ffffff; --ink: #1c2330; --soft: #5b6576; --line: #b9c1ce; --plus: #1f7a55; --minus: #a3303a; --mark: #2f6fb3; }
@media (prefers-color-scheme: dark) {
  .graph { --card: #1a2029; --ink: #e4e8ef; --soft: #98a3b5; --line: #4a5566; }
  .graph { --plus: #66d3a6; --minus: #f08f97; --mark: #6aa6e8; }
}
.graph text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: var(--ink); }
.graph .title { font-weight: 600; } .graph .soft { fill: var(--soft); }
.graph rect { fill: var(--card); stroke: var(--line); } .graph .circle { stroke-width: 2.5; }
.graph .module { stroke: var(--mark); stroke-width: 2.5; } .graph .touched { stroke: var(--mark); stroke-dasharray: 5 3; }
.graph .added { stroke: var(--plus); stroke-width: 2.5; } .graph .removed { stroke: var(--minus); stroke-width: 2.5; }
.graph text.plus { fill: var(--plus); } .graph text.minus { fill: var(--minus); text-decoration: line-through; }
.graph path { fill: none; stroke: var(--soft); } .graph .negative { stroke: var(--minus); stroke-dasharray: 6 4; }
.graph marker path { fill: var(--soft); stroke: none; }
"""


@dataclass(slots=True)
class Node:
    """A hyper-node as it is drawn."""

    title: str
    lines: list[tuple[str, str]]
    """Texts with their classes."""
    classes: list[str]
    rank: int = 0
    row: float = 0.0
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass(slots=True)
class Graph:
    """A picture of a program; in a notebook it shows itself."""

    nodes: list[Node]
    edges: dict[tuple[int, int], bool] = field(default_factory=dict)
    """From node to node, and whether it is under a negation or an aggregate only."""
    title: str = ""

    def to_svg(self) -> str:
        """The picture, with colours for light and dark screens."""
        width, height = self._place()
        size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        parts = [
            f'<svg class="graph" xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{html.escape(self.title)}</title><style>{_STYLE}</style><defs>",
            '<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">',
            '<path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        ]
        parts += [self._edge(*edge, is_negative=is_negative) for edge, is_negative in self.edges.items()]
        parts += map(_box, self.nodes)
        return "".join([*parts, "</svg>\n"])

    def to_html(self) -> str:
        """A page with the picture."""
        title = html.escape(self.title)
        body = "background:#f6f7f9;color-scheme:light dark;margin:18px;font:15px system-ui,sans-serif"
        dark = "@media (prefers-color-scheme: dark){body{background:#12161d!important;color:#e4e8ef}}"
        return (
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title><style>{dark}</style>'
            f'<body style="{body}"><h1 style="font-size:1.3rem">{title}</h1>\n{self.to_svg()}</body></html>\n'
        )

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.to_svg()}</div>'

    # --- layout ----------------------------------------------------------------------------------------------------------

    def _place(self) -> tuple[float, float]:
        """Put the nodes into columns; the size of the whole."""
        columns: dict[int, list[int]] = {}
        for at, node in enumerate(self.nodes):
            columns.setdefault(node.rank, []).append(at)
            longest = max(len(text) for text in (node.title, *(text for text, _ in node.lines)))
            node.width, node.height = longest * _CHARACTER + 2 * _PAD + 12, (1 + len(node.lines)) * _LINE + 2 * _PAD
        for _ in range(_SWEEPS):
            for column in columns.values():
                self._sort(column)
        x = float(_GAP)
        for rank in sorted(columns):
            y = float(_GAP)
            for at in columns[rank]:
                node = self.nodes[at]
                node.x, node.y = x, y
                y += node.height + _GAP
            x += max(self.nodes[at].width for at in columns[rank]) + _COLUMN_GAP
        bottom = max((node.y + node.height for node in self.nodes), default=0.0)
        return max(x - _COLUMN_GAP, 0.0) + _GAP, bottom + _GAP

    def _sort(self, column: list[int]) -> None:
        for row, at in enumerate(column):
            near = [self.nodes[a].row for a, b in self.edges if b == at] + [self.nodes[b].row for a, b in self.edges if a == at]
            self.nodes[at].row = sum(near) / len(near) if near else float(row)
        column.sort(key=lambda at: self.nodes[at].row)
        for row, at in enumerate(column):
            self.nodes[at].row = float(row)

    def _edge(self, source: int, target: int, *, is_negative: bool) -> str:
        a, b = self.nodes[source], self.nodes[target]
        x1, y1, x2, y2 = a.x + a.width, a.y + a.height / 2, b.x, b.y + b.height / 2
        bend = max(30.0, (x2 - x1) / 2)
        curve = f"M{x1:.0f} {y1:.0f} C{x1 + bend:.0f} {y1:.0f} {x2 - bend:.0f} {y2:.0f} {x2 - 2:.0f} {y2:.0f}"
        return f'<path class="{"negative" if is_negative else "positive"}" d="{curve}" marker-end="url(#arrow)"/>'


def _box(node: Node) -> str:
    texts = [f'<text class="title" x="{node.x + _PAD:.0f}" y="{node.y + _PAD + 12:.0f}">{html.escape(node.title)}</text>']
    for at, (text, style) in enumerate(node.lines, 1):
        place = f'x="{node.x + _PAD:.0f}" y="{node.y + _PAD + 12 + at * _LINE:.0f}"'
        texts.append(f'<text class="{style}" {place}>{html.escape(text)}</text>')
    shape = f'x="{node.x:.0f}" y="{node.y:.0f}" width="{node.width:.0f}" height="{node.height:.0f}" rx="8"'
    return f'<g><rect class="{" ".join(node.classes)}" {shape}/>{"".join(texts)}</g>'


# --- from programs -------------------------------------------------------------------------------------------------------


def draw(program: Program, other: Program | None = None, sizes: Mapping[str, int] | None = None) -> Graph:
    """The hyper-graph of a program; with another one, what turning the first into it would touch.

    `sizes` are numbers of facts.
    """
    before = LiveRules.of(program)
    live, added, removed, changed = before, set[int](), dict[int, str](), set[str]()
    name = program.document.source.name
    if other is not None:
        live = LiveRules.of(other)
        same = {number: before.same_as(rule) for number, rule in live.components.rules.items()}
        kept = {number for numbers in same.values() for number in numbers}
        added = {number for number, numbers in same.items() if not numbers}
        removed = {number: before.shown(number) for number in before.written if number not in kept}
        changed = {live.components.rules[number].head.predicate for number in added}
        changed |= {before.components.rules[number].head.predicate for number in removed}
        name = f"from {name} to {other.document.source.name}"
    drawing = _Drawing(live, added, sizes or {})
    drawing.mark_touched(changed)
    for number, text in removed.items():
        drawing.add_removed(before.components.rules[number].head.predicate, text)
    return Graph(drawing.nodes, drawing.edges(), f"{name}: {len(drawing.nodes)} hyper-nodes")


class _Drawing:
    def __init__(self, live: LiveRules, added: set[int], sizes: Mapping[str, int]) -> None:
        self.live, self.added, self.sizes = live, added, sizes
        self.components: Components = live.components
        self.modules = {number: module for module in live.program.modules for number in module.rules}
        self.nodes: list[Node] = []
        self.hyper_nodes: list[HyperNode] = []
        self.deriving: dict[str, list[int]] = {}
        self.rank: dict[str, int] = {}
        for component in sorted(self.components.label, key=self.components.label.__getitem__):
            self._add(component.predicates, self.components.hyper_nodes(component))

    def _add(self, predicates: Sequence[str], hyper_nodes: list[HyperNode]) -> None:
        rules = [self.components.rules[number] for node in hyper_nodes for number in node.rules]
        read = {name for rule in rules for name in body_of(rule)} - set(predicates)
        lowest = 1 + max((self.rank.get(name, -1) for name in read), default=-1)
        self.rank.update(dict.fromkeys(predicates, lowest + 1 if any(node.is_recursive for node in hyper_nodes) else lowest))
        for node in hyper_nodes:
            at = len(self.nodes)
            drawn = self._node(node)
            drawn.rank = lowest + (1 if node.is_recursive and len(hyper_nodes) > 1 else 0)
            self.nodes.append(drawn)
            self.hyper_nodes.append(node)
            for number in node.rules:
                self.deriving.setdefault(self.components.rules[number].head.predicate, []).append(at)

    def _node(self, node: HyperNode) -> Node:
        heads = dict.fromkeys(self.components.rules[number].head.predicate for number in node.rules)
        printer = self.live.program.printer
        known = [f"{printer.predicate(name)}{f' ({self.sizes[name]:,})' if name in self.sizes else ''}" for name in heads]
        modules = dict.fromkeys(self.modules[number].kind.value for number in node.rules if number in self.modules)
        title = ", ".join(known) + (f" · {', '.join(modules)}" if modules else "")
        texts = [
            (printer.rule(self.live.written[n]).replace("\n    ", " "), "plus" if n in self.added else "") for n in node.rules
        ]
        lines = [(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…", style) for text, style in texts[:_MOST_LINES]]
        if len(texts) > _MOST_LINES:
            lines.append((f"… and {len(texts) - _MOST_LINES} more rules", "soft"))
        classes = ["circle"] if node.is_recursive else []
        classes += ["module"] if modules else []
        return Node(title, lines, classes + (["added"] if self.added.intersection(node.rules) else []))

    def edges(self) -> dict[tuple[int, int], bool]:
        """From each hyper-node to those that read what it derives."""
        found: dict[tuple[int, int], bool] = {}
        for at, node in enumerate(self.hyper_nodes):
            for number in node.rules:
                for atom, sign in atoms(self.components.rules[number].body):
                    for source in self.deriving.get(atom.predicate, ()):
                        if source != at:
                            found[source, at] = found.get((source, at), True) and sign != "positive"
        return found

    def mark_touched(self, changed: set[str]) -> None:
        """Mark what reads what has changed, directly or not."""
        waiting, seen = list(changed), set(changed)
        while waiting:
            for number in self.components.using.get(waiting.pop(), ()):
                head = self.components.rules[number].head.predicate
                if head not in seen:
                    seen.add(head)
                    waiting.append(head)
        for name in seen - changed:
            for at in self.deriving.get(name, ()):
                if "added" not in self.nodes[at].classes and "touched" not in self.nodes[at].classes:
                    self.nodes[at].classes.append("touched")

    def add_removed(self, head: str, text: str) -> None:
        """A rule that would be gone."""
        own = self.deriving.get(head)
        line = (text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…", "minus")
        if own:
            self.nodes[own[0]].lines.append(line)
            self.nodes[own[0]].classes.append("removed")
        else:
            self.nodes.append(Node(self.live.program.printer.predicate(head), [line], ["removed"]))
