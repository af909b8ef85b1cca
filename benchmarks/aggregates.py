"""Aggregates under change, and results: one fact more or less in a group of any size; the first facts of a relation of any size.

For each aggregate the update deletes or inserts the fact that matters most: the smallest for `min`, the largest for all others.
`first` is the first update of a group, which builds what is kept of it; `anew` is what evaluating everything takes.
"""

from __future__ import annotations

import csv
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.harness.summary import Judgement

if TYPE_CHECKING:
    from tidelog import KnowledgeBase

SIZES = (10_000, 100_000, 1_000_000)
FUNCTIONS = ("count", "sum", "avg", "median", "min", "max")
SHAPES = {"one group": 1, "groups of 10": 10, "groups of 1,000": 1_000}
_UPDATES = 60
_MOST, _MOST_GROWTH, _SLACK = 1e-3, 1.3, 5e-5
"""Seconds that an update may take, and how much more at a hundred times the size."""


@dataclass(frozen=True)
class Row:
    """The CPU time of some work, in seconds."""

    work: str
    shape: str
    size: int
    median: float
    longest: float
    first: float
    anew: float


def _cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def _knowledge(function: str, shape: str, size: int) -> tuple[KnowledgeBase, list[tuple[str, int, int, float]], float]:
    """A knowledge base, its facts in the order in which they matter, and what it took to evaluate it."""
    from tidelog import KnowledgeBase

    kb, values = KnowledgeBase(f"r(G, N) :- N = {function} {{ V : g(G, I, V) }}."), np.random.default_rng(1).random(size) * 1e6
    group = np.zeros(size, np.int64) if SHAPES[shape] == 1 else np.arange(size) // SHAPES[shape]
    kb.load("g", pa.table({"g": group, "i": np.arange(size), "v": values}))
    anew = _cpu(lambda: kb.count("r"))
    order = np.argsort(values)[:: 1 if function == "min" else -1][: _UPDATES // 2 + 1].tolist()
    return kb, [("g", int(group[at]), at, float(values[at])) for at in order], anew


def updates(function: str, shape: str, size: int) -> Row:
    """Delete the facts that matter most, one by one, and insert them again."""
    kb, facts, anew = _knowledge(function, shape, size)
    before = dict(iter(kb["r"]))
    first = _cpu(lambda: kb.update(delete=facts[:1]))
    taken = [_cpu(lambda fact=fact: kb.update(delete=[fact])) for fact in facts[1:]]  # type: ignore[misc]
    taken += [_cpu(lambda fact=fact: kb.update(insert=[fact])) for fact in facts]  # type: ignore[misc]
    assert dict(iter(kb["r"])) == before
    return Row(function, shape, size, statistics.median(taken), max(taken), first, anew)


def results(size: int) -> Iterator[Row]:
    """What the first facts, membership and a count take, just after an update."""
    kb, facts, _ = _knowledge("count", "groups of 10", size)
    known = facts[0][1:]
    works: dict[str, Callable[[], object]] = {
        "head(3)": lambda: kb["g"].head(3),
        "fact in kb": lambda: known in kb["g"],
        "count": lambda: kb.count("g"),
    }
    for work, read in works.items():
        taken = []
        for fact in facts[1:]:
            kb.update(delete=[fact])
            taken.append(_cpu(read))
        kb.update(insert=facts[1:])
        yield Row(work, "results", size, statistics.median(taken), max(taken), taken[0], 0.0)


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows: list[Row] = []
    updates("median", "one group", 1_000)  # loads what is compiled
    for size in SIZES[:2] if quick else SIZES:
        measured = [updates(function, shape, size) for shape in SHAPES for function in FUNCTIONS]
        for row in (*measured, *results(size)):
            rows.append(row)
            times = f"median {row.median * 1e3:7.3f} ms, longest {row.longest * 1e3:8.3f}, first {row.first * 1e3:8.2f}"
            print(f"{row.work:10} {row.shape:15} {row.size:>9,} facts: {times}, anew {row.anew * 1e3:8.1f}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "aggregates.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether the cost of an update is small, and does not follow the size."""
    file = folder / "aggregates.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for work, shape in dict.fromkeys((row["work"], row["shape"]) for row in rows):
        taken = {int(row["size"]): float(row["median"]) for row in rows if (row["work"], row["shape"]) == (work, shape)}
        few, many = taken[min(taken)], taken[max(taken)]
        measured = f"{few * 1e3:.3f} ms at {min(taken):,} facts, {many * 1e3:.3f} ms at {max(taken):,}"
        met = "yes" if many <= min(_MOST, _MOST_GROWTH * few + _SLACK) else "**no**"
        found.append(Judgement(f"`{work}`, {shape}: one fact", "≤ 1 ms, the same at every size", measured, met=met))
    return found
