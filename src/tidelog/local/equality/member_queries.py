"""Joins over facts of representatives whose answers are about all members: what SPARQL asks, with rows of its own among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tidelog.core.rules import CoreRule
from tidelog.local.equality.classes import mapped
from tidelog.local.equality.members import with_representatives
from tidelog.local.storage.state import State
from tidelog.program.same_as import REPRESENTATIVE, is_own
from tidelog.syntax.tree import Atom, Literal, Negation, Variable, names_of

_STANDS_FOR = "#same"
"""All values, and who stands for each: most for themselves."""
_ASKED = "#sparql"
"""Relations of a question, whose values are those of its answers."""


@dataclass(slots=True)
class MemberQueries:
    """Rules as they are to be asked; kept as long as the classes are the same."""

    _of: tuple[object, ...] = ()
    _known: dict[int, CoreRule] = field(default_factory=dict)

    def asked(self, rules: Sequence[CoreRule], state: State) -> Sequence[CoreRule]:
        """Some rules, so that their answers are for all members."""
        table = state.tables.get(REPRESENTATIVE)
        if table is None or not len(table):
            return rules
        now = state, table.numbering, table.end, table.tombstones, len(state.terms)
        if now != self._of:
            ids = np.arange(len(state.terms), dtype=np.int32)
            state.helper(_STANDS_FOR, 2, np.stack([ids, mapped(ids, table.rows)], axis=1)).mark_delta()
            self._of, self._known = now, {}
        return [self._known.get(rule.serial) or self._kept(rule, state) for rule in rules]

    def _kept(self, rule: CoreRule, state: State) -> CoreRule:
        made = self._known[rule.serial] = _for_members(rule, state)
        return made


def _for_members(rule: CoreRule, state: State) -> CoreRule:
    """A rule with variables for representatives in the facts that it joins."""
    classes = state.tables[REPRESENTATIVE].rows
    body = [with_representatives(literal, classes, state.terms) for literal in rule.body]
    stored = names_of([literal for literal in body if _is_stored(literal)])
    elsewhere = names_of([rule.head, *(literal for literal in body if not _is_stored(literal))])
    found = [_joined(literal) if _is_stored(literal) else literal for literal in body]
    found += [Atom(_STANDS_FOR, (Variable(name), _of(name))) for name in sorted(stored & elsewhere)]
    return CoreRule(rule.head, tuple(found), rule.origin, rule.shown)


def _is_stored(literal: Literal) -> bool:
    """Whether it is about facts of representatives."""
    atom = literal.atom if isinstance(literal, Negation) else literal
    return isinstance(atom, Atom) and not atom.predicate.startswith(_ASKED) and not is_own(atom.predicate)


def _joined(literal: Literal) -> Literal:
    if isinstance(literal, Negation):
        return Negation(_with(literal.atom))
    assert isinstance(literal, Atom), "others are not about facts"
    return _with(literal)


def _with(atom: Atom) -> Atom:
    return Atom(atom.predicate, tuple(_of(arg.name) if isinstance(arg, Variable) else arg for arg in atom.args))


def _of(name: str) -> Variable:
    return Variable(f"{name} stands")
