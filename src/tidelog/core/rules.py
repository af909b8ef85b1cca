"""The core form of a program: every rule is a join, everything else is a relation that an operator fills.

- A function that the kernel does not know, `Y = cat(X, Z)`, is an atom `#call(X, Z, Y)`.  A rule derives the requested
  arguments, `#requested(X, Z)`, and Python fills `#call` for them.
- For `N = count { Y : body }` grouped by X a rule derives `#inner(X, Y, …)`, all bindings of the body, and an aggregation
  folds it to `#folded(X, N)`.  If the body is one atom of different variables, its relation is folded itself (`directly`).
  Where the rest of the rule binds X, so that no match gives 0, `#total(X, N)` is `#folded`, and 0 for the groups
  `#requested(X)` that have no `#inner`.
- A transitive relation R is virtual.  Its external facts, X_R of Hu, Motik and Horrocks (AAAI 2019), are stored as `#given R`:
  those that the user and other rules give.

So negation, recursion, maintenance and rule changes see joins only.  Names that start with `#` cannot be written in a program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, MutableMapping
from dataclasses import dataclass, field, replace
from itertools import count

from tidelog.functions.conform import CONFORM
from tidelog.functions.evaluate import ORDERINGS
from tidelog.program.modules import Module
from tidelog.program.same_as import REPRESENTATIVE, told_name
from tidelog.syntax.tree import (
    Atom,
    Literal,
    Variable,
    names_of,
)

NATIVE = frozenset({"+", "-", "*", "/", "mod", "abs", "floor", "ceil", "round", "sqrt", "min", "max", *ORDERINGS, CONFORM})
"""Functions, orders and conformity tests that the kernel computes itself."""

GIVEN = "#given "
"""How the names of relations of external facts begin."""


@dataclass(frozen=True, slots=True)
class CoreRule:
    """A head and a body of atoms, negated atoms and comparisons of native expressions."""

    head: Atom
    body: tuple[Literal, ...]
    origin: int
    """The number of the program's rule that it comes from."""
    shown: str
    """The relation that this rule derives."""
    serial: int = field(default_factory=count().__next__, init=False, compare=False, repr=False)
    """A number that no other rule object of this process has: plans and delta rules are kept by it."""


@dataclass(frozen=True, slots=True)
class FunctionCalls:
    """Fills a relation with a function's arguments and values, for the requested arguments."""

    function: str
    requested: str


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Fills a relation with groups and an aggregate's results."""

    function: str
    inner: str
    columns: tuple[int, ...]
    """The columns of `inner` that make a group."""
    target: int | None
    """The column of `inner` that holds the target; None counts rows."""

    @property
    def groups(self) -> int:
        """How many columns make a group."""
        return len(self.columns)


@dataclass(frozen=True, slots=True)
class Closure:
    """Fills a virtual relation: the closure of `given` under a module's rules."""

    module: Module
    given: str


Operator = FunctionCalls | Aggregation | Closure


@dataclass(frozen=True, slots=True)
class Unit:
    """Mutually dependent relations with their rules and operators: evaluated together."""

    relations: tuple[str, ...]
    rules: tuple[CoreRule, ...]
    operators: dict[str, Operator]
    uses: frozenset[str]
    """All relations that its rules and operators read."""
    uses_negatively: frozenset[str]
    """Those whose insertions can delete facts of the unit."""
    owner: str = ""
    """The program's relation that the unit serves, or one of several mutually dependent ones."""
    stages: tuple[Unit, ...] = ()
    """If groups of an aggregate depend on the unit itself: its parts, evaluated in turn until the fixpoint.

    An aggregate over lower relations may stand in a recursive rule, and its body may need a group from there.  For the groups
    that one turn requests, the body is complete before it is folded.
    """

    @property
    def modules(self) -> dict[str, Closure]:
        """Virtual relations that the unit's own rules recur through."""
        if not self.operators or not self.rules:
            return {}
        return {name: operator for name, operator in self.operators.items() if isinstance(operator, Closure)}


@dataclass(frozen=True, slots=True)
class Part:
    """The core form of one rule of the program."""

    rules: tuple[CoreRule, ...]
    """The last one derives the rule's own head; the others derive relations that only this rule has."""
    operators: dict[str, Operator]
    arities: dict[str, int]
    """Of these relations."""
    requested: frozenset[str]
    """Those that hold the groups requested of aggregates."""

    def aggregates_otherwise(self, converted: Mapping[str, bool]) -> bool:
        """Whether it aggregates a relation itself that has become virtual, or might one that no longer is."""
        folded = {one.inner for one in self.operators.values() if isinstance(one, Aggregation)}
        copied = {
            one.predicate for rule in self.rules if rule.head.predicate in folded for one in rule.body if isinstance(one, Atom)
        }
        return any(name in (folded if is_virtual else copied) for name, is_virtual in converted.items())

    def placed(self, stored: str, external: Container[str] = ()) -> Part:
        """The part with its facts stored under another name, and with external facts of some relations in its body."""
        last = self.rules[-1]
        body = tuple(_read(literal, external) for literal in last.body)
        if last.head.predicate == stored and body == last.body:
            return self
        return replace(self, rules=(*self.rules[:-1], replace(last, head=Atom(stored, last.head.args), body=body)))


def given_name(relation: str) -> str:
    """The relation that stores the external facts of a virtual one."""
    return GIVEN + relation


def _read(literal: Literal, external: Container[str]) -> Literal:
    if not isinstance(literal, Atom):
        return literal
    relation = literal.predicate.removeprefix(GIVEN)
    wanted = given_name(relation) if relation in external else relation
    return literal if wanted == literal.predicate else Atom(wanted, literal.args)


@dataclass(slots=True)
class Core:
    """A program in core form."""

    arities: MutableMapping[str, int]
    units: tuple[Unit, ...] = ()
    parts: MutableMapping[int, Part] = field(default_factory=dict)
    """By rule number; rules that close a virtual relation have none."""
    last_name: int = 0
    """The last number used in a generated name."""
    given: MutableMapping[str, str] = field(default_factory=dict)
    """For each virtual relation the relation of its external facts."""

    def stored_name(self, relation: str) -> str:
        """The stored relation that takes the external facts of a relation."""
        return self.given.get(relation, relation)

    def explicit_name(self, relation: str) -> str:
        """The stored relation that takes the explicit facts of a relation."""
        if REPRESENTATIVE in self.arities and (told := told_name(relation)) in self.arities:
            return told
        return self.given.get(relation, relation)


def is_visible(name: str) -> bool:
    """Whether users see a relation's facts, so that limits count them."""
    return not name.startswith("#") or name.startswith(GIVEN)


def positive_atoms(rule: CoreRule) -> list[tuple[int, str]]:
    """The positions and names of a rule's positive atoms."""
    return [(at, literal.predicate) for at, literal in enumerate(rule.body) if isinstance(literal, Atom)]


def existential(atom: Atom, rule: CoreRule) -> set[str]:
    """The variables that occur only in one negated atom: existential inside the negation."""
    uses = Counter(name for literal in (rule.head, *rule.body) for name in names_of([literal]))
    return {name for name in names_of([atom]) if uses[name] == 1}


def rename_apart(atom: Atom, rule: CoreRule) -> Atom:
    """The atom with fresh names for the existential variables of the negated atom, for a deleted fact.

    `not n(X, _)` has become true if some n(X, y) was deleted, and no n(X, z) is left for any z.
    """
    alone = existential(atom, rule)
    args = (Variable(f"{arg.name} gone") if isinstance(arg, Variable) and arg.name in alone else arg for arg in atom.args)
    return Atom(atom.predicate, tuple(args))
