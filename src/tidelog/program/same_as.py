"""Equality of individuals as relations and rules: what `KnowledgeBase(same_as=True)` adds to a program.

The explicit facts of a relation p are told: `tidelog_told_p` has them as they were given.  p itself has them, and what follows
from them, by representatives: one individual stands for all that are the same.  Rules read p, so they work with one individual
for each class.  After Motik, Nenov, Piro and Horrocks, "Handling owl:sameAs via Rewriting" (AAAI 2015).  Facts as they were given
are what deletion needs: "Combining Rewriting and Incremental Materialisation Maintenance for Datalog Programs with Equality"
(IJCAI 2015).

Which individual stands for another one, the engine writes to `tidelog_representative` (`local.equality`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from itertools import product

from tidelog.errors import Diagnostic, TidelogError
from tidelog.program.hypergraph import NEGATIVE, POSITIVE
from tidelog.program.program import Program, check
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Declaration, Literal, Negation, Rule, Term, Variable, atoms
from tidelog.values import Kind, text_of

SAME = "http://www.w3.org/2002/07/owl#sameAs"
OWN = "tidelog_"
REPRESENTATIVE = OWN + "representative"
"""An individual, and the one that stands for it; for all that are not their own representatives."""
EQUATED = OWN + "equated"
"""Pairs that rules have made equal."""
CONSTANT = OWN + "constant"
"""The individuals that rules name, and their representatives."""
SAME_BY = OWN + "same_by_"
"""Facts `(rule, value, …, individual)`: individuals with equal values are the same; the number of values follows."""
MOST_VALUES = 6
_TOLD = OWN + "told_"
_PLAIN, _NOT_PLAIN, _NOT_LAST = re.compile(r"[a-z][a-zA-Z0-9_]*"), re.compile(r"[^a-zA-Z0-9_]"), re.compile(r".*[/#:]")
_AT_ONCE = 3
"""So many columns are brought to representatives by one set of rules: there is a rule for each subset of them."""
VOCABULARIES = tuple(
    f"http://www.w3.org/{name}#" for name in ("1999/02/22-rdf-syntax-ns", "2000/01/rdf-schema", "2002/07/owl", "2001/XMLSchema")
)
"""What these define is never equal to anything else."""


@lru_cache(maxsize=4096)
def told_name(relation: str) -> str:
    """The relation that has the explicit facts of a relation as they were given."""
    if _PLAIN.fullmatch(relation):
        return _TOLD + relation
    local = _NOT_PLAIN.sub("", _NOT_LAST.sub("", relation.rstrip("/#")))
    return f"{_TOLD}{local}_{blake2b(relation.encode(), digest_size=6).hexdigest()}"


def is_own(relation: str) -> bool:
    """Whether a relation is part of the account, and knows no representatives."""
    return relation.startswith((OWN, "#"))


def same_as_rules(relations: Iterable[Relation], known: Mapping[str, object], printer: Printer) -> str:
    """The declarations and rules of relations that have none yet, as a text; with `known`, those that are there already."""
    lines: list[str] = []
    if REPRESENTATIVE not in known:
        lines += [f"@relation {REPRESENTATIVE}(individual, representative) ."]
        lines += [f"@relation {EQUATED}(individual, other) .", f"@relation {CONSTANT}(individual, representative) ."]
        same = printer.predicate(SAME)
        lines += [f"{OWN}same: {same}(X, X) :- {REPRESENTATIVE}(_, X)."]
    added = [one for one in relations if not is_own(one.name) and told_name(one.name) not in known]
    if REPRESENTATIVE not in known and all(one.name != SAME for one in added):
        added.append(Relation(SAME, 2))
    for relation in added:
        lines += _rules_of(relation, printer)
    return "\n".join(lines)


def source_with_same_as(source: Source) -> Source:
    """A program's text with all of that at its end."""
    program = check(source)
    refuse_unstratified(program)
    return Source(f"{source.text}\n{same_as_rules(program.relations.values(), {}, program.printer)}\n", source.name)


