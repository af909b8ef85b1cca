"""Rejected rows: counted, and written to a folder with source, raw record and reason; too many of them stop the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from tidelog.errors import Diagnostic, TidelogError, fail
from tidelog.pipeline.report.outcome import ROWS_SHOWN, RejectedRow

RUNS_KEPT = 3
_SHOWN_IN_ERROR = 5
_LONGEST = 200


class RejectLog:
    """The rejected rows of one run."""

    def __init__(self, folder: str, run_id: str, limit: int) -> None:
        self.parent, self.folder, self.limit = folder, f"{folder.rstrip('/')}/{run_id}", limit
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
                path = Path(self.folder) / f"{quote(relation, safe='')}.jsonl"
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("a", encoding="utf-8") as file:
                    file.writelines(lines)
            self._tidy()
        except OSError as error:
            fix = "choose another `[rejects] folder`"
            raise fail("TL060", f"cannot write to {self.folder}: {error.strerror or error}", fix=fix) from error
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
        parent = Path(self.parent)
        runs = sorted(entry for entry in parent.iterdir() if entry.is_dir() and _is_run(entry.name)) if parent.is_dir() else []
        for old in [entry for entry in runs if entry != Path(self.folder)][: max(0, len(runs) - RUNS_KEPT)]:
            shutil.rmtree(old, ignore_errors=True)

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
