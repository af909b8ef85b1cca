"""The results of a job: a row for each size, step and contender, kept as CSV."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path

OK = "ok"


@dataclass(frozen=True)
class Row:
    """The best measurement of one step by one contender at one size, or why there is none."""

    size: int
    step: str
    contender: str
    status: str
    """`ok`, or why there are no figures."""
    repeats: int = 0
    cpu: float = math.nan
    first: float = math.nan
    instances: float = math.nan
    facts: int = 0
    requested: float = math.nan
    loading: float = math.nan
    worst: float = math.nan
    went: float = math.nan
    checked: float = math.nan
    backward: float = math.nan
    forward: float = math.nan
    suspected: float = math.nan
    overdeleted: float = math.nan
    rederived: float = math.nan
    inserted: float = math.nan
    choice: str = ""

    @property
    def ok(self) -> bool:
        """Whether there are figures."""
        return self.status == OK


Rows = list[Row]


def file_of(folder: Path, job: str) -> Path:
    """Where the table of a job is kept."""
    return folder / f"maintenance_{job}.csv"


def write(folder: Path, job: str, rows: Iterable[Row]) -> None:
    """Write the table, times in millionths of a second."""
    folder.mkdir(parents=True, exist_ok=True)
    with file_of(folder, job).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=[field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _as_text(value) for name, value in asdict(row).items()} for row in rows)


def _as_text(value: float | str) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6f}"
    return str(value)


def read(folder: Path, job: str) -> Rows:
    """The table as it was written; empty where there is none."""
    file = file_of(folder, job)
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        return [_row(cells) for cells in csv.DictReader(stream)]


_TEXTS, _NUMBERS = ("step", "contender", "status", "choice"), ("size", "repeats", "facts")


def _row(cells: dict[str, str]) -> Row:
    return Row(**{name: _value(name, text) for name, text in cells.items()})  # type: ignore[arg-type]  # each of its kind


def _value(name: str, text: str) -> float | str:
    if name in _TEXTS:
        return text
    return int(text) if name in _NUMBERS else float(text or "nan")


def find(rows: Iterable[Row], contender: str, size: int, step: str) -> Row | None:
    """The row with figures, if there is one."""
    place = contender, size, step
    return next((row for row in rows if row.ok and (row.contender, row.size, row.step) == place), None)


def best_single(rows: Iterable[Row], size: int, step: str, algorithms: Iterable[str]) -> Row | None:
    """The quickest of some algorithms."""
    found = (find(rows, algorithm, size, step) for algorithm in algorithms)
    return min((row for row in found if row is not None), key=lambda row: row.cpu, default=None)
