"""Canonical form of rules: two rules are the same if they are equal up to variable names and the order of the body.

`canonical_key` gives equal keys to the same rules and different keys to different ones.  Variables of the head are named by
their positions.  The body falls into parts that share no other variable, and each part has a key.  Within a part, colour
refinement names the variables, as in graph canonisation: a variable's colour is its positions and the colours beside it.  Where
colours do not distinguish variables, each is tried and the smallest result taken; of variables that can be
swapped without changing the part, one is enough.  A part so symmetric that this takes more work than `_MOST_WORK` falls back on
the order in which it is written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import rustworkx as rx

from tidelog.syntax.renaming import rename_locals_apart
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Constant, Literal, Negation, Rule, Term, Variable, variables

_MOST_WORK = 20_000
"""Literals visited before a part counts as too symmetric."""

Colours = Mapping[str, int]
Key = tuple[object, ...]


class _TooSymmetricError(Exception):
    """The work is used up."""


def canonical_key(rule: Rule) -> Key:
    """A key that two rules share if and only if they are the same; the rule's name does not matter."""
    apart = rename_locals_apart(rule)
    head = {name: -1 - at for at, name in enumerate(dict.fromkeys(v.name for v in variables(apart.head)))}
    parts = sorted((_part_key(part, head) for part in _parts(apart.body, head)), key=repr)
    return _shape(apart.head, head), tuple(parts)


def _parts(body: Sequence[Literal], head: Colours) -> list[list[Literal]]:
    """The parts of a body: literals connected by variables that are not in the head."""
    graph: rx.PyGraph[int, None] = rx.PyGraph()
    graph.add_nodes_from(range(len(body)))
    first: dict[str, int] = {}
    for at, literal in enumerate(body):
        for name in {v.name for v in variables(literal)} - head.keys():
            graph.add_edge(first.setdefault(name, at), at, None)
    return [[body[at] for at in sorted(nodes)] for nodes in rx.connected_components(graph)]


def _part_key(part: list[Literal], head: Colours) -> Key:
    names = [name for name in dict.fromkeys(v.name for v in variables(*part)) if name not in head]
    try:
        return _Search(part, head).smallest(dict.fromkeys(names, 0))
    except _TooSymmetricError:
        colours = {**head, **{name: at for at, name in enumerate(names)}}
        return ("as written", *(_shape(literal, colours) for literal in part))


class _Search:
    """The smallest key of one part over all ways to name its variables."""

    def __init__(self, part: list[Literal], head: Colours) -> None:
        self.part, self.head = part, head
        self.work = 0
        self.touching: dict[str, list[int]] = defaultdict(list)
        """For each variable, the positions of the literals it occurs in."""
        for at, literal in enumerate(part):
            for name in dict.fromkeys(v.name for v in variables(literal)):
                self.touching[name].append(at)

    def smallest(self, colours: dict[str, int]) -> Key:
        """The smallest key over all ways to tell variables of one colour apart."""
        while True:
            colours = self._refined(colours)
            cells: dict[int, list[str]] = defaultdict(list)
            for name, colour in colours.items():
                cells[colour].append(name)
            shared = [cell for _, cell in sorted(cells.items()) if len(cell) > 1]
            if not shared:
                return tuple(sorted((self._coloured(literal, colours) for literal in self.part), key=repr))
            candidates = self._not_interchangeable(shared[0])
            if len(candidates) > 1:
                return min((self.smallest(_singled_out(colours, name)) for name in candidates), key=repr)
            colours = _singled_out(colours, candidates[0])

    def _coloured(self, literal: Literal, colours: Colours, marked: str | None = None) -> Key:
        self.work += 1
        if self.work > _MOST_WORK:
            raise _TooSymmetricError
        return _shape(literal, {**self.head, **colours}, marked)

    def _refined(self, colours: dict[str, int]) -> dict[str, int]:
        """Refine colours by the surroundings of each variable, until they are stable."""
        while True:
            seen = {name: (colours[name], self._surroundings(name, colours)) for name in colours}
            rank = {key: at for at, key in enumerate(sorted(set(seen.values())))}
            refined = {name: rank[key] for name, key in seen.items()}
            if len(rank) == len(set(colours.values())):
                return refined
            colours = refined

    def _surroundings(self, name: str, colours: Colours) -> str:
        return repr(sorted(repr(self._coloured(literal, colours, marked=name)) for literal in self._literals(name)))

    def _not_interchangeable(self, cell: list[str]) -> list[str]:
        """The members of a cell but those that can be swapped with the first without changing the part."""
        first, *others = cell
        return [first, *(other for other in others if not self._swappable(first, other))]

    def _swappable(self, one: str, other: str) -> bool:
        names = {name: at for at, name in enumerate(self.touching)}
        swapped = {**names, one: names[other], other: names[one]}
        affected = self._literals(one, other)
        before = Counter(repr(self._coloured(literal, names)) for literal in affected)
        return before == Counter(repr(self._coloured(literal, swapped)) for literal in affected)

    def _literals(self, *names: str) -> list[Literal]:
        """The literals that some of these variables occur in, each once."""
        return [self.part[at] for at in sorted({at for name in names for at in self.touching[name]})]


def _singled_out(colours: dict[str, int], name: str) -> dict[str, int]:
    return {**{n: 2 * colour + 1 for n, colour in colours.items()}, name: 2 * colours[name]}


def _shape(thing: Literal | Term | None, colours: Colours, marked: str | None = None) -> Key:
    """A literal or term with colours for variables; the marked variable has a key of its own."""
    match thing:
        case None:
            return ()
        case Variable(name):
            return ("self",) if name == marked else ("variable", colours[name])
        case Constant(value):
            return ("constant", value.kind.value, repr(value.content))
        case Call(function, args) | Atom(function, args):
            return (type(thing).__name__, function, *(_shape(arg, colours, marked) for arg in args))
        case Negation(atom):
            return ("not", _shape(atom, colours, marked))
        case Comparison(op, left, right):
            sides = [_shape(left, colours, marked), _shape(right, colours, marked)]
            if op in ("=", "!="):
                sides.sort(key=repr)
            return (op, *sides)
        case Aggregate(result, function, target, body):
            inner = sorted((_shape(literal, colours, marked) for literal in body), key=repr)
            return (function, _shape(result, colours, marked), _shape(target, colours, marked), *inner)
