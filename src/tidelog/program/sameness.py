"""When two rules are the same: equal up to the names of variables and the order of the body.

`canonical_key` gives equal keys to the same rules and different keys to different ones.  It names variables by colour
refinement, as graph canonisation does: a variable's colour is where it stands and which colours stand beside it.  Where
variables cannot be told apart, each is tried in turn and the smallest result taken, except that of variables which can be
swapped without changing the rule one is enough.  A body so symmetric that this takes more than `_MOST_TRIALS` trials falls back
on the order in which it is written.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Constant, Literal, Negation, Rule, Term, Variable, variables

_MOST_TRIALS = 2_000
_Colours = Mapping[str, int]
Key = tuple[object, ...]


class _TooSymmetricError(Exception):
    """The trials are used up."""


def canonical_key(rule: Rule) -> Key:
    """A key that two rules share if and only if they are the same; the rule's name does not matter."""
    names = list(dict.fromkeys(v.name for v in variables(rule.head, *rule.body)))
    try:
        return _Search(rule).smallest(dict.fromkeys(names, 0))
    except _TooSymmetricError:
        return _written(rule, {name: at for at, name in enumerate(names)})


def _written(rule: Rule, colours: _Colours) -> Key:
    return ("as written", _shape(rule.head, colours), tuple(_shape(literal, colours) for literal in rule.body))


class _Search:
    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.trials = 0
        self.touching: dict[str, list[Literal]] = defaultdict(list)
        for literal in (rule.head, *rule.body):
            for name in dict.fromkeys(v.name for v in variables(literal)):
                self.touching[name].append(literal)

    def smallest(self, colours: dict[str, int]) -> Key:
        """The smallest key over all ways to tell variables of one colour apart."""
        self.trials += 1
        if self.trials > _MOST_TRIALS:
            raise _TooSymmetricError
        while True:
            colours = self._refined(colours)
            cells: dict[int, list[str]] = defaultdict(list)
            for name, colour in colours.items():
                cells[colour].append(name)
            shared = [cell for _, cell in sorted(cells.items()) if len(cell) > 1]
            if not shared:
                return self._key(colours)
            candidates = self._not_interchangeable(shared[0])
            if len(candidates) > 1:
                return min((self.smallest(_singled_out(colours, name)) for name in candidates), key=repr)
            colours = _singled_out(colours, candidates[0])

    def _refined(self, colours: dict[str, int]) -> dict[str, int]:
        """Colours split by what stands around each variable, until nothing splits any more."""
        while True:
            seen = {name: (colours[name], repr(self._surroundings(name, colours))) for name in colours}
            rank = {key: at for at, key in enumerate(sorted(set(seen.values())))}
            refined = {name: rank[key] for name, key in seen.items()}
            if len(rank) == len(set(colours.values())):
                return refined
            colours = refined

    def _surroundings(self, name: str, colours: _Colours) -> list[str]:
        return sorted(f"{literal is self.rule.head} {_shape(literal, colours, marked=name)!r}" for literal in self.touching[name])

    def _not_interchangeable(self, cell: list[str]) -> list[str]:
        """The members of a cell but those that can be swapped with the first without changing the rule."""
        first, *others = cell
        return [first, *(other for other in others if not self._swappable(first, other))]

    def _swappable(self, one: str, other: str) -> bool:
        names = {name: at for at, name in enumerate(self.touching)}
        swapped = {**names, one: names[other], other: names[one]}
        affected = {id(literal): literal for name in (one, other) for literal in self.touching[name]}.values()
        if self.rule.head in affected:
            return False
        before = Counter(repr(_shape(literal, names)) for literal in affected)
        return before == Counter(repr(_shape(literal, swapped)) for literal in affected)

    def _key(self, colours: _Colours) -> Key:
        body = sorted((_shape(literal, colours) for literal in self.rule.body), key=repr)
        return (_shape(self.rule.head, colours), tuple(body))


def _singled_out(colours: dict[str, int], name: str) -> dict[str, int]:
    return {**{n: 2 * colour + 1 for n, colour in colours.items()}, name: 2 * colours[name]}


def _shape(thing: Literal | Term | None, colours: _Colours, marked: str | None = None) -> Key:
    """A literal or term with colours in the place of variables; the marked one stands out."""
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
