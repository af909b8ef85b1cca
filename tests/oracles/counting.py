"""DRed with two counters for each fact, for one unit: Hu, Motik and Horrocks, "Optimised Maintenance" (AAAI 2018).

C_nr counts the instances of non-recursive rules that derive a fact, C_r those of recursive rules, whose body has a fact of the
unit. Over-deletion takes lost instances off the counters, and stops at facts that are explicit or have C_nr > 0. A deleted
fact with C_r > 0 is back in one step, without any join; insertion derives the rest (`grounding.maintain`).

No counter depends on the order: what is over-deleted is a least fixpoint, and each instance that loses a fact is lost once.
"""

from __future__ import annotations

from collections import Counter

from tests.oracles.grounding import Bounds, Unit

from tidelog.local.maintenance.backward_forward.as_printed import Fact


def delete(unit: Unit, bounds: Bounds) -> set[Fact]:
    """The facts of a unit that are left after over-deletion."""
    own = {fact for fact in unit.facts if unit.is_own(fact)}
    non_recursive, recursive = Counter[Fact](), Counter[Fact]()
    for r in unit.before:
        (recursive if any(map(unit.is_own, r.body)) else non_recursive)[r.head] += 1
    gone, lost = unit.lost, set(unit.before[:0])
    deleted, examined = set[Fact](), unit.seeds
    while True:
        found = {r for r in unit.before if not gone.isdisjoint(r.body)} - lost
        lost |= found
        for r in found:
            (recursive if any(map(unit.is_own, r.body)) else non_recursive)[r.head] -= 1
        examined = examined | {r.head for r in found}
        going = {fact for fact in examined - deleted if fact not in unit.explicit and not non_recursive[fact]}
        if not found and not going:
            break
        deleted |= going
        gone = gone | going
    left = own - deleted
    assert all(non_recursive[fact] >= 0 and recursive[fact] >= 0 for fact in own)
    derived = {r.head for r in unit.before if r not in lost and any(map(unit.is_own, r.body))}
    assert {fact for fact in deleted if recursive[fact]} == deleted & derived, "C_r tells what is derived in one step"
    bounds.lists_instances = True
    bounds.add_instances("suspected", lost)
    bounds.add("overdeleted", len(deleted))
    bounds.add("rederived", 0)
    return left
