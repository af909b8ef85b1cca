"""Tasks that derive a unit by keys: each gets what its keys need, the kernel derives, and the facts go to files.

Rows of relations that are split go to the shard of their key, the others to every shard; Spark carries them, so the driver sees
none.  There are as many tasks as cores, so that what all keys need is built once for each.  A task derives the facts of some
keys at a time, as many as have some hundred thousand facts: what it holds does not grow with what it derives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s, isin_rows
from tidelog.local.evaluation.keyed_unit import GIVEN, KEY, STEPS, KeyedClosure, KeyedRules, KeyedUnit, given_name, in_groups
from tidelog.program.modules import Module
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.matrices import columns, schema, union
from tidelog.spark.evaluation.key_split import Split, labels, shard_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.session.lineage import Lineage

Batches = Iterator[pa.RecordBatch]
_FACTS_AT_ONCE = 1 << 18


@dataclass(frozen=True, slots=True)
class Input:
    """What tasks read under a name: all of it, or the rows with their keys in a column."""

    name: str
    frame: DataFrame
    width: int
    key: int | None = None


Made = KeyedRules | tuple[Module, str]
"""What the kernel evaluates by keys: rules, or a transitive relation of some name."""
Derive = Callable[[Mapping[str, Int32s], Callable[[Int32s], Int32s]], Iterator[tuple[str, Int32s]]]
"""From all inputs, and a function that leaves a task's own of some keys, to facts by relation."""


