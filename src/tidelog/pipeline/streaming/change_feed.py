"""The change feed of a streaming job: a row for each fact inserted or deleted, a file for each micro-batch.

A file is written while its micro-batch is applied, so that few rows are in memory, however much an update changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.changes import Change
from tidelog.files.text.json_values import to_json
from tidelog.stores import Store

_COLUMNS = pa.schema([(name, pa.string()) for name in ("update", "relation", "fact", "change", "kind")]).insert(
    0, pa.field("batch", pa.int64())
)
ENDINGS = {"json": ".jsonl", "parquet": ".parquet"}
_AT_ONCE = 50_000
"""Rows that are buffered."""


def rows_of(batch: int, update: str, change: Change) -> Iterator[dict[str, Any]]:
    """The change of one update: `+` for facts inserted and `-` for facts deleted, explicit and derived ones apart."""
    for sign, facts in (("-", change.deleted), ("+", change.inserted)):
        for kind, part in (("explicit", facts.explicit), ("derived", facts.derived)):
            for relation, found in part.items():
                for fact in found:
                    yield {
                        "batch": batch,
                        "update": update,
                        "relation": relation,
                        "fact": [to_json(value) for value in fact],
                        "change": sign,
                        "kind": kind,
                    }


class RowFile:
    """A file of rows, JSON Lines or Parquet, created with the first row; it is in its folder when it is closed."""

    def __init__(self, store: Store | None, name: str, form: str) -> None:
        """Without a store, rows are dropped."""
        self.store, self.name, self._form = store, name, form
        self.has_rows = False
        self._buffer: list[dict[str, Any]] = []
        self._opened = ExitStack()
        self._path: Path | None = None
        self._text: IO[str] | None = None
        self._table: pq.ParquetWriter | None = None

    def write(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add rows."""
        if self.store is None:
            return
        for row in rows:
            self._buffer.append(row)
            if len(self._buffer) >= _AT_ONCE:
                self._flush(self.store)

    def close(self) -> None:
        """Write what is buffered, and close the file."""
        if self.store is not None and self._buffer:
            self._flush(self.store)
        self._opened.close()
        self._text = self._table = self._path = None

    def _flush(self, store: Store) -> None:
        rows, self._buffer = self._buffer, []
        if self._path is None:
            self._path = self._opened.enter_context(store.writing(self.name))
            self.has_rows = True
            if self._form == "json":
                self._text = self._opened.enter_context(self._path.open("w", encoding="utf-8", errors="backslashreplace"))
            else:
                self._table = self._opened.enter_context(pq.ParquetWriter(self._path, _COLUMNS))
        if self._text is not None:
            self._text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        elif self._table is not None:  # a fact is a text of JSON, since facts have different arities and types
            texts = [{**row, "fact": json.dumps(row["fact"], ensure_ascii=False)} for row in rows]
            self._table.write_table(pa.Table.from_pylist(texts, _COLUMNS))
