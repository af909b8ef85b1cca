"""The axioms of OWL 2 RL as rules about their classes and properties: a description logic program.

Each axiom gives rules with names that say what it is about, or triples where it is about named individuals.  Where an axiom, or a
part of it, is outside of what rules can say, `outside` has it with the reason; the rest of the axiom is used.  A contradiction is
a fact of `inconsistent(rule, about)`.

It departs from the paper in what OWL 2 RL has added since, such as keys and chains of properties; and it takes what the profile
leaves out but rules can say: `owl:hasSelf`, and the parts of an axiom whose other parts are outside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

from tidelog.ontology import vocabulary as owl
from tidelog.ontology.axioms import Malformed, OntologyGraph, Triple, is_blank
from tidelog.ontology.expressions import Body, Expressions, Head, Names, Outside
from tidelog.ontology.naming import local_name, name_of
from tidelog.ontology.rule_maker import Clause, RuleMaker, Translation
from tidelog.ontology.swrl.swrl_rules import add_rules
from tidelog.options import Equality, refuse
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Rule, Variable
from tidelog.values import IRI, Kind, Value, text_of

_MOST_DIFFERENT = 1000
"""The most members of an owl:AllDifferent: their pairs are facts."""

X, Y, Z = Variable("X"), Variable("Y"), Variable("Z")


def translate(
    graph: OntologyGraph,
    printer: Printer,
    *,
    equality: Equality = "auto",
    arities: Mapping[str, int] | None = None,
    taken: Mapping[str, Rule] | None = None,
    is_question: bool = False,
    same_as: bool = False,
) -> Translation:
    """The rules and triples of an ontology.

    With `equality="auto"`, equal individuals are a closed relation owl:sameAs; with `replace`, also every fact about one holds
    for the others; with `none`, nothing makes individuals equal.  With `same_as`, equal individuals are one, and need no rules
    for that.  A question leaves out the rules about equality themselves, and individuals of class expressions.
    """
    refuse(equality=equality)
    translator = _Translator(graph, printer, equality, arities or {}, taken or {})
    translator.same_as = same_as
    return translator.run(is_question=is_question)


class _Translator(RuleMaker):
    def __init__(
        self, graph: OntologyGraph, printer: Printer, equality: Equality, arities: Mapping[str, int], taken: Mapping[str, Rule]
    ) -> None:
        super().__init__(graph, printer, arities, taken)
        self.equality, self.expressions = equality, Expressions(graph)

    def run(self, *, is_question: bool) -> Translation:
        """Translate everything."""
        for triple in self.graph.triples:
            if (handler := _BY_PREDICATE.get(triple.predicate)) is not None:
                self._one(handler, triple)
            elif triple.predicate == owl.TYPE and triple.object.kind is Kind.IRI:
                name = text_of(triple.object)
                if name in owl.CHARACTERISTICS:
                    self._one(_Translator._characteristic, triple)
                elif (of_type := _BY_TYPE.get(name)) is not None:
                    self._one(of_type, triple)
        for triple in self.graph.assertions():
            if triple.predicate == owl.TYPE and is_blank(triple.object):
                if is_question:
                    continue
                self._one(_Translator._instance, triple)
            else:
                self.add_triple(triple)
        add_rules(self, has_equality=self.equality != "none", is_question=is_question)
        if not is_question:
            self._equal()
        return self.result

    def _one(self, handler: Callable[[_Translator, Triple], None], triple: Triple) -> None:
        """Translate one axiom; what is wrong with it, or outside, is listed."""
        try:
            handler(self, triple)
        except (Malformed, Outside) as reason:
            self.outside(self.shown(triple), str(reason))

    # --- classes ---------------------------------------------------------------------------------------------------------

    def _sub_class(self, triple: Triple) -> None:
        self._below("subclass", self.shown(triple), triple.subject, triple.object)

    def _below(self, kind: str, text: str, below: Value, above: Value) -> None:
        names = Names()
        bodies = self.expressions.bodies(below, X, names)
        self.add_heads(text, name_of(kind, below, above), bodies, self.expressions.heads(above, X, names), X)

    def _equivalent(self, triple: Triple) -> None:
        if self.graph.is_datatype(triple.subject):
            raise Outside("rules do not define datatypes")
        text = self.shown(triple)
        for below, above in ((triple.subject, triple.object), (triple.object, triple.subject)):
            try:
                self._below("equivalent", text, below, above)
            except (Malformed, Outside) as reason:
                self.outside(text, str(reason))

    def _defined(self, triple: Triple) -> None:
        """A named class that is an expression; of a blank node it is the expression itself."""
        if is_blank(triple.subject) or self.graph.is_datatype(triple.subject):
            return
        expression = Value(Kind.IRI, IRI(f"_:the {triple.predicate} of {text_of(triple.subject)}"))
        self.graph.add_expression(Triple(expression, triple.predicate, triple.object))
        self._equivalent(Triple(triple.subject, owl.EQUIVALENT_CLASS, expression))

    def _disjoint(self, triple: Triple) -> None:
        self._apart(self.shown(triple), triple.subject, triple.object)

    def _apart(self, text: str, one: Value, other: Value) -> None:
        names = Names()
        of_one, of_other = (self.expressions.bodies(node, X, names) for node in (one, other))
        self.add(text, name_of("disjoint", one, other), [([*a, *b], None, X) for a in of_one for b in of_other])

    def _all_disjoint_classes(self, triple: Triple) -> None:
        members = self._members(triple.subject, owl.MEMBERS)
        for one, other in combinations(members, 2):
            self._apart(f"{self.reading.expression(one)} disjointWith {self.reading.expression(other)}", one, other)

    def _disjoint_union(self, triple: Triple) -> None:
        members = self.graph.members(triple.object)
        self.outside(self.shown(triple), "rules cannot say which of the classes an instance belongs to")
        for member in members:
            text = f"{self.reading.expression(member)} subClassOf {self.reading.expression(triple.subject)}"
            self._below("subclass", text, member, triple.subject)
        for one, other in combinations(members, 2):
            self._apart(f"{self.reading.expression(one)} disjointWith {self.reading.expression(other)}", one, other)

    def _key(self, triple: Triple) -> None:
        if self.equality == "none":
            raise Outside("equality is switched off")
        names, body = Names(), list[Literal]()
        other = names.fresh()
        for prop in self.graph.members(triple.object):
            value = names.fresh()
            body += [self.expressions.pair(prop, X, value), self.expressions.pair(prop, other, value)]
        if not body:
            raise Malformed("a key has no property")
        mine = self.expressions.bodies(triple.subject, X, names)
        others = self.expressions.bodies(triple.subject, other, names)
        same, differ = Atom(owl.SAME, (X, other)), Comparison("!=", X, other)
        rules = [([*a, *body, *b, differ], same, X) for a in mine for b in others]
        self.add(self.shown(triple), name_of("key", triple.subject), rules)

    # --- properties ------------------------------------------------------------------------------------------------------

    def _sub_property(self, triple: Triple) -> None:
        pair = self.expressions.pair
        rule = [pair(triple.subject, X, Y)], pair(triple.object, X, Y), X
        self.add(self.shown(triple), name_of("subproperty", triple.subject, triple.object), [rule])  # type: ignore[list-item]

    def _equivalent_property(self, triple: Triple) -> None:
        one, other = (self.expressions.pair(node, X, Y) for node in (triple.subject, triple.object))
        name = name_of("equivalent", triple.subject, triple.object)
        self.add(self.shown(triple), name, [([one], other, X), ([other], one, X)])

    def _inverse(self, triple: Triple) -> None:
        if is_blank(triple.subject):
            return
        pair, one, other = self.expressions.pair, triple.subject, triple.object
        rules: list[Clause] = [
            ([pair(other, X, Y)], pair(one, Y, X), X),
            ([pair(one, X, Y)], pair(other, Y, X), X),
        ]
        self.add(self.shown(triple), name_of("inverse", one, other), rules)

    def _domain(self, triple: Triple) -> None:
        names = Names()
        body: Body = [self.expressions.pair(triple.subject, X, names.fresh())]
        heads = self.expressions.heads(triple.object, X, names)
        self.add_heads(self.shown(triple), name_of("domain", triple.subject, triple.object), [body], heads, X)

    def _range(self, triple: Triple) -> None:
        names = Names()
        value = names.fresh()
        body: Body = [self.expressions.pair(triple.subject, X, value)]
        heads = self.expressions.heads(triple.object, value, names)
        self.add_heads(self.shown(triple), name_of("range", triple.subject, triple.object), [body], heads, value)

    def _chain(self, triple: Triple) -> None:
        names, body, at = Names(), list[Literal](), X
        for prop in self.graph.members(triple.object):
            after = names.fresh()
            body.append(self.expressions.pair(prop, at, after))
            at = after
        head = self.expressions.pair(triple.subject, X, at)
        if not body:
            raise Malformed("a chain has no property")
        self.add(self.shown(triple), name_of("chain", triple.subject), [(body, head, X)])

    def _disjoint_properties(self, triple: Triple) -> None:
        self._never_both(self.shown(triple), triple.subject, triple.object)

    def _never_both(self, text: str, one: Value, other: Value) -> None:
        body: Body = [self.expressions.pair(node, X, Y) for node in (one, other)]
        self.add(text, name_of("disjoint", one, other), [(body, None, X)])

    def _all_disjoint_properties(self, triple: Triple) -> None:
        for one, other in combinations(self._members(triple.subject, owl.MEMBERS), 2):
            text = f"{self.reading.expression(one)} propertyDisjointWith {self.reading.expression(other)}"
            self._never_both(text, one, other)

    def _characteristic(self, triple: Triple) -> None:
        kind, prop, pair = owl.CHARACTERISTICS[text_of(triple.object)], triple.subject, self.expressions.pair
        rule: Clause
        match kind:
            case "functional" | "inverse functional":
                if self.equality == "none":
                    raise Outside("equality is switched off")
                if kind == "functional":
                    head = self.expressions.at_most_one(prop, [pair(prop, X, Y), pair(prop, X, Z)], Y, Z)
                else:
                    differ = Comparison("!=", X, Y)
                    head = Head([pair(prop, X, Z), pair(prop, Y, Z), differ], Atom(owl.SAME, (X, Y)))
                rule = head.more, head.atom, X
            case "transitive":
                rule = [pair(prop, X, Y), pair(prop, Y, Z)], pair(prop, X, Z), X
            case "symmetric":
                rule = [pair(prop, X, Y)], pair(prop, Y, X), X
            case "asymmetric":
                rule = [pair(prop, X, Y), pair(prop, Y, X)], None, X
            case "irreflexive":
                rule = [pair(prop, X, X)], None, X
            case _:
                raise Outside("a reflexive property holds between everything and itself, also what nothing names")
        self.add(self.shown(triple), name_of(kind, prop), [rule])

    # --- individuals -----------------------------------------------------------------------------------------------------

    def _instance(self, triple: Triple) -> None:
        """An individual of a class expression."""
        individual = Constant(triple.subject)
        heads = self.expressions.heads(triple.object, individual, Names())
        text = f"{self.reading.value(triple.subject)} a {self.reading.expression(triple.object)}"
        self.add_heads(text, name_of("instance", triple.subject), [[]], heads, individual)

    def _negative(self, triple: Triple) -> None:
        node, only = triple.subject, self.graph.only
        source, prop = only(node, owl.SOURCE), only(node, owl.PROPERTY)
        is_value = bool(self.graph.objects(node, owl.TARGET_VALUE))
        target = only(node, owl.TARGET_VALUE if is_value else owl.TARGET)
        body: Body = [self.expressions.pair(prop, Constant(source), Constant(target))]
        shown = " ".join((self.reading.value(source), self.reading.expression(prop), self.reading.value(target)))
        self.add(f"not {shown}", name_of("never", source, prop), [(body, None, Constant(source))])

    def _all_different(self, triple: Triple) -> None:
        found = [p for p in (owl.MEMBERS, owl.DISTINCT_MEMBERS) if self.graph.objects(triple.subject, p)]
        members = self._members(triple.subject, found[0] if found else owl.MEMBERS)
        if len(members) > _MOST_DIFFERENT:
            raise Outside(f"it has {len(members):,} members, and each pair of them would be a fact")
        for one, other in combinations(members, 2):
            self.add_triple(Triple(one, owl.DIFFERENT, other))

    def _members(self, node: Value, predicate: str) -> list[Value]:
        return self.graph.members(self.graph.only(node, predicate))

    # --- equality --------------------------------------------------------------------------------------------------------

    def _equal(self) -> None:
        """Rules about owl:sameAs and owl:differentFrom, if anything is about them."""
        about = {name for name in (owl.SAME, owl.DIFFERENT, owl.NOTHING) if name in self.mentioned}
        replaced = sorted((name, arity) for name, arity in self.mentioned.items() if name not in about and ":" in name)
        same, other = Atom(owl.SAME, (X, Y)), Atom(owl.SAME, (Y, Z))
        if owl.NOTHING in about:
            self.add("nothing is an owl:Nothing", "nothing", [([Atom(owl.NOTHING, (X,))], None, X)])
        if owl.DIFFERENT in about:
            differ = Atom(owl.DIFFERENT, (X, Y))
            self.add("owl:differentFrom is symmetric", "different_symmetric", [([differ], Atom(owl.DIFFERENT, (Y, X)), X)])
            self.add("nothing differs from itself", "different_itself", [([Atom(owl.DIFFERENT, (X, X))], None, X)])
        if self.equality == "none" or self.same_as or not (owl.SAME in about or self.equality == "replace"):
            return
        self.add("owl:sameAs is symmetric", "same_symmetric", [([same], Atom(owl.SAME, (Y, X)), X)])
        self.add("owl:sameAs is transitive", "same_transitive", [([same, other], Atom(owl.SAME, (X, Z)), X)])
        if owl.DIFFERENT in about:
            both: Body = [same, Atom(owl.DIFFERENT, (X, Y))]
            self.add("what is the same does not differ", "same_and_different", [(both, None, X)])
        if self.equality == "replace":
            for name, arity in replaced:
                text, rule_name = f"{local_name(name)}, of what is the same", f"same_in_{local_name(name)}"
                if arity == 1:
                    self.add(text, rule_name, [([Atom(name, (X,)), same], Atom(name, (Y,)), X)])
                else:
                    first: Body = [Atom(name, (X, Z)), same]
                    second: Body = [Atom(name, (Z, X)), same]
                    self.add(text, rule_name, [(first, Atom(name, (Y, Z)), X), (second, Atom(name, (Z, Y)), X)])


_BY_PREDICATE: dict[str, Callable[[_Translator, Triple], None]] = {
    owl.SUB_CLASS: _Translator._sub_class,
    owl.EQUIVALENT_CLASS: _Translator._equivalent,
    **dict.fromkeys(owl.CLASS_EXPRESSIONS, _Translator._defined),
    owl.DISJOINT_WITH: _Translator._disjoint,
    owl.DISJOINT_UNION: _Translator._disjoint_union,
    owl.HAS_KEY: _Translator._key,
    owl.SUB_PROPERTY: _Translator._sub_property,
    owl.EQUIVALENT_PROPERTY: _Translator._equivalent_property,
    owl.INVERSE: _Translator._inverse,
    owl.DOMAIN: _Translator._domain,
    owl.RANGE: _Translator._range,
    owl.CHAIN: _Translator._chain,
    owl.DISJOINT_PROPERTIES: _Translator._disjoint_properties,
}
_BY_TYPE: dict[str, Callable[[_Translator, Triple], None]] = {
    owl.ALL_DISJOINT_CLASSES: _Translator._all_disjoint_classes,
    owl.ALL_DISJOINT_PROPERTIES: _Translator._all_disjoint_properties,
    owl.ALL_DIFFERENT: _Translator._all_different,
    owl.NEGATIVE: _Translator._negative,
}
