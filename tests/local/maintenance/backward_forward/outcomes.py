"""What B/F's compiled loop stops for, seen from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from unittest.mock import patch

from tidelog import KnowledgeBase
from tidelog.core.arrays import Int64s
from tidelog.local.maintenance.backward_forward import bf_loop
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.backward_forward.unit_tables import UnitTables

Fact = tuple[object, ...]


@contextmanager
def recorded() -> Iterator[list[tuple[int, int]]]:
    """The phase and the reason of each stop."""
    found: list[tuple[int, int]] = []
    known: dict[int, UnitTables] = {}
    begin, delete = UnitTables.begin_loop, bf_loop.delete_unproved

    def begin_loop(tables: UnitTables, *args: object) -> None:
        known[id(tables.U)] = tables
        begin(tables, *args)  # type: ignore[arg-type]

    def delete_unproved(M: Int64s, X: Int64s, VR: Int64s, T: Int64s, U: Int64s) -> None:  # noqa: N803
        delete(M, X, VR, T, U)
        progress = known[id(U)].progress
        found.append((int(progress[unit.PHASE]), int(progress[unit.RESULT])))

    with patch.object(UnitTables, "begin_loop", begin_loop), patch.object(bf_loop, "delete_unproved", delete_unproved):
        yield found


def reasons(stops: list[tuple[int, int]]) -> set[int]:
    return {reason for _, reason in stops}


def check_deletion(
    rules: str, facts: Sequence[Fact], deleted: Sequence[Fact], *, modules: bool = False
) -> tuple[KnowledgeBase, set[int]]:
    """Delete facts by B/F and compare with deriving everything again; the knowledge base, and what the loop stopped for."""
    kb, other = (KnowledgeBase(rules, algorithm=name, modules=modules) for name in ("bf", "rematerialise"))
    for each in (kb, other):
        each.update(insert=facts)
    with recorded() as stops:
        change = kb.update(delete=deleted)
    other.update(delete=deleted)
    assert "rematerialise" not in change.stats.algorithm
    assert {name: set(kb.facts(name)) for name in kb.relations} == {name: set(other.facts(name)) for name in other.relations}
    return kb, reasons(stops)
