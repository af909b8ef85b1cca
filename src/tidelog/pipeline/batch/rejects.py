"""Rejected rows: counted, and written to a folder with source, raw record and reason; too many of them stop the run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from urllib.parse import quote

from tidelog.errors import Diagnostic, TidelogError, fail
from tidelog.pipeline.report.outcome import ROWS_SHOWN, RejectedRow
from tidelog.stores import Store, store_at

RUNS_KEPT = 3
_SHOWN_IN_ERROR = 5
_LONGEST = 200


class RejectLog:
    """The rejected rows of one run."""

    def __init__(self, folder: str, run_id: str, limit: int, store: Store | None = None) -> None:
        """`store` is that of the folder, unless its path tells."""
        self.folder, self.limit = f"{folder.rstrip('/')}/{run_id}", limit
        self._run, self._store = run_id, store or store_at(folder)
        self.count = 0
        self.first: list[RejectedRow] = []
        """The first of them, for the report."""

    def add(self, rows: Iterable[RejectedRow]) -> int:
        """Write rows to the folder; how many there were."""
        added = 0
        files: dict[str, list[str]] = {}
        for row in rows:
            added += 1
            self._show(row)
            entry = {"source": row.source, "place": row.place, "record": row.record, "reason": row.reason}
            files.setdefault(row.relation, []).append(json.dumps(entry, ensure_ascii=False) + "\n")
        try:
            for relation, lines in files.items():
                name = f"{self._run}/{quote(relation, safe='')}.jsonl"
                self._store.replace(name, (self._store.read(name) or "") + "".join(lines))
        except OSError as error:
            fix = "choose another `[rejects] folder`"
            raise fail("TL060", f"cannot write to {self.folder}: {error.strerror or error}", fix=fix) from error
        self._tidy()
        self.count += added
        return added

    def take_over(self, count: int, first: Iterable[RejectedRow]) -> None:
        """Count rows that the engine has written to the folder itself; `first` are the first of the whole run."""
        self.count += count
        self.first = list(first)[:ROWS_SHOWN]
        self._tidy()

    def _show(self, row: RejectedRow) -> None:
        if len(self.first) < ROWS_SHOWN:
            self.first.append(row)

    def _tidy(self) -> None:
        """Remove the rejects of all but the last runs."""
        try:
            runs = [name for name in self._store.entries() if _is_run(name)]
        except OSError:
            return  # the engine has its own ways to write there
        for old in [name for name in runs if name != self._run][: max(0, len(runs) - RUNS_KEPT)]:
            self._store.remove(old)

    def check(self) -> None:
        """Raise an error if there are more than allowed."""
        if self.count > self.limit:
            raise self.error()

    def error(self) -> TidelogError:
        """The error for too many."""
        rows = "1 row does" if self.count == 1 else f"{self.count:,} rows do"
        message = f"{rows} not fit, and the job allows {self.limit:,}; no sink has been changed"
        notes = [f"{row.place}: {row.reason}"[:_LONGEST] for row in self.first[:_SHOWN_IN_ERROR]]
        if self.count > len(notes):
            notes.append(f"... and {self.count - len(notes):,} more")
        fix = f"look at {self.folder}, correct the rows, or raise `[limits] rejects`"
        return TidelogError([Diagnostic("TL092", message, fix=fix, notes=tuple(notes))])


def _is_run(name: str) -> bool:
    """Whether a folder has the name of a run, such as 20261115T064300Z-1f2e3d."""
    day, _, token = name.partition("-")
    return len(day) == len("20261115T064300Z") and day.endswith("Z") and bool(token)
