"""The change of an update on Spark: as with the local engine, and as DataFrames."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tidelog.changes import Change
from tidelog.facts import Facts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot


@dataclass(slots=True, repr=False)
class SparkChange(Change):
    """What a committed update has changed."""

    as_frame: Callable[[Facts | None, str], DataFrame] = field(kw_only=True, repr=False, compare=False)
    """From facts of a relation, or none of them, to a DataFrame."""

    explicit: Callable[[], Iterator[tuple[bool, ExplicitSnapshot]]] = field(kw_only=True, repr=False, compare=False)
    """The explicit facts that were deleted (False) and inserted (True), whether they are derived, too, or not."""

    def inserted_df(self, relation: str) -> DataFrame:
        """The facts of a relation that hold now and did not before, with typed, named columns."""
        return self.as_frame(self.inserted.get(relation), relation)

    def deleted_df(self, relation: str) -> DataFrame:
        """The facts of a relation that held before and do not now."""
        return self.as_frame(self.deleted.get(relation), relation)
