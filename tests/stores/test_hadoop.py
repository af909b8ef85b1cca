"""A file system that only Spark reaches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.stores.behaviour import check_store
from tests.stores.foreign import foreign

from tidelog.errors import TidelogError
from tidelog.stores import store_at
from tidelog.stores.hadoop import HadoopStore

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_foreign_file_system(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    address = f"{foreign(spark, tmp_path / 'data')}/some where"
    store = store_at(address, spark)
    assert isinstance(store, HadoopStore)
    assert (store.address(), store.address("a")) == (address, f"{address}/a")
    assert not store.can_exclude, "it ends in files of this machine, which Hadoop renames over others"
    check_store(store)
    assert isinstance(store_at(address), HadoopStore), "the Spark of this process"


def test_a_file_system_without_renames_of_its_own(spark: SparkSession, tmp_path: Path) -> None:
    """Which Hadoop's newer interface does not know; and one that puts objects at once."""
    context = spark.sparkContext
    for scheme in ("unheard", "gs"):
        store = HadoopStore(f"file://{tmp_path}/{scheme}", context)
        store._scheme = scheme
        if scheme == "unheard":
            store._hadoop = Without(store._hadoop)
        check_store(store)


class Without:
    """Hadoop's classes, without the newer interface."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> object:
        return self if name == "FileContext" else getattr(self._inner, name)

    def getFileContext(self, root: Any, settings: object) -> Any:  # noqa: N802
        return self._inner.FileContext.getFileContext(root.resolve("unheard://x/"), settings)


def test_an_address_that_spark_does_not_reach(spark: SparkSession) -> None:
    with pytest.raises(TidelogError, match="TL093: cannot reach nowhere://x/y: UnsupportedFileSystemException"):
        store_at("nowhere://x/y", spark)
    with pytest.raises(TidelogError, match=r"TL093: cannot reach s3a://x/y: .*ClassNotFound"):
        store_at("s3a://x/y", spark)
