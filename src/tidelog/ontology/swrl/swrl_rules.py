"""A rule of SWRL as clauses: its body once for each alternative of its class expressions, and each atom of its head.

A rule binds its variables by what atoms of classes and properties hold, so it is about things that have names (DL-safe).
"""

from __future__ import annotations

import re
from itertools import product

from tidelog.ontology import vocabulary as owl
from tidelog.ontology.axioms import Malformed, OntologyGraph, is_blank
from tidelog.ontology.expressions import MOST_BODIES, Body, Expressions, Head, Heads, Names, Outside
from tidelog.ontology.naming import Reading, local_name, unused
from tidelog.ontology.rule_maker import RuleMaker
from tidelog.ontology.swrl import vocabulary as swrl
from tidelog.ontology.swrl.builtins import literals_of
from tidelog.syntax.tree import Atom, Comparison, Constant, Term, Variable, iri_constant, names_of
from tidelog.values import Kind, Value, text_of

_LABEL = owl.RDFS + "label"
_OF_OURS = re.compile(r"[XYZWVU]\d*")
_MOST_ATOMS = 500


class SwrlRule:
    """One `swrl:Imp`."""

    def __init__(self, graph: OntologyGraph, reading: Reading, node: Value) -> None:
        self._graph, self._reading, self._node = graph, reading, node
        self._expressions, self._names = Expressions(graph), Names()
        self._variables: dict[Value, Variable] = {}

    @property
    def name(self) -> str:
        """A name for the rules: the label, or the last part of the IRI."""
        labels = [text_of(label) for label in self._graph.objects(self._node, _LABEL)]
        words = labels[0] if labels else "" if is_blank(self._node) else local_name(text_of(self._node))
        return "_".join(["swrl", *re.findall(r"[A-Za-z0-9_]+", words)])[:60]

    @property
    def text(self) -> str:
        """The rule as people read it."""
        sides = []
        for side in (swrl.BODY, swrl.HEAD):
            try:
                sides.append(" ^ ".join(map(self._shown, self._atoms(side))))
            except Malformed:
                sides.append("…")
        return " -> ".join(sides)

    def heads_and_bodies(self) -> tuple[list[Body], Heads]:
        """The bodies of which one must hold, and what follows."""
        if any(value.content is False for value in self._graph.objects(self._node, swrl.ENABLED)):
            raise Outside("the rule is switched off: swrla:isRuleEnabled is false")
        ways = [self._ways(atom) for atom in self._atoms(swrl.BODY)]
        count = 1
        for some in ways:
            count *= max(1, len(some))
        if count > MOST_BODIES:
            raise Outside(f"it would take {count:,} rules, more than {MOST_BODIES:,}")
        bodies: list[Body] = [[literal for way in chosen for literal in way] for chosen in product(*ways)]
        heads, atoms = Heads(), self._atoms(swrl.HEAD)
        for atom in atoms:
            heads.add(self._follows(atom))
        if not atoms:
            heads.heads.append(Head([], None))
        for body in bodies:
            _check_bound(body, heads)
        return bodies, heads

    @property
    def about(self) -> Term:
        """What a contradiction is about: the first variable."""
        return next(iter(self._variables.values()), iri_constant(owl.NOTHING))

    # --- atoms -----------------------------------------------------------------------------------------------------------

    def _atoms(self, side: str) -> list[Value]:
        lists = self._graph.objects(self._node, side)
        if len(lists) > 1:
            raise Malformed(f"it has {len(lists)} lists of atoms")
        found = self._graph.members(lists[0]) if lists else []
        if len(found) > _MOST_ATOMS:
            raise Outside(f"it has more than {_MOST_ATOMS} atoms")
        return found

    def _kind(self, atom: Value) -> str:
        kinds = self._graph.types(atom) & swrl.TYPES
        if len(kinds) != 1:
            raise Malformed("an atom of the rule has no type of SWRL")
        return kinds.pop()

    def _term(self, value: Value) -> Term:
        if value in self._variables:
            return self._variables[value]
        if value.kind is not Kind.IRI or swrl.VARIABLE not in self._graph.types(value):
            if is_blank(value):
                raise Malformed("a blank node stands in an atom, and is no swrl:Variable")
            return Constant(value)
        name = re.sub(r"^(?=\d|_)", "v", local_name(text_of(value)) or "v")
        name = name.lower() if _OF_OURS.fullmatch(name) else name
        found = self._variables[value] = Variable(unused(name, {variable.name for variable in self._variables.values()}))
        return found

    def _arguments(self, atom: Value) -> tuple[Term, Term]:
        return self._argument(atom, swrl.ARGUMENT_1), self._argument(atom, swrl.ARGUMENT_2)

    def _argument(self, atom: Value, which: str) -> Term:
        return self._term(self._graph.only(atom, which))

    def _ways(self, atom: Value) -> list[Body]:
        """The bodies of which one makes an atom hold."""
        graph, kind = self._graph, self._kind(atom)
        if kind == swrl.CLASS_ATOM:
            subject = self._argument(atom, swrl.ARGUMENT_1)
            return self._expressions.bodies(graph.only(atom, swrl.CLASS_PREDICATE), subject, self._names)
        if kind in swrl.PROPERTY_ATOMS:
            return [[self._expressions.pair(graph.only(atom, swrl.PROPERTY_PREDICATE), *self._arguments(atom))]]
        if kind == swrl.SAME_ATOM:
            one, other = self._arguments(atom)
            return [[Atom(owl.SAME, (one, other))], [Comparison("=", one, other)]]
        if kind == swrl.DIFFERENT_ATOM:
            return [[Atom(owl.DIFFERENT, self._arguments(atom))]]
        if kind == swrl.BUILTIN_ATOM:
            args = [self._term(value) for value in graph.members(graph.only(atom, swrl.ARGUMENTS))]
            name = text_of(graph.only(atom, swrl.BUILTIN))
            if not name.startswith(swrl.SWRLB):
                raise Outside(f"{local_name(name)} is no built-in of swrlb")
            return [literals_of(name.removeprefix(swrl.SWRLB), args)]
        raise Outside("rules do not see which datatype a value has")

    def _follows(self, atom: Value) -> Heads:
        """What follows from an atom of the head."""
        graph, kind = self._graph, self._kind(atom)
        if kind == swrl.CLASS_ATOM:
            subject = self._argument(atom, swrl.ARGUMENT_1)
            return self._expressions.heads(graph.only(atom, swrl.CLASS_PREDICATE), subject, self._names)
        if kind in swrl.PROPERTY_ATOMS:
            pair = self._expressions.pair(graph.only(atom, swrl.PROPERTY_PREDICATE), *self._arguments(atom))
            return Heads([Head([], pair)])
        if kind == swrl.SAME_ATOM:
            one, other = self._arguments(atom)
            return Heads([Head([Comparison("!=", one, other)], Atom(owl.SAME, (one, other)))])
        if kind == swrl.DIFFERENT_ATOM:
            return Heads([Head([], Atom(owl.DIFFERENT, self._arguments(atom)))])
        return Heads(reasons=["a built-in or a range of data in the head derives nothing"])

    def _shown(self, atom: Value) -> str:
        """An atom as people read it."""
        graph, reading = self._graph, self._reading
        args = [value for which in (swrl.ARGUMENT_1, swrl.ARGUMENT_2) for value in graph.objects(atom, which)[:1]]
        for found in graph.objects(atom, swrl.ARGUMENTS)[:1]:
            args = graph.members(found)
        named = [
            value
            for part in (swrl.CLASS_PREDICATE, swrl.PROPERTY_PREDICATE, swrl.BUILTIN, swrl.DATA_RANGE)
            for value in graph.objects(atom, part)[:1]
        ]
        kinds = sorted(graph.types(atom) & swrl.TYPES)
        word = reading.expression(named[0]) if named else local_name(kinds[0]) if kinds else "…"
        if named and text_of(named[0]).startswith(swrl.SWRLB):
            word = local_name(text_of(named[0]))
        shown = (
            f"?{local_name(text_of(value))}" if swrl.VARIABLE in graph.types(value) else reading.value(value) for value in args
        )
        return f"{word}({', '.join(shown)})"


