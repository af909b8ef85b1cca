"""Facts, literals and rules as users read them: ids become values, and what lowering has made is taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tidelog.explain.access import Access, Key
from tidelog.explain.steps import ShownRule
from tidelog.program.lowering import is_fresh
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Constant, Literal, Negation, Rule, Term, Variable


class Wording:
    """Texts about one state of a knowledge base."""

    def __init__(self, access: Access) -> None:
        self.access, self._print = access, access.program.printer
        self._rules: dict[int, ShownRule] = {}

    def fact(self, key: Key) -> str:
        """A fact as a program writes it."""
        name, row = key
        return self._print.literal(Atom(self.access.shown(name), tuple(Constant(self.access.value(cell)) for cell in row)))

    def predicate(self, name: str) -> str:
        """The name of a relation as a program writes it."""
        return self._print.predicate(name)

    def term(self, term: Term) -> str:
        """A term as a program writes it."""
        return self._print.term(term)

    def literal(self, literal: Literal, known: Mapping[str, Term] | None = None) -> str:
        """A literal with the values of its variables, as far as they are known."""
        return self._print.literal(literal if not known else with_values(literal, known))

    def rule(self, at: int) -> ShownRule:
        """A rule, with its place in the text that it comes from."""
        if at not in self._rules:
            rule = self.access.program.rules[at]
            text = " ".join(rule.source.text[slice(*rule.span)].split())
            if not text or "%" in text:  # in one line, a comment would hide what follows it
                text = self._print.rule(replace(rule, name=None))
            text = text.removeprefix(f"{rule.name}:").strip().removesuffix(".") + "."
            place = rule.name or f"line {rule.source.line_of(rule.span.start)}"
            if rule.name is None and rule.source is not self.access.program.document.source:
                place += f" of {rule.source.name}"
            self._rules[at] = ShownRule(at, place, text)
        return self._rules[at]


def as_written(rule: Rule) -> dict[str, Term]:
    """What to write for variables that lowering has made, and for those that stand for anything."""
    found: dict[str, Term] = {}
    for literal in rule.body:
        if isinstance(literal, Comparison) and isinstance(literal.left, Variable) and is_fresh(literal.left.name):
            found[literal.left.name] = literal.right
    return found


def with_values(literal: Literal, known: Mapping[str, Term]) -> Literal:
    """A literal with the values of its variables, those inside an aggregate's braces included where they are known."""
    match literal:
        case Atom(predicate, args):
            return Atom(predicate, tuple(value_in(arg, known) for arg in args))
        case Negation(Atom(predicate, args)):
            return Negation(Atom(predicate, tuple(value_in(arg, known) for arg in args)))
        case Comparison(op, left, right):
            return Comparison(op, value_in(left, known), value_in(right, known))
        case Aggregate(result, function, target, body):
            target_shown = None if target is None else value_in(target, known)
            return Aggregate(value_in(result, known), function, target_shown, tuple(with_values(inner, known) for inner in body))


def value_in(term: Term, known: Mapping[str, Term]) -> Term:
    """A term with the values of its variables, as far as they are known."""
    if isinstance(term, Variable):
        return known.get(term.name, term)
    if isinstance(term, Call):
        return Call(term.function, tuple(value_in(arg, known) for arg in term.args))
    return term
