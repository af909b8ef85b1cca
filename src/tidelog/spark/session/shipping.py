"""Arrow tables to Spark: small ones through the driver's pipe, large ones through a Parquet file, which is ten times as fast."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.spark.session.private_session import is_local
from tidelog.spark.session.users_session import users_session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MANY_ROWS = 200_000
_ROWS_OF_A_GROUP = 1 << 20


class Shipping:
    """Brings tables to Spark, and cleans up behind itself."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self._folder: Path | None = None
        self._number = 0

    def frame(self, table: pa.Table, *, is_result: bool = False) -> DataFrame:
        """The table as a DataFrame, of the user's session if it is a result.

        A file is only for a Spark on this machine; a cluster would have to see it too.
        """
        spark = users_session(self.spark) if is_result else self.spark
        if table.num_rows < _MANY_ROWS or not is_local(self.spark):
            return spark.createDataFrame(table)
        from pyarrow import parquet

        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="tidelog-"))
        self._number += 1
        path = self._folder / f"{self._number}.parquet"
        parquet.write_table(table, path, compression="lz4", row_group_size=_ROWS_OF_A_GROUP, use_dictionary=False)
        return spark.read.parquet(f"file://{path}")

    def close(self) -> None:
        """Remove all files."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