@dataclass(frozen=True, slots=True)
class KeyTasks:
    """One evaluation by tasks."""

    spark: SparkSession
    lineage: Lineage

    def derive(
        self, how: Split, relations: Mapping[str, FrameRelation], given: Mapping[str, FrameRelation], most: int | None
    ) -> None:
        """Derive all facts of a unit; its relations are empty, and `given` are its explicit facts.

        Each task stops when it has more than `most` facts: then a limit has been reached.
        """
        inputs = [Input(name, relations[name].frame(self.spark), relations[name].width, key) for name, key in how.inputs.items()]
        inputs += [
            Input(given_name(name), facts.frame(self.spark), facts.width, how.rules.key[name]) for name, facts in given.items()
        ]
        names = how.rules.relations
        width = max(how.rules.arities[name] for name in names)
        found = self._run(inputs, _deriving(how.rules), names, width, most)
        for at, name in enumerate(names):
            self._keep(relations[name], found if len(names) == 1 else found.where(f.col("relation") == at))

    def _keep(self, relation: FrameRelation, found: DataFrame) -> None:
        segment, count = self.lineage.to_files(found.select(*columns(relation.width)))
        relation.add(segment, count, self.lineage)

    def close(self, module: Module, given: DataFrame, steps: DataFrame | None) -> DataFrame:
        """The pairs of a transitive relation."""
        inputs = [Input(GIVEN, given, 2), *([Input(STEPS, steps, 2)] if steps is not None else [])]
        return self._run(inputs, _deriving((module, "pairs")), ("pairs",), 2).select("c0", "c1")

    def differences(
        self, inputs: list[Input], made: Made, names: tuple[str, ...], widths: list[int]
    ) -> list[tuple[DataFrame, DataFrame]]:
        """What is new of each relation, and what is gone, for some keys; inputs with deltas beside them (`+`, `-`), and keys."""
        signed = tuple(sign + name for name in names for sign in "+-")
        found, _ = self.lineage.cut_and_count(self._run(inputs, _differing(made), signed, max(widths)))
        parts = [found.where(f.col("relation") == at).select(*columns(widths[at // 2])) for at in range(len(signed))]
        return list(zip(parts[::2], parts[1::2], strict=True))

    def _run(self, inputs: list[Input], derive: Derive, names: tuple[str, ...], width: int, most: int | None = None) -> DataFrame:
        shards = tasks_of(self.spark)
        sent = labels(shards)
        wide = max((one.width for one in inputs), default=1)

        def filled(one: Input) -> DataFrame:
            return one.frame.select(*columns(one.width), *(f.lit(0).alias(f"c{at}") for at in range(one.width, wide)))

        every = self.spark.createDataFrame(pa.table({"key": sent}))
        rows = [every.select("key", f.lit(-1).alias("input"), *(f.lit(0).alias(name) for name in columns(wide)))]
        for at, one in enumerate(inputs):
            frame = filled(one)
            keyed = frame.crossJoin(f.broadcast(every)) if one.key is None else frame.withColumn("key", f.col(f"c{one.key}"))
            rows.append(keyed.select("key", f.lit(at).alias("input"), *columns(wide)))
        task = _task([(one.name, one.width) for one in inputs], derive, names, width, shards, most)
        return union(rows).repartition(shards, "key").mapInArrow(task, f"relation int, {schema(width)}")


def tasks_of(spark: SparkSession) -> int:
    """How many tasks derive: one for each core, as far as is known."""
    from tidelog.spark.session.private_session import is_connect

    if is_connect(spark):
        return int(str(spark.conf.get("spark.sql.shuffle.partitions")))
    return int(spark.sparkContext.defaultParallelism)


def _task(
    inputs: list[tuple[str, int]], derive: Derive, names: tuple[str, ...], width: int, shards: int, most: int | None
) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        parts: list[list[Int32s]] = [[] for _ in inputs]
        mine: list[int] = []
        for batch in batches:
            keys, which = batch.column(0).to_numpy(), batch.column(1).to_numpy()
            mine += shard_of(keys[which < 0], shards).tolist()
            for at, (_, wide) in enumerate(inputs):
                chosen = np.flatnonzero(which == at)
                if len(chosen):
                    parts[at].append(np.column_stack([batch.column(2 + c).to_numpy()[chosen] for c in range(wide)]))
        if not mine:
            return
        given = {
            name: np.concatenate(some) if some else np.empty((0, wide), np.int32)
            for (name, wide), some in zip(inputs, parts, strict=True)
        }
        parts.clear()
        done = 0
        for name, rows in derive(given, lambda keys: keys[np.isin(shard_of(keys, shards), mine)]):
            if most is not None and done > most:
                return
            done += len(rows)
            if len(rows):
                filled = [pa.array(rows[:, c]) if c < rows.shape[1] else pa.nulls(len(rows), pa.int32()) for c in range(width)]
                which = pa.array(np.full(len(rows), names.index(name), np.int32))
                yield pa.RecordBatch.from_arrays([which, *filled], ["relation", *columns(width)])

    return run


def _deriving(made: Made) -> Derive:
    def derive(given: Mapping[str, Int32s], own: Callable[[Int32s], Int32s]) -> Iterator[tuple[str, Int32s]]:
        unit = _unit(made, given)
        for _, found in in_groups(unit, own(unit.keys()), _FACTS_AT_ONCE):
            yield from ((name, _in_order(rows)) for name, rows in found.items())

    return derive


def _differing(made: Made) -> Derive:
    """From what holds before, deltas (`+` and `-`) and keys to the differences of the facts of these keys, named alike."""

    def derive(given: Mapping[str, Int32s], own: Callable[[Int32s], Int32s]) -> Iterator[tuple[str, Int32s]]:
        inputs = {name: rows for name, rows in given.items() if name[0] not in "+-" and name != KEY}
        before, after = _unit(made, inputs), _unit(made, inputs)
        after.change(*({name[1:]: rows for name, rows in given.items() if name[0] == sign} for sign in "+-"))
        for some, old in in_groups(before, own(np.unique(given[KEY])), _FACTS_AT_ONCE):
            for name, new in after.derive(some).items():
                yield f"+{name}", new[~isin_rows(new, old[name])]
                yield f"-{name}", old[name][~isin_rows(old[name], new)]

    return derive


def _unit(made: Made, given: Mapping[str, Int32s]) -> KeyedUnit | KeyedClosure:
    if isinstance(made, KeyedRules):
        return KeyedUnit(made, given)
    return KeyedClosure(made[0], given[GIVEN], given.get(STEPS), made[1])


def _in_order(rows: Int32s) -> Int32s:
    """In the order of the last column, by which rules mostly go on: a file then says which of its parts may have a value."""
    return rows[np.argsort(rows[:, -1], kind="stable")] if rows.shape[1] > 1 else rows
