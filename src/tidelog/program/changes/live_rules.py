"""The rules of a running knowledge base by number, name and canonical form, so that a change costs time for its own rules only.

A rule keeps its number until it is removed.  `LiveRules` is immutable: `LiveRules.changed` builds the next version, and
rollback keeps the old one.  Part of ZodiacEdge's Algorithms 2 to 4; `program.changes.components` names the paper.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from tidelog.program.changes.components import Component, Components, HyperNode, body_of
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.changes.versions import new_version
from tidelog.program.program import Program
from tidelog.program.relations import Relation, head_variables
from tidelog.syntax.tree import Constant, Document, Layout, Rule, Statement, atoms

Fingerprint = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class LiveRules:
    """A version of a program's rules, and of their components."""

    program: Program
    components: Components
    """Holds the rules in the form in which they are evaluated."""
    written: Mapping[int, Rule]
    """The rules as they were written."""
    named: Mapping[str, int]
    alike: Mapping[Fingerprint, tuple[int, ...]]
    """The rules of each fingerprint, which may be the same."""
    next_number: int

    @classmethod
    def of(cls, program: Program) -> LiveRules:
        """The rules of a program; the number of a rule is its position there."""
        written = dict(enumerate(s for s in program.document.statements if isinstance(s, Rule)))
        alike: dict[Fingerprint, list[int]] = {}
        for number, rule in enumerate(program.rules):
            alike.setdefault(fingerprint(rule), []).append(number)
        return cls(
            program,
            Components.build(enumerate(program.rules)),
            written,
            {rule.name: number for number, rule in written.items() if rule.name is not None},
            {key: tuple(numbers) for key, numbers in alike.items()},
            len(written),
        )

    def same_as(self, rule: Rule) -> list[int]:
        """The numbers of the rules with the same canonical form as a rule, in the form in which they are evaluated."""
        candidates = self.alike.get(fingerprint(rule), ())
        if not candidates:
            return []
        key = canonical_key(rule)
        return [number for number in candidates if canonical_key(self.components.rules[number]) == key]

    def position(self, number: int) -> int:
        """The position of a rule in the program; -1 if it was removed."""
        return next((at for at, other in enumerate(self.written) if other == number), -1)

    def shown(self, number: int) -> str:
        """The name of a rule, or its text."""
        rule = self.written[number]
        return rule.name or self.program.printer.rule(rule)

    def first_mention(self, relation: str) -> str | None:
        """The first place where a rule mentions a relation, for error messages."""
        number = next(iter((*self.components.deriving.get(relation, ()), *self.components.using.get(relation, ()))), None)
        if number is None:
            return None
        rule = self.written[number]
        spans = [atom.span for atom in (rule.head, *(atom for atom, _ in atoms(rule.body))) if atom.predicate == relation]
        return rule.source.place(spans[0]) if spans else None

    # --- rule changes ----------------------------------------------------------------------------------------------------

    def changed(
        self,
        removed: Collection[int],
        added: Collection[tuple[Rule, Rule]],
        renamed: Mapping[int, Rule],
        relations: Mapping[str, Relation],
        prefixes: Mapping[str, str],
    ) -> RuleDifference:
        """Remove some rules and add others, each as written and as evaluated.

        `renamed` are rules that stay and are written differently now; `relations` are those of the new rules that are unknown
        so far, or known with other properties.
        """
        components = self.components.copy()
        written, named, alike = new_version(self.written), new_version(self.named), new_version(self.alike)
        touched: set[Component] = set()
        mentioned: set[str] = set()
        for number in removed:
            rule = components.rules[number]
            mentioned |= {rule.head.predicate, *body_of(rule)}
            touched |= components.remove(number)
            _forget_name(written.pop(number), named)
            key = fingerprint(rule)
            if left := tuple(other for other in alike[key] if other != number):
                alike[key] = left
            else:
                del alike[key]
        for number, rule in renamed.items():
            _forget_name(written[number], named)
            written[number] = rule
        numbers: list[int] = []
        for own, rule in added:
            number = self.next_number + len(numbers)
            numbers.append(number)
            touched |= components.add(number, rule)
            written[number] = own
            key = fingerprint(rule)
            alike[key] = (*alike.get(key, ()), number)
        for number in (*renamed, *numbers):
            name = written[number].name
            if name is not None:
                named[name] = number
        unmentioned = {name for name in mentioned if not components.mentions(name)}
        for name in unmentioned:
            components.forget(name)
        known = dict(self.program.relations)
        known |= relations
        forgotten = _update_relations(
            known,
            mentioned | relations.keys() | {rule.head.predicate for rule in (*renamed.values(), *(one for one, _ in added))},
            components,
            written,
        )
        shown = [self.written[number] for number in {*removed, *renamed}], [written[number] for number in (*renamed, *numbers)]
        evaluated = [self.components.rules[number] for number in removed], [rule for _, rule in added]
        program = self._program(shown, evaluated, known, prefixes)
        after = LiveRules(program, components, written, named, alike, self.next_number + len(numbers))
        components_left = touched & components.label.keys()
        return RuleDifference(self, after, tuple(removed), tuple(numbers), components_left, forgotten, tuple(relations))

    def _program(
        self,
        shown: tuple[Sequence[Rule], Sequence[Rule]],
        evaluated: tuple[Sequence[Rule], Sequence[Rule]],
        relations: dict[str, Relation],
        prefixes: Mapping[str, str],
    ) -> Program:
        """The program after removing the first and adding the second rules of each pair."""
        document = self.program.document
        statements, layout = document.statements, document.layout or (Layout(),) * len(document.statements)
        for rule in shown[0]:
            at = _place(rule, statements)
            statements, layout = statements[:at] + statements[at + 1 :], layout[:at] + layout[at + 1 :]
        rules = self.program.rules
        for rule in evaluated[0]:
            at = _place(rule, rules)
            rules = rules[:at] + rules[at + 1 :]
        return Program(
            Document(statements + tuple(shown[1]), layout + (Layout(),) * len(shown[1]), document.closing, document.source),
            relations,
            rules + tuple(evaluated[1]),
            self.program.facts,
            {**prefixes, **self.program.prefixes},
        )


