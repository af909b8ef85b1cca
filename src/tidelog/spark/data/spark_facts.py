"""Facts and changes for users: facts on Spark iterate as tuples and are DataFrames; those in the kernel are plain `Facts`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.changes import Change
from tidelog.core.arrays import Int32s
from tidelog.core.keys import key_of, value_of
from tidelog.errors import TidelogError
from tidelog.facts import Facts
from tidelog.local.engine import VirtualRelation
from tidelog.program.relations import Relation
from tidelog.spark.data.column_types import SPARK_TYPES
from tidelog.spark.data.exchange import Exchange
from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.matrices import frame_of_rows
from tidelog.spark.data.spark_dictionary import SparkDictionary
from tidelog.spark.session.lineage import lost_blocks_explained
from tidelog.spark.session.users_session import for_user
from tidelog.values import Kind, from_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.data.explicit_snapshot import ExplicitSnapshot


class SparkFacts(Facts):
    """The facts of a relation, or the answers to a query, as a frame of numbers."""

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        numbers: Callable[[], DataFrame],
        terms: SparkDictionary,
        count: int,
        *,
        kinds: Sequence[Kind | None] = (),
        noun: str = "fact",
        held: Int32s | None = None,
    ) -> None:
        """`numbers` makes a frame with the columns c0, c1, … when it is first read; `kinds` are declared kinds of columns.

        `held` are the same rows, if the driver has them.
        """
        self.name, self.columns, self._noun = name, tuple(columns), noun
        self._make, self._known, self._count = numbers, terms, count
        self._at_hand = held if terms.knows_all else None
        self._kinds = tuple(kinds) or (None,) * len(self.columns)
        self._frame: DataFrame | None = None

    @cached_property
    def _numbers(self) -> DataFrame:
        return self._make()

    @property
    def _keys(self) -> DataFrame:
        return self._known.decode(self._numbers, len(self.columns))

    def __len__(self) -> int:
        return self._count

    def __bool__(self) -> bool:
        return self._count > 0

    @property
    def dataframe(self) -> DataFrame:
        """A Spark DataFrame with typed, named columns.  A column of several kinds becomes a column of texts."""
        if self._frame is None:
            self._frame = for_user(self._typed_frame())
        return self._frame

    def _typed_frame(self) -> DataFrame:
        if not self.columns:
            return self._numbers.select(f.lit(True).alias("holds"))
        everywhere = self._known.kinds()
        types: list[str] = []
        for at, kind in enumerate(self._kinds):
            kinds = {kind} if kind is not None else everywhere
            if len(kinds) > 1:
                kinds = self._known.kinds_in(self._numbers, f"c{at}")
            only = next(iter(kinds)) if len(kinds) == 1 else None
            types.append(SPARK_TYPES.get(only, "string") if only is not None else "string")
        return self._known.decode_typed(self._numbers, self.columns, types)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if not self.columns:
            yield from [()] * len(self)
            return
        if self._at_hand is not None:
            columns = [map(value_of, column.to_pylist()) for column in self._known.decode_rows(self._at_hand)]
            yield from (tuple(value.content for value in row) for row in zip(*columns, strict=True))
            return
        with lost_blocks_explained():
            for row in self._keys.toLocalIterator():
                yield tuple(value_of(key).content for key in row)

    def __contains__(self, fact: object) -> bool:
        if not isinstance(fact, tuple) or len(fact) != len(self.columns):
            return False
        try:
            wanted = [key_of(from_python(value)) for value in fact]
        except TidelogError:
            return False  # it cannot be in any fact
        found = self._keys
        for at, key in enumerate(wanted):
            found = found.where(f.col(f"k{at}") == key)
        with lost_blocks_explained():
            return found.limit(1).count() > 0

    def rows_of(self, terms: object) -> None:
        """They have no ids of the local engine."""

    def to_arrow(self) -> pa.Table:
        """An Arrow table."""
        if not self.columns:
            return pa.table({"holds": [True] * len(self)}, pa.schema([("holds", pa.bool_())]))
        with lost_blocks_explained():
            return self.dataframe.toArrow()

    def write(self, path: Any, format: str | None = None) -> None:  # noqa: A002
        """Write the facts to one file; `dataframe.write` writes many, and tables."""
        from tidelog.files.writing import write

        write(self.to_arrow(), path, format)


def facts_of(exchange: Exchange, known: Relation, found: FrameRelation | Int32s | VirtualRelation) -> Facts:
    """Some facts of a relation for the user: rows in the driver, a virtual relation, or frames on Spark."""
    names, kinds = known.column_names, _kinds(known)
    if not isinstance(found, FrameRelation):
        return Facts(known.name, names, found, exchange.local.dictionary, kinds)
    held = found.rows_in_driver
    if held is not None:  # to make a frame takes time, and may not be needed
        return SparkFacts(
            known.name,
            names,
            partial(frame_of_rows, exchange.spark, held),
            exchange.terms,
            found.count,
            kinds=kinds,
            held=held,
        )
    frame = found.as_result(exchange.spark)
    return SparkFacts(known.name, names, lambda: frame, exchange.terms, found.count, kinds=kinds)


def facts_of_keys(exchange: Exchange, known: Relation, kept: ExplicitSnapshot) -> Facts:
    """Facts that are stored as keys."""
    if isinstance(kept.keys, pa.Table):
        return facts_of(exchange, known, exchange.local_rows(kept.keys, kept.arity))
    return facts_of(exchange, known, exchange.numbered(known.name, [(kept.keys, kept.rows)], kept.arity))


def _kinds(known: Relation) -> list[Kind | None]:
    """The declared kinds of a relation's columns."""
    return [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]


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
