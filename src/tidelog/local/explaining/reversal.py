"""The state before a change: the change is reversed in a transaction that is rolled back.

A state follows from its explicit facts and rules, so the opposite change leads to the state before, exactly.  Nothing is kept for
that but the change itself; but it can be done only while no other change has been made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeVar

from tidelog.core.arrays import Rows
from tidelog.errors import fail
from tidelog.explain.access import Access
from tidelog.explain.changed.answer import ChangedFact, explained
from tidelog.explain.changed.causes import ChangeOfFacts
from tidelog.facts import Facts
from tidelog.local.explaining.access import LocalAccess
from tidelog.local.explaining.made import Made
from tidelog.local.given_facts import given_facts
from tidelog.local.insight.supposing import Supposed, Supposing, supposing
from tidelog.local.sharing.snapshot import shown
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange
from tidelog.program.relations import Relation
from tidelog.syntax.tree import Rule
from tidelog.values import Value

if TYPE_CHECKING:
    from tidelog.local.sharing.readers import Sharing

_Answer = TypeVar("_Answer")


class Changing(Supposing, Protocol):
    """What is needed of a knowledge base."""

    _sharing: Sharing

    def _fact(self, given: object) -> tuple[str, tuple[Value, ...]]: ...

    def _asked(self, ask: Callable[[Access], _Answer]) -> _Answer: ...


class Reversal:
    """A change and the knowledge base that made it, as long as there is one."""

    def __init__(self, made: Made, change: ChangeOfFacts) -> None:
        self._made, self._change, difference = made, change, made.rules
        evaluated: list[Rule] = []
        if difference is not None:
            evaluated += [difference.after.components.rules[number] for number in difference.added]
            evaluated += [difference.before.components.rules[number] for number in difference.removed]
        self._rules = evaluated

    def explain(self, fact: object) -> ChangedFact:
        """Why a fact came, went or stayed."""
        return explained(self, self._change, *self._there()._fact(fact))

    def is_changed(self, rule: Rule) -> bool:
        """Whether a rule came or went."""
        return any(rule is other for other in self._rules)

    def now(self, ask: Callable[[Access], _Answer]) -> _Answer:
        """What a function finds in the state after the change."""
        kb = self._there()

        def checked(access: Access) -> _Answer:
            self._refuse_if_over(kb)
            return ask(access)

        return kb._asked(checked)

    def before(self, ask: Callable[[Access], _Answer]) -> _Answer:
        """What it finds in the state before."""
        kb = self._there()

        def seen(supposed: Supposed) -> _Answer:
            return ask(LocalAccess(supposed.engine, supposed.schema, kb._watch()))

        with kb._sharing:
            self._refuse_if_over(kb)
            came, went = map(self._facts, self._made.facts.explicit())
            return supposing(kb, (given_facts(went), given_facts(came), ()), self._opposite(), seen)

    def _facts(self, rows: Mapping[str, Rows]) -> dict[str, Facts]:
        return {name: shown(Relation(name, some.shape[1]), some, self._made.terms) for name, some in rows.items() if len(some)}

    def _opposite(self) -> RuleChange:
        """The change of rules that takes this one back."""
        difference = self._made.rules
        if difference is None:
            return NO_CHANGE
        before, after = difference.before, difference.after
        removed = [(before.written[number], before.components.rules[number]) for number in difference.removed]
        renamed = {
            number: rule
            for number, rule in before.written.items()
            if number in after.written and after.written[number] is not rule
        }
        known = {name: known for name, known in before.program.relations.items() if after.program.relations.get(name) != known}
        return RuleChange(after.changed(difference.added, removed, renamed, known, {}))

    def _there(self) -> Changing:
        kb: Changing | None = self._made.kb()
        if kb is None:
            raise fail(
                "TL099", "the knowledge base of this change is gone", fix="keep it as long as its changes are to be explained"
            )
        return kb

    def _refuse_if_over(self, kb: Changing) -> None:
        engine = kb._maintained()
        if engine.commits != self._made.commits:
            fix = "ask before the next update; to be told of every change as it is made, subscribe to the relation"
            raise fail("TL099", "the knowledge base has changed since, and this change cannot be taken back any more", fix=fix)