def _rules_of(relation: Relation, printer: Printer) -> Iterator[str]:
    name, told = relation.name, told_name(relation.name)
    columns = relation.columns or ()
    shown = Declaration(told, columns) if columns and len(columns) == relation.arity else None
    yield printer.statement(shown) if shown else f"@relation {told}({', '.join(f'c{at + 1}' for at in range(relation.arity))}) ."
    places = [at for at in range(relation.arity) if Kind.IRI in relation.declared_type(at)]
    steps = [places[at : at + _AT_ONCE] for at in range(0, len(places), _AT_ONCE)] or [[]]
    for number, step in enumerate(steps):
        source = told if number == 0 else f"{told}_{number}"
        target = printer.predicate(name) if number == len(steps) - 1 else f"{told}_{number + 1}"
        body = ", ".join(f"X{at}" for at in range(relation.arity))
        for variant, moved in enumerate(product((False, True), repeat=len(step))):
            is_moved = dict(zip(step, moved, strict=True))
            head = ", ".join(f"R{at}" if is_moved.get(at) else f"X{at}" for at in range(relation.arity))
            literals = [f"{source}({body})" if relation.arity else source]
            literals += [f"{REPRESENTATIVE}(X{at}, R{at})" for at in step if is_moved[at]]
            literals += [f"not {REPRESENTATIVE}(X{at}, _)" for at in step if not is_moved[at]]
            rule_name = f"{told}_{number}_{variant}"
            yield f"{rule_name}: {target}({head}) :- {', '.join(literals)}."


# --- what rules may not do -----------------------------------------------------------------------------------------------


def refuse_unstratified(program: Program) -> None:
    """Refuse rules that make individuals equal because something is not there, or of an aggregate: equality changes both."""
    below: dict[str, list[Rule]] = {}
    for rule in program.rules:
        below.setdefault(rule.head.predicate, []).append(rule)
    reached = {name for name in below if name == SAME or name.startswith(SAME_BY)}
    left = sorted(reached)
    while left:
        for rule in below.get(left.pop(), ()):
            for atom, sign in atoms(rule.body):
                if is_own(atom.predicate):
                    continue
                if sign != POSITIVE:
                    raise TidelogError([_unstratified(rule, atom, sign, program.printer)])
                if atom.predicate not in reached:
                    reached.add(atom.predicate)
                    left.append(atom.predicate)


def _unstratified(rule: Rule, atom: Atom, sign: str, printer: Printer) -> Diagnostic:
    used = printer.predicate(atom.predicate)
    code, how = ("TL050", "negation") if sign == NEGATIVE else ("TL051", "an aggregate")
    message = f"owl:sameAs depends on itself through {how} of `{used}`: individuals that are the same share the facts of `{used}`"
    fix = f"let what makes individuals the same not depend on `{printer.predicate(rule.head.predicate)}`; or leave out `same_as`"
    return Diagnostic(code, message, rule.source, rule.span, fix)


# --- constants -----------------------------------------------------------------------------------------------------------


def by_representatives(rule: Rule) -> Rule:
    """The rule with the individuals that it names replaced by their representatives."""
    if rule.head.predicate.startswith(OWN) and (rule.name or "").startswith(OWN):
        return rule
    replaced = _Constants()
    body = replaced.body(rule.body)
    head = replaced.atom(rule.head)
    if not replaced.found:
        return rule
    return replace(rule, head=head, body=(*body, *replaced.literals()))


class _Constants:
    """The individuals that one body names, and variables for their representatives."""

    def __init__(self, mark: str = "#same") -> None:
        self.found: dict[Term, Variable] = {}
        self._mark = mark

    def literals(self) -> list[Literal]:
        """The literals that bind the variables."""
        return [Atom(CONSTANT, (constant, variable)) for constant, variable in self.found.items()]

    def term(self, term: Term) -> Term:
        if not isinstance(term, Constant) or term.value.kind is not Kind.IRI:
            return term
        if text_of(term.value).startswith(VOCABULARIES):
            return term
        return self.found.setdefault(term, Variable(f"{self._mark} {text_of(term.value)}"))

    def atom(self, atom: Atom) -> Atom:
        if is_own(atom.predicate) and not atom.predicate.startswith(SAME_BY):
            return atom
        return Atom(atom.predicate, tuple(map(self.term, atom.args)), atom.span)

    def body(self, body: Iterable[Literal]) -> list[Literal]:
        found: list[Literal] = []
        for literal in body:
            match literal:
                case Atom():
                    found.append(self.atom(literal))
                case Negation(atom):
                    found.append(Negation(self.atom(atom)))
                case Comparison(op, left, right):
                    found.append(Comparison(op, self.term(left), self.term(right), literal.span))
                case Aggregate():
                    found.append(self._aggregate(literal))
        return found

    def _aggregate(self, aggregate: Aggregate) -> Aggregate:
        inner = _Constants(f"{self._mark} in")
        body = inner.body(aggregate.body)
        return replace(aggregate, body=(*body, *inner.literals())) if inner.found else aggregate
