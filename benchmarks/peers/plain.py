"""The rules applied to sets of tuples until nothing is new, in plain Python: slow, short, the judge of the other contenders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.harness.workload import Contender, Evaluate, Inputs
from benchmarks.peers.rules import Atom, Rule, components, derived, parse

Row = tuple[int, ...]
Binding = Mapping[str, int]


def plain(rules_text: str, largest: int) -> Contender:
    """The contender; it takes part in the smallest sizes only."""
    rules = parse(rules_text)

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        facts: dict[str, set[Row]] = {atom: set() for rule in rules for atom in (*rule.relations_used, rule.head.relation)}
        for relation, table in inputs.items():
            facts[relation] = set(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return Evaluation(rules, facts).count

    return Contender("plain Python", load, largest, "a check of the counts, not a rival")


class Evaluation:
    """The facts of all relations, and what is needed to extend them."""

    def __init__(self, rules: tuple[Rule, ...], facts: dict[str, set[Row]]) -> None:
        self.rules = rules
        self.facts = facts
        self.indexes: dict[tuple[str, int], tuple[int, dict[int, list[Row]]]] = {}

    def count(self) -> int:
        """Derive everything and count it."""
        for component in components(self.rules):
            self.close([rule for rule in self.rules if rule.head.relation in component])
        return sum(len(self.facts[relation]) for relation in derived(self.rules))

    def close(self, rules: Sequence[Rule]) -> None:
        """Semi-naive: in each round, one atom of the body ranges over what the round before brought."""
        new = {rule.head.relation: set[Row]() for rule in rules}
        for rule in rules:
            new[rule.head.relation].update(self.derive(rule, rule.positive, {}))
        while any(new.values()):
            for relation, rows in new.items():
                self.facts[relation] |= rows
            latest, new = new, {relation: set() for relation in new}
            for rule in rules:
                for place, atom in enumerate(rule.positive):
                    others = rule.positive[:place] + rule.positive[place + 1 :]
                    for row in latest.get(atom.relation, ()):
                        binding = _bind(atom, row, {})
                        if binding is not None:
                            new[rule.head.relation].update(self.derive(rule, others, binding))
            for relation in new:
                new[relation] -= self.facts[relation]

    def derive(self, rule: Rule, atoms: Sequence[Atom], binding: Binding) -> Iterator[Row]:
        """The heads for all ways to satisfy the remaining atoms; the one with most variables bound comes first."""
        if not atoms:
            different = all(binding[a] != binding[b] for a, b in rule.different)
            if different and not any(self.matches(atom, binding) for atom in rule.negative):
                yield tuple(binding[variable] for variable in rule.head.variables)
            return
        first = max(range(len(atoms)), key=lambda at: sum(variable in binding for variable in atoms[at].variables))
        rest = (*atoms[:first], *atoms[first + 1 :])
        for extended in self.matches(atoms[first], binding):
            yield from self.derive(rule, rest, extended)

    def matches(self, atom: Atom, binding: Binding) -> list[Binding]:
        """The binding extended in all ways in which the atom holds."""
        extended = (_bind(atom, row, binding) for row in self.rows(atom, binding))
        return [each for each in extended if each is not None]

    def rows(self, atom: Atom, binding: Binding) -> Sequence[Row]:
        """The rows that agree with the binding in its first bound column."""
        rows = self.facts[atom.relation]
        for column, variable in enumerate(atom.variables):
            if variable in binding:
                size, index = self.indexes.get((atom.relation, column), (-1, {}))
                if size != len(rows):  # facts are only added
                    index = {}
                    for row in rows:
                        index.setdefault(row[column], []).append(row)
                    self.indexes[atom.relation, column] = len(rows), index
                return index.get(binding[variable], [])
        return list(rows)


def _bind(atom: Atom, row: Row, binding: Binding) -> dict[str, int] | None:
    """The binding extended by what the row says, or None where they disagree."""
    extended = dict(binding)
    for variable, value in zip(atom.variables, row, strict=True):
        if variable != "_" and extended.setdefault(variable, value) != value:
            return None
    return extended
