"""Marks for the next update: Algorithm 1 of Illich and Glimm, "Backward/Forward with Marking for Update Streams" (DL 2025).

While one update is applied, the next one is known. The explicit facts that it deletes are marked. Every rule instance that is
used to insert, or to prove forward, and has a marked explicit fact in its body, marks its head: the implicit marks. With these
the next update begins its set W of facts to check, so their rule instances need not be found again.

Positive programs only, and updates of relations without rules, as in the paper. The engine inserts the marked facts of an
update last, in a step of their own (`fresh`), and looks for the heads that older marked facts have marked (`earlier`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tests.oracles.grounding import instances

from tidelog.local.maintenance.backward_forward.as_printed import Fact, Instance
from tidelog.program.program import Program
from tidelog.reference import materialise


@dataclass
class Marks:
    """What is marked when an update is done."""

    explicit: set[Fact]
    """What the next update deletes."""
    implicit: set[Fact]
    """The heads of instances that were used with a marked fact."""
    fresh: set[Fact]
    """Those that the marked facts of this very update have brought: without them they would not be there."""
    earlier: set[Fact]
    """Those of instances with a marked fact that was there before, and another fact that this update has brought."""


def mark(program: Program, explicit: set[Fact], deleted: set[Fact], inserted: set[Fact], deleted_next: set[Fact]) -> Marks:
    """Apply an update of explicit facts, and mark what the next one will delete."""
    remaining = explicit - deleted
    after = remaining | inserted
    marked = deleted_next & after
    new = marked - remaining
    old_facts, without, facts = (_all(program, given) for given in (remaining, after - new, after))
    came = facts - old_facts
    used = [r for r in _instances(program, facts) if not came.isdisjoint(r.body)]
    return Marks(
        marked,
        {r.head for r in used if not marked.isdisjoint(r.body)},
        {r.head for r in used if not new.isdisjoint(r.body)} - without,
        {r.head for r in used if _is_marked_beside(r, marked - new, came)},
    )


def _is_marked_beside(r: Instance, marked: set[Fact], came: set[Fact]) -> bool:
    """Whether an instance has a marked fact, and one that came at another place of its body."""
    places = enumerate(r.body)
    return any(fact in marked and any(other in came for at, other in enumerate(r.body) if at != place) for place, fact in places)


def _all(program: Program, explicit: Iterable[Fact]) -> set[Fact]:
    return {(name, row) for name, rows in materialise(program, explicit).items() for row in rows}


def _instances(program: Program, facts: set[Fact]) -> list[Instance]:
    relations = {name: {row for other, row in facts if other == name} for name in program.relations}
    return instances(program, range(len(program.rules)), relations)
