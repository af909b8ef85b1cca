"""Results that follow from the ones before: what each function needs for that, and when it does not do."""

from __future__ import annotations

import numpy as np
import pytest
from tests.local.small_engine import SmallEngine

from tidelog.core.rules import Aggregation
from tidelog.local.maintenance.aggregates.continuation import Touched, continued

FACTS = "g(1, 1, 5). g(1, 2, 7). g(2, 1, 9)."


def follows(function: str, insert: list[tuple[int, ...]], delete: list[tuple[int, ...]]) -> dict[int, int | str | None]:
    """The result of each touched group: None if it has none, `unknown` if it does not follow."""
    small = SmallEngine(f"r(G, N) :- N = {function} {{ V : g(G, I, V) }}. {FACTS}")
    operators = [pair for unit in small.engine.structure.units.values() for pair in unit.operators.items()]
    ((name, special),) = operators
    assert isinstance(special, Aggregation)
    inner = small.state.tables[special.inner]
    columns = (0, 2, 1) if special.target == 1 else (0, 1, 2)
    inserted, deleted = (small.rows(*(tuple(fact[c] for c in columns) for fact in facts), arity=3) for facts in (insert, delete))
    inner.remove(deleted)
    inner.insert(inserted)
    touched = Touched.of(special, inserted, deleted, small.state.tables[name])
    results, known = continued(touched, special, small.state)
    found: dict[int, int | str | None] = {}
    for (group,), result, is_known in zip(touched.keys.tolist(), results.tolist(), known.tolist(), strict=True):
        value = small.state.terms.objects_of(np.array([result], np.int32))[0] if result >= 0 else None
        found[small.state.terms.objects_of(np.array([group], np.int32))[0]] = value if is_known else "unknown"
    return found


@pytest.mark.parametrize(
    ("function", "insert", "delete", "expected"),
    [
        ("count", [(1, 3, 5), (3, 1, 1)], [(2, 1, 9)], {1: 3, 2: None, 3: 1}),
        ("sum", [(1, 3, 5)], [(1, 1, 5)], {1: 12}),
        ("sum", [(3, 1, 1)], [(2, 1, 9)], {2: None, 3: "unknown"}),
        ("max", [(1, 3, 8), (2, 2, 1)], [(1, 1, 5)], {1: 8, 2: 9}),
        ("max", [], [(1, 2, 7)], {1: "unknown"}),
        ("min", [(1, 3, 4)], [(2, 1, 9)], {1: 4, 2: "unknown"}),
        ("avg", [(1, 3, 5)], [], {1: "unknown"}),
        ("median", [], [(1, 1, 5)], {1: "unknown"}),
    ],
)
def test_what_follows(
    function: str, insert: list[tuple[int, ...]], delete: list[tuple[int, ...]], expected: dict[int, object]
) -> None:
    assert follows(function, insert, delete) == expected


def test_touched_groups_are_counted() -> None:
    small = SmallEngine(f"r(G, N) :- N = max {{ V : g(G, I, V) }}. {FACTS}")
    special = Aggregation("max", "g", (0,), 2)
    rows = small.rows((1, 3, 5), (4, 1, 1), (1, 4, 6))
    touched = Touched.of(special, rows, small.rows((1, 1, 5)), small.state.tables["r"])
    assert small.tuples(touched.keys) == [(1,), (4,)]
    assert sorted(touched.changes.tolist()) == [1, 3]
    assert sorted(small.state.terms.objects_of(touched.results[touched.results >= 0]).tolist()) == [7]
