"""Warnings about rules that derive nothing, or skip rows, because of the values that their relations hold."""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.core.schema import Schema
from tidelog.core.statistics import Statistics
from tidelog.errors import Diagnostic
from tidelog.local.engine import LocalEngine
from tidelog.local.insight.columns_at_hand import ColumnsAtHand, Seen
from tidelog.local.insight.no_values import no_value_of_any
from tidelog.local.storage.tables import Table
from tidelog.program.checks.values_at_hand import can_lack_values, lacks_values, never_holds
from tidelog.program.queries import ANSWER
from tidelog.program.same_as import OWN
from tidelog.source import Source
from tidelog.surface.logs import warn_of
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Atom, Literal, Rule, atoms

_LOOKS = 100
"""So many updates are looked at: the facts that rules may join have come by then, in most programs with the first."""
_EXPECTED = "inconsistent"
"""The relation of contradictions: to find none is what everybody hopes for."""


class Silence:
    """The rules that have found nothing yet, or might pass over rows in silence."""

    def __init__(self) -> None:
        self._waiting: set[int] | None = None
        self._computing: set[int] = set()
        """Rules that compare, compute or aggregate: their instances are counted step by step, not only whole ones."""
        self._may_lack: set[int] = set()
        """The rules that might have no value for some rows, and of which nobody has been told."""
        self._seen: Seen = {}
        self._told: set[str] = set()
        """The queries that were looked at."""
        self.looks = _LOOKS
        """How many more updates are looked at."""

    def copy(self) -> Silence:
        """The same, for a copy of the knowledge base: users know what they have been told."""
        result = Silence()
        result._waiting, result.looks = None if self._waiting is None else set(self._waiting), self.looks
        result._computing = set(self._computing)
        result._may_lack, result._told = set(self._may_lack), set(self._told)
        return result

    def look(self, engine: LocalEngine, schema: Schema, done: Statistics, added: Iterable[int] = ()) -> None:
        """Warn of rules that an evaluation has found no instance of, if there can be none, and of those that pass over rows.

        Each is warned of once.
        """
        new = engine.core.parts.keys() if self._waiting is None else engine.core.parts.keys() & set(added)
        rules = schema.rules
        computing = {number for number in new if number in rules and can_lack_values(rules[number])}
        self._computing |= computing
        self._may_lack |= computing
        self._waiting = (self._waiting or set()) | set(new)
        self._waiting.difference_update({one.rule for one in done.rounds if one.derivations} - self._computing)
        self.looks -= 1
        if not self._waiting and not self._may_lack:
            self.looks = 0
            return
        columns, printer = ColumnsAtHand(engine, self._seen), schema.program.printer
        for number in sorted(self._waiting):
            is_gone = number not in rules or _is_expected(rules[number])  # it has been removed, or finds mistakes
            if is_gone or (number in self._computing and not _is_empty(engine, rules[number].head)):
                self._waiting.discard(number)
            elif _has_facts(engine, rules[number]):
                self._waiting.discard(number)
                found = never_holds(rules[number], columns, printer) or no_value_of_any(rules[number], engine, printer)
                if found is not None:
                    self._may_lack.discard(number)
                    warn_of(found)
        for number in sorted(self._may_lack):
            if number not in rules or _is_expected(rules[number]):
                self._may_lack.discard(number)
            elif _has_facts(engine, rules[number]) and (lack := _lack(rules[number], columns, printer)) is not None:
                self._may_lack.discard(number)
                warn_of(lack)

    def look_at_query(self, engine: LocalEngine, schema: Schema, text: str, body: tuple[Literal, ...]) -> None:
        """Warn of a query without an answer, if no facts like these could give one; once of each text."""
        if text in self._told or len(self._told) >= _LOOKS:
            return
        self._told.add(text)
        query = Rule(Atom(ANSWER, ()), body, source=Source(text, "<query>"))
        if _has_facts(engine, query):
            columns, printer = ColumnsAtHand(engine, self._seen), schema.program.printer
            found = never_holds(query, columns, printer, "the query has no answer")
            if (found := found or no_value_of_any(query, engine, printer, "the query has no answer")) is not None:
                warn_of(found)


def _lack(rule: Rule, columns: ColumnsAtHand, printer: Printer) -> Diagnostic | None:
    """The warning of a rule that has no value for some of the rows that it reads."""
    if any(atom.predicate not in columns for atom, _ in atoms(rule.body)):
        return None
    found = lacks_values(rule, columns, printer)
    if found is None:
        return None
    example = columns.example(found.relation, found.column, found.kind)
    relation = printer.predicate(found.relation)
    shown = f", such as `{relation}({', '.join(map(printer.value, example))})`" if example is not None else ""
    message = f"{found.message}, as in `{relation}`{shown}"
    fix = f"mend these facts, or declare the types of `{relation}`: then facts of others are refused"
    return Diagnostic("TL107", message, rule.source, found.span, fix)


def _is_expected(rule: Rule) -> bool:
    return rule.head.predicate == _EXPECTED or (rule.name or "").startswith(OWN)


def _has_facts(engine: LocalEngine, rule: Rule) -> bool:
    """Whether no relation is empty that a rule joins."""
    return not any(_is_empty(engine, atom) for atom in rule.body if isinstance(atom, Atom))


def _is_empty(engine: LocalEngine, atom: Atom) -> bool:
    """Whether the relation of an atom has no fact, as far as that is known."""
    stored = engine.stored(atom.predicate)
    return stored is None or (isinstance(stored, Table) and not len(stored))
