"""Numberings of terms: shared by tables of the same terms, and given up where they have gathered too many."""

from __future__ import annotations

import gc
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.local.storage.test_tables import Terms, matrix
from tests.local_engine import USUAL, Conditions, collecting, engine_of, under

from tidelog import KnowledgeBase
from tidelog.local.kernel import layout
from tidelog.local.storage.pairs.places import Numberings, Places, domain_for
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table

MANY = 1 << 20
STRIDE = 300
"""Between the ids of terms that a relation has."""


def dense(count: int, begin: int = 0) -> NDArray[np.int32]:
    """All pairs of so many terms."""
    return (STRIDE * (begin + np.stack(np.divmod(np.arange(count * count), count), axis=1))).astype(np.int32)


def words(table: Table, at: int) -> int:
    return int(table.store.M[table.number, at])


def filled(store: Store, rows: NDArray[np.int32]) -> Table:
    table = store.new_table(2)
    table.insert(rows)
    return table


def test_other_terms_take_no_room() -> None:
    table = filled(Store(Terms(MANY)), dense(100))
    assert words(table, layout.BITS)
    assert words(table, layout.DOMAIN) == 128
    assert table.placed_ids.tolist() == list(range(0, 100 * STRIDE, STRIDE))
    assert table.contains(dense(100)).all()
    assert table.contains(dense(100) + 1).sum() == 0
    assert table.contains(np.array([(MANY + 5, 0), (0, MANY + 5)], np.int32)).sum() == 0
    assert table.matrix is None, "its columns are not ids"


def test_relations_with_many_terms_have_no_matrix() -> None:
    rows = (STRIDE * np.stack([np.arange(1000), np.arange(1000) + 1], axis=1)).astype(np.int32)
    assert not filled(Store(Terms(MANY)), rows).has_bits


def test_tables_of_the_same_terms_share_places_and_others_do_not() -> None:
    store = Store(Terms(MANY))
    one, same, most, other = (filled(store, rows) for rows in (dense(100), dense(90, 5), dense(100, 25), dense(100, 500)))
    assert words(one, layout.PLACES) == words(same, layout.PLACES) == words(most, layout.PLACES) != words(other, layout.PLACES)
    assert [words(table, layout.DOMAIN) for table in (one, same, most, other)] == [128] * 4
    assert len(one.placed_ids) == 125
    assert one.insert(dense(100, 500)[:5]) == 5, "the same table takes in other terms"
    assert one.contains(np.concatenate([dense(100), dense(100, 500)[:5]])).all()
    assert store.numberings.nbytes > 0
    for table in (one, same, most, other):
        table.empty()
    gc.collect()
    assert store.numberings.nbytes == 0


def test_a_matrix_grows_with_its_terms_and_forgets_those_that_are_gone() -> None:
    terms = Terms(MANY)
    table = filled(Store(terms), dense(60))
    for begin in range(1, 40):
        table.insert(dense(60, 60 * begin))
        table.remove(dense(60, 60 * (begin - 1)))
        table.compact()
        assert table.contains(dense(60, 60 * begin)).all()
        assert table.contains(dense(60, 60 * (begin - 1))).sum() == 0
    terms.size = 8 * MANY
    latest = np.array([(7 * MANY, 7 * MANY)], np.int32)
    assert table.insert(latest) == 1
    assert table.contains(latest).all()
    assert table.has_bits
    assert words(table, layout.DOMAIN) <= 1024


def test_an_independent_copy() -> None:
    places = Places(100, 8)
    places.add(matrix([(50, 7)], 2))
    copy = places.copied()
    assert copy.add(matrix([(8, 50)], 2))
    assert (places.ids.tolist(), copy.ids.tolist()) == ([50, 7], [50, 7, 8])


def test_no_numbering_for_a_matrix_that_is_too_large() -> None:
    numberings, row = Numberings(), (matrix([(n, n + 1) for n in range(100)], 2),)
    assert numberings.of_rows(row, 200, 64) is None
    assert numberings.nbytes == 0
    found = numberings.of_rows(row, 200, 128)
    assert found is not None
    assert numberings.of_rows((row[0][:70],), 200, 128) is found
    assert [domain_for(count) for count in (0, 62, 63, 126, 127)] == [64, 64, 128, 128, 256]


