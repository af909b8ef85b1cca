"""Explicit facts as keys, for whoever keeps them: all that there are, and those that an update has changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from tidelog.core.arrays import Int32s
from tidelog.spark.data.matrices import among

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidelog.local.maintenance.deltas import ExplicitChanges
    from tidelog.spark.data.frames import Relation
    from tidelog.spark.engine import SparkEngine
    from tidelog.spark.maintenance.update import Updating


@dataclass(frozen=True, slots=True)
class ExplicitSnapshot:
    """Facts of one relation: a column k0, k1, … of keys for each argument, and at least one."""

    relation: str
    arity: int
    keys: pa.Table | DataFrame
    rows: int


def explicit_facts(engine: SparkEngine, relations: Iterable[tuple[str, int]]) -> Iterator[ExplicitSnapshot]:
    """What the user has given of some relations, as far as there is anything."""
    exchange = engine.exchange
    for name, arity in relations:
        stored = engine.stored_name(name)
        engine.bring(name, arity)
        if stored in engine.derived_on_spark:
            found = exchange.explicit.get(stored)
            kept = None if found is None else _of_relation(engine, name, arity, found)
        elif stored in exchange.in_kernel:
            state = engine.state
            table = state.explicit.get(stored) if stored in engine.derived_in_kernel else state.tables[stored]
            kept = None if table is None else kept_rows(engine, name, arity, table.rows)
        else:
            kept = _of_relation(engine, name, arity, exchange.relations[stored])
        if kept is not None and kept.rows:
            yield kept


def held_facts(engine: SparkEngine, relations: Iterable[tuple[str, int]]) -> Iterator[ExplicitSnapshot]:
    """All facts of some relations, as far as there are any."""
    exchange = engine.exchange
    for name, arity in relations:
        engine.bring(name, arity)
        if name in exchange.in_kernel:
            kept = kept_rows(engine, name, arity, engine.state.stored(name).rows)
        else:
            kept = _of_relation(engine, name, arity, exchange.to_spark(name, arity))
        if kept.rows:
            yield kept


def changed_facts(done: Updating) -> Iterator[tuple[bool, ExplicitSnapshot]]:
    """The explicit facts that an update has taken away (False) and added (True), in this order for each relation."""
    engine = done.engine
    for name, arity in done.requested.items():
        stored = engine.stored_name(name)
        for inserted in (False, True):
            if stored in engine.derived_in_kernel:
                rows = _only(done.changes, stored, inserted=inserted)
                kept = kept_rows(engine, name, arity, rows) if rows is not None else None
            elif stored in done.kernel.deltas:
                kept = kept_rows(engine, name, arity, done.in_kernel.rows(stored, "explicit", inserted=inserted))
            else:
                difference = done.given.get(stored) or done.frames.differences.get(stored)
                if stored in engine.derived_on_spark:
                    difference = done.given.get(stored)
                part = None if difference is None else difference.inserted if inserted else difference.deleted
                kept = None if part is None else _of_relation(engine, name, arity, part)
            if kept is not None and kept.rows:
                yield inserted, kept


def _only(changes: ExplicitChanges, name: str, *, inserted: bool) -> Int32s | None:
    """What has become explicit, or is so no more: not what an update takes away and gives again."""
    mine, others = (changes.inserted, changes.deleted) if inserted else (changes.deleted, changes.inserted)
    if name not in mine:
        return None
    rows = np.concatenate(mine[name])
    return rows[~among(rows, np.concatenate(others[name]))] if name in others else rows


def kept_rows(engine: SparkEngine, name: str, arity: int, rows: Int32s) -> ExplicitSnapshot:
    """Rows of the kernel as keys."""
    columns = {f"k{at}": engine.state.terms.decode_keys(np.ascontiguousarray(rows[:, at])) for at in range(arity)}
    return ExplicitSnapshot(name, arity, pa.table(columns or {"k0": pa.array(["i0"] * len(rows), pa.string())}), len(rows))


def _of_relation(engine: SparkEngine, name: str, arity: int, relation: Relation) -> ExplicitSnapshot:
    terms, held = engine.exchange.terms, relation.held
    if not arity:
        return ExplicitSnapshot(name, 0, pa.table({"k0": pa.array(["i0"] * relation.count, pa.string())}), relation.count)
    if held is not None and terms.knows_all:
        columns = dict(zip((f"k{at}" for at in range(arity)), terms.decode_rows(held), strict=True))
        return ExplicitSnapshot(name, arity, pa.table(columns), len(held))
    return ExplicitSnapshot(name, arity, terms.decode(relation.frame(engine.spark), arity), relation.count)
