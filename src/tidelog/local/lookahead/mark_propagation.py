"""Marks on facts that were there before an update, and their way to the heads of the rule instances that it used.

Algorithm 1 of Illich and Glimm: what is proved or inserted by a rule instance with a marked explicit fact in its body is marked.
Instances are not kept here, so they are looked for when the update is done: those with a fact that came in the place of another
atom, and those of facts that B/F has proved. Only some instances of such a fact are seen that way, and the next update looks
for all of them anyway; so these marks save no time, and only `marking=True` has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule, positive_atoms
from tidelog.core.statistics import Statistics
from tidelog.local.engine import LocalEngine
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.lookahead.marking import EarlierMarks
from tidelog.local.maintenance.deltas import Delta, Deltas
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Term


def propagate_marks(
    engine: LocalEngine, given: Mapping[str, Rows], steps: Sequence[Mapping[str, Delta]], watch: Watch
) -> EarlierMarks:
    """Mark explicit facts after an update, of which `steps` say what came."""
    state, structure = engine.state, engine.structure
    marked = {name for name in given if name not in structure.deriver}  # the others may still be derived when they go
    units = [unit for unit in structure.in_order() if not marked.isdisjoint(unit.uses) and not unit.operators and not unit.stages]
    if not units:
        return EarlierMarks(given)
    for name in marked:
        state.helper(_marked(name), given[name].shape[1], given[name])
    heads = {name: state.helper(f"#heads {name}", state.table(name).arity) for unit in units for name in unit.relations}
    for name in {name for unit in units for name in (*unit.uses, *unit.relations) if name not in state.virtual}:
        state.tables[name].mark_delta()
    evaluation = Evaluation(state, watch, Statistics())
    for step in steps:
        deltas = Deltas(state)
        deltas.of.update(step)
        for rule in (rule for unit in units for rule in unit.rules):
            evaluation.apply_once(list(_marking(rule, marked, deltas, state)))
    return EarlierMarks(given, {name: table.rows.copy() for name, table in heads.items() if len(table)})


def _marking(rule: CoreRule, marked: set[str], deltas: Deltas, state: State) -> Iterator[CoreRule]:
    """Rules that mark the heads of a rule's instances that have a marked fact, and a fact that came, or were proved."""
    head, atoms = Atom(f"#heads {rule.head.predicate}", rule.head.args), positive_atoms(rule)
    for at, name in atoms:
        if name not in marked:
            continue
        with_mark = [*rule.body, rule.head]
        with_mark[at] = Atom(_marked(name), _args(rule, at))
        for other, changed in atoms:
            if (
                other != at
                and changed in deltas
                and not deltas.is_virtual(changed)
                and (inserted := deltas.plus(changed)) is not None
            ):
                body = [*with_mark]
                body[other] = Atom(inserted, _args(rule, other))
                yield deltas.variant(rule, ("marking", at, other), body, head)
        proved = f"#proved {rule.head.predicate}"
        if proved in state.helpers and len(state.helpers[proved]):
            state.helpers[proved].mark_delta()
            yield deltas.variant(rule, ("marking", at), (Atom(proved, rule.head.args), *with_mark), head)


def _marked(name: str) -> str:
    return f"#marked {name}"


def _args(rule: CoreRule, at: int) -> tuple[Term, ...]:
    atom = rule.body[at]
    assert isinstance(atom, Atom)
    return atom.args
