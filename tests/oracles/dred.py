"""Delete and rederive, for one unit: Gupta, Mumick and Subrahmanian, "Maintaining Views Incrementally" (SIGMOD 1993).

Over-deletion goes in rounds: what has lost an instance goes, with all that was derived from it, whether or not other
derivations are left. Then comes back what is explicit, or what one rule derives from the facts that are left (one-step
rederivation); insertion derives the rest (`grounding.maintain`).

Counters that no order changes: `overdeleted`, `affected`, and `suspected`. As in the engine, an instance whose head has gone
in an earlier round is not used any more: which round a fact goes in is a distance, and no matter of order. `rederived` has
bounds: while facts come back one after the other, a later look may see those that are back already, and may not.
"""

from __future__ import annotations

from tests.oracles.grounding import Bounds, Unit

from tidelog.local.maintenance.backward_forward.as_printed import Fact


def delete(unit: Unit, bounds: Bounds) -> set[Fact]:
    """The facts of a unit that are left after over-deletion."""
    own = {fact for fact in unit.facts if unit.is_own(fact)}
    lost = unit.lost
    used = [r for r in unit.before if not lost.isdisjoint(r.body)]
    removed: set[Fact] = set()
    going = unit.seeds | {r.head for r in used}
    while going:
        left = own - removed
        uses = [r for r in unit.before if lost.isdisjoint(r.body) and not going.isdisjoint(r.body)]
        found = [r for r in uses if removed.isdisjoint(r.body) and r.head in left]
        removed |= going
        used += found
        going = {r.head for r in found} - removed
    left = own - removed
    _rederive(unit, left, removed, bounds)
    bounds.add_instances("suspected", used)
    bounds.add("overdeleted", len(removed))
    bounds.add("affected", len(removed - unit.seeds))
    return left


def _rederive(unit: Unit, left: set[Fact], removed: set[Fact], bounds: Bounds) -> None:
    """Count the instances that derive a deleted fact from what is left, and from that and all that is back in the end."""
    explicit = {fact for fact in unit.explicit if unit.is_own(fact)}
    back = unit.closed(left | (removed & explicit)) & (left | removed)
    at_once, in_the_end = ([r for r in unit.still(facts) if r.head in removed] for facts in (left, back))
    bounds.add_instances("rederived", at_once, len(in_the_end), explicit)
