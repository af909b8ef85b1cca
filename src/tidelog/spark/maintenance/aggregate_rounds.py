"""Aggregates in rounds under change: the groups in which something came or went are folded again."""

from __future__ import annotations

import numpy as np

from tidelog.core.rules import Aggregation, CoreRule
from tidelog.spark.data.frames import Relation, few_facts
from tidelog.spark.data.sets import Difference, Sets
from tidelog.spark.evaluation.rounds import Rounds, seeing
from tidelog.syntax.tree import Atom, Variable


def refolded(rounds: Rounds, sets: Sets, change: Difference, name: str, special: Aggregation) -> tuple[Relation, Relation]:
    """What the touched groups give now, and what they gave before."""
    columns = tuple(Variable(f"V{at}") for at in range(rounds.relations[special.inner].width))
    groups = columns[: special.groups]
    inner, folded = Atom(special.inner, columns), Atom(name, (*groups, Variable("result")))
    parts = [part for part in (change.inserted, change.deleted) if part.count]
    if groups:
        head = CoreRule(Atom("#touched", groups), (inner,), 0, "")
        some = [rounds.joined(head, lambda _at, _name, p=part: p, 0, part.count) for part in parts]  # type: ignore[misc]
        start = sum(part.count for part in parts)
        touched = sets.distinct(some, few_facts(np.empty((0, len(groups)), np.int32)), start)
    else:
        touched = few_facts(np.zeros((1, 1), np.int32))

    def of_groups(atom: Atom) -> Relation:
        rule = CoreRule(atom, (Atom("#touched", groups), atom), 0, "")
        found = rounds.joined(rule, seeing(0, touched, rounds.relations), 0, touched.count)
        return sets.distinct([found], rounds.relations[atom.predicate], touched.count)

    old = of_groups(folded)
    rounds.relations[name].remove(old, sets.lineage, sets.spark)
    recorded = rounds.recorded = {}
    bindings = of_groups(inner)
    if bindings.count:
        rounds.fold(name, special, bindings)
    rounds.recorded = None
    return sets.fused(recorded.get(name, ()), rounds.relations[name]), old
