"""The results: a row for each stream and contender, kept as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from statistics import fmean


@dataclass(frozen=True)
class Row:
    """A stream, worked off."""

    stream: str
    size: int
    seed: int
    algorithm: str
    marking: str
    modules: str
    repeats: int
    cpu: float
    """Seconds for the whole stream, the median of the repeats."""
    deletions: float
    """Facts that became suspect."""
    instances: float
    """Rule instances that made them so."""
    backward: float
    forward: float
    insertions: float
    explicit_marks: float
    implicit_marks: float
    dropped_marks: float
    facts: float
    """How many there are in the end."""

    @property
    def contender(self) -> tuple[str, str, str]:
        """Who did it."""
        return self.algorithm, self.marking, self.modules


_NUMBERS = {"size": int, "seed": int, "repeats": int}
_TEXTS = ("stream", "algorithm", "marking", "modules")


def file_of(folder: Path, group: str) -> Path:
    """Where the results of a group are kept."""
    return folder / f"marking_{group}.csv"


def write(folder: Path, group: str, rows: Iterable[Row]) -> None:
    """Write a group's results."""
    folder.mkdir(parents=True, exist_ok=True)
    with file_of(folder, group).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=[field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**asdict(row), "cpu": f"{row.cpu:.6f}"} for row in rows)


def read(folder: Path, group: str) -> list[Row]:
    """The results as they were written; empty where there are none."""
    file = file_of(folder, group)
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        return [row_of(cells) for cells in csv.DictReader(stream)]


def row_of(cells: dict[str, str]) -> Row:
    """A row from its texts."""
    return Row(**{name: text if name in _TEXTS else _NUMBERS.get(name, float)(text) for name, text in cells.items()})  # type: ignore[arg-type]


def over_seeds(rows: Iterable[Row]) -> dict[tuple[str, int], dict[tuple[str, str, str], Row]]:
    """For each stream and size what each contender did, on average over the seeds."""
    found: dict[tuple[str, int], dict[tuple[str, str, str], list[Row]]] = {}
    for row in rows:
        found.setdefault((row.stream, row.size), {}).setdefault(row.contender, []).append(row)
    return {place: {contender: _mean(own) for contender, own in contenders.items()} for place, contenders in found.items()}


def _mean(rows: list[Row]) -> Row:
    first = rows[0]
    figures = (
        "cpu",
        "deletions",
        "instances",
        "backward",
        "forward",
        "insertions",
        "explicit_marks",
        "implicit_marks",
        "dropped_marks",
        "facts",
    )
    means = {name: fmean(getattr(row, name) for row in rows) for name in figures}
    return replace(first, **means)  # type: ignore[arg-type]  # all of them are numbers
