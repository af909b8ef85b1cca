"""A checker of explanations that shares no code with what makes them: it asks the reference about every single step.

A step is right if its fact is explicit, or if the reference finds the same instance of the same rule among the facts that hold,
and all facts of its body are steps before it; of a chain, if the rules that close the relation give the fact from its links.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property
from typing import Any

from tidelog import KnowledgeBase, Source, reference
from tidelog.explain.explanation import Explanation
from tidelog.explain.steps import Step, Way
from tidelog.program.checks.scope import schedule
from tidelog.program.lowering import lower
from tidelog.program.program import Program, check
from tidelog.syntax.tree import Atom, Constant, Rule, Term
from tidelog.values import Value, from_python

Fact = tuple[Any, ...]


class Checker:
    """What is known of a state of a knowledge base, from the reference alone."""

    def __init__(self, program: Program, explicit: Set[tuple[str, tuple[Value, ...]]]) -> None:
        self.program, self.explicit = program, explicit
        self._solutions: dict[int, list[dict[str, Value]]] = {}

    @cached_property
    def facts(self) -> reference.Facts:
        """All facts that hold."""
        return reference.materialise(self.program, self.explicit)

    def check(self, explanation: Explanation) -> None:
        """Accept an explanation, or fail."""
        assert [step.number for step in explanation] == list(range(len(explanation)))
        assert len({as_key(step.fact) for step in explanation}) == len(explanation), "a fact has two steps"
        for step in explanation:
            assert step.is_explicit == (as_key(step.fact) in self.explicit), step
            assert step.is_explicit or step.ways or not explanation.is_whole or not explanation.is_proof, (
                f"{step} rests on nothing"
            )
            if explanation.is_proof:
                assert len(step.ways) == (not step.is_explicit), step
                assert all(number < step.number for way in step.ways for number in way.numbers), f"{step} is circular"
            for way in step.ways:
                assert not way.left_out
                self._check_way(explanation, step, way)
        needed = {explanation.root.number, *(number for step in explanation for way in step.ways for number in way.numbers)}
        assert needed == set(range(len(explanation))), "some steps are of no use"

    def _check_way(self, explanation: Explanation, step: Step, way: Way) -> None:
        premises = [explanation[number] for number in way.numbers]
        if way.is_chain:
            text = "\n".join([rule.text for rule in way.rules] + [f"{premise.text}." for premise in premises])
            relation, row = as_key(step.fact)
            assert row in reference.materialise(check(Source(text)))[relation], (step, text)
            return
        (rule,) = way.rules
        known = {name: from_python(value) for name, value in way.binding.items()}
        wanted = [as_key(premise.fact) for premise in premises]
        for solution in self.solutions(rule.at):
            if all(solution.get(name) == value for name, value in known.items()):
                lowered = lower(self.program.rules[rule.at])
                body = [_ground(atom, solution) for atom in lowered.body if isinstance(atom, Atom)]
                if (_ground(lowered.head, solution), body) == (as_key(step.fact), wanted):
                    return
        raise AssertionError((step, way))

    def solutions(self, at: int) -> list[dict[str, Value]]:
        """All instances of a rule."""
        if at not in self._solutions:
            rule: Rule = lower(self.program.rules[at])
            steps = schedule(rule.body, rule.head.args).steps
            self._solutions[at] = reference._solve(steps, [{}], self.facts)
        return self._solutions[at]

    def ways_to(self, fact: Fact) -> set[tuple[int, tuple[tuple[str, tuple[Value, ...]], ...]]]:
        """All rule instances that derive a fact: the rule, and the facts of its body."""
        found = set()
        for at, rule in enumerate(map(lower, self.program.rules)):
            if rule.head.predicate == fact[0]:
                for solution in self.solutions(at):
                    if _ground(rule.head, solution) == as_key(fact):
                        found.add((at, tuple(_ground(atom, solution) for atom in rule.body if isinstance(atom, Atom))))
        return found


def checker_of(kb: KnowledgeBase, explicit: Set[tuple[str, tuple[Value, ...]]]) -> Checker:
    """The checker of a knowledge base whose explicit facts are known."""
    return Checker(kb.program, explicit)


def as_key(fact: Fact) -> tuple[str, tuple[Value, ...]]:
    """A fact as the reference has it."""
    return fact[0], tuple(map(from_python, fact[1:]))


def _ground(atom: Atom, solution: dict[str, Value]) -> tuple[str, tuple[Value, ...]]:
    return atom.predicate, tuple(_value(arg, solution) for arg in atom.args)


def _value(term: Term, solution: dict[str, Value]) -> Value:
    if isinstance(term, Constant):
        return term.value
    return solution[term.name]  # type: ignore[union-attr]
