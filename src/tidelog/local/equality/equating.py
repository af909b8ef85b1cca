"""One update of a program with equality: steps of maintenance, and changes of classes between them.

Insertions go on from the classes that there are: what was the same stays so.  A deletion may take away why rules have found
individuals to be the same, and the facts that led to it are not there as they were: they have been brought to representatives.
So if anything is deleted on which that depends, what rules have found is given up, and they find it again, as far as it holds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.core.units import StructureChange
from tidelog.local.equality.classes import NO_EDGES, Classes
from tidelog.local.equality.evidence import are_individuals, constants_of, edges_found, what_matters
from tidelog.local.maintenance.delta.differences import Differences
from tidelog.local.program_state import ProgramState
from tidelog.program.same_as import EQUATED, SAME, told_name


def equate(
    engine: ProgramState, step: Callable[[], Differences], go_on: Callable[[], None], change: StructureChange | None
) -> Differences:
    """Derive what follows, and what is the same; `step` derives what follows from the explicit facts as they are.

    `go_on` is called before explicit facts change for another step.  `change` is a change of rules in this update.
    """
    classes, told = Classes(engine), told_name(SAME)
    is_first = not engine.has_derived
    added = classes.table(told).rows if is_first else engine.new_explicit_rows().get(told, NO_EDGES)
    gone = engine.changes.deleted.get(told, [])
    removed = np.concatenate([NO_EDGES, *gone])
    if not is_first and len(classes.table(EQUATED)) and _loses_reasons(engine, change):
        found = classes.table(EQUATED).rows.copy()
        engine.remove(EQUATED, found)
        removed = np.concatenate([removed, found])
    added, removed = (rows[are_individuals(engine, rows).all(axis=1)] for rows in (added, removed))
    if len(added) or len(removed):
        classes.change(added, removed)
    classes.know_constants(_constants(engine))
    made = step()
    found = edges_found(engine, None if is_first else made.deltas)
    while len(found):
        ends = classes.representatives(found.reshape(-1)).reshape(-1, 2)
        found = found[ends[:, 0] != ends[:, 1]]
        if not len(found):
            break
        go_on()
        engine.add(EQUATED, found)
        classes.change(found, NO_EDGES)
        made = step()
        found = edges_found(engine, made.deltas)
    return made


def _loses_reasons(engine: ProgramState, change: StructureChange | None) -> bool:
    """Whether rules go, or explicit facts, on which it may depend that rules have found individuals to be the same."""
    if change is not None and (change.dropped or any(unit.removed for unit in change.units.values())):
        return True
    if not engine.changes.deleted:
        return False
    matters = what_matters(engine.structure)
    return any(name in matters or name == told_name(SAME) for name in engine.changes.deleted)


def _constants(engine: ProgramState) -> Int32s:
    found = constants_of(engine.structure)
    ids: Int32s = engine.state.terms.encode(list(found)) if found else np.empty(0, np.int32)
    return ids
