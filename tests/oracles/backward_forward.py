"""Deletions of a unit by B/F as printed, and which of the engine's counters follow from it whatever the order of work.

- `suspected`: an instance is used to propagate a deletion if and only if a fact of its body is deleted, and then once. What is
  deleted does not depend on the order, so this number does not either.
- `checked - proved`: every checked fact is proved or disproved, and what is disproved is just what is deleted. This too.
- `checked`, `proved`, `affected`, `backward`, `forward` depend on the order in which rules and facts are tried: one proof found
  early saves the search for others. They have bounds. The engine looks at every instance at most twice when it searches
  backward, once one step ahead and once to check its body.
"""

from __future__ import annotations

from tests.oracles.grounding import Bounds, Unit

from tidelog.local.maintenance.backward_forward.as_printed import AsPrinted, Fact


def delete(unit: Unit, bounds: Bounds) -> set[Fact]:
    """The facts of a unit that are left."""
    bf = AsPrinted(unit.program, unit.explicit, unit.facts)
    bf.BF(unit.gone)
    left = {fact for fact in bf.I if unit.is_own(fact)}
    count(unit, bf, bounds)
    return left


def count(unit: Unit, bf: AsPrinted, bounds: Bounds) -> None:
    """Check the paper's invariants, and count."""
    used = [r for r in unit.program if not bf.O.isdisjoint(r.body)]
    remaining = [r for r in unit.program if bf.O.isdisjoint(r.body)]
    deleted = {fact for fact in bf.O if unit.is_own(fact)}
    assert bf.deletion == len(used), "an instance was used twice to propagate a deletion, or not at all"
    assert bf.deletion + bf.forward <= len(unit.program)
    assert bf.backward <= len(unit.program)
    assert bf.S == bf.O == bf.D.keys() - bf.P.keys()
    assert bf.C.keys() == bf.S | bf.P.keys()
    assert set(bf.P) == bf.V
    used = [r for r in unit.before if not bf.O.isdisjoint(r.body)]
    suspects = unit.seeds | {r.head for r in used}
    bounds.add_instances("suspected", used)
    bounds.add("disproved", len(deleted))
    bounds.add("affected", 0, len(suspects - unit.seeds))
    bounds.add("checked", len(suspects), len([fact for fact in unit.facts if unit.is_own(fact)]))
    bounds.add("proved", len(suspects - deleted), len([fact for fact in unit.facts - deleted if unit.is_own(fact)]))
    bounds.add("backward", 0, 2 * len(unit.program))
    bounds.add("forward", 0, sum(sum(map(unit.is_own, r.body)) for r in remaining))
    bounds.add("printed checked", len([fact for fact in bf.C if unit.is_own(fact)]))
    bounds.add("printed backward", bf.backward)
    bounds.add("printed forward", bf.forward)
