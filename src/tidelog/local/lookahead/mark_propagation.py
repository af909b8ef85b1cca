"""Mark propagation: marks on facts that were there before an update pass to the heads of the rule instances that it used.

Algorithm 1 of Illich and Glimm, "Backward/Forward with Marking for Update Streams" (DL 2025): what is proved or inserted by a
rule instance with a marked explicit fact in its body is marked. Departure: instances are not kept here, so they are looked for
when the update is done: those with an inserted fact in the place of another atom, and those of facts that B/F has proved. Only
some instances of such a fact are seen that way, and the next update looks for all of them anyway; so these marks save no time,
and only `marking=True` has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule, Unit, positive_atoms
from tidelog.core.statistics import Statistics
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.lookahead.marking import EarlierMarks
from tidelog.local.maintenance.delta.deltas import Delta, Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.local.program_state import ProgramState
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom, Term


def propagate_marks(
    engine: ProgramState, given: Mapping[str, Rows], steps: Sequence[Mapping[str, Delta]], watch: Watch
) -> EarlierMarks:
    """Mark explicit facts after an update whose steps have some deltas, and the heads of the instances that they were used in."""
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
            if other == at or changed not in deltas or deltas.is_virtual(changed):
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
