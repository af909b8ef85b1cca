"""Rows that are no facts, on Spark: counted, kept in a folder, and too many of them end the run before anything is derived."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING
from urllib.parse import quote

from tidelog.errors import Diagnostic, TidelogError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

REJECT = "reject"
"""The column with the record of a rejected row; null in rows that fit."""
_SCHEMA = "source string, line long, column string, reason string, record string"
_SHOWN, _KEPT, _LONGEST = 5, 50, 10_000


@dataclass(frozen=True, slots=True)
class Rejected:
    """One row that is no fact."""

    relation: str
    source: str
    line: int | None
    """Its line, counted from 1, if the file was read whole."""
    column: str | None
    reason: str
    record: str
    """The row as it stands in its source; of a table, as JSON."""

    @property
    def place(self) -> str:
        """`file:line`, as far as it is known."""
        return self.source if self.line is None else f"{self.source}:{self.line}"


def record_of(source: str, line: int | None, column: str | None, reason: str, record: str) -> str:
    """A rejected row as a task hands it to the driver: one JSON object."""
    cut = record if len(record) <= _LONGEST else f"{record[:_LONGEST]}..."
    content = {"source": source, "line": line, "column": column, "reason": reason, "record": cut}
    return json.dumps(content, ensure_ascii=False)


class Rejects:
    """The rejected rows of a run: how many, the first of them, and the folder that has them all."""

    def __init__(self, folder: str | PathLike[str] | None = None, limit: int = 0) -> None:
        """`limit` is how many rows may be rejected. Without a folder, they are counted and the first are shown."""
        self.folder = None if folder is None else str(folder)
        self.limit = limit
        self.count = 0
        self.counts: dict[str, int] = {}
        """How many rows of each relation were rejected."""
        self._first: list[Rejected] = []
        self._written = 0

    def first(self, count: int) -> list[Rejected]:
        """The first rejected rows, at most 50."""
        return self._first[:count]

    def add(self, frame: DataFrame, relation: str, count: int) -> None:
        """Keep rejected rows, given as the column `reject`; raise an error if they are too many by now."""
        if count == 0:
            return
        from pyspark.sql import functions as f

        rows = frame.where(f.col(REJECT).isNotNull()).select(f.from_json(REJECT, _SCHEMA).alias("row")).select("row.*")
        if len(self._first) < _KEPT:
            wanted = rows.orderBy("source", "line").limit(_KEPT - len(self._first)).collect()
            self._first += [Rejected(relation, row.source, row.line, row.column, row.reason, row.record) for row in wanted]
        if self.folder is not None:
            self._written += 1
            target = f"{self.folder}/{quote(relation, safe='')}-{self._written}"
            rows.coalesce(1).write.mode("error").json(target, ignoreNullFields=False)
        self.count += count
        self.counts[relation] = self.counts.get(relation, 0) + count
        self.check()

    def check(self) -> None:
        """Raise an error if there are more rejected rows than allowed."""
        if self.count <= self.limit:
            return
        rows = "1 row is" if self.count == 1 else f"{self.count:,} rows are"
        allowed = "none may be" if self.limit == 0 else f"at most {self.limit:,} may be"
        notes = [f"{row.place}: {f'column {row.column}: ' if row.column else ''}{row.reason}" for row in self._first[:_SHOWN]]
        notes += [f"... and {self.count - len(notes):,} more"] if self.count > len(notes) else []
        notes += [f"all of them are in {self.folder}"] if self.folder is not None else []
        fix = "mend these rows, declare other types for the columns, or allow more rejected rows"
        message = f"{rows} rejected, and {allowed}; nothing is derived"
        raise TidelogError([Diagnostic("TL092", message, fix=fix, notes=tuple(notes))])
