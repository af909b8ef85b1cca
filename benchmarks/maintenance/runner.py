"""Runs a job: contenders take turns, each in a fresh process, and must hold the same number of facts after each step."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.harness.runner import LONG, ROOT, WrongCountError
from benchmarks.maintenance import table
from benchmarks.maintenance.job import Job
from benchmarks.maintenance.measuring import DELETE
from benchmarks.maintenance.plots import plot
from benchmarks.maintenance.table import Row, Rows

_TIME_LIMIT = 900.0


def run(job: Job, folder: Path, *, repeats: int, quick: bool) -> bool:
    """Measure, print, write table and plot; returns whether every contender that takes part finished."""
    sizes = job.quick if quick else job.sizes
    groups = [sizes] if job.scale is not None else [(size,) for size in sizes]
    rows: Rows = []
    for group in groups:
        rows += measure_sizes(job, group, repeats)
        check_counts(job, rows)
        table.write(folder, job.name, rows)
    plot(job, rows, folder)
    return not any(row.status.startswith("failed") for row in rows)


def measure_sizes(job: Job, sizes: Sequence[int], repeats: int) -> Rows:
    """The best measurement of each contender and step at these sizes."""
    best: dict[tuple[int, str, str], Row] = {}
    done: set[str] = set()
    for turn in range(1, repeats + 1):
        for contender in job.contenders:
            if contender in done:
                continue
            start = time.perf_counter()
            rows = measure(job, contender, sizes)
            if time.perf_counter() - start > LONG * len(sizes) or not all(row.ok for row in rows):
                done.add(contender)
            for row in rows:
                place = row.size, row.step, row.contender
                earlier = best.get(place)
                better = row if earlier is None or (row.ok and row.cpu < earlier.cpu) else earlier
                best[place] = replace(better, repeats=turn if better.ok else 0)
                _report(job, row, turn)
    return sorted(best.values(), key=lambda row: (row.size, row.step, job.contenders.index(row.contender)))


def measure(job: Job, contender: str, sizes: Sequence[int]) -> Rows:
    """One fresh process."""
    command = [sys.executable, "-m", "benchmarks.maintenance.child", job.name, contender, *map(str, sizes)]
    try:
        finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_TIME_LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return [Row(sizes[0], DELETE, contender, f"failed: more than {_TIME_LIMIT:.0f} s")]
    if finished.returncode:
        print(finished.stderr, file=sys.stderr)
        return [Row(sizes[0], DELETE, contender, f"failed: {finished.stderr.strip().splitlines()[-1]}")]
    found: dict[str, Any] = json.loads(finished.stdout.strip().splitlines()[-1])
    if not found["steps"]:
        return [Row(sizes[0], DELETE, contender, found["status"])]
    return [
        Row(int(size), step, contender, found["status"], **figures)
        for size, steps in found["steps"].items()
        for step, figures in steps.items()
    ]


def _report(job: Job, row: Row, turn: int) -> None:
    where = f"{job.name:24} {row.size:>7} {row.contender:14}"
    if row.ok:
        figures = (
            f"{row.cpu * 1e3:12.3f} ms CPU {row.first * 1e3:10.3f} first {row.instances:>12,.0f} instances {row.facts:>12} facts"
        )
        print(f"{where} {row.step:10} {figures}  #{turn}", flush=True)
    elif turn == 1:
        print(f"{where} {row.status}", flush=True)


def check_counts(job: Job, rows: Iterable[Row]) -> None:
    """After the same step at the same size all hold the same number of facts."""
    found: dict[tuple[int, str], dict[int, list[str]]] = {}
    for row in rows:
        if row.ok:
            found.setdefault((row.size, row.step), {}).setdefault(row.facts, []).append(row.contender)
    for (size, step), counts in found.items():
        if len(counts) > 1:
            listed = "\n".join(f"  {count:>12}  {', '.join(contenders)}" for count, contenders in counts.items())
            raise WrongCountError(f"{job.name}, {size} {job.unit}, {step}: the numbers of facts differ\n{listed}")
