"""What must hold after an update, by the reference, and what a change must say of it.

`consequences` calls the reference. Several places get the same programs, so it caches the latest results; a history has the same
program and the same facts again and again, so each is parsed once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tests.differential.rule_histories import RuleHistory, RuleStep, rule_text
from tests.local_engine import as_tuples, difference, held, program, rows_of, without_empty
from tests.random_programs import History

from tidelog import KnowledgeBase, Source
from tidelog.changes import Change
from tidelog.errors import Diagnostics
from tidelog.program.program import GroundFact
from tidelog.reference import Facts, answers, materialise
from tidelog.syntax.parser import parse_query
from tidelog.syntax.tree import atoms
from tidelog.values import from_python

_program = lru_cache(maxsize=256)(program)


def ground(texts: Iterable[str]) -> list[GroundFact]:
    """Facts from their texts, each once."""
    return list(dict.fromkeys(map(_fact, texts)))


@lru_cache(maxsize=1 << 14)
def _fact(text: str) -> GroundFact:
    (fact,) = program(f"{text}.").facts
    return fact


@lru_cache(maxsize=2048)
def consequences(text: str, explicit: frozenset[GroundFact] | None = None) -> Facts:
    """All facts of a program; `explicit` facts take the place of its own."""
    checked = _program(text)
    return materialise(checked) if explicit is None else materialise(checked, set(explicit))


def changed_rows(found: Mapping[str, Iterable[tuple[Any, ...]]]) -> Facts:
    """What an update inserted or deleted, as the reference would have it."""
    return {name: rows_of(facts) for name, facts in found.items()}


def agrees(kb: KnowledgeBase, expected: Facts) -> None:
    """A knowledge base has these facts and no others."""
    assert without_empty(held(kb)) == without_empty(expected)


# --- changes -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """One update of a history, and what holds after it."""

    gone: list[GroundFact]
    new: list[GroundFact]
    explicit: frozenset[GroundFact]
    expected: Facts

    @property
    def update(self) -> dict[str, Any]:
        """The update as a knowledge base takes it."""
        return {"insert": as_tuples(self.new), "delete": as_tuples(self.gone)}


def steps_of(history: History) -> list[Step]:
    """What the reference says after every update; the first step is the program itself."""
    text = history.program.text
    explicit = frozenset(_program(text).facts)
    steps = [Step([], [], explicit, consequences(text, explicit))]
    for deleted, inserted in history.updates:
        gone, new = ground(deleted), ground(inserted)
        explicit = explicit.difference(gone).union(new)
        steps.append(Step(gone, new, explicit, consequences(text, explicit)))
    return steps


def check_counts(change: Change, before: Step, step: Step) -> None:
    """A change says how many of the given facts had an effect."""
    gone, new, remaining = set(step.gone), set(step.new), before.explicit.difference(step.gone)
    stats = change.stats
    assert (stats.deleted, stats.inserted) == (len(before.explicit & gone), len(new - remaining))
    assert stats.without_effect == len(gone - before.explicit) + len(new & remaining)


def check_change(change: Change, before: Facts, after: Facts) -> None:
    """A change says what is different."""
    assert changed_rows(change.inserted) == difference(after, before)
    assert changed_rows(change.deleted) == difference(before, after)


def check_parts(change: Change, before: frozenset[GroundFact], after: frozenset[GroundFact]) -> None:
    """Of what is new or gone, that which the user gave or took back is explicit, and all else is derived."""
    for found, given in ((change.inserted, after - before), (change.deleted, before - after)):
        explicit, derived = changed_rows(found.explicit), changed_rows(found.derived)
        for name, rows in changed_rows(found).items():
            mine = {tuple(values) for relation, values in given if relation == name}
            assert explicit.get(name, set()) == rows & mine
            assert derived.get(name, set()) == rows - mine
        assert {*explicit, *derived} <= set(found)


def check_queries(queries: Iterable[str], kb: KnowledgeBase, expected: Facts) -> None:
    """Queries have the answers of the reference."""
    for text in queries:
        body = parse_query(Source(text), Diagnostics(), {})
        if not {atom.predicate for atom, _ in atoms(body)} <= set(kb.relations):
            continue  # of a relation that neither rules nor facts have mentioned so far
        found = kb.query(text)
        bindings = {tuple(sorted(zip(found.columns, map(from_python, row), strict=True))) for row in found}
        assert len(bindings) == len(found)
        assert bindings == {tuple(sorted(binding.items())) for binding in answers(body, expected)}


# --- rules ---------------------------------------------------------------------------------------------------------------


class Judge:
    """What there must be while rules come and go."""

    def __init__(self, history: RuleHistory) -> None:
        self.rules, self.explicit = list(history.rules), frozenset(ground(history.facts))
        self.facts = self._derived()

    def _derived(self) -> Facts:
        return consequences("\n".join(map(rule_text, self.rules)), self.explicit)

    def update(self, step: RuleStep) -> dict[str, Any]:
        """The update of a step."""
        return {
            "insert": as_tuples(ground(step.insert)),
            "delete": as_tuples(ground(step.delete)),
            "remove_rules": [rule_text(rule) for rule in step.toggled if rule in self.rules],
            "add_rules": [rule_text(rule) for rule in step.toggled if rule not in self.rules],
        }

    def follow(self, step: RuleStep) -> None:
        """The update of a step has been made."""
        added = [rule for rule in step.toggled if rule not in self.rules]
        self.rules = [*(rule for rule in self.rules if rule not in step.toggled), *added]
        self.explicit = self.explicit.difference(ground(step.delete)).union(ground(step.insert))
        self.facts = self._derived()
