"""Programs as the kernel can evaluate them: every rule a join, everything else a relation that something special fills.

- A function that the kernel does not know, `Y = cat(X, Z)`, is an atom `#call(X, Z, Y)`; a rule derives which arguments are
  asked for, `#requested(X, Z)`, and Python fills `#call` for them.
- For `N = count { Y : body }` grouped by X a rule derives `#inner(X, Y, …)`, all bindings of the body, and `#folded(X, N)` is
  folded from it.  Where the rest of the rule binds X, so that no match gives 0, `#total(X, N)` is `#folded`, and 0 for the
  groups `#requested(X)` that have no `#inner`.
- Of a transitive relation R that no other rule recurs through, the user and other rules give `#given R`, and R is virtual.

So negation, recursion, maintenance and rule changes see joins only. Names that start with `#` cannot be written in a program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableMapping
from dataclasses import dataclass, field, replace

from tidelog.functions.conform import CONFORM
from tidelog.functions.evaluate import ORDERINGS
from tidelog.program.modules import Module
from tidelog.syntax.tree import (
    Atom,
    Literal,
    Variable,
    names_of,
)

NATIVE = frozenset({"+", "-", "*", "/", "mod", "abs", "floor", "ceil", "round", "sqrt", "min", "max", *ORDERINGS, CONFORM})
"""Functions, orders and conformity tests that the kernel computes itself."""


@dataclass(frozen=True, slots=True)
class CoreRule:
    """A head and a body of atoms, negated atoms and comparisons of native expressions."""

    head: Atom
    body: tuple[Literal, ...]
    origin: int
    """The rule of the program that it comes from."""
    shown: str
    """The relation that this rule derives."""


@dataclass(frozen=True, slots=True)
class FunctionCalls:
    """A relation of a function's arguments and values, for the arguments that are asked for."""

    function: str
    requested: str


@dataclass(frozen=True, slots=True)
class Aggregation:
    """A relation of groups and an aggregate's results."""

    function: str
    inner: str
    groups: int
    target: int | None
    """The column of `inner` that holds the target; None counts."""


@dataclass(frozen=True, slots=True)
class Closure:
    """A virtual relation."""

    module: Module
    given: str


Operator = FunctionCalls | Aggregation | Closure


@dataclass(frozen=True, slots=True)
class Unit:
    """Relations that depend on one another, with their rules and what fills them otherwise: evaluated together."""

    relations: tuple[str, ...]
    rules: tuple[CoreRule, ...]
    operators: dict[str, Operator]
    uses: frozenset[str]
    """All relations that its rules and specials read."""
    uses_negatively: frozenset[str]
    """Those of which a new fact can take away what the unit has derived."""
    owner: str = ""
    """The relation of the program that all this is for, or one of several that depend on one another."""
    stages: tuple[Unit, ...] = ()
    """If groups of an aggregate depend on the unit itself: its parts, to be evaluated in turn until nothing is new.

    An aggregate over lower relations may stand in a recursive rule, and its body may need a group from there.  For the groups
    that are asked for in one turn, the body is complete before anything looks at it.
    """


@dataclass(frozen=True, slots=True)
class Part:
    """What one rule of the program has become."""

    rules: tuple[CoreRule, ...]
    """The last one derives what the rule derives; the others, relations that only this rule has."""
    operators: dict[str, Operator]
    arities: dict[str, int]
    """Of these relations."""
    requested: frozenset[str]
    """Those of groups that aggregates are asked for."""

    def deriving(self, stored: str) -> Part:
        """The same with its facts kept under another name."""
        last = self.rules[-1]
        if last.head.predicate == stored:
            return self
        return replace(self, rules=(*self.rules[:-1], replace(last, head=Atom(stored, last.head.args))))


@dataclass(slots=True)
class Core:
    """A program in core form."""

    arities: MutableMapping[str, int]
    units: tuple[Unit, ...] = ()
    parts: MutableMapping[int, Part] = field(default_factory=dict)
    """By rule; those that close a virtual relation have none."""
    last_name: int = 0
    """The last number in a name that was made."""
    given: MutableMapping[str, str] = field(default_factory=dict)
    """Where the facts of a virtual relation are kept that are not from its closure."""

    def stored_name(self, relation: str) -> str:
        """Where facts that the user gives are kept."""
        return self.given.get(relation, relation)


def is_visible(name: str) -> bool:
    """Whether a relation holds facts that users see, so that limits count them."""
    return not name.startswith("#") or name.startswith("#given ")


def positive_atoms(rule: CoreRule) -> list[tuple[int, str]]:
    """The positions and names of a rule's positive atoms."""
    return [(at, literal.predicate) for at, literal in enumerate(rule.body) if isinstance(literal, Atom)]


def existential(atom: Atom, rule: CoreRule) -> set[str]:
    """The variables that stand in a negated atom alone, for which any value will do."""
    uses = Counter(name for literal in (rule.head, *rule.body) for name in names_of([literal]))
    return {name for name in names_of([atom]) if uses[name] == 1}


def rename_apart(atom: Atom, rule: CoreRule) -> Atom:
    """An atom of a fact that went, with names of its own for variables that stand in the negated atom alone.

    `not n(X, _)` has become true if n(X, y) went for some y, and no n(X, z) is left for any z.
    """
    alone = existential(atom, rule)
    args = (Variable(f"{arg.name} gone") if isinstance(arg, Variable) and arg.name in alone else arg for arg in atom.args)
    return Atom(atom.predicate, tuple(args))
