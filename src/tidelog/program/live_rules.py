"""The rules of a running knowledge base, by number, name and sameness, so that some can come and go without a look at the others.

A rule keeps its number for as long as it is there.  Everything in `LiveRules` is replaced, never changed in place, so whoever
holds an older one can go back to it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace

from tidelog.program.components import Component, Components, HyperNode, body_of
from tidelog.program.program import Program
from tidelog.program.relations import Relation
from tidelog.program.sameness import canonical_key
from tidelog.program.versions import new_version
from tidelog.syntax.tree import Constant, Document, Layout, Rule, Statement, atoms

Likeness = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class LiveRules:
    """A program's rules, and how they hang together."""

    program: Program
    components: Components
    """With the rules as they are evaluated."""
    written: Mapping[int, Rule]
    """The rules as they were written."""
    named: Mapping[str, int]
    alike: Mapping[Likeness, tuple[int, ...]]
    """Rules that may be the same."""
    next_number: int

    @classmethod
    def of(cls, program: Program) -> LiveRules:
        """Those of a program; the number of a rule is its position there."""
        written = dict(enumerate(s for s in program.document.statements if isinstance(s, Rule)))
        alike: dict[Likeness, list[int]] = {}
        for number, rule in enumerate(program.rules):
            alike.setdefault(likeness(rule), []).append(number)
        return cls(
            program,
            Components.build(enumerate(program.rules)),
            written,
            {rule.name: number for number, rule in written.items() if rule.name is not None},
            {key: tuple(numbers) for key, numbers in alike.items()},
            len(written),
        )

    def same_as(self, rule: Rule) -> list[int]:
        """The numbers of the rules that are the same as a rule, in the form in which they are evaluated."""
        candidates = self.alike.get(likeness(rule), ())
        if not candidates:
            return []
        key = canonical_key(rule)
        return [number for number in candidates if canonical_key(self.components.rules[number]) == key]

    def position(self, number: int) -> int:
        """Where a rule stands in the program now; -1 if it is there no more."""
        return next((at for at, other in enumerate(self.written) if other == number), -1)

    def shown(self, number: int) -> str:
        """The name of a rule, or its text."""
        rule = self.written[number]
        return rule.name or self.program.printer.rule(rule)

    def first_mention(self, relation: str) -> str | None:
        """Where a relation is mentioned by a rule, for error messages."""
        number = next(iter((*self.components.deriving.get(relation, ()), *self.components.using.get(relation, ()))), None)
        if number is None:
            return None
        rule = self.written[number]
        spans = [atom.span for atom in (rule.head, *(atom for atom, _ in atoms(rule.body))) if atom.predicate == relation]
        return rule.source.place(spans[0]) if spans else None

    # --- rules that come and go ------------------------------------------------------------------------------------------

    def changed(
        self,
        removed: Collection[int],
        added: Collection[tuple[Rule, Rule]],
        renamed: Mapping[int, Rule],
        relations: Mapping[str, Relation],
        prefixes: Mapping[str, str],
    ) -> RuleDifference:
        """Without some rules and with others, each as it was written and as it is evaluated.

        `renamed` are rules that stay and are written differently now; `relations` are those of new rules that are not known
        yet, or are known otherwise.
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
            key = likeness(rule)
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
            key = likeness(rule)
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
        forgotten = _follow_rules(known, mentioned | relations.keys() | {rule.head.predicate for _, rule in added}, components)
        shown = [self.written[number] for number in {*removed, *renamed}], [written[number] for number in (*renamed, *numbers)]
        evaluated = [self.components.rules[number] for number in removed], [rule for _, rule in added]
        program = self._program(shown, evaluated, known, prefixes)
        after = LiveRules(program, components, written, named, alike, self.next_number + len(numbers))
        return RuleDifference(self, after, tuple(removed), tuple(numbers), touched & components.label.keys(), forgotten)

    def _program(
        self,
        shown: tuple[Sequence[Rule], Sequence[Rule]],
        evaluated: tuple[Sequence[Rule], Sequence[Rule]],
        relations: dict[str, Relation],
        prefixes: Mapping[str, str],
    ) -> Program:
        """The program without some rules and with others, as they are written and as they are evaluated."""
        document = self.program.document
        statements, layout = document.statements, document.layout or (Layout(),) * len(document.statements)
        for gone in shown[0]:
            at = _place(gone, statements)
            statements, layout = statements[:at] + statements[at + 1 :], layout[:at] + layout[at + 1 :]
        rules = self.program.rules
        for gone in evaluated[0]:
            at = _place(gone, rules)
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
    """Hyper-nodes that have become others: by the numbers of their rules, before and after."""

    what: str
    """`merged`, `split`, `created` or `dropped`."""
    before: tuple[HyperNode, ...]
    after: tuple[HyperNode, ...]


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """How rules differ from what they were."""

    before: LiveRules
    after: LiveRules
    removed: tuple[int, ...]
    added: tuple[int, ...]
    components: set[Component]
    """Those that have other rules, or other predicates, than before."""
    forgotten: set[str]
    """Relations that nothing in the program mentions any more."""

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
    """Whether two rules are the same, in the form in which they are evaluated."""
    return likeness(one) == likeness(other) and canonical_key(one) == canonical_key(other)


def likeness(rule: Rule) -> Likeness:
    """What rules have in common that are the same: predicates and constants, in any order."""
    parts = [(atom.predicate, sign, _constants(atom.args)) for atom, sign in atoms(rule.body)]
    return rule.head.predicate, _constants(rule.head.args), len(rule.body), tuple(sorted(parts))


def _constants(args: Iterable[object]) -> str:
    return " ".join(f"{at}={arg.value.content!r}" for at, arg in enumerate(args) if isinstance(arg, Constant))


def _place(rule: Rule, among: Sequence[Statement]) -> int:
    """Where this very rule stands."""
    return next(at for at, other in enumerate(among) if other is rule)


def _forget_name(rule: Rule, named: MutableMapping[str, int]) -> None:
    if rule.name is not None:
        del named[rule.name]


def _follow_rules(relations: dict[str, Relation], names: Iterable[str], components: Components) -> set[str]:
    """Let relations say whether they have rules; those that nothing mentions any more go, and are returned."""
    forgotten: set[str] = set()
    for name in names:
        relation = replace(relations[name], has_rules=name in components.deriving)
        is_used = components.mentions(name) or relation.is_defined or bool(relation.outputs)
        if is_used:
            relations[name] = relation
        else:
            del relations[name]
            forgotten.add(name)
    return forgotten