def _check_bound(body: Body, heads: Heads) -> None:
    """Refuse a rule with a variable that nothing binds."""
    bound = names_of(literal for literal in body if isinstance(literal, Atom))
    waiting = [literal for literal in body if isinstance(literal, Comparison)]
    while True:
        ready = [
            one for one in waiting if one.op == "=" and (_binds(one.left, one.right, bound) or _binds(one.right, one.left, bound))
        ]
        new = names_of(ready) - bound
        bound |= new
        if not new:
            break
    unbound = sorted(names_of(waiting) - bound)
    for head in heads.heads:
        inner = bound | names_of(literal for literal in head.more if isinstance(literal, Atom))
        unbound += sorted(names_of(() if head.atom is None else (head.atom,)) - inner)
    if unbound:
        raise Outside(f"no atom of a class or a property in its body is about ?{unbound[0]}")


def _binds(target: Term, source: Term, bound: set[str]) -> bool:
    return isinstance(target, Variable) and names_of((source,)) <= bound


def add_rules(maker: RuleMaker, *, has_equality: bool = True, is_question: bool = False) -> None:
    """Add the rules of SWRL that an ontology has; what is outside is listed."""
    for node in maker.graph.of_type(swrl.IMP):
        rule = SwrlRule(maker.graph, maker.reading, node)
        if is_question:
            maker.outside(rule.text, "whether a rule follows is not asked")
            continue
        try:
            bodies, heads = rule.heads_and_bodies()
            if not has_equality:
                _leave_equality_out(heads)
            maker.add_heads(rule.text, rule.name, bodies, heads, rule.about)
        except (Malformed, Outside) as reason:
            maker.outside(rule.text, str(reason))


def _leave_equality_out(heads: Heads) -> None:
    kept = [head for head in heads.heads if head.atom is None or head.atom.predicate != owl.SAME]
    if len(kept) < len(heads.heads):
        heads.reasons.append("equality is switched off")
    heads.heads = kept
