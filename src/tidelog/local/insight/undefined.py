"""Warnings of relations that nothing defines, once somebody reads what depends on them.

While rules are read nobody knows yet which facts will come.  When facts are there and a result is read, it is told of a relation
without any if another one has a similar name or facts that no rule reads, or if the result is empty for want of its facts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tidelog.core.schema import Schema
from tidelog.errors import Diagnostic, Diagnostics, did_you_mean
from tidelog.local.engine import LocalEngine
from tidelog.local.storage.tables import Table
from tidelog.program.checks.lint import warn_of_added
from tidelog.surface.logs import warn_of
from tidelog.syntax.tree import Atom, Rule, atoms


class Undefined:
    """The relations that rules read and nothing defines."""

    def __init__(self, warnings: Iterable[Diagnostic] = ()) -> None:
        """`warnings` are those of the program; one of a relation that has facts nevertheless is none."""
        self._waiting = [warning for warning in warnings if warning.code == "TL101"]
        self.is_asked = bool(self._waiting)
        """Whether the next one who reads is to be told, if there is anything to tell."""
        self._found_empty: set[str] = set()

    def copy(self) -> Undefined:
        """The same, for a copy of the knowledge base."""
        result = Undefined(self._waiting)
        result.is_asked, result._found_empty = self.is_asked, set(self._found_empty)
        return result

    def add(self, rules: Iterable[Rule], schema: Schema) -> None:
        """Rules have been added: warn of what is probably wrong with them, now or when a result is read."""
        found = Diagnostics()
        warn_of_added(rules, schema.program.relations, found, schema.program.printer.predicate)
        for warning in found.warnings:
            if warning.code != "TL101":
                warn_of(warning)
            else:
                self._waiting.append(warning)
                self.is_asked = True

    def look(self, engine: LocalEngine, schema: Schema) -> None:
        """Somebody reads a result: warn of relations without facts that may have another name."""
        filled = {name for name in schema.relations() if not _is_empty(engine, name)}
        if not filled:
            return  # there is nothing to be read yet
        self.is_asked = False
        read = {atom.predicate for rule in schema.rules.values() for atom in (rule.head, *(one for one, _ in atoms(rule.body)))}
        unread = sorted(filled - read)
        for warning in self._open(engine):
            similar = did_you_mean(str(warning.relation), filled)
            if similar is None and unread:
                names = ", ".join(f"`{name}`" for name in unread[:3])
                similar = (
                    f"there are facts of {names}, which no rule reads; did you mean {'one of them' if unread[1:] else 'it'}?"
                )
            if similar is not None:
                self._waiting.remove(warning)
                warn_of(replace(warning, fix=similar))

    def look_at_empty(self, engine: LocalEngine, schema: Schema, name: str) -> None:
        """Somebody reads a relation that is empty: warn of those without facts from which it is derived."""
        if not self._waiting or self.is_asked or name in self._found_empty:
            return
        self._found_empty.add(name)
        needed = _needed(schema, name)
        for warning in self._open(engine):
            if warning.relation in needed:
                self._waiting.remove(warning)
                warn_of(warning)

    def _open(self, engine: LocalEngine) -> list[Diagnostic]:
        """The warnings of relations that have no facts from elsewhere either."""
        return [warning for warning in self._waiting if _is_empty(engine, str(warning.relation))]


def _is_empty(engine: LocalEngine, name: str) -> bool:
    stored = engine.stored(name)
    return stored is None or (isinstance(stored, Table) and not len(stored))


def _needed(schema: Schema, name: str) -> set[str]:
    """The relations whose facts a relation is derived from, at any depth."""
    bodies: dict[str, set[str]] = {}
    for rule in schema.rules.values():
        atoms = {literal.predicate for literal in rule.body if isinstance(literal, Atom)}
        bodies.setdefault(rule.head.predicate, set()).update(atoms)
    found, waiting = set[str](), [name]
    while waiting:
        for other in bodies.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found
