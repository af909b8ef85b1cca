"""Snapshots of facts as keys, which outlive the engine that they were taken from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tidelog.core.arrays import Int32s

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.spark.data.frames import FrameRelation
    from tidelog.spark.engine import SparkEngine


@dataclass(frozen=True, slots=True)
class ExplicitSnapshot:
    """Facts of one relation: a column k0, k1, … of keys for each argument, and at least one."""

    relation: str
    arity: int
    keys: pa.Table | DataFrame
    rows: int


def explicit_facts(engine: SparkEngine, relations: Iterable[tuple[str, int]]) -> Iterator[ExplicitSnapshot]:
    """The explicit facts of some relations, given by name and arity; relations without any are left out."""
    exchange = engine.exchange
    for name, arity in relations:
        stored = engine.stored_name(name)
        engine.ensure_stored(name, arity)
        if stored in engine.placed.derived_on_spark:
            explicit = exchange.explicit.get(stored)
            found = None if explicit is None else snapshot_of_relation(engine, name, arity, explicit)
        elif stored in exchange.in_kernel:
            rows = engine.local.explicit_rows(stored)
            found = None if rows is None else snapshot_of_rows(engine, name, arity, rows)
        else:
            found = snapshot_of_relation(engine, name, arity, exchange.relations[stored])
        if found is not None and found.rows:
            yield found


def all_facts(engine: SparkEngine, relations: Iterable[tuple[str, int]]) -> Iterator[ExplicitSnapshot]:
    """All facts of some relations, explicit and derived; relations without any are left out."""
    exchange = engine.exchange
    for name, arity in relations:
        engine.ensure_stored(name, arity)
        if name in exchange.in_kernel:
            found = snapshot_of_rows(engine, name, arity, engine.local.rows(name))
        else:
            found = snapshot_of_relation(engine, name, arity, exchange.to_spark(name, arity))
        if found.rows:
            yield found


def snapshot_of_rows(engine: SparkEngine, name: str, arity: int, rows: Int32s) -> ExplicitSnapshot:
    """Rows of the kernel as keys."""
    columns = {f"k{at}": engine.local.dictionary.decode_keys(np.ascontiguousarray(rows[:, at])) for at in range(arity)}
    return ExplicitSnapshot(name, arity, pa.table(columns or {"k0": pa.array(["i0"] * len(rows), pa.string())}), len(rows))


def snapshot_of_relation(engine: SparkEngine, name: str, arity: int, relation: FrameRelation) -> ExplicitSnapshot:
    """Facts on Spark as keys."""
    terms, held = engine.exchange.terms, relation.rows_in_driver
    if not arity:
        return ExplicitSnapshot(name, 0, pa.table({"k0": pa.array(["i0"] * relation.count, pa.string())}), relation.count)
    if held is not None and terms.knows_all:
        columns = dict(zip((f"k{at}" for at in range(arity)), terms.decode_rows(held), strict=True))
        return ExplicitSnapshot(name, arity, pa.table(columns), len(held))
    return ExplicitSnapshot(name, arity, terms.decode(relation.frame(engine.spark), arity), relation.count)