@dataclass(frozen=True, slots=True)
class NodeChange:
    """A change of hyper-nodes: those before and those after."""

    what: str
    """`merged`, `split`, `created` or `dropped`."""
    before: tuple[HyperNode, ...]
    after: tuple[HyperNode, ...]


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """The difference between two versions of the rules."""

    before: LiveRules
    after: LiveRules
    removed: tuple[int, ...]
    added: tuple[int, ...]
    components: set[Component]
    """The components whose rules or predicates changed."""
    forgotten: set[str]
    """Relations that the program no longer mentions."""
    taken_up: tuple[str, ...]
    """Relations that it mentions or declares for the first time, or with other properties."""

    def node_changes(self) -> list[NodeChange]:
        """Which hyper-nodes were merged, split, created and dropped."""
        old, new = self.before.components, self.after.components
        names = {name for component in self.components for name in component.predicates}
        names |= {old.rules[number].head.predicate for number in self.removed}
        touched = dict.fromkeys(old.of[name] for name in sorted(names) if name in old.of)
        before = [node for component in touched for node in old.hyper_nodes(component)]
        ordered = sorted(self.components, key=new.label.__getitem__)
        after = [node for component in ordered for node in new.hyper_nodes(component)]
        was = {number: node for node in before for number in node.rules}
        becomes = {number: node for node in after for number in node.rules}
        result: list[NodeChange] = []
        for node in before:
            parts = tuple(dict.fromkeys(becomes[number] for number in node.rules if number in becomes))
            if not parts:
                result.append(NodeChange("dropped", (node,), ()))
            elif len(parts) > 1:
                result.append(NodeChange("split", (node,), parts))
        for node in after:
            sources = tuple(dict.fromkeys(was[number] for number in node.rules if number in was))
            if not sources:
                result.append(NodeChange("created", (), (node,)))
            elif len(sources) > 1:
                result.append(NodeChange("merged", sources, (node,)))
        return result


def are_same(one: Rule, other: Rule) -> bool:
    """Whether two rules, in the form in which they are evaluated, have the same canonical form."""
    return fingerprint(one) == fingerprint(other) and canonical_key(one) == canonical_key(other)


def fingerprint(rule: Rule) -> Fingerprint:
    """A cheap key that rules of the same canonical form share: predicates and constants, in any order."""
    parts = [(atom.predicate, sign, _constants(atom.args)) for atom, sign in atoms(rule.body)]
    return rule.head.predicate, _constants(rule.head.args), len(rule.body), tuple(sorted(parts))


def _constants(args: Iterable[object]) -> str:
    return " ".join(f"{at}={arg.value.content!r}" for at, arg in enumerate(args) if isinstance(arg, Constant))


def _place(rule: Rule, among: Sequence[Statement]) -> int:
    """The position of a rule, by identity."""
    return next(at for at, other in enumerate(among) if other is rule)


def _forget_name(rule: Rule, named: MutableMapping[str, int]) -> None:
    if rule.name is not None:
        del named[rule.name]


def _update_relations(
    relations: dict[str, Relation], names: Iterable[str], components: Components, written: Mapping[int, Rule]
) -> set[str]:
    """Update what some relations are told by their rules; relations that nothing mentions are removed and returned."""
    forgotten: set[str] = set()
    for name in names:
        heads = (written[number].head for number in components.deriving.get(name, ()))
        relation = replace(relations[name], has_rules=name in components.deriving, variables=head_variables(heads))
        is_used = components.mentions(name) or relation.is_defined or bool(relation.outputs)
        if is_used:
            relations[name] = relation
        else:
            del relations[name]
            forgotten.add(name)
    return forgotten
