"""What has been read as rules of ours: one for each head and each alternative of its conditions.

An atom becomes one of the relation that its predicate or class names.  If a variable stands for a predicate or a class anywhere
in the file, all atoms are of the relation `triple`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import count, product

from tidelog import values
from tidelog.source import Source, Span
from tidelog.syntax.dlog.expressions import alternatives
from tidelog.syntax.dlog.statements import Bind, Computed, Element, Filter, Grouped, Pattern, Without, Written
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.renaming import fresh_name
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Constant,
    Fact,
    Literal,
    Negation,
    Rule,
    Term,
    Variable,
    names_of,
    variables,
)
from tidelog.syntax.zodiac import GroupedAggregate, Parsed, from_zodiac
from tidelog.values import IRI, RDF_TYPE

_MOST_RULES = 64
_ZERO = Constant(values.Value(values.Kind.INT, 0))


def has_open_predicates(written: Iterable[Written]) -> bool:
    """Whether a variable stands for a predicate or a class anywhere."""
    return any(_is_open(pattern) for one in written for pattern in _patterns((*one.heads, *(one.body or ()))))


def _is_open(pattern: Pattern) -> bool:
    is_type = isinstance(pattern.predicate, Constant) and pattern.predicate.value.content == IRI(RDF_TYPE)
    return isinstance(pattern.predicate, Variable) or (is_type and isinstance(pattern.object, Variable))


def _patterns(elements: Iterable[Element]) -> Iterator[Pattern]:
    for element in elements:
        match element:
            case Pattern():
                yield element
            case Without(patterns):
                yield from patterns
            case Grouped(body):
                yield from _patterns(body)


class Rules:
    """Turns statements into ours."""

    def __init__(self, source: Source, *, as_triples: bool) -> None:
        self._source, self._as_triples = source, as_triples
        self._helpers: dict[Span, Rule] = {}
        """The rules for distinct values, by the places where these are computed."""

    def statements(self, written: Written) -> list[Rule | Fact]:
        """The rules or facts that a statement is."""
        heads = [self._atom(head) for head in written.heads]
        if written.body is None:
            return [Fact(head, head.span, self._source) for head in heads]
        names = _names_of(written)
        known = len(self._helpers)
        bodies = [self._literals(body, names) for body in _bodies(written.body, written.span)]
        rules = [Rule(head, from_zodiac(head, body), None, written.span, self._source) for head in heads for body in bodies]
        return [_without_needless_names(rule) for rule in (*list(self._helpers.values())[known:], *rules)]

    def _atom(self, pattern: Pattern) -> Atom:
        if self._as_triples:
            return Atom("triple", (pattern.subject, pattern.predicate, pattern.object), pattern.span)
        name = _name(pattern.predicate, "predicate")
        if name == RDF_TYPE:
            return Atom(_name(pattern.object, "class"), (pattern.subject,), pattern.span)
        return Atom(name, (pattern.subject, pattern.object), pattern.span)

    def _literals(self, body: Sequence[Element | Comparison], names: set[str]) -> list[Parsed]:
        found: list[Parsed] = []
        bound = _bound(body)
        for element in body:
            match element:
                case Comparison():
                    found.append(element)
                case Pattern():
                    found.append(self._atom(element))
                case Without():
                    found.append(self._without(element, bound, names))
                case Bind(term, variable, span):
                    found.append(Comparison("=", variable, term, span))
                case Grouped():
                    found += self._grouped(element, bound, names)
        return found

    def _without(self, element: Without, bound: set[str], names: set[str]) -> Literal:
        """`not p(…)`, or no solution of several atoms: their number is 0."""
        fresh = {variable.name: fresh_name(variable.name, names) for variable in element.exists if variable.name in bound}
        atoms = tuple(_renamed(self._atom(pattern), fresh) for pattern in element.patterns)
        if len(atoms) == 1:
            return Negation(atoms[0], element.span)
        exists = {fresh.get(variable.name, variable.name) for variable in element.exists}
        for variable in sorted(names_of(atoms) - exists - bound):
            fix = f"write `NOT EXISTS ?{variable} IN (…)`"
            raise ClauseError("TL032", f"nothing outside of NOT binds ?{variable}", element.span, fix)
        return Aggregate(_ZERO, "count", None, atoms, element.span)

    def _grouped(self, element: Grouped, bound: set[str], names: set[str]) -> list[Parsed]:
        """The aggregates; numbers and sums of groups that have no members are 0 with us, and not there in RDFox."""
        bodies = _bodies(element.body, element.span)
        if len(bodies) > 1:
            fix = "derive a relation with one rule for each alternative, and aggregate over that"
            raise ClauseError("TL017", "a condition with alternatives inside of an aggregate", element.span, fix)
        inner = from_zodiac(Atom("", ()), self._literals(bodies[0], names))
        groups, computed = element.groups, element.computed
        for group in groups:
            if group.name not in names_of(inner):
                fix = "name a variable of the body behind `ON`"
                raise ClauseError("TL033", f"?{group.name} is no variable of the aggregate", group.span, fix)
        result: list[Parsed] = [self._aggregate(inner, groups, one, names) for one in computed]
        if groups and {group.name for group in groups} <= bound and all(one.function in ("count", "sum") for one in computed):
            number = next((one.result for one in computed if one.function == "count"), None)
            if number is None:
                number = Variable(fresh_name("members", names), element.span)
                result.append(GroupedAggregate(Aggregate(number, "count", None, inner, element.span), groups))
            result.append(Comparison(">", number, _ZERO, element.span))
        return result

    def _aggregate(
        self, body: tuple[Literal, ...], groups: tuple[Variable, ...], computed: Computed, names: set[str]
    ) -> GroupedAggregate:
        term, function = computed.term, computed.function
        if computed.is_distinct and function in ("count", "sum", "avg", "median"):
            body, term = self._distinct(body, groups, computed, names)
        target = None if function == "count" and not isinstance(term, Call) else term
        return GroupedAggregate(Aggregate(computed.result, function, target, body, computed.span), groups)

    def _distinct(
        self, body: tuple[Literal, ...], groups: tuple[Variable, ...], computed: Computed, names: set[str]
    ) -> tuple[tuple[Literal, ...], Term]:
        """A body that has each different value once: that of a relation with a rule of its own, if need be."""
        term, span = computed.term, computed.span
        if term is None:
            fix = "name what is counted: `COUNT(DISTINCT ?x)`"
            raise ClauseError("TL011", "DISTINCT needs to know of what", span, fix)
        value = term if isinstance(term, Variable) else Variable(fresh_name("value", names), span)
        if value is term and names_of(body) <= {value.name, *(group.name for group in groups)}:
            return body, term
        if span not in self._helpers:
            head = Atom(f"distinct_{len(self._helpers) + 1}", (*groups, value), span)
            more = () if value is term else (Comparison("=", value, term, span),)
            self._helpers[span] = Rule(head, (*body, *more), None, span, self._source)
        other = Variable(fresh_name(value.name, names), span)
        return (Atom(self._helpers[span].head.predicate, (*groups, other), span),), other


def _without_needless_names(rule: Rule) -> Rule:
    """The rule with `_` for the variables of atoms that stand there only: RDFox's language has no `_`."""
    counts = Counter(variable.name for variable in variables(rule.head, *rule.body))
    number = count(1)

    def replaced(literal: Literal) -> Literal:
        match literal:
            case Atom():
                once = (isinstance(arg, Variable) and counts[arg.name] == 1 for arg in literal.args)
                args = zip(literal.args, once, strict=True)
                return replace(
                    literal, args=tuple(Variable(f"_#{next(number)}", arg.span) if is_one else arg for arg, is_one in args)
                )
            case Negation(atom):
                inner = replaced(atom)
                return replace(literal, atom=inner) if isinstance(inner, Atom) else literal
            case Aggregate():
                return replace(literal, body=tuple(map(replaced, literal.body)))
        return literal

    return replace(rule, body=tuple(map(replaced, rule.body)))


