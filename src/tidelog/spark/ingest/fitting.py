"""Rows of a batch as keys: what fits and why something does not is decided by `tidelog.files`, as for the local engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.keys import LETTERS, key_of, keys_of_column, value_of
from tidelog.files import objects
from tidelog.files.columns import MixedColumn, TypedColumn
from tidelog.files.fitting import Fitted, fit_cells, fit_text, without_floats
from tidelog.files.matching import Matched, default_values
from tidelog.files.raw import Cells, RawTable
from tidelog.files.rejects import Misfits, default_misfit, problem_of, shown, with_article
from tidelog.functions.conform import conform
from tidelog.spark.ingest.rejects import REJECT, record_of
from tidelog.values import Kind, Value, text_of

Record = Callable[[int, str | None, str], str]
"""The record of a rejected row: from its place in the batch, the column and the reason."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a task has to know to make facts of rows."""

    name: str
    matched: Matched
    kinds: tuple[Kind | None, ...]
    """The kind of each column, declared or found; None if each cell keeps its own."""
    is_text: bool = False
    mixed: frozenset[int] = frozenset()
    """Columns of JSON whose cells are of several kinds."""
    defaults: dict[int, Value] = field(default_factory=dict)

    @property
    def schema(self) -> str:
        """The columns of the batches that `fit_rows` gives."""
        return ", ".join([*(f"k{at} string" for at in range(len(self.kinds))), f"{REJECT} string"])


def plan_for(
    table: RawTable,
    name: str,
    matched: Matched,
    kinds: Sequence[Kind | None],
    mixed: frozenset[int] = frozenset(),
    defaults: dict[str | int, object] | None = None,
) -> Plan:
    """The plan for rows like those of a table, which may have none; a default that does not fit is an error."""
    found = default_values(defaults, matched, name, table.names)
    plan = Plan(name, matched, tuple(kinds), table.is_text, mixed, found)
    empty = RawTable(table.source, table.described, table.names, tuple(_none_of(c) for c in table.columns), 0, lambda _: [])
    for at, default in found.items():
        column = _fitted(empty, plan, at)
        always = Fitted(column.kind, column.values, pa.chunked_array([pa.array([], pa.bool_())]))
        if always.with_default(default) is None:
            raise default_misfit(name, matched.labels[at], column.kind)
    return plan


def fit_rows(table: RawTable, plan: Plan, record: Record) -> pa.RecordBatch:
    """The rows that fit as keys, and one row with its record for each that does not."""
    columns = [_fitted(table, plan, at) for at in range(len(plan.kinds))]
    for at, default in plan.defaults.items():
        columns[at] = columns[at].with_default(default) or columns[at]
    misfits = Misfits(columns)
    if misfits.rows is None:
        return _batch([keys_of_column(column.column()) for column in columns], table.rows, [])
    records = []
    for row in pc.indices_nonzero(misfits.rows).to_pylist():
        at = misfits.column(row)
        records.append(record(row, plan.matched.labels[at], problem_of(table, plan.matched, columns[at], at, row)))
    good = pc.invert(misfits.rows)
    keys = [keys_of_column(_where(column, good)) for column in columns]
    return _batch(keys, table.rows - len(records), records)


def rejects_only(width: int, records: list[str]) -> pa.RecordBatch:
    """A batch of rejected rows and nothing else."""
    return _batch([pa.array([], pa.string())] * width, 0, records)


def _fitted(table: RawTable, plan: Plan, at: int) -> Fitted:
    cells: Cells = table.columns[plan.matched.positions[at]]
    if at in plan.mixed:
        given = cells if isinstance(cells, list) else cells.to_pylist()
        values = [objects.value_of(cell, plan.kinds[at]) for cell in given]
        return Fitted(None, values, pa.chunked_array([pa.array([cell is None for cell in given], pa.bool_())]))
    if plan.is_text and not isinstance(cells, list):
        return fit_text(cells, plan.kinds[at])
    return fit_cells(without_floats(table, cells, plan.kinds[at]), plan.kinds[at], table.source, plan.matched.labels[at])


