"""Keys that must be of declared kinds: integers in a column of floats become floats, any other misfit rejects its row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.core.keys import LETTERS, key_of, value_of
from tidelog.files.rejects import shown, with_article
from tidelog.functions.conform import conform
from tidelog.spark.ingest.rejects import REJECT, record_of
from tidelog.values import Kind, text_of

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
