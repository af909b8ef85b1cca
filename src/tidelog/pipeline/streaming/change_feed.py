"""The change feed of a streaming job: a row for each fact that came or went, a file for each batch.

A file is written while its batch is worked off, so that no more than a few rows are in memory, however much an update changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.changes import Change
from tidelog.json_values import to_json

_COLUMNS = pa.schema([(name, pa.string()) for name in ("update", "relation", "fact", "change", "kind")]).insert(
    0, pa.field("batch", pa.int64())
)
ENDINGS = {"json": ".jsonl", "parquet": ".parquet"}
_AT_ONCE = 50_000
"""Rows that are written together."""


def rows_of(batch: int, update: str, change: Change) -> Iterator[dict[str, Any]]:
    """What one update changed: `+` for facts that came and `-` for those that went, explicit ones apart from derived ones."""
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
    """A file of rows, JSON Lines or Parquet, that is there when there is a first row."""

    def __init__(self, path: Path | None, form: str) -> None:
        """Without a path, rows go nowhere."""
        self.path, self._form = path, form
        self.has_rows = False
        self._waiting: list[dict[str, Any]] = []
        self._text: IO[str] | None = None
        self._table: pq.ParquetWriter | None = None

    def write(self, rows: Iterable[dict[str, Any]]) -> None:
        """Add rows."""
        if self.path is None:
            return
        for row in rows:
            self._waiting.append(row)
            if len(self._waiting) >= _AT_ONCE:
                self._flush(self.path)

    def close(self) -> None:
        """Have all of it in the file."""
        if self.path is not None and self._waiting:
            self._flush(self.path)
        for opened in (self._text, self._table):
            if opened is not None:
                opened.close()
        self._text = self._table = None

    def _flush(self, path: Path) -> None:
        rows, self._waiting = self._waiting, []
        if not self.has_rows:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.has_rows = True
        if self._form == "json":
            self._text = self._text or path.open("w", encoding="utf-8", errors="backslashreplace")
            self._text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:  # a fact is a text of JSON, since facts have different arities and types
            self._table = self._table or pq.ParquetWriter(path, _COLUMNS)
            texts = [{**row, "fact": json.dumps(row["fact"], ensure_ascii=False)} for row in rows]
            self._table.write_table(pa.Table.from_pylist(texts, _COLUMNS))
