"""Makes the rules and triples of a translation: names them, leaves out what is there already, and lists what is outside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from tidelog.ontology import vocabulary as owl
from tidelog.ontology.axioms import Import, Malformed, OntologyGraph, Triple, is_blank
from tidelog.ontology.expressions import Body, Heads, Outside
from tidelog.ontology.naming import Reading, local_name, unused
from tidelog.program.changes.live_rules import fingerprint
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.equal_values import OF_RULE, by_values
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Rule, Term, Variable, names_of, variables
from tidelog.values import IRI, Kind, from_python, string, text_of

INCONSISTENT = "inconsistent"
"""The relation of contradictions: the rule that found one, and what it is about."""

Clause = tuple[Body, Atom | None, Term]
"""A body, a head, and what a contradiction is about if there is no head."""


@dataclass(frozen=True, slots=True)
class Axiom:
    """An axiom as people read it, and its rules; without rules, those of other axioms say the same."""

    text: str
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class OutsideAxiom:
    """An axiom, all of it or a part, that is outside of what rules can say."""

    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.text}: {self.reason}"


@dataclass(slots=True)
class Translation:
    """An ontology as rules and triples."""

    name: str | None
    axioms: list[Axiom] = field(default_factory=list)
    triples: dict[Triple, None] = field(default_factory=dict)
    """Its assertions, and what axioms say of named individuals."""
    outside: list[OutsideAxiom] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)

    @property
    def rules(self) -> list[Rule]:
        """All rules, in order."""
        return [rule for axiom in self.axioms for rule in axiom.rules]


class RuleMaker:
    """What the translation of every axiom uses."""

    def __init__(self, graph: OntologyGraph, printer: Printer, arities: Mapping[str, int], taken: Mapping[str, Rule]) -> None:
        """`arities` are those of known relations; `taken` are rules that have a name already."""
        self.graph, self.arities, self._taken = graph, dict(arities), taken
        self.reading = Reading(graph, printer)
        self.mentioned: dict[str, int] = {}
        """The relations that this ontology is about, and their numbers of columns."""
        self.result = Translation(graph.name, imports=list(graph.imports))
        self.same_as = False
        """Whether individuals that are the same are one, in a knowledge base with `same_as`."""
        self._known: set[object] = set()
        self._names: set[str] = set()

    def outside(self, text: str, reason: str) -> None:
        """List an axiom that is outside, all of it or a part."""
        self.result.outside.append(OutsideAxiom(text, reason))

    def shown(self, triple: Triple) -> str:
        """An axiom of one triple as people read it."""
        subject, value = self.reading.expression(triple.subject), triple.object
        word = local_name(triple.predicate)
        if word == "type":
            return f"{subject} a {self.reading.expression(value)}"
        try:
            if triple.predicate in _OF_LISTS:
                return f"{subject} {word} ({self.reading.names(self.graph.members(value))})"
        except Malformed:
            pass
        return f"{subject} {word} {self.reading.expression(value)}"

    def add(self, text: str, name: str, clauses: Iterable[Clause]) -> None:
        """Add the rules of an axiom."""
        found: list[Rule] = []
        is_said = False
        for clause in clauses:
            is_said = True
            if (simple := _without_equations(clause)) is None:
                continue
            body, head, about = simple
            if not body:
                self._hold(text, head, about)
            elif (rule := self._rule(name, body, head, about)) is not None:
                found.append(rule)
        axioms = self.result.axioms
        if is_said and axioms and axioms[-1].text == text:
            axioms[-1] = Axiom(text, (*axioms[-1].rules, *found))
        elif is_said:
            axioms.append(Axiom(text, tuple(found)))

    def _hold(self, text: str, head: Atom | None, about: Term) -> None:
        """A head without a body: a triple, if it is about a named individual."""
        head = head or Atom(owl.NOTHING, (about,))
        if any(not isinstance(term, Constant) for term in head.args):
            self.outside(text, "it says something about everything there is")
            return
        values = [term.value for term in head.args if isinstance(term, Constant)]
        if len(values) == 1:
            self.add_triple(Triple(values[0], owl.TYPE, from_python(IRI(head.predicate))))
        else:
            self.add_triple(Triple(values[0], head.predicate, values[1]))

    def _rule(self, name: str, body: Body, head: Atom | None, about: Term) -> Rule | None:
        """A rule with a name of its own, unless it is there already, or says nothing."""
        if self.same_as:
            body, head = by_values(body, head) or (body, head)
        body = sorted(dict.fromkeys(body), key=lambda literal: not isinstance(literal, Atom))
        if head in body:
            return None
        body = _without_names(body, [about] if head is None else list(head.args))
        key = _key(Rule(head or Atom(INCONSISTENT, (about,)), tuple(body)))
        if key in self._known:
            return None
        self._known.add(key)
        self._check_arities([literal for literal in (head, *body) if isinstance(literal, Atom)])
        chosen = name
        while True:
            chosen = unused(name, self._names)
            made = Rule(_named(head, chosen) or Atom(INCONSISTENT, (Constant(string(chosen)), about)), tuple(body), chosen)
            if chosen not in self._taken or _key(self._taken[chosen]) == _key(made):
                break
            self._names.add(chosen)
        self._names.add(chosen)
        return made

    def _check_arities(self, atoms: list[Atom]) -> None:
        for atom in atoms:
            if self.arities.get(atom.predicate, len(atom.args)) != len(atom.args):
                raise Outside(f"{local_name(atom.predicate)} is a class and a property, and a relation has one number of columns")
        for atom in atoms:
            self.arities[atom.predicate] = self.mentioned[atom.predicate] = len(atom.args)

    def add_triple(self, triple: Triple) -> None:
        """Add an assertion."""
        is_class = triple.predicate == owl.TYPE and triple.object.kind is Kind.IRI and not is_blank(triple.object)
        name, arity = (text_of(triple.object), 1) if is_class else (triple.predicate, 2)
        if self.arities.setdefault(name, arity) != arity:
            reason = f"{local_name(name)} is a class and a property, and a relation has one number of columns"
            self.outside(self.shown(triple), reason)
            return
        self.mentioned[name] = arity
        self.result.triples[triple] = None

    def add_heads(self, text: str, name: str, bodies: list[Body], heads: Heads, about: Term) -> None:
        """Every head with every body; what of the heads is outside is listed."""
        for reason in dict.fromkeys(heads.reasons):
            self.outside(text, reason)
        pairs = [([*body, *head.more], head.atom, about) for body in bodies for head in heads.heads]
        self.add(text, name, pairs)


_OF_LISTS = frozenset({owl.CHAIN, owl.HAS_KEY, owl.DISJOINT_UNION, *owl.CLASS_EXPRESSIONS - {owl.COMPLEMENT}})


def _named(head: Atom | None, rule: str) -> Atom | None:
    """The head with the name of its rule, where that is an argument."""
    if head is None or OF_RULE not in head.args:
        return head
    return replace(head, args=tuple(Constant(string(rule)) if arg == OF_RULE else arg for arg in head.args))


def _key(rule: Rule) -> object:
    return fingerprint(rule), canonical_key(rule)


def _without_names(body: Body, kept: list[Term]) -> Body:
    """A body in which variables that are used once have no names."""
    uses = Counter(variable.name for variable in variables(*body))
    once = {name for name, count in uses.items() if count == 1} - names_of(kept)
    without = {name: Variable(f"_#{number}") for number, name in enumerate(sorted(once), 1)}

    def shown(term: Term) -> Term:
        return without.get(term.name, term) if isinstance(term, Variable) else term

    return [replace(part, args=tuple(map(shown, part.args))) if isinstance(part, Atom) else part for part in body]


def _without_equations(clause: Clause) -> Clause | None:
    """A clause with variables that equal a constant replaced by it; None if it can never hold."""
    body, head, about = clause
    if any(
        isinstance(term, Call) for literal in body if isinstance(literal, Comparison) for term in (literal.left, literal.right)
    ):
        return clause  # of SWRL, which computes
    values: dict[Term, Term] = {}
    for literal in body:
        if isinstance(literal, Comparison) and literal.op == "=":
            left, right = values.get(literal.left, literal.left), literal.right
            if isinstance(left, Variable):
                values[left] = right
            elif left != right:
                return None
    if not values:
        return clause

    def filled(atom: Atom) -> Atom:
        return replace(atom, args=tuple(values.get(term, term) for term in atom.args))

    found: Body = []
    for literal in body:
        match literal:
            case Atom():
                found.append(filled(literal))
            case Comparison("=", _, _):
                pass
            case Comparison(op, left, right):
                found.append(Comparison(op, values.get(left, left), values.get(right, right)))
    return found, None if head is None else filled(head), values.get(about, about)
