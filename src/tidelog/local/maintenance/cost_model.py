"""The cost model: which algorithm maintains a unit. It is what the user asked for, or what should be cheapest.

Deletion by ranks is the default: it needs no search. Where nobody knows which facts came first (after B/F, and where a marked
step was undone), it is B/F, which never deletes what stays. Where hardly any suspect had another proof, DRed does the same with
less work.
Where much is lost, it is cheaper to rematerialise the unit than to find out what is left of it: the B/F paper's equilibrium.
Measured (`benchmarks/maintenance`), that is anywhere between one fact in a thousand and one in ten, so no share of facts can
decide. Time decides: what it took to materialise the unit, and what a lost fact took in earlier updates. Where the unit has no
such history, or the history misleads, deletion gives up: by ranks when what it knows of would take about as long as
rematerialising, and by others when they have taken half as long. The first one, which makes plans, tells nothing. With each that
was given up the next ones get less time, down to a tenth, and with each that ended more; and of many facts, some deletions like
one that was given up are not tried at all.

When rules change, a unit can lose so much that not even trying is the better choice (`choose_for_rules`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from time import thread_time

from tidelog.core.arrays import Rows
from tidelog.core.rules import CoreRule, positive_atoms
from tidelog.local.maintenance.costs import SMALL
from tidelog.local.maintenance.counting import is_counted
from tidelog.local.maintenance.deletion import Deadline
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime

_PATIENCE_WITH_RULES = 0.5
"""When rules have changed, deletion gives up after that part of the time that rematerialising takes at the latest."""
_SOONEST, _HALFWAY = 0.1, 0.5
"""Of the time that rematerialising takes, and of the longest that a deletion may take: before the one no deletion gives up, and
one that cannot tell how much is left gives up after the other."""
_MUCH = 0.15
"""A small unit is rematerialised if so large a share of what it holds and reads is lost."""
_FEW = 8
"""For so few lost facts deletion is always tried: what they take differs too much for a prediction, and tells nothing of many."""
_PLANNING = 5e-4
"""Seconds for each rule that a first deletion may take longer, for it makes plans."""
_A_LOST_FACT = 3e-6
"""What it takes to follow one, in seconds, as long as the unit has not shown otherwise."""
_INDEXING = 2e-8
"""What it takes to find one row of a relation that has not lost any before, for each row that there is."""
_AGAIN = 0.6
"""Rematerialising takes that part of what it took before, when plans are made and buffers have their size."""


@dataclass(slots=True)
class Choice:
    """An algorithm for a unit in one update."""

    algorithm: str
    """`ranked`, `bf`, `dred`, `counting` or `rematerialise`."""
    why: str
    lost: int = 0
    began: float | None = None
    """When it was chosen (`thread_time`), if its cost is to be recorded."""
    deadline: Callable[[], Deadline] | None = None
    """When to give up; called when deletion first stops to check, which few facts do not give it time for."""
    rows: int = 0
    """The rows of the unit and of what it reads; 0 if so few facts have gone that nobody counted."""


def choose(requested: str, runtime: UnitRuntime, deltas: Deltas, changed: Iterable[str], seeds: Mapping[str, Rows]) -> Choice:
    """The algorithm for a unit that may lose facts."""
    unit, costs = runtime.unit, runtime.costs
    if requested == "counting" and not is_counted(unit, runtime.state):
        return Choice("dred", "its derivations have not been counted")
    if requested != "auto" and unit.modules:
        return Choice("dred", "its rules recur through closed relations")
    if requested != "auto":
        return Choice(requested, "as asked for")
    lost = sum(map(len, seeds.values()))
    for name in changed:
        lost += deltas.of[name].gained if name in unit.uses_negatively else deltas.of[name].lost
    if lost <= _FEW:
        return Choice(_deletes(runtime), "few facts have gone", lost, deadline=lambda: _deadline(runtime, thread_time()))
    rows = runtime.row_count()
    if rows < SMALL:
        if lost > _MUCH * rows:
            return Choice("rematerialise", f"{lost:,} facts have gone, and what is left is quickly derived", lost, rows=rows)
        return Choice(_deletes(runtime), "few facts have gone", lost, rows=rows)
    if (too_long := lost * costs.per_fact > costs.anew_with(rows)) or costs.is_hopeless(lost):
        costs.seconds *= 0.9 if too_long else 1.0  # so that it is tried again some time
        return Choice("rematerialise", f"{lost:,} facts have gone, and to follow each of them would take longer", lost, rows=rows)
    now = thread_time()
    deadline = _deadline(runtime, now)
    if costs.has_few_proofs:
        return Choice("dred", "few facts have gone, and hardly any had another proof so far", lost, now, lambda: deadline, rows)
    return Choice(_deletes(runtime), "few facts have gone", lost, now, lambda: deadline, rows)


def choose_for_rules(
    choice: Choice, runtime: UnitRuntime, deltas: Deltas, changed: Sequence[str], removed: Sequence[CoreRule]
) -> Choice:
    """The choice as it is, or to rematerialise: when rules are removed, so many facts may be lost that no attempt is worth it."""
    unit, state, costs = runtime.unit, runtime.state, runtime.costs
    own = sum(len(state.tables[name]) for name in unit.relations if name not in unit.modules)
    lost = choice.lost + sum(_lost_pairs(deltas, name) for name in changed) + sum(_instances(runtime, rule) for rule in removed)
    shares = (_lost_share(deltas, name) for name in changed if all(_reads(rule, name) for rule in unit.rules))
    takes = max(lost, max(shares, default=0.0) * own) * max(costs.per_fact, _A_LOST_FACT)
    if costs.deletions < 0:
        takes += _PLANNING * (len(unit.rules) + len(removed)) + _INDEXING * own
    rows = runtime.row_count()
    anew = _AGAIN * costs.anew_with(rows)
    if takes > anew:
        why = f"about {lost:,} instances of rules have gone, and to follow each of them would take longer"
        return Choice("rematerialise", why, lost, rows=rows)
    if choice.deadline is not None:
        given, at = choice.deadline(), thread_time() + _PATIENCE_WITH_RULES * anew
        deadline = Deadline(min(given.soonest, at), min(given.halfway, at), min(given.latest, at), anew)
        choice.deadline = lambda: deadline
    return choice


def _deletes(runtime: UnitRuntime) -> str:
    """By ranks, unless nobody knows which facts came first, and pairs of closed relations have none."""
    if runtime.unit.modules:
        return "dred"
    tables = runtime.state.tables
    return "ranked" if all(tables[name].is_ordered for name in runtime.unit.relations if name in tables) else "bf"


def _deadline(runtime: UnitRuntime, now: float) -> Deadline:
    """When a deletion that begins now is to give up."""
    costs, rows = runtime.costs, runtime.row_count()
    if rows < SMALL:
        return Deadline(inf, inf, inf, inf)
    anew = costs.anew_with(rows) + (_PLANNING * len(runtime.unit.rules) if costs.deletions < 0 else 0.0)
    return Deadline(now + _SOONEST * anew, now + _HALFWAY * costs.patience * anew, now + costs.patience * anew, anew)


def _lost_pairs(deltas: Deltas, name: str) -> int:
    """How many pairs a virtual relation has lost, at least; about, if counting takes a search for each node."""
    change = deltas.of[name].virtual
    if change is None or change.before is None:
        return 0
    before, after = ((part.estimated_size if part.is_searched else len(part)) for part in (change.before, change.after))
    return max(0, before - after)


def _lost_share(deltas: Deltas, name: str) -> float:
    """Which part of its rows a stored relation has lost."""
    lost = deltas.of[name].lost
    return lost / (lost + len(deltas.state.stored(name))) if lost else 0.0


def _instances(runtime: UnitRuntime, rule: CoreRule) -> int:
    """How many instances a removed rule may have had: those of its only atom, or as many as there are heads."""
    names = [name for _, name in positive_atoms(rule)]
    return len(runtime.state.stored(names[0] if len(names) == 1 else rule.head.predicate))


def _reads(rule: CoreRule, name: str) -> bool:
    """Whether a rule has a relation in a positive atom."""
    return any(name == other for _, other in positive_atoms(rule))