def _where(column: Fitted, good: pa.ChunkedArray) -> TypedColumn | MixedColumn:
    if isinstance(column.values, list):
        fits = good.to_pylist()
        return MixedColumn([value for value, is_good in zip(column.values, fits, strict=True) if is_good and value is not None])
    return Fitted(column.kind, column.values.filter(good), None).column()


def _batch(keys: list[pa.Array], rows: int, records: list[str]) -> pa.RecordBatch:
    """Rows that fit, then those that do not."""
    names = [*(f"k{at}" for at in range(len(keys))), REJECT]
    arrays = [column if pa.types.is_string(column.type) else column.cast(pa.string()) for column in keys]
    if not records:
        return pa.RecordBatch.from_arrays([*arrays, pa.nulls(rows, pa.string())], names)
    nothing = pa.nulls(len(records), pa.string())
    rejects = pa.concat_arrays([pa.nulls(rows, pa.string()), pa.array(records, pa.string())])
    return pa.RecordBatch.from_arrays([*(pa.concat_arrays([column, nothing]) for column in arrays), rejects], names)


def _none_of(cells: Cells) -> Cells:
    return [] if isinstance(cells, list) else pa.chunked_array([pa.array([], cells.type)])


Task = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]


def conforming(width: int, kinds: Sequence[object], labels: Sequence[str], source: str) -> tuple[Task | None, str]:
    """What makes the rows of a frame of keys fit, None if nothing is declared; and the schema of what it gives."""
    schema = ", ".join([*(f"k{at} string" for at in range(width)), f"{REJECT} string"])
    declared = tuple(kind if isinstance(kind, Kind) else None for kind in kinds)
    if not any(declared):
        return None, schema
    return partial(_conform, kinds=declared, labels=tuple(labels), source=source), schema


def _conform(
    batches: Iterator[pa.RecordBatch], kinds: tuple[Kind | None, ...], labels: tuple[str, ...], source: str
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        columns = [_column(keys, kind) for keys, kind in zip(batch.columns, kinds, strict=True)]
        names = [f"k{at}" for at in range(len(kinds))]
        if not any(column.null_count for column in columns):
            yield pa.RecordBatch.from_arrays([*columns, pa.nulls(len(batch), pa.string())], [*names, REJECT])
            continue
        records: list[str | None] = [None] * len(batch)
        for at in reversed(range(len(kinds))):  # the first column that does not fit is the one that is named
            for row in pc.indices_nonzero(pc.is_null(columns[at])).to_pylist():
                records[row] = _record(batch, row, at, kinds[at], labels[at], source)
        yield pa.RecordBatch.from_arrays([*columns, pa.array(records, pa.string())], [*names, REJECT])


def _column(keys: pa.Array, kind: Kind | None) -> pa.Array:
    """The keys as keys of a kind, null where they are none."""
    if kind is None:
        return keys
    fits = pc.starts_with(keys, LETTERS[kind])
    if pc.all(fits).as_py() is not False:
        return keys
    coded = keys.filter(pc.invert(fits)).dictionary_encode()
    values = [conform(kind, value_of(key)) for key in coded.dictionary.to_pylist()]
    mended = pa.array([None if value is None else key_of(value) for value in values], pa.string()).take(coded.indices)
    return pc.replace_with_mask(keys, pc.invert(fits), mended)


def _record(batch: pa.RecordBatch, row: int, at: int, kind: Kind | None, label: str, source: str) -> str:
    values = [value_of(column[row].as_py()) for column in batch.columns]
    value = values[at]
    reason = f"{shown(text_of(value))} is {with_article(value.kind)}, and the column is declared {kind}"
    return record_of(source, None, label, reason, ", ".join(text_of(value) for value in values))
