"""Facts of the kernel as keys; those on Spark are compared with the reference in tests/spark/test_rule_changes.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
from tests.local.small_engine import CHAIN, PATHS, SmallEngine

from tidelog.spark.data.explicit_snapshot import all_facts, explicit_facts, snapshot_of_rows


def in_kernel(small: SmallEngine) -> Any:
    """A stand-in for an engine that has all relations in the kernel."""
    return SimpleNamespace(
        local=small.engine,
        exchange=SimpleNamespace(in_kernel=set(small.state.tables)),
        placed=SimpleNamespace(derived_on_spark=set()),
        stored_name=small.engine.core.stored_name,
        ensure_stored=lambda _name, _arity: None,
    )


def test_rows_as_keys() -> None:
    small = SmallEngine(PATHS + CHAIN)
    found = snapshot_of_rows(in_kernel(small), "edge", 2, small.rows((1, 2), (2, 3)))
    assert (found.relation, found.arity, found.rows) == ("edge", 2, 2)
    assert isinstance(found.keys, pa.Table)
    assert found.keys.to_pydict() == {"k0": ["i1", "i2"], "k1": ["i2", "i3"]}


def test_a_proposition_has_one_column() -> None:
    small = SmallEngine(PATHS + CHAIN)
    found = snapshot_of_rows(in_kernel(small), "wet", 0, np.empty((1, 0), np.int32))
    assert isinstance(found.keys, pa.Table)
    assert found.keys.to_pydict() == {"k0": ["i0"]}
    assert found.rows == 1


def test_explicit_facts_are_told_from_all() -> None:
    small = SmallEngine(PATHS + CHAIN + "path(1, 2). path(8, 9). none(X) :- path(X, X).")
    engine, relations = in_kernel(small), [("edge", 2), ("path", 2), ("none", 1)]
    assert {found.relation: found.rows for found in explicit_facts(engine, relations)} == {"edge": 3, "path": 2}
    assert {found.relation: found.rows for found in all_facts(engine, relations)} == {"edge": 3, "path": 7}
