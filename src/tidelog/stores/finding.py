"""The store of a path or address."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tidelog.stores.arrow import ArrowStore
from tidelog.stores.hadoop import HadoopStore
from tidelog.stores.local import LocalStore
from tidelog.stores.store import Store, is_uri


def store_at(path: str, spark: Any = None) -> Store:
    """The folder at a path or address; `spark` is a session to reach it with, instead of one that is active."""
    if path.startswith("file:"):
        path = "/" + path.removeprefix("file:").lstrip("/")
    if not is_uri(path):
        return LocalStore(Path(path))
    context = _context_of(spark)
    if context is None:
        return ArrowStore(path)
    return HadoopStore(path, context, spark)


def _context_of(spark: Any) -> Any:
    """The Spark of this process, None if there is none, or if it is reached through Spark Connect."""
    if spark is not None:
        return None if type(spark).__module__.startswith("pyspark.sql.connect") else spark.sparkContext
    pyspark = sys.modules.get("pyspark")  # who has not imported it has no Spark
    return getattr(getattr(pyspark, "SparkContext", None), "_active_spark_context", None)