POINTS_TO = """
pt(V, O) :- alloc(V, O).
pt(V, O) :- assign(V, W), pt(W, O).
pt(V, O) :- load(V, W), pt(W, P), pt(P, O).
pt(P, O) :- store(V, W), pt(V, P), pt(W, O).
reach(X, Y) :- assign(X, Y).
reach(X, Z) :- assign(X, Y), reach(Y, Z).
apart(X, Y) :- pt(X, Y), not reach(X, Y).
"""


@pytest.mark.parametrize("algorithm", ["auto", "bf", "dred", "rematerialise"])
@pytest.mark.parametrize("first_capacity", [32, 1])
def test_programs_find_the_same_whatever_else_is_loaded(algorithm: Any, first_capacity: int) -> None:
    """From the first load on, through updates, copies of the state, and unused terms that are collected."""
    with under(replace(USUAL, first_capacity=first_capacity)):
        chance, variables = Random(first_capacity), 150
        alone, beside = KnowledgeBase(POINTS_TO, modules=False, algorithm=algorithm), None
        with collecting():
            beside = KnowledgeBase(POINTS_TO + "other(0, 1).", modules=False, algorithm=algorithm)
            beside.update(insert=[("other", n, n + 1) for n in range(10_000, 15_000)])
            for step in range(7):
                some = [
                    (chance.randrange(20 * step, variables), chance.randrange(variables)) for _ in range(240 if step == 0 else 12)
                ]
                more = [(chance.choice(("alloc", "assign", "assign", "assign", "load", "store")), *pair) for pair in some]
                held = sorted((name, *row) for name in ("alloc", "assign", "load", "store") for row in alone.facts(name))
                less = chance.sample(held, min(len(held), 9))
                for kb in (alone, beside):
                    kb.update(insert=more, delete=less)
                for name in ("pt", "reach", "apart"):
                    assert sorted(beside.facts(name)) == sorted(alone.facts(name)), (step, name)
                if step == 3:
                    tables = engine_of(beside).state.tables
                    assert algorithm == "rematerialise" or len(tables["pt"].placed_ids)
                    copies = engine_of(beside).state.clone().tables
                    assert copies["pt"].contains(tables["pt"].rows).all()
                    copies["pt"].insert(matrix([(0, 1), (9, 2), (0, 9)], 2))
                    assert copies["pt"].contains(matrix([(0, 1), (9, 2), (0, 9)], 2)).all()
                    assert len(tables["pt"]) > 500
                if step == 4:
                    beside.update(delete=[("other", n, n + 1) for n in range(10_000, 15_000)])
                if step == 5:
                    beside.update(insert=[("other", n, n + 1) for n in range(20_000, 25_000)])


STEPS = st.lists(
    st.tuples(st.sampled_from(("insert", "remove", "undo", "index")), st.integers(0, 60), st.integers(1, 9)), max_size=20
)


@given(STEPS, st.sampled_from((USUAL, replace(USUAL, first_capacity=1), replace(USUAL, largest_domain=128))))
def test_a_table_with_places_holds_what_a_set_holds(steps: list[tuple[str, int, int]], conditions: Conditions) -> None:
    """Through matrices that grow, become hash tables and come again, also when removed rows come back after that."""
    with under(replace(conditions, places=True)):
        store = Store(Terms(200 * STRIDE))
        table, other = store.new_table(2), filled(store, dense(9, 3))
        held: set[tuple[int, int]] = set()
        every = dense(60, 1)
        for step, begin, size in steps:
            rows, end, tombstones = dense(size, begin), table.end, table.tombstones
            pairs = {(int(x), int(y)) for x, y in rows}
            if step == "index":
                table.mark_delta()
                table.extend_index(table.index_on((1,)))
            elif step == "insert":
                table.insert(rows)
                held |= pairs
            elif step == "remove":
                table.remove(rows)
                held -= pairs
            else:
                table.remove(rows)
                table.insert(dense(size, 90 - begin))
                table.reserve(table.end + 100)
                table.restore_rows(end, tombstones)
            assert {(int(x), int(y)) for x, y in table.rows} == held
        found = table.contains(every)
        assert {(int(x), int(y)) for x, y in every[found]} == held & {(int(x), int(y)) for x, y in every}
        assert other.contains(dense(9, 3)).all()
