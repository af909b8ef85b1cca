"""What contradicts an ontology: the rules that find it, and the facts that they find it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tidelog.ontology.rule_maker import INCONSISTENT
from tidelog.program.program import Program
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Constant, Literal, Rule, Term, Variable, names_of
from tidelog.values import from_python, text_of


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A contradiction: facts that a rule says cannot hold together."""

    rule: str
    """The name of the rule."""
    about: Any
    """What it is about, which is mostly an individual."""
    facts: tuple[tuple[Any, ...], ...]
    """The facts of the rule's body, each with the name of its relation first."""
    text: str
    """All of it, as people read it."""

    def __str__(self) -> str:
        return self.text


def is_contradiction(rule: Rule) -> bool:
    """Whether a rule derives contradictions: `inconsistent(rule, about)`."""
    return rule.head.predicate == INCONSISTENT and len(rule.head.args) == 2


def name_in(rule: Rule) -> str | None:
    """The name that a rule gives to its contradictions; None if it is a variable."""
    term = rule.head.args[0]
    return text_of(term.value) if isinstance(term, Constant) else None


def question_of(rule: Rule, printer: Printer) -> tuple[str, tuple[Atom, ...]]:
    """The body of a rule as a query that binds every variable of its atoms, and these atoms."""
    taken = names_of(rule.body)
    named: dict[str, Variable] = {}

    def with_name(term: Term) -> Term:
        if not isinstance(term, Variable) or not term.is_anonymous:
            return term
        if term.name not in named:
            number = len(named) + 1
            while f"Any{number}" in taken:
                number += 1
            taken.add(f"Any{number}")
            named[term.name] = Variable(f"Any{number}")
        return named[term.name]

    body: list[Literal] = []
    found: list[Atom] = []
    for literal in rule.body:
        if isinstance(literal, Atom):
            atom = Atom(literal.predicate, tuple(with_name(term) for term in literal.args))
            found.append(atom)
            body.append(atom)
        else:
            body.append(literal)
    return ", ".join(map(printer.literal, body)), tuple(found)


def inconsistency_of(rule: Rule, atoms: tuple[Atom, ...], values: dict[str, Any], program: Program) -> Inconsistency:
    """A contradiction from the values of a rule's variables."""

    def value(term: Term) -> Any:
        if isinstance(term, Variable):
            return values[term.name]
        return term.value.content if isinstance(term, Constant) else None

    facts = tuple((atom.predicate, *map(value, atom.args)) for atom in atoms)
    name, about = (value(term) for term in rule.head.args)
    return described(str(name), about, tuple(dict.fromkeys(facts)), program)


def described(name: str, about: Any, facts: tuple[tuple[Any, ...], ...], program: Program) -> Inconsistency:
    """A contradiction, with its text."""
    printer = program.printer
    shown = [printer.literal(Atom(one[0], tuple(Constant(from_python(value)) for value in one[1:]))) for one in facts]
    text = f"{name}: {printer.value(from_python(about))}" + "".join(f"\n    {fact}." for fact in shown)
    return Inconsistency(name, about, facts, text)
