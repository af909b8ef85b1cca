"""A change of rules on Spark: which relations it affects, and how the new engine reuses all others.

Frames are immutable, so that to copy a relation costs nothing. The dictionary is shared: numbers are only ever added to it.
Units in the kernel are evaluated again, which is quick, since they are small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.core.rule_report import Visit
from tidelog.core.rules import Unit
from tidelog.program.changes.components import Components
from tidelog.program.changes.live_rules import RuleDifference
from tidelog.spark.evaluation.placement import Where

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


def affected_relations(difference: RuleDifference) -> set[str]:
    """The relations that added or removed rules can change: their heads, and all that is derived from these."""
    old, new = difference.before.components, difference.after.components
    found = {old.rules[number].head.predicate for number in difference.removed}
    found |= {new.rules[number].head.predicate for number in difference.added}
    waiting = list(found)
    while waiting:
        name = waiting.pop()
        heads = _derived_from(name, old) | _derived_from(name, new)
        waiting += heads - found
        found |= heads
    return found


def _derived_from(name: str, components: Components) -> set[str]:
    return {components.rules[number].head.predicate for number in components.using.get(name, ())}


def reuse_unaffected(new: SparkEngine, old: SparkEngine, affected: set[str]) -> None:
    """Copy what an engine has on Spark and changed rules do not affect; the new engine has derived nothing yet."""
    mine, theirs = new.exchange, old.exchange
    with_rules = {name for engine in (new, old) for name, relation in engine.program.relations.items() if relation.has_rules}
    for name, relation in theirs.relations.items():
        if not name.startswith("#") and name not in with_rules:
            mine.relations[name] = relation.copy()
    before = {component.predicates: component for component in old.program.graph.components}
    for component in new.program.graph.components:
        was = before.get(component.predicates)
        if was is None or not affected.isdisjoint(component.predicates) or old.where_of(was.predicates[0]) is Where.KERNEL:
            continue
        pairs = _names(old.frame_units(was), new.frame_units(component))
        if pairs is None:
            continue
        # The explicit facts of a transitive relation without other rules have no unit of their own.
        read = {name for unit in new.frame_units(component) for name in unit.uses}
        pairs |= {name: name for name in read - pairs.keys() if name.startswith("#given ")}
        for their_name, my_name in pairs.items():
            if their_name in theirs.relations:
                mine.relations[my_name] = theirs.relations[their_name].copy()
            if their_name in theirs.explicit:
                mine.explicit[my_name] = theirs.explicit[their_name].copy()
        new.reuse(component, next(placed for placed in old.placed.placements if placed.relations == was.predicates))


def _names(before: list[Unit], after: list[Unit]) -> dict[str, str] | None:
    """Pairs of relations of the same units in two programs, in which only the numbers in internal names may differ."""
    pairs: dict[str, str] = {}
    if len(before) != len(after):
        return None
    for one, other in zip(before, after, strict=True):
        if len(one.relations) != len(other.relations) or len(one.operators) != len(other.operators):
            return None
        pairs |= zip((*one.relations, *one.operators), (*other.relations, *other.operators), strict=True)
    has_same_names = all(one == other or (one.startswith("#") and other.startswith("#")) for one, other in pairs.items())
    return pairs if has_same_names else None


def visits(engine: SparkEngine, affected: set[str]) -> list[Visit]:
    """The components that were derived anew, since changed rules affect them."""
    seconds = {placed.relations: placed.seconds for placed in engine.placed.placements}
    return [
        Visit(unit, is_evaluated=True, seconds=seconds.get(component.predicates, 0.0))
        for component in engine.program.graph.components
        if not affected.isdisjoint(component.predicates)
        for unit in engine.frame_units(component)[:1]
    ]
