"""The summary: each target with what was measured, and all contenders at the largest size.

It is written from the tables in the folder of results, so that a run of one workload keeps what is known of the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from benchmarks.harness import results
from benchmarks.harness.plots import growth
from benchmarks.harness.results import Row
from benchmarks.harness.workload import Target, Workload


@dataclass(frozen=True)
class Judgement:
    """One line of the table of targets."""

    work: str
    target: str
    measured: str = "not measured"
    peer: str = ""
    ratio: str = ""
    met: str = "–"
    elsewhere: str = ""


def judge(workload: Workload, target: Target, rows: list[Row]) -> Judgement:
    """Whether the target is met, beside the peer that does best at this size."""
    candidates = (results.find(rows, name, target.size) for name in (target.contender, *target.alternatives))
    own = target.best(row for row in candidates if row is not None)
    rival = results.find(rows, target.peer, target.size) if target.peer else _best_rival(rows, target)
    peer = f"{rival.contender} {_number(rival.figure(target.measure))}" if rival else ""
    if own is None:
        why = next((row.status for row in rows if row.contender == target.contender and row.size == target.size), "not measured")
        return Judgement(workload.title, target.describe(), why, peer, elsewhere=target.elsewhere)
    value = own.figure(target.measure)
    ratio = value / rival.figure(target.measure) if rival else math.nan
    limited = ratio if target.peer else value
    is_met = limited >= target.limit if target.at_least else limited <= target.limit
    met = "–" if math.isnan(limited) else "yes" if is_met else "**no**"
    beside = "" if math.isnan(ratio) else f"{ratio:.2f}"
    measured = f"{own.contender} {_number(value)}" if target.alternatives else _number(value)
    return Judgement(workload.title, target.describe(), measured, peer, beside, met, target.elsewhere)


def _best_rival(rows: list[Row], target: Target) -> Row | None:
    rivals = [row for row in rows if row.ok and row.size == target.size and not row.contender.startswith("tidelog")]
    return target.best(rivals)


def _number(value: float) -> str:
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 10_000 else f"{value:,.0f}"


def write(workloads: Mapping[str, Workload], others: list[Judgement], folder: Path) -> Path:
    """Write `summary.md`; `others` are judgements of what is no workload with sizes."""
    tables = {name: results.read(folder / f"{name}.csv") for name in workloads}
    judgements = [judge(workload, target, tables[name]) for name, workload in workloads.items() for target in workload.targets]
    lines = [
        "# Measured against our targets",
        "",
        "CPU seconds are user and system time of evaluation and counting, from loaded input, all threads, best of the repeats;",
        "every measurement runs in a fresh process after a warm-up at a tiny size. DuckDB runs with one thread. Spark runs in",
        "`local[2]`, started before; its CPU seconds are those of the driver, the JVM and the Python workers together.",
        "Where the target is a plain figure, the peer is the quickest one. What other engines took, on another machine with two",
        "cores, stands beside it for orientation.",
        "",
        "| work | target | measured | peer | ratio to peer | met | elsewhere |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(f"| {' | '.join(astuple(judgement))} |" for judgement in (*judgements, *others)),
        "",
        "# All contenders",
        "",
        "At the largest size; `growth` is the power of the size with which CPU time grows (for `memory` memory at rest, for",
        "`spark_closure` wall time, for `spark_tail` the wall time of a late round), fixed costs at small sizes included, so",
        "that it is less than the power for large sizes.",
        "",
        "| workload | size | contender | facts | CPU s | wall s | load CPU s | peak MB | growth | repeats |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        *(line for name, workload in workloads.items() for line in _contender_lines(workload, tables[name])),
    ]
    file = folder / "summary.md"
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def _contender_lines(workload: Workload, rows: list[Row]) -> Iterator[str]:
    largest = max((row.size for row in rows), default=0)
    for row in rows:
        if row.size != largest:
            continue
        start = f"| {workload.name} | {row.size:,} {workload.unit} | {row.contender}"
        if row.ok:
            power = growth(rows, row.contender, workload.plotted)
            seconds = " | ".join(map(_number, (row.cpu, row.wall, row.load_cpu)))
            figures = f"{seconds} | {row.peak_mb:.0f} | {power:.2f} | {row.repeats}"
            yield f"{start} | {row.facts:,} | {figures} |"
        else:
            yield f"{start} | {row.status} | | | | | | |"
