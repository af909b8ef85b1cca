"""The schema of a knowledge base: its program, and the relations that have only facts; one immutable value.

A committed update replaces the schema; rollback keeps the old one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from tidelog.arguments import wrong
from tidelog.errors import Diagnostic, TidelogError, did_you_mean, fail
from tidelog.program.changes.live_rules import LiveRules
from tidelog.program.changes.rule_changes import RuleChange
from tidelog.program.program import Program
from tidelog.program.relations import Relation
from tidelog.source import Source, Span
from tidelog.syntax.tree import Fact, Rule


@dataclass(frozen=True, slots=True)
class Schema:
    """A program and the relations of a knowledge base."""

    program: Program
    loaded: Mapping[str, Relation] = field(default_factory=dict)
    """Relations that the program does not mention."""
    live: LiveRules | None = None
    """The rules by number; None until the first rule change."""
    is_strict: bool = False
    """Whether only declared relations may have facts."""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The names of columns that sources have given, for relations that are not declared."""

    def relation(self, name: str) -> Relation | None:
        """A relation by its name."""
        known = self.program.relations.get(name) or self.loaded.get(name)
        return known if known is None or not self.names else self._named(known)

    def _named(self, known: Relation) -> Relation:
        names = self.names.get(known.name)
        return known if names is None or known.is_declared or len(names) != known.arity else replace(known, names=names)

    def name_of(self, given: object) -> str:
        """The name of the relation that a name from outside means, known or not: a prefixed name is short for an IRI."""
        if not isinstance(given, str):
            raise wrong("the name of a relation", given, 'give a string: `"edge"`')
        return given if self.relation(given) is not None else self.program.relation_name(given)

    def relations(self) -> dict[str, Relation]:
        """All relations: those of the program, and those that have only facts."""
        found = {**self.program.relations, **self.loaded}
        return {**found, **{name: self._named(found[name]) for name in self.names if name in found}} if self.names else found

    def live_rules(self) -> LiveRules:
        """The rules by number, for a rule change."""
        return self.live or LiveRules.of(self.program)

    @property
    def rules(self) -> Mapping[int, Rule]:
        """The rules by number, as they were written."""
        return dict(enumerate(self.program.rules)) if self.live is None else self.live.written

    def knowing(self, name: str, arity: int) -> Schema:
        """The schema with a relation of this arity, which may be new."""
        known = self.relation(name)
        if self.is_strict and (known is None or not known.is_declared):
            raise TidelogError([self.undeclared(name, arity)])
        if known is not None and known.arity == arity:
            return self
        if name.startswith("#") or not name:
            raise fail("TL013", f"`{name}` cannot be the name of a relation", fix="let it begin with a letter")
        if known is not None:
            raise fail("TL020", f"`{name}` has {known.arity} arguments, and these facts have {arity}")
        return replace(self, loaded={**self.loaded, name: Relation(name, arity, has_facts=True)})

    def naming(self, name: str, columns: tuple[str, ...] | None) -> Schema:
        """The schema with the names of columns that a source gives, unless they are declared, or another one has given some."""
        known = self.relation(name)
        if columns is None or known is None or known.is_declared or name in self.names or len(columns) != known.arity:
            return self
        return replace(self, names={**self.names, name: columns})

    def undeclared(self, name: str, arity: int, source: Source | None = None, span: Span | None = None) -> Diagnostic:
        """What is wrong with a fact of a relation that is not declared, where only declared ones may have facts."""
        shown = self.program.printer.predicate(name)
        declared = [self.program.printer.predicate(other) for other, known in self.program.relations.items() if known.is_declared]
        columns = ", ".join(f"c{at + 1}: any" for at in range(arity))
        fix = did_you_mean(shown, declared) or f"declare it: `@relation {shown}({columns}) .`"
        message = f"`{shown}` is not declared, and with strict=True only declared relations take facts"
        return Diagnostic("TL073", message, source, span, fix)

    def refuse_undeclared(self) -> None:
        """Refuse the facts in the program's text whose relations are not declared, if that is asked for."""
        relations = self.program.relations
        facts = (some for some in self.program.document.statements if isinstance(some, Fact)) if self.is_strict else ()
        found = [
            self.undeclared(fact.atom.predicate, len(fact.atom.args), fact.source, fact.atom.span)
            for fact in facts
            if not relations[fact.atom.predicate].is_declared
        ]
        if found:
            raise TidelogError(found)

    def key_of(self, name: str) -> tuple[int, ...]:
        """The positions of the columns that are a relation's key, or an error if it has none."""
        known = self.relation(name)
        if known is None or not known.key:
            columns = [f"{column.name}: {column.type or 'any'}" for column in known.columns or ()] if known is not None else []
            example = ", ".join([f"{columns[0]} key", *columns[1:]]) if columns else "name: string key, …"
            shown = self.program.printer.predicate(name)
            fix = f"declare one: `@relation {shown}({example}) .`, or insert and delete"
            raise fail("TL075", f"`{shown}` has no key, so there is nothing that an upsert could replace", fix=fix)
        return known.key

    def changed(self, change: RuleChange, has_explicit: Callable[[str], bool]) -> Schema:
        """The schema after a change of rules; `has_explicit` says whether a relation that no rule mentions still has facts."""
        loaded, difference = {**self.loaded, **change.relations}, change.difference
        if difference is None:
            return replace(self, loaded=loaded)
        program = difference.after.program
        loaded = {name: relation for name, relation in loaded.items() if name not in program.relations}
        for name in difference.forgotten:
            if has_explicit(name):
                loaded[name] = Relation(name, self.program.relations[name].arity, has_facts=True)
        names = {name: known for name, known in self.names.items() if name in loaded or name in program.relations}
        return Schema(program, loaded, difference.after, self.is_strict, names)