def _bodies(body: Sequence[Element], span: Span) -> list[list[Element | Comparison]]:
    """The body once for each way in which its conditions are true."""
    choices: list[list[tuple[Element | Comparison, ...]]] = []
    total = 1
    for element in body:
        ways: list[tuple[Element | Comparison, ...]] = (
            list(alternatives(element.condition)) if isinstance(element, Filter) else [(element,)]
        )
        choices.append(ways)
        total *= len(ways)
    if total > _MOST_RULES:
        fix = "write a rule for some of them, and use what it derives here"
        raise ClauseError("TL017", f"conditions with more than {_MOST_RULES} alternatives", span, fix)
    return [[one for some in way for one in some] for way in product(*choices)]


def _bound(body: Iterable[Element | Comparison]) -> set[str]:
    """The variables that the body binds outside of aggregates and negation."""
    found: set[str] = set()
    for element in body:
        match element:
            case Pattern(subject, predicate, target):
                found |= names_of((subject, predicate, target))
            case Bind(_, variable):
                found.add(variable.name)
    return found


def _renamed(atom: Atom, names: dict[str, str]) -> Atom:
    args = tuple(replace(arg, name=names.get(arg.name, arg.name)) if isinstance(arg, Variable) else arg for arg in atom.args)
    return replace(atom, args=args)


def _names_of(written: Written) -> set[str]:
    """All variables of a statement."""
    found: set[str] = set()
    waiting: list[Element | Computed] = [*written.heads, *(written.body or ())]
    while waiting:
        match waiting.pop():
            case Pattern(subject, predicate, target):
                found |= names_of((subject, predicate, target))
            case Without(patterns, exists):
                waiting += patterns
                found |= names_of(exists)
            case Filter(condition):
                found |= names_of(literal for some in alternatives(condition) for literal in some)
            case Bind(term, variable):
                found |= names_of((term, variable))
            case Grouped(body, groups, computed):
                waiting += [*body, *computed]
                found |= names_of(groups)
            case Computed(_, _, term, result):
                found |= names_of((result,) if term is None else (result, term))
    return found


def _name(term: Term, what: str) -> str:
    """The IRI of a predicate or a class."""
    if isinstance(term, Constant) and isinstance(term.value.content, IRI):
        return term.value.content.text
    raise ClauseError("TL013", f"the {what} of an atom must be an IRI", term.span, "write its IRI")
