"""The kernel's view of a unit: kept while sizes are about the same, and told of every buffer that moves."""

from __future__ import annotations

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.local.kernel.memory import address_of
from tidelog.local.maintenance.backward_forward import unit_layout as unit
from tidelog.local.maintenance.backward_forward.unit_tables import UnitTables

RULES = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."
ROLES = ("checked", "proved", "deleted", "suspect")


@pytest.fixture
def kb() -> KnowledgeBase:
    kb = KnowledgeBase(RULES, algorithm="bf", modules=False)
    kb.update(insert=[("e", n, n + 1) for n in range(20)])
    kb.update(delete=[("e", 19, 20)])  # makes the helper tables
    return kb


def tables_of(kb: KnowledgeBase) -> UnitTables:
    engine = engine_of(kb)
    runtime, helpers = engine.runtime(engine.structure.deriver["p"]), engine.state.helpers
    return UnitTables(runtime, {role: {"p": helpers[runtime.table_name(role, "p")]} for role in ROLES})


def test_plans_serve_until_the_relations_that_the_unit_reads_are_much_larger(kb: KnowledgeBase) -> None:
    tables = tables_of(kb)
    assert tables.begin()
    kb.update(insert=[("e", 100 + n, 100 + n) for n in range(50)])
    assert tables.begin()
    kb.update(insert=[("e", 1000 + n, 1000 + n) for n in range(500)])
    assert not tables.begin()
    assert tables_of(kb).begin()


def test_an_update_begins_with_nothing_checked_and_nothing_counted(kb: KnowledgeBase) -> None:
    tables = tables_of(kb)
    tables.begin()
    tables.progress[:] = 9
    tables.relations[:, unit.NEXT_AFFECTED :] = 9
    assert tables.begin()
    assert set(tables.progress.tolist()) == {0, -1}
    assert not tables.relations[:, unit.NEXT_AFFECTED :].any()


def test_the_kernel_is_told_where_buffers_are_after_they_have_grown(kb: KnowledgeBase) -> None:
    tables = tables_of(kb)
    room = int(tables.U[unit.STACK_ROOM])
    tables.grow_stack()
    assert tables.U[unit.STACK_ROOM] == 2 * room
    for place in (unit.STACK, unit.RELATIONS, unit.PLANS):
        assert tables.U[place] == address_of(tables._buffers[place])


def test_removed_rows_leave_indexes_that_were_made_later(kb: KnowledgeBase) -> None:
    tables, table = tables_of(kb), engine_of(kb).state.table("p")
    tables.register_indexes()
    before = int(tables.U[unit.OWN_INDEX_COUNT])
    index = table.index_on((1, 0))
    tables.register_indexes()
    assert tables.U[unit.OWN_INDEX_COUNT] == before + 1
    assert index.number in tables._buffers[unit.OWN_INDEXES]


def test_the_rows_that_the_kernel_removed_go_to_the_undo_log_once() -> None:
    kb = KnowledgeBase(RULES + " q(X) :- p(X, X). p(X, X) :- q(X), f(X).", algorithm="bf", modules=False)
    kb.update(insert=[("e", 1, 1), ("e", 1, 2), ("f", 1)])
    before = {name: set(kb.facts(name)) for name in kb.relations}
    kb.update(delete=[("e", 1, 1), ("f", 1)])
    assert set(kb.facts("q")) == set()
    kb.update(insert=[("e", 1, 1), ("f", 1)])
    assert {name: set(kb.facts(name)) for name in kb.relations} == before
