"""Where a DataFrame's history is cut, so that plans stay small over hundreds of rounds: one policy for a whole run.

`local` keeps the rows in the memory and on the disks of the executors: fast, and lost with them; right where the executor is
the driver itself. `reliable` writes Parquet into a folder that all machines reach: slower, and nothing is lost or counted
twice when an executor dies.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Literal

from tidelog.errors import fail
from tidelog.spark.session.private_session import is_connect, is_local, made_active
from tidelog.stores import Store, store_at

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Policy = Literal["local", "reliable"]
_LOST = "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND"
_GROUP, _BYTES_A_GROUP = "parquet.block.size", 1 << 17
_WORTH_SWEEPING = 100
"""So many frames are written between two sweeps of those that are not read any more."""


class Lineage:
    """Cuts the history of DataFrames, and cleans up behind itself."""

    def __init__(self, spark: SparkSession, policy: Policy | None = None, folder: str | PathLike[str] | None = None) -> None:
        """`policy` is `local` on one machine and `reliable` elsewhere, unless it is given; `folder` is for `reliable` only.

        The folder may be an address on any file system that Spark reaches (`hdfs:`, `s3a:`); a path is one that all machines see.
        A folder of this run's own is made in it.
        """
        self.policy: Policy = policy or ("local" if is_local(spark) else "reliable")
        if self.policy not in ("local", "reliable"):
            raise fail("TL074", f"there is no lineage policy {policy!r}", fix="choose one of 'local', 'reliable'")
        if self.policy == "reliable" and folder is None:
            fix = "give a folder that all machines of the cluster reach"
            raise fail("TL074", "the lineage policy 'reliable' needs a folder", fix=fix)
        self._spark = spark
        self._store: Store | None = None
        if self.policy == "reliable":
            self._store = store_at(f"{str(folder).rstrip('/')}/tidelog-lineage-{uuid.uuid4().hex}", spark)
        self._written: dict[DataFrame, tuple[str, int]] = {}
        """Frames, which are equal to themselves only, with the names of their folders, and how many sweeps there had been."""
        self._sweeps = self._left = 0
        self._in_use: list[DataFrame] = []
        self._protected: set[DataFrame] = set()
        self._waiting: list[DataFrame] = []
        """Protected frames that were to be released."""
        self._discarded: list[str] = []
        self._files: Lineage | None = None
        """Where `local` writes what is large."""
        self._files_in = ""

    def cut(self, df: DataFrame) -> DataFrame:
        """The same rows without their history, computed now."""
        with lost_blocks_explained(), made_active(self._spark):
            return df.localCheckpoint() if self._store is None else self._write(df)

    def cut_and_count(self, df: DataFrame) -> tuple[DataFrame, int]:
        """The same with the number of rows, which is exact.

        Under `local` rows are counted as they pass by, which is exact where no stage is ever tried again; under `reliable`, those
        are counted that have been written.
        """
        if self._store is not None or is_connect(self._spark):
            kept = self.cut(df)
            with lost_blocks_explained():
                return kept, kept.count()  # from the footers of the files; and Connect does not observe checkpoints
        from pyspark.sql import Observation
        from pyspark.sql import functions as f

        observation = Observation()
        with lost_blocks_explained():
            kept = df.observe(observation, f.count(f.lit(1)).alias("rows")).localCheckpoint()
            return kept, int(observation.get["rows"])

    def to_files(self, df: DataFrame) -> tuple[DataFrame, int]:
        """The same as Parquet, which takes no memory of executors and is read in parts; on one machine under `local`, too."""
        if self.policy == "reliable" or not is_local(self._spark):
            return self.cut_and_count(df)
        return self._own_files().cut_and_count(df)

    def _own_files(self) -> Lineage:
        if self._files is None:
            self._files_in = tempfile.mkdtemp(prefix="tidelog-")
            atexit.register(shutil.rmtree, self._files_in, ignore_errors=True)  # of those that nobody closed
            self._files = Lineage(self._spark, "reliable", self._files_in)
        return self._files

    @property
    def has_files(self) -> bool:
        """Whether the driver can read what tasks write."""
        return self.policy == "reliable" or is_local(self._spark)

    def sorted_files(self, df: DataFrame, by: str, files: int) -> tuple[Store, str]:
        """So many files of a frame of numbers in the order of a column, in small groups of rows, until they are discarded.

        They are Parquet.  Only where the driver can read files.
        """
        if self._store is None:
            return self._own_files().sorted_files(df, by, files)
        while self._discarded:
            self._store.remove(self._discarded.pop())
        name = uuid.uuid4().hex
        with lost_blocks_explained(), made_active(self._spark):
            ordered = df.repartitionByRange(files, by) if files > 1 else df.coalesce(1)
            ordered.sortWithinPartitions(by).write.option(_GROUP, _BYTES_A_GROUP).parquet(
                self._store.address(name), compression="snappy"
            )
        return self._store, name

    def discard(self, name: str) -> None:
        """Remove such files when others are written: nothing refers to them, which is noticed at any moment."""
        (self._files or self)._discarded.append(name)

    def release(self, df: DataFrame) -> None:
        """Give back what a DataFrame from `cut` holds: it must not be used any more.

        Under `local`, Spark frees the blocks when nothing refers to them, so the caller should drop it, too.
        """
        if df in self._protected:
            self._waiting.append(df)
            return
        written = self._written.pop(df, None)
        if self._files is not None and df in self._files._written:
            self._files.release(df)
        elif written is not None and self._store is not None:
            self._store.remove(written[0])
        else:
            df.unpersist()

    def protect(self, frames: Iterable[DataFrame]) -> None:
        """Keep frames that an update may have to go back to, and no others: those wait until the next ones are protected."""
        waiting, self._waiting = self._waiting, []
        self._protected = set(frames)
        for frame in waiting:
            self.release(frame)

    def sweep(self, in_use: Iterable[DataFrame]) -> None:
        """Remove files that no frame reads which is in use now or was at the last call, if many have been written since.

        Those that were written since the call before the last one stay in any case: a change may read them.
        """
        now = list(in_use)
        if self._files is not None:
            self._files._protected = self._protected
            self._files.sweep(now)
        if self._store is None:
            return
        before, self._in_use = self._in_use, now
        self._sweeps += 1
        old = {frame: name for frame, (name, age) in self._written.items() if age < self._sweeps - 2}
        if len(old) < self._left + _WORTH_SWEEPING:
            return
        # Frames are made from others, with some columns or without some rows: only Spark knows the files.
        read = {file.rsplit("/", 2)[-2] for frame in {*before, *now} for file in frame.inputFiles()}
        for frame, name in old.items():
            if frame not in self._protected and name not in read:
                del self._written[frame]
                self._store.remove(name)
        self._left = len(self._written.keys() & old.keys())

    def close(self) -> None:
        """Remove all files; what was cut must not be used any more."""
        self._written.clear()
        self._in_use.clear()
        if self._files is not None:
            shutil.rmtree(self._files_in, ignore_errors=True)
            self._files = None
        if self._store is not None:
            self._store.remove()

    def _write(self, df: DataFrame) -> DataFrame:
        assert self._store is not None
        name = uuid.uuid4().hex
        path = self._store.address(name)
        df.write.parquet(path, compression="lz4")
        kept = self._spark.read.schema(df.schema).parquet(path)
        self._written[kept] = name, self._sweeps
        return kept


@contextmanager
def lost_blocks_explained() -> Iterator[None]:
    """Around an action on a DataFrame from `cut`: a block that died with its executor becomes an error with a code."""
    try:
        yield
    except Exception as error:
        if _LOST not in str(error):
            raise
        message = "an executor was lost, and with it rows that only it had; nothing is written"
        fix = 'choose the lineage policy "reliable" with a folder that all machines reach, and run the job again'
        raise fail("TL086", message, fix=fix) from error
