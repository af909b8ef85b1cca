"""Arrow tables to Spark: the same rows through the pipe and through a file, and no file left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from tidelog.spark.session import shipping

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize("many", [1, 1_000])
def test_rows_and_files(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(shipping, "_MANY_ROWS", many)
    sent = shipping.Shipping(spark)
    table = pa.table({"key": ["a", "b"], "id": pa.array([1, 2], pa.int32())})
    frames = [sent.frame(table), sent.frame(table.slice(1))]
    assert [sorted(map(tuple, frame.collect())) for frame in frames] == [[("a", 1), ("b", 2)], [("b", 2)]]
    folder = sent._folder
    assert (folder is not None and len(list(folder.iterdir())) == 2) == (many == 1)
    sent.close()
    assert folder is None or not folder.exists()
