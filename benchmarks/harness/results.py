"""The table of a workload: one row for each size and contender, kept as CSV."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

RESULTS = Path(__file__).parent.parent / "results"
MISSING = math.nan


@dataclass(frozen=True)
class Row:
    """The best measurement of one contender at one size, or why there is none."""

    size: int
    contender: str
    status: str
    """`ok`, or why there are no figures."""
    repeats: int = 0
    facts: int = 0
    cpu: float = MISSING
    """CPU seconds of evaluation and counting, user and system, all threads."""
    wall: float = MISSING
    load_cpu: float = MISSING
    load_wall: float = MISSING
    peak_mb: float = MISSING
    at_rest_mb: float = MISSING
    """Growth of resident memory from before the input was generated until the result is there and the input gone."""
    bytes_a_fact: float = MISSING
    """The same for each fact of the input."""
    round_wall: float = MISSING
    """Wall seconds of a late round that finds little, the median; where a workload is about rounds."""

    @property
    def ok(self) -> bool:
        """Whether there are figures."""
        return self.status == "ok"

    @property
    def per_cpu_second(self) -> float:
        """Result facts for each CPU second of evaluation."""
        return self.facts / self.cpu if self.cpu else MISSING

    def figure(self, column: str) -> float:
        """The figure in a column, or one that follows from several."""
        return float(getattr(self, column))


def write(file: Path, rows: Iterable[Row]) -> None:
    """Write the table."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=[field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _as_text(value) for name, value in asdict(row).items()} for row in rows)


def _as_text(value: float | str) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4f}"
    return str(value)


def read(file: Path) -> list[Row]:
    """The table as it was written; empty where there is none."""
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        return [_row(cells) for cells in csv.DictReader(stream)]


def _row(cells: dict[str, str]) -> Row:
    numbers = {
        name: float(cells[name] or "nan") for name in cells if name not in {"size", "contender", "status", "repeats", "facts"}
    }
    return Row(int(cells["size"]), cells["contender"], cells["status"], int(cells["repeats"]), int(cells["facts"]), **numbers)


def find(rows: Iterable[Row], contender: str, size: int) -> Row | None:
    """The row with figures for a contender at a size."""
    return next((row for row in rows if row.ok and row.contender == contender and row.size == size), None)


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the second against the first on logarithmic axes; not a number for fewer than two sizes."""
    logs = [(math.log(x), math.log(max(y, 1e-4))) for x, y in points]
    if len(logs) < 2:
        return math.nan
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs, strict=True))
    return float(sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs))
