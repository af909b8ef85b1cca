"""Basic graph patterns as joins of the kernel.

Patterns that stand for one atom each are one join.  Others are asked for one after the other, restricted to what is known by
then: a triple that several relations may hold is a union of joins, one for each, and a path of any length is derived (`paths`).
What the solutions found so far bind goes along as a relation, so that the planner of the kernel may begin there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.core.rules import CoreRule
from tidelog.sparql.algebra import Bgp, Node, Reach, Triple
from tidelog.sparql.evaluation.dataset import TRIPLE, Dataset, Holder
from tidelog.sparql.evaluation.inquiries import Inquiry, answer_name, given_name
from tidelog.sparql.evaluation.paths import Paths
from tidelog.sparql.evaluation.solutions import UNIT, Solutions, distinct_rows, join
from tidelog.sparql.scopes import names_in
from tidelog.syntax.tree import Atom, Constant, Variable

_WORTH_GIVING = 4
"""Solutions known so far restrict a pattern if they are fewer than this times its smallest relation."""


@dataclass(slots=True, eq=False)
class Part:
    """Some patterns that one question answers: a join of atoms, or the holders of one triple."""

    names: tuple[str, ...]
    """Its variables."""
    branches: tuple[tuple[Holder, ...], ...]
    """Each a join of atoms; the answers are the union."""
    reach: Reach | None = None
    """A path instead."""
    rules: dict[tuple[tuple[str, ...], tuple[str, ...], frozenset[str]], list[CoreRule]] = field(default_factory=dict)
    """By the variables that are asked for, those that are given, and relations with tests."""

    @property
    def relations(self) -> set[str]:
        """The relations that it reads."""
        return {holder.atom.predicate for branch in self.branches for holder in branch}

    @property
    def has_constant(self) -> bool:
        """Whether something in it is constant that the query says."""
        if self.reach is not None:
            return any(isinstance(term, Constant) for term in self.reach.terms)
        return any(isinstance(arg, Constant) for branch in self.branches for holder in branch for arg in holder.atom.args)


@dataclass(slots=True, eq=False)
class Compiled:
    """A basic graph pattern for one dataset."""

    parts: list[Part]
    names: tuple[str, ...]
    """All its variables."""


def compiled(node: Bgp, dataset: Dataset) -> Compiled:
    """The parts of a basic graph pattern."""
    whole: list[tuple[Holder, set[str]]] = []
    parts: list[Part] = []
    for pattern in node.patterns:
        names = names_in(pattern.terms)
        if isinstance(pattern, Reach):
            parts.append(Part(tuple(sorted(names)), (), pattern))
            continue
        holders = tuple(dataset.holders(pattern))
        if len(holders) == 1 and not holders[0].fixed and not holders[0].literals:
            whole.append((holders[0], names))
        else:
            parts.append(Part(tuple(sorted(names)), tuple((holder,) for holder in holders)))
    joined = [whole] if not parts and whole else _connected(whole)
    first = [Part(tuple(sorted(set().union(*(names for _, names in some)))), (tuple(one for one, _ in some),)) for some in joined]
    everything = sorted({name for pattern in node.patterns for name in names_in(pattern.terms)})
    return Compiled([*first, *parts], tuple(everything))


def _connected(atoms: list[tuple[Holder, set[str]]]) -> list[list[tuple[Holder, set[str]]]]:
    """Atoms in groups that share no variables with one another."""
    groups: list[list[tuple[Holder, set[str]]]] = []
    for atom in atoms:
        near = [group for group in groups if any(names & atom[1] for _, names in group)]
        groups = [group for group in groups if group not in near]
        groups.append([one for group in near for one in group] + [atom])
    return groups


class Patterns:
    """The solutions of basic graph patterns."""

    def __init__(self, inquiry: Inquiry, dataset: Dataset, plans: dict[tuple[Bgp, Dataset], Compiled]) -> None:
        """`plans` keep what is known of patterns from one query to the next."""
        self._inquiry, self._dataset, self._plans = inquiry, dataset, plans
        self._paths = Paths(inquiry, dataset)
        self._guarded: dict[str, bool] = {}

    def solve(self, node: Bgp, known: Solutions | None = None) -> Solutions:
        """The solutions; those that fit no solution in `known` may be left out."""
        plan = self._plans.get((node, self._dataset))
        if plan is None:
            if len(self._plans) > _MOST_PLANS:
                self._plans.clear()
            plan = self._plans[node, self._dataset] = compiled(node, self._dataset)
        if not plan.parts:
            return UNIT
        if len(plan.parts) == 1 and plan.parts[0].reach is None:
            part = plan.parts[0]
            wanted = part.names if node.kept is None else node.kept
            return self._ask(part, wanted, known)
        found, waiting = UNIT, list(plan.parts)
        while waiting and found.count:
            part = min(waiting, key=lambda one: self._rank(one, found))
            waiting.remove(part)
            guide = found if set(part.names) & set(found.columns) else known
            found = join(found, self._ask(part, part.names, guide), self._inquiry.ask)
        return found if found.count else Solutions(0, {name: np.empty(0, np.int32) for name in plan.names})

    def only_rule(self, node: Node) -> CoreRule | None:
        """The rule that has answered a pattern, if that is all there was to ask."""
        plan = self._plans.get((node, self._dataset)) if isinstance(node, Bgp) else None
        if plan is None or len(plan.parts) != 1 or plan.parts[0].reach is not None or len(plan.parts[0].branches) != 1:
            return None
        part = plan.parts[0]
        guarded = frozenset(name for name in part.relations if self._is_guarded(name))
        (rule,) = part.rules.get((part.names, (), guarded), [None])
        return rule

    def triples_of(self, pattern: Triple, known: Solutions) -> Rows:
        """The triples that match a pattern of three variables and fit known solutions."""
        part = compiled(Bgp((pattern,)), self._dataset).parts[0]
        names = [term.name for term in pattern.terms[:3] if isinstance(term, Variable)]
        return self._ask(part, names, known).matrix(names)

    def _rank(self, part: Part, found: Solutions) -> tuple[bool, bool, bool, int]:
        """The part with the smallest rank is next: what is connected with what is known, joins before paths, constants first."""
        is_apart = bool(found.columns) and not set(part.names) & set(found.columns)
        smallest = 0 if part.reach is not None else sum(self._smallest(branch) for branch in part.branches)
        return is_apart, part.reach is not None and not part.has_constant, not part.has_constant, smallest

    def _smallest(self, branch: Iterable[Holder]) -> int:
        return min(self._inquiry.size(holder.atom.predicate) for holder in branch)

    def _ask(self, part: Part, wanted: Sequence[str], known: Solutions | None) -> Solutions:
        """The solutions of one part."""
        if part.reach is not None:
            return self._paths.solve(part.reach, known if known is not None else UNIT)
        names = tuple(wanted)
        given: tuple[str, ...] = ()
        if known is not None and known.columns:
            given = tuple(
                name for name in part.names if name in known.columns and (not known.count or known.columns[name].min() >= 0)
            )
            if given and known.count > _WORTH_GIVING * max(map(self._smallest, part.branches), default=0):
                given = ()
        guarded = frozenset(name for name in part.relations if self._is_guarded(name))
        rules = part.rules.get((names, given, guarded))
        if rules is None:
            rules = part.rules[names, given, guarded] = [_rule(branch, names, given, guarded) for branch in part.branches]
        if given and known is not None:
            self._inquiry.give(distinct_rows(known, given))
        if len(rules) > 1:
            rules = [rule for rule, branch in zip(rules, part.branches, strict=True) if self._smallest(branch)]
        return Solutions.of_rows(names, self._inquiry.answer(rules, len(names)))

    def _is_guarded(self, relation: str) -> bool:
        if relation not in self._guarded:
            self._guarded[relation] = self._inquiry.holds_other_subjects(relation, 2 if relation == TRIPLE else 1)
        return self._guarded[relation]


def _rule(branch: Sequence[Holder], names: tuple[str, ...], given: tuple[str, ...], guarded: frozenset[str]) -> CoreRule:
    """The rule that finds the solutions of a join of atoms."""
    body = [literal for holder in branch for literal in holder.body(guarded)]
    fixed = branch[0].fixed if len(branch) == 1 else {}
    if given:
        body.insert(0, Atom(given_name(len(given)), tuple(fixed.get(name, Variable(name)) for name in given)))
    head = Atom(answer_name(len(names)), tuple(fixed.get(name, Variable(name)) for name in names))
    return CoreRule(head, tuple(body), 0, "SPARQL")


_MOST_PLANS = 200
