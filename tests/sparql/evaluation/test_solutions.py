"""Solutions that fit together, against the definitions of the recommendation."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tidelog.sparql.evaluation.solutions import (
    UNIT,
    Solutions,
    distinct,
    distinct_rows,
    firsts,
    groups_of,
    has_match,
    join,
    keys_of,
    minus,
    pairs,
    union,
)

Rows = list[tuple[int, ...]]
NOTHING = -1


def tables(names: str) -> st.SearchStrategy[Solutions]:
    values = st.one_of(st.integers(0, 3), st.just(NOTHING))
    rows = st.lists(st.tuples(*(values for _ in names)), max_size=6)
    return rows.map(lambda some: Solutions.of_rows(names, np.array(some, np.int32).reshape(len(some), len(names))))


def mappings(solutions: Solutions) -> list[dict[str, int]]:
    rows = solutions.matrix(list(solutions.columns)).tolist()
    return [{name: at for name, at in zip(solutions.columns, row, strict=True) if at >= 0} for row in rows]


def compatible(left: dict[str, int], right: dict[str, int]) -> bool:
    return all(right.get(name, value) == value for name, value in left.items())


def counted(some: list[dict[str, int]]) -> Counter[frozenset[tuple[str, int]]]:
    return Counter(frozenset(one.items()) for one in some)


@given(tables("abc"), tables("bcd"))
def test_join(left: Solutions, right: Solutions) -> None:
    expected = [one | other for one in mappings(left) for other in mappings(right) if compatible(one, other)]
    assert counted(mappings(join(left, right, lambda _: None))) == counted(expected)
    lefts, _ = pairs(left, right, lambda _: None)
    assert (np.diff(lefts) >= 0).all()


@given(tables("ab"), tables("bc"))
def test_minus(left: Solutions, right: Solutions) -> None:
    expected = [
        one for one in mappings(left) if not any(compatible(one, other) and set(one) & set(other) for other in mappings(right))
    ]
    assert counted(mappings(minus(left, right))) == counted(expected)


@given(tables("ab"), tables("bc"))
def test_matches(left: Solutions, right: Solutions) -> None:
    expected = [any(compatible(one, other) for other in mappings(right)) for one in mappings(left)]
    assert has_match(left, right).tolist() == expected


@given(tables("abcd"))
def test_distinct(solutions: Solutions) -> None:
    rows = solutions.matrix("abcd").tolist()
    assert distinct(solutions).matrix("abcd").tolist() == [list(row) for row in dict.fromkeys(map(tuple, rows))]
    whole = {tuple(row) for row in solutions.matrix("ab").tolist() if min(row) >= 0}
    assert {tuple(row) for row in distinct_rows(solutions, "ab").tolist()} == whole
    first, places = groups_of([solutions.columns[name] for name in "abc"], solutions.count)
    assert [rows[first[place]][:3] for place in places.tolist()] == [row[:3] for row in rows]


def test_keys_of_large_ids() -> None:
    ids = np.array([2**31 - 2, 2**31 - 3, 2**31 - 2, -1], np.int32)
    for width in range(1, 5):
        keys = keys_of([ids] * width, 4).tolist()
        assert keys[0] == keys[2]
        assert len(set(keys)) == 3
    assert firsts([], 3).tolist() == [0]
    assert firsts([], 0).tolist() == []


def test_union_and_unit() -> None:
    one = Solutions.of_rows("a", np.array([[1], [2]], np.int32))
    other = Solutions.of_rows("b", np.array([[3]], np.int32))
    both = union([one, other])
    assert both.matrix("ab").tolist() == [[1, -1], [2, -1], [-1, 3]]
    assert join(UNIT, one, lambda _: None) is one
    assert one.with_column("c", np.array([5, 6], np.int32)).only("c").matrix("c").tolist() == [[5], [6]]
    assert one.take(np.array([False, True])).count == 1


def test_a_product_is_asked_for() -> None:
    asked: list[int] = []
    one = Solutions.of_rows("a", np.zeros((10, 1), np.int32))
    other = Solutions.of_rows("b", np.zeros((20, 1), np.int32))
    assert join(one, other, asked.append).count == 200
    assert asked == [3200]
