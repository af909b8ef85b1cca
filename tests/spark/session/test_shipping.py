"""Arrow tables to Spark: small ones as they are, large ones through a file that is removed in the end."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tidelog.spark.session import shipping
from tidelog.spark.session.shipping import Shipping

TABLE = pa.table({"a": [1, 2, 3]})
SPARK: Any = SimpleNamespace(createDataFrame=lambda table: ("pipe", table), read=SimpleNamespace(parquet=lambda path: ("file", path)))
"""A stand-in that says how a table came."""


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "_MANY_ROWS", 3)


def as_shipped(shipped: Any) -> tuple[str, Any]:
    way, what = shipped
    return way, what


def test_a_small_table_goes_through_the_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "is_local", lambda _spark: True)
    assert as_shipped(Shipping(SPARK).frame(TABLE)) == ("pipe", TABLE)


@pytest.mark.usefixtures("large")
def test_a_large_table_goes_through_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "is_local", lambda _spark: True)
    ships = Shipping(SPARK)
    paths = []
    for _ in range(2):
        way, path = as_shipped(ships.frame(TABLE))
        assert way == "file"
        paths.append(Path(path.removeprefix("file://")))
    assert paths[0] != paths[1]
    assert parquet.read_table(paths[0]).equals(TABLE)
    ships.close()
    assert not paths[0].parent.exists()
    ships.close()


@pytest.mark.usefixtures("large")
def test_a_cluster_does_not_see_files_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipping, "is_local", lambda _spark: False)
    assert as_shipped(Shipping(SPARK).frame(TABLE)) == ("pipe", TABLE)
