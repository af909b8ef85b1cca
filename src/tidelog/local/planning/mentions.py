"""The variables of a rule: which literals mention them, and how often."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from tidelog.core.rules import CoreRule
from tidelog.syntax.tree import Atom, Literal, Negation, Variable, names_of


@dataclass(slots=True)
class Mentions:
    """The variables of a rule by literal."""

    uses: Counter[str]
    """The number of occurrences in the rule; an occurrence in an expression counts twice, since it always needs the value."""
    names: list[set[str]]
    needed: list[set[str]]
    """Of atoms and negated atoms the variables that also occur elsewhere."""

    @classmethod
    def of(cls, rule: CoreRule) -> Mentions:
        """Count the variables of a rule."""
        occurrences = [_occurrences(literal) for literal in rule.body]
        uses = Counter(_occurrences(rule.head))
        for found in occurrences:
            uses.update(found)
        needed = [{name for name in found if uses[name] > found.count(name)} for found in occurrences]
        return cls(uses, [set(found) for found in occurrences], needed)


def _occurrences(literal: Literal) -> list[str]:
    """The variable names of a literal, one per occurrence."""
    match literal:
        case Atom(_, args) | Negation(Atom(_, args)):
            return [arg.name for arg in args if isinstance(arg, Variable)]
        case _:
            return [*names_of([literal]), *names_of([literal])]  # an expression always needs the value
