"""Marks: what follows from facts that the next update will delete, so that it need not be found again.

While an update is applied and the next one is known, the facts that it inserts and the next one deletes are *marked*. They are
inserted last, as a step of their own (`MarkedStep`), so all that is new in that step follows from them: these are the
*implicit* marks. When the next update deletes the marked facts, there are two ways to use that.

- As the papers do (Illich and Glimm, "Backward/Forward with Marking for Update Streams", DL 2025, Algorithm 1): no rule is
  applied to find out which facts depend on a marked one; the implicit marks are the first suspects (the set W). With B/F only
  explicit facts pass marks to a unit's relations; with DRed derived ones do, too (`Marks.using`). Departure: within a recursive
  unit all that is new is marked, not only the heads of instances with a marked explicit fact in their bodies.
  Facts that were there before are marked, too (`propagate_marks`).
- The whole step is undone, without any rule (`MarkedStep.undo`): what it inserted is deleted, what it deleted is inserted.

The first is sound because whatever was there before the marked step has a proof without the marked facts: if that one fails, too,
it fails for a fact that was not marked, which is found the usual way. So where the marked step took facts away, or added to a
relation under a negation, or changed a virtual relation, a unit drops its marks. The second is always sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np

from tidelog.changes import Counters
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule, Unit, positive_atoms
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.maintenance.delta.deltas import Delta, Deltas, MarkedStep
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.program_state import ProgramState
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Term


@dataclass(slots=True)
class EarlierMarks:
    """Facts that were there before the last update and that the next one deletes, and what they were used for meanwhile."""

    given: Mapping[str, Rows] = field(default_factory=dict)
    """The facts themselves, by the relation that stores them."""
    heads: Mapping[str, Rows] = field(default_factory=dict)

    @property
    def explicit(self) -> int:
        """How many facts are marked."""
        return sum(map(len, self.given.values()))


class Marks:
    """The marks of a step, for the update that deletes the facts that it has inserted."""

    def __init__(self, step: MarkedStep, earlier: EarlierMarks) -> None:
        """`earlier` are marks of facts that were there before the step."""
        self._step, self._earlier = step, earlier
        self._is_used = False
        self.counters = Counters()

    @contextmanager
    def using(self, unit: Unit, algorithm: str, deltas: Deltas, seeds: Mapping[str, Rows]) -> Iterator[Mapping[str, Rows]]:
        """The first suspects of a unit, and meanwhile no marked fact counts as one that was deleted from a lower relation."""
        seeds = self._with_heads(unit, algorithm, seeds)
        brought = {name: self._step.deltas[name].inserted for name in unit.relations if name in self._step.deltas}
        passing = [name for name in unit.uses if self._passes(name, unit, algorithm) and name in deltas]
        if not passing or algorithm not in ("ranked", "bf", "dred") or unit.operators or not self._is_sound(unit):
            self.counters.dropped_marks += sum(map(len, brought.values())) if passing else 0
            yield seeds
            return
        self._is_used = True
        self.counters.implicit_marks += sum(map(len, brought.values()))
        whole = {name: deltas.of[name] for name in passing}
        for name in passing:
            delta = whole[name]
            is_marked = deltas.state.isin_rows(delta.deleted, self._step.deltas[name].inserted)
            deltas.replace(name, replace(delta, deleted=delta.deleted[~is_marked]))
        try:
            yield _joined(seeds, brought)
        finally:
            for name, delta in whole.items():
                deltas.replace(name, delta)

    def _with_heads(self, unit: Unit, algorithm: str, seeds: Mapping[str, Rows]) -> Mapping[str, Rows]:
        """The first suspects, with the heads of marked instances of facts that were there before the step."""
        heads = {name: self._earlier.heads[name] for name in unit.relations if name in self._earlier.heads}
        if algorithm not in ("ranked", "bf", "dred") or unit.operators:
            self.counters.dropped_marks += sum(map(len, heads.values()))
            return seeds
        self._is_used = self._is_used or not unit.uses.isdisjoint(self._earlier.given)
        self.counters.implicit_marks += sum(map(len, heads.values()))
        return _joined(seeds, heads)

    def _passes(self, name: str, unit: Unit, algorithm: str) -> bool:
        """Whether facts of a relation pass their marks to the heads of a unit's rules."""
        marked = self._step.given if algorithm == "bf" else self._step.deltas
        return name in marked and name not in unit.relations and name in self._step.deltas

    def _is_sound(self, unit: Unit) -> bool:
        """Whether everything that the unit had before the marked step still had its proof after it."""
        changed = [(name, self._step.deltas[name]) for name in (*unit.uses, *unit.relations) if name in self._step.deltas]
        return all(
            delta.virtual is None and not len(delta.deleted) and name not in unit.uses_negatively for name, delta in changed
        )

    def finish(self) -> Counters:
        """What has been used, and what has not."""
        explicit = self._step.explicit + self._earlier.explicit
        if self._is_used:
            self.counters.explicit_marks += explicit
        else:
            self.counters.dropped_marks += explicit
        return self.counters


