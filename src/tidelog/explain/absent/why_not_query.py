"""Answers to `why_not`, from what has been found in one state: ids become values."""

from __future__ import annotations

from tidelog.explain.absent.failures import Failures
from tidelog.explain.absent.missing import WhyNot
from tidelog.explain.absent.nearness import Approach, Near
from tidelog.explain.absent.parts import Attempt, Miss, Repair
from tidelog.explain.absent.repairs import Repairs, approaches_of
from tidelog.explain.access import Access, Cell, Key
from tidelog.explain.explainer import Explainer
from tidelog.explain.joins import Budget
from tidelog.explain.of_same import of_member, of_representatives
from tidelog.explain.wording import Wording, as_written
from tidelog.functions.conform import CONFORM
from tidelog.functions.signatures import ANY
from tidelog.program.checks.declared_columns import coerce_value
from tidelog.program.checks.scope import Step
from tidelog.program.relations import Relation
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Term, calls
from tidelog.values import Value

MOST_LOOKED_AT = 6_000
"""What may be looked at for all rules, and again for repairs."""
_CANDIDATES = 8
"""Repairs that are tried at once."""
_MISSES = 4
"""Instances of a rule that are told of."""


class WhyNotQuery:
    """Why one fact does not hold."""

    def __init__(self, relation: str, values: tuple[Value, ...], effort: int | None) -> None:
        self.relation, self.values = relation, values
        self.effort = MOST_LOOKED_AT if effort is None else effort

    def key(self, access: Access) -> Key:
        """The fact, as an engine has it."""
        return self.relation, tuple(map(access.cell, self.values))

    def answer(self, access: Access) -> WhyNot:
        """How near each rule comes; or a proof, if the fact holds."""
        words, key = Wording(access), self.key(access)
        atom = Atom(self.relation, tuple(map(Constant, self.values)))
        fact = (self.relation, *(value.content for value in self.values))
        if access.holds(*key):
            return WhyNot(fact, words.literal(atom), proof=Explainer(access).proof(key))
        if (other := of_representatives(access, key)) is not None:
            return WhyNot(fact, words.literal(atom), proof=of_member(access, key, other, Explainer(access).proof))
        failures, budget = Failures(access, words), Budget(self.effort)
        rules = [at for at, rule in enumerate(access.program.rules) if rule.head.predicate == self.relation]
        approach = approaches_of(access)
        attempts = [self._attempt(approach(at), key, budget, words, failures) for at in rules]
        return WhyNot(fact, words.literal(atom), attempts, near=() if rules else failures.near(atom))

    def _attempt(self, approach: Approach, key: Key, budget: Budget, words: Wording, failures: Failures) -> Attempt:
        rule, start = words.rule(approach.body.at), approach.bind(key[1])
        if start is None:
            return Attempt(rule, fits=False, literals=len(approach.steps), misses=(), is_whole=True)
        found, is_whole = approach.nearest(start, budget)
        written = as_written(approach.body.rule)
        misses = dict.fromkeys(self._miss(near, written, words, failures) for near in found)
        return Attempt(rule, fits=True, literals=len(approach.steps), misses=tuple(misses)[:_MISSES], is_whole=is_whole)

    def _miss(self, near: Near, written: dict[str, Term], words: Wording, failures: Failures) -> Miss:
        values = failures.values(near.known, written)
        true, failed, unseen = (sorted(steps, key=_place) for steps in (near.true, near.failed, near.unseen))
        return Miss(
            tuple(words.literal(step.literal, values) for step in true if not _is_conformity(step.literal)),
            tuple(failures.of(step, near.known, written) for step in failed),
            tuple(words.literal(step.literal, values) for step in unseen),
        )

    # --- repairs ---------------------------------------------------------------------------------------------------------

    def candidates(self, access: Access, size: int, relations: dict[str, Relation]) -> list[Repair]:
        """Sets of so many facts that may derive it."""
        words, key = Wording(access), self.key(access)
        repairs = Repairs(access, access.can_be_given, approaches_of(access), self.effort)
        if size == 1 and access.unit_of(self.relation) is None:
            return (
                [self._repair(access, words, frozenset([key]), (), is_certain=True)] if access.can_be_given(self.relation) else []
            )
        found = repairs.of_size(key, size, _CANDIDATES)
        return [
            self._repair(access, words, facts, repairs.chosen[facts], is_certain=repairs.only_adds(facts))
            for facts in found
            if all(_fits(relations.get(name), tuple(map(access.value, row))) for name, row in facts)
        ]

    def _repair(
        self, access: Access, words: Wording, facts: frozenset[Key], chosen: tuple[Cell, ...], *, is_certain: bool
    ) -> Repair:
        rows = sorted(facts, key=words.fact)
        tuples = tuple((name, *(access.value(cell).content for cell in row)) for name, row in rows)
        shown = tuple(words.term(Constant(access.value(cell))) for cell in chosen)
        return Repair(tuples, tuple(map(words.fact, rows)), shown, is_certain)


def _fits(known: Relation | None, values: tuple[Value, ...]) -> bool:
    """Whether the declared columns of a relation take the values."""
    declared = [known.declared_type(at) if known is not None else ANY for at in range(len(values))]
    return all(coerce_value(value, kinds).kind in kinds for kinds, value in zip(declared, values, strict=True))


def _is_conformity(literal: Literal) -> bool:
    """Whether it tests that a value fits a declared column, which is no part of the rule's text."""
    return isinstance(literal, Comparison) and any(call.function.startswith(CONFORM) for call in calls(literal))


def _place(step: Step) -> int:
    """Where a literal stands in its rule."""
    return step.literal.span.start
