"""Maintenance of aggregates in rounds: groups with a delta are aggregated again."""

from __future__ import annotations

import numpy as np

from tidelog.core.rules import Aggregation, CoreRule
from tidelog.spark.data.frames import FrameRelation, facts_in_driver
from tidelog.spark.data.sets import Delta, Sets
from tidelog.spark.evaluation.rounds import Rounds, seeing
from tidelog.syntax.tree import Atom, Variable


def maintain_aggregate(
    rounds: Rounds, sets: Sets, delta: Delta, name: str, operator: Aggregation
) -> tuple[FrameRelation, FrameRelation]:
    """The results of changed groups now (inserted), and before (deleted)."""
    columns = tuple(Variable(f"V{at}") for at in range(rounds.relations[operator.inner].width))
    groups = columns[: operator.groups]
    inner, folded = Atom(operator.inner, columns), Atom(name, (*groups, Variable("result")))
    parts = [part for part in (delta.inserted, delta.deleted) if part.count]
    if groups:
        head = CoreRule(Atom("#touched", groups), (inner,), 0, "")
        some = [rounds.joined(head, lambda _at, _name, p=part: p, 0, part.count) for part in parts]  # type: ignore[misc]
        start = sum(part.count for part in parts)
        touched = sets.distinct(some, facts_in_driver(np.empty((0, len(groups)), np.int32)), start)
    else:
        touched = facts_in_driver(np.zeros((1, 1), np.int32))

    def of_groups(atom: Atom) -> FrameRelation:
        rule = CoreRule(atom, (Atom("#touched", groups), atom), 0, "")
        found = rounds.joined(rule, seeing(0, touched, rounds.relations), 0, touched.count)
        return sets.distinct([found], rounds.relations[atom.predicate], touched.count)

    old = of_groups(folded)
    rounds.relations[name].remove(old, sets.lineage, sets.spark)
    recorded = rounds.recorded = {}
    bindings = of_groups(inner)
    if bindings.count:
        rounds.fold(name, operator, bindings)
    rounds.recorded = None
    return sets.fused(recorded.get(name, ()), rounds.relations[name]), old
