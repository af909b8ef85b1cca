"""Class expressions as parts of rules: on the left of an axiom as bodies, on the right as heads.

An expression on the left is a disjunction of conjunctions: each of its bodies is a rule of its own.  One on the right is a
conjunction of heads, of which some may be out of reach: these are reported, and the others are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tidelog.ontology.axioms import Malformed, OntologyGraph, is_blank
from tidelog.ontology.vocabulary import (
    ALL,
    ANY_VALUE,
    CARDINALITIES,
    COMPLEMENT,
    DATA_PROPERTY,
    HAS_SELF,
    HAS_VALUE,
    INTERSECTION,
    INVERSE,
    NOTHING,
    OBJECT_PROPERTY,
    ON_CLASS,
    ON_DATA_RANGE,
    ON_PROPERTY,
    ONE_OF,
    SAME,
    SOME,
    THING,
    TOP_PROPERTIES,
    UNION,
)
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Term, Variable
from tidelog.text_limits import DEEPEST, MOST_LITERALS
from tidelog.values import Kind, Value, text_of

MOST_BODIES = 1000
"""The most alternatives of one expression; each is a rule."""

Body = list[Literal]


class Outside(Exception):  # noqa: N818  # it is no error of the user's program, but a reason in a list
    """An axiom is outside of OWL 2 RL, or of what rules can say; the text is the reason."""


@dataclass(slots=True)
class Head:
    """One thing that follows from an expression on the right."""

    more: Body
    """What the body needs besides the left side."""
    atom: Atom | None
    """None: a contradiction follows."""


@dataclass(slots=True)
class Heads:
    """What follows from an expression on the right, and what of it cannot be said by rules."""

    heads: list[Head] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)

    def add(self, other: Heads) -> None:
        """Add what follows from another expression."""
        self.heads += other.heads
        self.reasons += other.reasons


class Names:
    """Fresh variables of one rule: Y, Z, W, V, U, Y1, …; X is the subject."""

    def __init__(self) -> None:
        self._names = self._all()

    @staticmethod
    def _all() -> Iterator[str]:
        number = 0
        while True:
            yield from (f"{letter}{number or ''}" for letter in "YZWVU")
            number += 1

    def fresh(self) -> Variable:
        """The next one."""
        return Variable(next(self._names))


class Expressions:
    """Turns the class expressions of a graph into bodies and heads."""

    def __init__(self, graph: OntologyGraph) -> None:
        self._graph = graph

    # --- properties ------------------------------------------------------------------------------------------------------

    def pair(self, expression: Value, subject: Term, value: Term) -> Atom:
        """The atom of a property, or of the inverse of one."""
        swapped, seen = False, 0
        while is_blank(expression):
            inverses = self._graph.objects(expression, INVERSE)
            seen += 1
            if len(inverses) != 1 or seen > DEEPEST:
                raise Malformed("a property expression is none")
            expression, swapped = inverses[0], not swapped
        if expression.kind is not Kind.IRI:
            raise Malformed("a property is no IRI")
        name = text_of(expression)
        if name in TOP_PROPERTIES:
            raise Outside("owl:topObjectProperty and owl:topDataProperty hold between everything")
        return Atom(name, (value, subject) if swapped else (subject, value))

    def _restricted(self, node: Value) -> Value:
        if not self._graph.objects(node, ON_PROPERTY):
            raise Outside("a restriction of several properties at once is no part of OWL 2 RL")
        return self._graph.only(node, ON_PROPERTY)

    # --- the left side ---------------------------------------------------------------------------------------------------

    def bodies(self, node: Value, subject: Term, names: Names, depth: int = 0) -> list[Body]:
        """The bodies that make something an instance: it is one if one of them holds.  An empty body always holds."""
        if depth > DEEPEST:
            raise Outside(f"its expressions are nested more than {DEEPEST} levels deep")
        if node.kind is not Kind.IRI:
            raise Malformed("a class is a literal")
        name, graph = text_of(node), self._graph
        if name in THING:
            return [[]]
        if name == NOTHING:
            return []
        if not is_blank(node):
            if graph.is_datatype(node):
                raise Outside("rules do not see which datatype a value has")
            return [[Atom(name, (subject,))]]
        if parts := graph.objects(node, INTERSECTION):
            found = [self.bodies(part, subject, names, depth + 1) for part in graph.members(parts[0])]
            return _limited([[literal for body in chosen for literal in body] for chosen in product(*_small(found))])
        if parts := graph.objects(node, UNION):
            return _limited([body for part in graph.members(parts[0]) for body in self.bodies(part, subject, names, depth + 1)])
        if parts := graph.objects(node, ONE_OF):
            return _limited([[Comparison("=", subject, Constant(value))] for value in graph.members(parts[0])])
        return self._restricting(node, subject, names, depth)

    def _restricting(self, node: Value, subject: Term, names: Names, depth: int) -> list[Body]:
        """The bodies of a restriction."""
        graph = self._graph
        if fillers := graph.objects(node, SOME):
            value = names.fresh()
            pair = self.pair(self._restricted(node), subject, value)
            if text_of(fillers[0]) in ANY_VALUE:
                return [[pair]]
            return [[pair, *body] for body in self.bodies(fillers[0], value, names, depth + 1)]
        if values := graph.objects(node, HAS_VALUE):
            return [[self.pair(self._restricted(node), subject, Constant(values[0]))]]
        if graph.objects(node, HAS_SELF):
            return [[self.pair(self._restricted(node), subject, subject)]]
        for predicate, bound in CARDINALITIES.items():
            if numbers := graph.objects(node, predicate):
                if bound == "min" and _number(numbers[0]) == 0:
                    return [[]]
                if bound == "min" and _number(numbers[0]) == 1:
                    value = names.fresh()
                    pair = self.pair(self._restricted(node), subject, value)
                    fillers = graph.objects(node, ON_CLASS)
                    return [[pair, *body] for body in (self.bodies(fillers[0], value, names, depth + 1) if fillers else [[]])]
                raise Outside("rules cannot conclude anything from a number of values on the left side: others may be unknown")
        if graph.objects(node, COMPLEMENT):
            raise Outside("owl:complementOf on the left side: what is not known is not false")
        if graph.objects(node, ALL):
            raise Outside("owl:allValuesFrom on the left side: other values may be unknown")
        raise Malformed("a blank node stands for a class, and is no class expression")

    # --- the right side --------------------------------------------------------------------------------------------------

    def heads(self, node: Value, subject: Term, names: Names, depth: int = 0) -> Heads:
        """What follows if something is an instance."""
        if depth > DEEPEST:
            raise Outside(f"its expressions are nested more than {DEEPEST} levels deep")
        if node.kind is not Kind.IRI:
            raise Malformed("a class is a literal")
        name, graph = text_of(node), self._graph
        if name in THING or name in ANY_VALUE:
            return Heads()
        if name == NOTHING:
            return Heads([Head([], None)])
        if graph.is_datatype(node):
            return Heads(reasons=["rules derive nothing from the datatype of a value, and do not check it"])
        if not is_blank(node):
            return Heads([Head([], Atom(name, (subject,)))])
        result = Heads()
        if parts := graph.objects(node, INTERSECTION):
            for part in graph.members(parts[0]):
                result.add(self.heads(part, subject, names, depth + 1))
            return result
        if parts := graph.objects(node, COMPLEMENT):
            return self._never(self.bodies(parts[0], subject, names, depth + 1))
        if parts := graph.objects(node, UNION):
            members = graph.members(parts[0])
            if len(members) == 1:
                return self.heads(members[0], subject, names, depth + 1)
            return Heads(reasons=["owl:unionOf on the right side: rules cannot say which of the classes it is"])
        if parts := graph.objects(node, ONE_OF):
            members = graph.members(parts[0])
            if len(members) == 1:
                return Heads([Head([], Atom(SAME, (subject, Constant(members[0]))))])
            return Heads(reasons=["owl:oneOf on the right side: rules cannot say which of the individuals it is"])
        return self._following(node, subject, names, depth)

    def _following(self, node: Value, subject: Term, names: Names, depth: int) -> Heads:
        """What follows from a restriction."""
        graph = self._graph
        if fillers := graph.objects(node, ALL):
            value = names.fresh()
            pair = self.pair(self._restricted(node), subject, value)
            inner = self.heads(fillers[0], value, names, depth + 1)
            return Heads([Head([pair, *head.more], head.atom) for head in inner.heads], inner.reasons)
        if values := graph.objects(node, HAS_VALUE):
            return Heads([Head([], self.pair(self._restricted(node), subject, Constant(values[0])))])
        if graph.objects(node, HAS_SELF):
            return Heads([Head([], self.pair(self._restricted(node), subject, subject))])
        if graph.objects(node, SOME):
            return Heads(reasons=["owl:someValuesFrom on the right side needs an individual that nothing names"])
        for predicate, bound in CARDINALITIES.items():
            if numbers := graph.objects(node, predicate):
                return self._counted(node, bound, _number(numbers[0]), subject, names)
        raise Malformed("a blank node stands for a class, and is no class expression")

    def _counted(self, node: Value, bound: str, number: int | None, subject: Term, names: Names) -> Heads:
        """What follows from a number of values."""
        result, graph = Heads(), self._graph
        if number is None:
            raise Malformed("the number of a restriction is none")
        if bound != "max" and number > 0:
            result.reasons.append("a least number of values on the right side needs individuals that nothing names")
        if bound == "min":
            return result
        if number > 1:
            result.reasons.append("OWL 2 RL has no largest number of values but 0 and 1")
            return result
        prop, fillers = self._restricted(node), graph.objects(node, ON_CLASS) + graph.objects(node, ON_DATA_RANGE)
        values = [names.fresh() for _ in range(number + 1)]
        bodies: list[Body] = [[]]
        for value in values:
            inner = [[]] if not fillers or text_of(fillers[0]) in ANY_VALUE else self.bodies(fillers[0], value, names)
            pair = self.pair(prop, subject, value)
            bodies = _limited([[*body, pair, *more] for body in bodies for more in inner])
        if number == 0:
            result.add(self._never(bodies))
        else:
            result.heads += [self.at_most_one(prop, body, *values) for body in bodies]
        return result

    def at_most_one(self, prop: Value, body: Body, first: Variable, second: Variable) -> Head:
        """Two values of a body are one: two individuals are equal; two numbers, texts or dates of which one is less are not."""
        types = self._graph.types(prop)
        if DATA_PROPERTY in types and OBJECT_PROPERTY not in types:
            return Head([*body, Comparison("<", first, second)], None)
        return Head([*body, Comparison("!=", first, second)], Atom(SAME, (first, second)))

    @staticmethod
    def _never(bodies: list[Body]) -> Heads:
        """A contradiction follows if one of the bodies holds."""
        return Heads([Head(body, None) for body in bodies])


def _small(bodies: list[list[Body]]) -> list[list[Body]]:
    count = 1
    for alternatives in bodies:
        count *= max(1, len(alternatives))
    if count > MOST_BODIES:
        raise Outside(f"it would take {count:,} rules, more than {MOST_BODIES:,}")
    return bodies


def _limited(bodies: list[Body]) -> list[Body]:
    if len(bodies) > MOST_BODIES:
        raise Outside(f"it would take {len(bodies):,} rules, more than {MOST_BODIES:,}")
    if any(len(body) > MOST_LITERALS - 2 for body in bodies):
        raise Outside(f"a rule would have more than {MOST_LITERALS} literals")
    return bodies


def _number(value: Value) -> int | None:
    """A cardinality; its datatype may be any of the integers."""
    text = text_of(value).strip()
    return int(text) if text.isdecimal() and len(text) < 19 else None
