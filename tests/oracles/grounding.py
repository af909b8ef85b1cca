"""The instances of a program's rules over some facts, and an update component by component: what all maintenance oracles share.

A fact is a predicate and a row. A negated literal of an instance is a fact as well, `("not p", args)`: it holds as long as no
row of p matches, and is explicit for the rules that use it. So every oracle works on plain ground rules without negation.
A variable that stands in the negated literal alone is part of `args` by its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from tidelog.functions.evaluate import evaluate
from tidelog.local.maintenance.backward_forward.as_printed import Fact, Instance
from tidelog.program.program import GroundFact, Program
from tidelog.reference import Binding, Row, answers
from tidelog.reference import Facts as Relations
from tidelog.syntax.tree import Atom, Literal, Negation, Term, Variable, names_of
from tidelog.values import Value

TRUE: Fact = ("true", ())
"""What an instance without any atom depends on."""


def is_negative(fact: Fact) -> bool:
    """Whether a fact stands for a negated literal."""
    return fact[0].startswith("not ")


def holds(fact: Fact, relations: Relations) -> bool:
    """Whether a fact, or a negated literal, is true."""
    name, args = fact
    if fact == TRUE:
        return True
    if not is_negative(fact):
        return args in relations.get(name, ())
    return not any(_matches(args, row) for row in relations.get(name.removeprefix("not "), ()))


def _matches(args: tuple[Value | str, ...], row: Row) -> bool:
    bound: dict[str, Value] = {}
    return all(
        bound.setdefault(arg, value) == value if isinstance(arg, str) else arg == value
        for arg, value in zip(args, row, strict=True)
    )


def _is_open(fact: Fact) -> bool:
    """Whether a fact is a negated literal with a variable that stands in it alone."""
    return is_negative(fact) and any(isinstance(arg, str) for arg in fact[1])


_MOST_MATCHES = 100
"""No history of these tests has as many facts that match one literal."""


def instances(program: Program, rules: Iterable[int], relations: Relations) -> list[Instance]:
    """All instances of some rules that are true over some facts, named by rule and substitution."""
    found: list[Instance] = []
    for at in rules:
        rule = program.rules[at]
        body = tuple(_named(literal) for literal in rule.body)
        for binding in answers(body, relations):
            head = tuple(evaluate(arg, binding) for arg in rule.head.args)
            facts = tuple(_ground(literal, binding) for literal in body if isinstance(literal, Atom | Negation))
            if None not in head:
                found.append(Instance((rule.head.predicate, head), facts or (TRUE,), (at, tuple(sorted(binding.items())))))
    return found


def _named(literal: Literal) -> Literal:
    """A literal with names for its anonymous variables, which `answers` does not show."""
    if isinstance(literal, Negation):
        atom = _named(literal.atom)
        assert isinstance(atom, Atom)
        return replace(literal, atom=atom)
    if isinstance(literal, Atom):
        return replace(literal, args=tuple(_named_term(arg) for arg in literal.args))
    return literal


def _named_term(term: Term) -> Term:
    return Variable(f"any {term.name}") if isinstance(term, Variable) and term.is_anonymous else term


def _ground(literal: Literal, binding: Binding) -> Fact:
    atom = literal.atom if isinstance(literal, Negation) else literal
    assert isinstance(atom, Atom)
    args = tuple(_value(arg, binding) for arg in atom.args)
    return f"not {atom.predicate}" if isinstance(literal, Negation) else atom.predicate, args


def _value(term: Term, binding: Binding) -> Value | str:
    if names_of([term]) <= binding.keys():
        value = evaluate(term, binding)
        assert value is not None
        return value
    assert isinstance(term, Variable)
    return term.name


# --- updates -------------------------------------------------------------------------------------------------------------


@dataclass
class Unit:
    """A component of predicates to maintain: all relations below it are up to date."""

    predicates: tuple[str, ...]
    before: list[Instance]
    """The instances that were true before the update."""
    program: list[Instance]
    """These, and the ones for facts of the unit that are true only now: facts below count as proved once they are there."""
    explicit: set[Fact]
    """E: what the user gives of the unit now, and everything below that its instances use and that is true now."""
    facts: set[Fact]
    """I: the facts of the unit before the update, and all that the instances of `program` use."""
    gone: list[Fact]
    """What the user has deleted of the unit, and what was true below and is not."""
    still: Callable[[Collection[Fact]], list[Instance]]
    """The instances that are true now, with given facts of the unit."""
    held: Callable[[Fact], bool]
    """Whether a fact below the unit was true before the update."""

    def is_own(self, fact: Fact) -> bool:
        """Whether a fact belongs to the unit."""
        return fact[0] in self.predicates

    @property
    def seeds(self) -> set[Fact]:
        """The facts of the unit that are not explicit any more."""
        return {fact for fact in self.gone if self.is_own(fact)}

    @property
    def lost(self) -> set[Fact]:
        """What was true below the unit and is not."""
        return set(self.gone) - self.seeds

    def closed(self, facts: Collection[Fact]) -> set[Fact]:
        """All facts of the unit that follow from some of them and from what is below."""
        while True:
            grown = {*facts, *(r.head for r in self.still(facts))}
            if len(grown) == len(facts):
                return grown
            facts = grown


@dataclass
class Bounds:
    """For each counter of `tidelog.changes.Counters` the least and the largest value that an order of work may lead to."""

    least: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    lists_instances: bool = False
    """Whether the engine lists instances with all of their variables, and so sees each of them."""

    def add(self, name: str, least: int, most: int | None = None) -> None:
        """Count something, exactly or between two numbers."""
        self.least[name] += least
        self.most[name] += least if most is None else most

    def add_instances(
        self, name: str, found: Collection[Instance], most: int | None = None, there: Collection[Fact] = ()
    ) -> None:
        """Count instances; those of heads that are `there` already need not be looked for.

        The engine's joins stop once the head is bound at the first match, or where the head has been found already, by this rule
        or another one. So they may see only one of several instances with the same head. An instance whose negated literal has
        a variable of its own may be seen once for each fact that matches it.
        """
        seen = len(found) if self.lists_instances else len({r.head for r in found}.difference(there))
        again = _MOST_MATCHES * sum(any(map(_is_open, r.body)) for r in found)
        self.add(name, seen, (len(found) if most is None else most) + again)

    def check(self, name: str, value: int) -> None:
        """Fail if a counter is not within its bounds."""
        least, most = self.least[name], self.most[name]
        assert least <= value <= most, f"{name}: {value} is not in {least} .. {most}"


Delete = Callable[[Unit, Bounds], set[Fact]]
"""An algorithm: which facts of a unit are left when its deletions are done, before anything is derived."""


def maintain(program: Program, before: Relations, explicit: Relations, gone: Iterable[GroundFact], delete: Delete) -> Bounds:
    """Maintain all components in turn, in `before`, which becomes what it is after the update; what that took.

    `explicit` are the explicit facts after the update, and `gone` those that are not explicit any more.
    """
    bounds, after, gone = Bounds(), dict(explicit), list(gone)
    for component in program.graph.components:
        if component.rules:
            unit = _unit(program, component.predicates, component.rules, before, after, explicit, gone)
            left = delete(unit, bounds)
            given = {(name, row) for name in component.predicates for row in explicit.get(name, ())}
            final = unit.closed(left | given)
            _count_insertions(unit, left, final, bounds)
            after |= {name: {row for other, row in final if other == name} for name in component.predicates}
    before.clear()
    before.update(after)
    return bounds


def _unit(
    program: Program,
    predicates: tuple[str, ...],
    rules: tuple[int, ...],
    before: Relations,
    after: Relations,
    explicit: Relations,
    gone: list[GroundFact],
) -> Unit:
    own = {(name, row) for name in predicates for row in before.get(name, ())}
    given = {(name, row) for name in predicates for row in explicit.get(name, ())}

    def still(facts: Collection[Fact]) -> list[Instance]:
        mine = {name: {row for other, row in facts if other == name} for name in predicates}
        return instances(program, rules, {**after, **mine})

    old = instances(program, rules, before)
    ground = [*dict.fromkeys((*old, *(r for r in still(own) if r.head in own)))]
    below = {fact for r in ground for fact in r.body if fact[0] not in predicates}
    lost = sorted((fact for fact in below if not holds(fact, after)), key=repr)
    deleted = [fact for fact in gone if fact[0] in predicates and fact not in given]
    now = given | below.difference(lost)
    return Unit(predicates, old, ground, now, own | below, [*deleted, *lost], still, lambda fact: holds(fact, before))


def _count_insertions(unit: Unit, left: set[Fact], final: set[Fact], bounds: Bounds) -> None:
    """Count the instances that use something new, or something that is back: at most once for each such fact in the body."""
    new = [(r, sum(fact not in left if unit.is_own(fact) else not unit.held(fact) for fact in r.body)) for r in unit.still(final)]
    found = [r for r, count in new if count]
    bounds.add_instances("inserted", found, sum(count for _, count in new), left)
