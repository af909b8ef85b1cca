"""The rules of a knowledge base as a text, and back: names, comments, declarations and prefixes as they are now.

If no rule has changed, the text is the one that was given.  Otherwise it is printed, read again and compared with the live rules,
so that a text that would mean anything else is never saved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tidelog.core.schema import Schema
from tidelog.errors import fail
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.program import Program, check
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Column, Declaration, Prefix, Rule
from tidelog.values import Kind


@dataclass(frozen=True, slots=True)
class RuleText:
    """The text of a program, and what a text does not say."""

    text: str
    name: str
    relations: list[dict[str, Any]]
    loaded: list[dict[str, Any]]
    numbers: Sequence[int]
    """The numbers of the live rules, in the order of the text; not saved."""
    names: Mapping[str, tuple[str, ...]]
    """The names of columns that sources have given."""

    def to_json(self) -> dict[str, Any]:
        """For the description of a snapshot."""
        described = {"text": self.text, "name": self.name, "relations": self.relations, "loaded": self.loaded}
        return {**described, "names": dict(self.names)} if self.names else described


def text_of(schema: Schema) -> RuleText:
    """The rules of a schema."""
    program, live = schema.program, schema.live
    relations = [_described(relation) for relation in program.relations.values()]
    loaded = [_described(relation) for relation in schema.loaded.values()]
    source = program.document.source
    if live is None:
        own = source.text if source.language == "tidelog" else printed(program)
        return RuleText(own, source.name, relations, loaded, range(len(program.rules)), schema.names)
    text = printed(program)
    numbers = _numbers(program, live.written)
    found = check(Source(text, source.name))
    evaluated = [live.components.rules[number] for number in numbers]
    same = list(map(canonical_key, found.rules)) == list(map(canonical_key, evaluated))
    names = [live.written[number].name for number in numbers]
    if not same or names != [rule.name for rule in found.document.statements if isinstance(rule, Rule)]:
        fix = "please report this; the folder is as before"
        raise fail("TL066", "the rules cannot be saved: printed, they would mean something else", fix=fix)
    return RuleText(text, source.name, relations, loaded, numbers, schema.names)


def printed(program: Program) -> str:
    """The text of a program whose rules have changed: prefixes and declarations that came with rules stand first."""
    document = program.document
    known = document.prefixes
    declared = {s.relation for s in document.statements if isinstance(s, Declaration)}
    first: list[Prefix | Declaration] = [Prefix(name, iri) for name, iri in program.prefixes.items() if name not in known]
    others = [(name, relation.columns) for name, relation in program.relations.items() if name not in declared]
    first += [Declaration(name, columns) for name, columns in others if columns is not None]
    printer = Printer()
    return "".join(printer.statement(statement) + "\n" for statement in first) + printer.document(document)


def schema_of(saved: Mapping[str, Any]) -> Schema:
    """The schema of a saved text."""
    program = check(Source(saved["text"], saved["name"]))
    relations = {relation["name"]: _relation(relation) for relation in saved["relations"]}
    variables = {name: known.variables for name, known in program.relations.items()}
    relations = {name: replace(known, variables=variables.get(name)) for name, known in relations.items()}
    loaded = {relation["name"]: _relation(relation) for relation in saved["loaded"]}
    names = {name: tuple(columns) for name, columns in saved.get("names", {}).items()}
    return Schema(replace(program, relations=relations, warnings=(), known_graph=None), loaded, names=names)


def difference(program: Program, other: Program) -> str | None:
    """What differs between two programs in effect, whatever rules are called; None if nothing does."""
    one, two = ({canonical_key(rule): _shown(of, at) for at, rule in enumerate(of.rules)} for of in (program, other))
    declared, others = ({r.name: r.columns for r in of.relations.values() if r.is_declared} for of in (program, other))
    for key in one.keys() ^ two.keys():
        return f"the rule `{one.get(key) or two[key]}` is in one of them only"
    for name in declared.keys() | others.keys():
        if declared.get(name) != others.get(name):
            return f"`{name}` is declared differently"
    for fact in set(program.facts) ^ set(other.facts):
        shown = ", ".join(program.printer.value(value) for value in fact[1])
        return f"the fact `{program.printer.predicate(fact[0])}({shown})` is in one of them only"
    return None


def _shown(program: Program, at: int) -> str:
    return program.printer.rule(program.rules[at])


def _numbers(program: Program, written: Mapping[int, Rule]) -> list[int]:
    """The numbers of the rules, in the order of the document.

    Of equal rules, each has a number of its own.
    """
    numbers: dict[Rule, list[int]] = {}
    for number, rule in reversed(list(written.items())):
        numbers.setdefault(rule, []).append(number)
    return [numbers[s].pop() for s in program.document.statements if isinstance(s, Rule)]


def _described(relation: Relation) -> dict[str, Any]:
    columns = None
    if relation.columns is not None:
        columns = [[c.name, str(c.type) if c.type is not None else None, c.is_key] for c in relation.columns]
    return {
        "name": relation.name,
        "arity": relation.arity,
        "columns": columns,
        "has_rules": relation.has_rules,
        "has_facts": relation.has_facts,
        "inputs": list(relation.inputs),
        "outputs": list(relation.outputs),
    }


def _relation(saved: Mapping[str, Any]) -> Relation:
    columns = saved["columns"]
    if columns is not None:
        columns = tuple(Column(name, Kind(kind) if kind is not None else None, is_key) for name, kind, is_key in columns)
    inputs, outputs = tuple(saved["inputs"]), tuple(saved["outputs"])
    return Relation(saved["name"], saved["arity"], columns, saved["has_rules"], saved["has_facts"], inputs, outputs)