def _joined(some: Mapping[str, Rows], others: Mapping[str, Rows]) -> Mapping[str, Rows]:
    """Rows by relation, of two places."""
    return {
        name: np.concatenate([rows for rows in (some.get(name), others.get(name)) if rows is not None])
        for name in {**some, **others}
    }


# --- facts that were there before the update -------------------------------------------------------------------------------


def propagate_marks(
    engine: ProgramState, given: Mapping[str, Rows], steps: Sequence[Mapping[str, Delta]], watch: Watch
) -> EarlierMarks:
    """Mark explicit facts after an update whose steps have some deltas, and the heads of the instances that they were used in.

    In the paper, what is proved or inserted by a rule instance with a marked explicit fact in its body is marked.  Departure:
    instances are not kept here, so they are looked for when the update is done: those with an inserted fact in the place of
    another atom, and those of facts that B/F has proved.  Only some instances of such a fact are seen that way, and the next
    update looks for all of them anyway; so these marks save no time, and only `marking=True` has them.
    """
    state, structure = engine.state, engine.structure
    marked = {name for name in given if name not in structure.deriver}  # the others may still be derived when they are deleted
    numbers = [number for number in structure.numbers_in_order() if _reads_marked(structure.units[number], marked)]
    if not numbers:
        return EarlierMarks(given)
    for name in marked:
        state.helper(_marked(name), given[name].shape[1], given[name])
    heads: dict[str, Table] = {}
    evaluation = Evaluation(state, watch, Statistics())
    runtimes = [engine.runtime(number) for number in numbers]
    for runtime in runtimes:
        unit = runtime.unit
        heads |= {name: runtime.table("heads", name, state.table(name).arity) for name in unit.relations}
        for name in {name for name in (*unit.uses, *unit.relations) if name not in state.virtual}:
            state.tables[name].mark_delta()
    for step in steps:
        deltas = Deltas(state)
        deltas.of.update(step)
        for number, runtime in zip(numbers, runtimes, strict=True):
            evaluation.enter(number, runtime.plans)
            for rule in runtime.unit.rules:
                evaluation.apply_once(list(_marking(rule, marked, deltas, runtime)))
    return EarlierMarks(given, {name: table.rows.copy() for name, table in heads.items() if len(table)})


def _reads_marked(unit: Unit, marked: set[str]) -> bool:
    return not marked.isdisjoint(unit.uses) and not unit.operators and not unit.stages


def _marking(rule: CoreRule, marked: set[str], deltas: Deltas, runtime: UnitRuntime) -> Iterator[CoreRule]:
    """Rules that mark the heads of a rule's instances that have a marked fact, and a fact that was inserted or proved."""
    head, atoms = Atom(runtime.table_name("heads", rule.head.predicate), rule.head.args), positive_atoms(rule)
    for at, name in atoms:
        if name not in marked:
            continue
        with_mark = [*rule.body, rule.head]
        with_mark[at] = Atom(_marked(name), _args(rule, at))
        for other, changed in atoms:
            if other == at or changed not in deltas or deltas.of[changed].virtual is not None:
                continue
            if (inserted := deltas.plus(changed)) is not None:
                body = [*with_mark]
                body[other] = Atom(inserted, _args(rule, other))
                yield runtime.variant(rule, ("marking", at, other), body, head)
        proved = runtime.table_name("proved", rule.head.predicate)
        table = runtime.state.helpers.get(proved)
        if table is not None and len(table):
            table.mark_delta()
            yield runtime.variant(rule, ("marking", at), (Atom(proved, rule.head.args), *with_mark), head)


def _marked(name: str) -> str:
    return f"#marked {name}"


def _args(rule: CoreRule, at: int) -> tuple[Term, ...]:
    atom = rule.body[at]
    assert isinstance(atom, Atom)
    return atom.args
