"""The change feed of a streaming job: a row for each fact that came or went, a file for each batch."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tidelog.changes import Change
from tidelog.json_values import to_json

_COLUMNS = pa.schema([(name, pa.string()) for name in ("update", "relation", "fact", "change", "kind")]).insert(
    0, pa.field("batch", pa.int64())
)
ENDINGS = {"json": ".jsonl", "parquet": ".parquet"}


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


def write_rows(rows: Sequence[dict[str, Any]], path: Path, form: str) -> None:
    """Write a file of the feed; in Parquet, a fact is a text of JSON, since facts have different arities and types."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if form == "json":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return
    texts = [{**row, "fact": json.dumps(row["fact"], ensure_ascii=False)} for row in rows]
    pq.write_table(pa.Table.from_pylist(texts, _COLUMNS), path)
