"""What has changed behind a fact: its proof in the state in which it holds, and which parts of that are not in the other state.

A fact that came has a proof now, of which something is new: a fact, a rule, a negation that has become true, a group that is
another one.  A fact that went had one before.  Behind a negation stand facts that changed the other way, so that the search goes
from one state to the other and back, at most once for each stratum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Protocol, TypeVar

from tidelog.explain.access import Access
from tidelog.explain.changed.parts import ChangedReason, ChangedStep, What
from tidelog.explain.explainer import Explainer
from tidelog.explain.explanation import Explanation
from tidelog.explain.search import MOST_LOOKED_AT
from tidelog.explain.steps import Step, Way
from tidelog.facts import Facts
from tidelog.functions.conform import CONFORM
from tidelog.functions.evaluate import evaluate
from tidelog.program.lowering import lower
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Literal, Negation, Rule, Term, Variable, calls, names_of
from tidelog.values import Value, from_python

_Answer = TypeVar("_Answer")
_LINKS = 100_000
"""Of longer chains only the ends are looked at."""
_MATCHES, _LOOKED_THROUGH = 3, 100_000
"""So many changed facts are named behind a negation or a group, found among so many."""
_TURNS = 64
Event = tuple[What, str, tuple[Value, ...]]


class ChangeOfFacts(Protocol):
    """The facts that came and went with a change, by relation."""

    @property
    def inserted(self) -> Mapping[str, Facts]:
        """Facts that hold now and did not before."""

    @property
    def deleted(self) -> Mapping[str, Facts]:
        """Facts that held before and do not now."""


class Sides(Protocol):
    """The states after a change and before it, and what the change did to rules."""

    def now(self, ask: Callable[[Access], _Answer]) -> _Answer:
        """What a function finds in the state after the change."""

    def before(self, ask: Callable[[Access], _Answer]) -> _Answer:
        """What it finds in the state before."""

    def is_changed(self, rule: Rule) -> bool:
        """Whether a rule came or went."""


class Causes:
    """Facts that came or went, from one of them back to what the change began with."""

    def __init__(self, sides: Sides, change: ChangeOfFacts) -> None:
        self._sides, self._change = sides, change
        self._numbers: dict[Event, int] = {}
        self._steps: dict[int, ChangedStep] = {}
        self._waiting: dict[What, list[Event]] = {"came": [], "went": []}

    def number(self, event: Event) -> int:
        """The number of a fact that changed, which is to be explained."""
        known = self._numbers.get(event)
        if known is None:
            known = self._numbers[event] = len(self._numbers)
            self._waiting[event[0]].append(event)
        return known

    def steps(self) -> list[ChangedStep]:
        """All facts that were asked for, and what is behind them."""
        for _ in range(_TURNS):
            if self._waiting["came"]:
                self._sides.now(lambda access: self._look("came", access))
            if not self._waiting["went"]:
                break
            self._sides.before(lambda access: self._look("went", access))
        return [self._steps[at] for at in sorted(self._steps)]

    def has_changed(self, what: What, relation: str, values: tuple[Value, ...]) -> bool:
        """Whether a fact came, or went."""
        facts = (self._change.inserted if what == "came" else self._change.deleted).get(relation)
        return facts is not None and tuple(value.content for value in values) in facts

    def lost_by(self, proof: Explanation) -> list[int]:
        """The facts of a proof from before that went, those nearest to the fact."""
        found, agenda, seen = dict[int, None](), [proof.root], set[int]()
        for step in agenda:
            for premise in step.premises:
                event = _event("went", premise)
                if premise.number in seen:
                    continue
                seen.add(premise.number)
                if self.has_changed(*event):
                    found[self.number(event)] = None
                else:
                    agenda.append(premise)
        return list(found)

    # --- one state -------------------------------------------------------------------------------------------------------

    def _look(self, what: What, access: Access) -> None:
        explainer = Explainer(access)
        while self._waiting[what]:
            event = self._waiting[what].pop()
            if self._numbers[event] in self._steps:
                continue
            _, relation, values = event
            proof = explainer.proof((relation, tuple(map(access.cell, values))), MOST_LOOKED_AT, _LINKS)
            agenda = [proof.root]
            for step in agenda:
                number = self.number(_event(what, step))
                if number not in self._steps:
                    self._steps[number] = self._step(number, what, step, access)
                    agenda += [premise for premise in step.premises if self.has_changed(*_event(what, premise))]

    def _step(self, number: int, what: What, step: Step, access: Access) -> ChangedStep:
        way = step.way
        if way is None:
            return ChangedStep(number, step.fact, step.text, what)
        is_changed = any(self._sides.is_changed(access.program.rules[rule.at]) for rule in way.rules)
        reasons = tuple(self._reasons(what, step, way, access))
        return ChangedStep(number, step.fact, step.text, what, way.rules, rule_changed=is_changed, reasons=reasons)

    def _reasons(self, what: What, step: Step, way: Way, access: Access) -> Iterator[ChangedReason]:
        unchanged = "held before" if what == "came" else "still holds"
        literals = [None] * len(way.reasons) if way.is_chain else _literals(access.program.rules[way.rules[0].at])
        premises = iter(step.premises)
        known = {} if way.is_chain else _binding(access.program.rules[way.rules[0].at], way)
        for reason, literal in zip(way.reasons, literals, strict=True):
            if reason.premise is not None:
                event = _event(what, next(premises))
                steps: tuple[int, ...] = (self.number(event),) if self.has_changed(*event) else ()
                yield ChangedReason(reason.text, "" if steps else unchanged, steps)
            elif isinstance(literal, Negation):
                others: What = "went" if what == "came" else "came"
                steps = tuple(self.number(event) for event in self._matching(others, literal.atom, known))
                yield ChangedReason(reason.text, "" if steps else "as before" if what == "came" else "as it is now", steps)
            elif isinstance(literal, Aggregate):
                steps = tuple(self.number(event) for event in self._in_group(literal, known))
                yield ChangedReason(reason.text, "" if steps else "as before" if what == "came" else "as it is now", steps)
            else:
                yield ChangedReason(reason.text, "")

    def _in_group(self, literal: Aggregate, known: Mapping[str, Value]) -> Iterator[Event]:
        """Facts that came and went in the body of an aggregate."""
        for inner in literal.body:
            if isinstance(inner, Atom | Negation):
                atom = inner if isinstance(inner, Atom) else inner.atom
                for what in ("came", "went"):
                    yield from self._matching(what, atom, known)

    def _matching(self, what: What, atom: Atom, known: Mapping[str, Value]) -> Iterator[Event]:
        """Some facts that came or went and match an atom."""
        facts = (self._change.inserted if what == "came" else self._change.deleted).get(atom.predicate)
        if facts is None:
            return
        wanted = [_value(arg, known) for arg in atom.args]
        rows = (tuple(map(from_python, row)) for row in islice(facts, _LOOKED_THROUGH))
        found = (row for row in rows if all(one is None or one == value for one, value in zip(wanted, row, strict=True)))
        yield from ((what, atom.predicate, row) for row in islice(found, _MATCHES))


def _event(what: What, step: Step) -> Event:
    return what, step.fact[0], tuple(map(from_python, step.fact[1:]))


def _literals(rule: Rule) -> list[Literal | None]:
    """The literals of a rule that have reasons."""
    body = lower(rule).body
    return [
        literal
        for literal in body
        if not isinstance(literal, Comparison) or not any(call.function.startswith(CONFORM) for call in calls(literal))
    ]


def _binding(rule: Rule, way: Way) -> dict[str, Value]:
    """The values of a rule's variables, those that lowering has made included."""
    known = {name: from_python(content) for name, content in way.binding.items()}
    for literal in lower(rule).body:
        if isinstance(literal, Comparison) and isinstance(literal.left, Variable) and literal.left.name not in known:
            value = evaluate(literal.right, known) if names_of([literal.right]) <= known.keys() else None
            if value is not None:
                known[literal.left.name] = value
    return known


def _value(term: Term, known: Mapping[str, Value]) -> Value | None:
    """The value of an argument; None if it may be any."""
    if isinstance(term, Constant):
        return term.value
    return known.get(term.name) if isinstance(term, Variable) else None
