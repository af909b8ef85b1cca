"""Runs a workload: contenders take turns, each measurement in a fresh process, and must agree on the number of facts."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.harness import results
from benchmarks.harness.plots import growth, plot
from benchmarks.harness.results import Row
from benchmarks.harness.workload import UNITS, Contender, Workload

LONG = 20.0
"""A measurement that takes so many seconds is not repeated."""
ROOT = Path(__file__).parent.parent.parent


class WrongCountError(Exception):
    """Contenders found different numbers of facts, so that their times cannot be compared."""


def run(workload: Workload, folder: Path, *, repeats: int, quick: bool) -> bool:
    """Measure, print progress, write table and plot; returns whether every contender that takes part finished."""
    rows: list[Row] = []
    for size in workload.sizes[:2] if quick else workload.sizes:
        at_size = list(measure_size(workload, size, repeats))
        check_counts(workload, size, at_size)
        rows += at_size
        results.write(folder / f"{workload.name}.csv", rows)
    plot(workload, rows, folder)
    _report_growth(workload, rows)
    return not any(row.status.startswith("failed") for row in rows)


def measure_size(workload: Workload, size: int, repeats: int) -> Iterator[Row]:
    """The best measurement of each contender at one size."""
    best: dict[str, Row] = {}
    done: set[str] = set()
    for turn in range(1, repeats + 1):
        for contender in workload.contenders:
            if contender.name in done:
                continue
            start = time.perf_counter()
            row = measure(workload, contender, size, turn)
            if not row.ok or time.perf_counter() - start > LONG:
                done.add(contender.name)
            earlier = best.get(contender.name)
            if earlier is None or row.figure(workload.plotted) < earlier.figure(workload.plotted):
                best[contender.name] = row
            best[contender.name] = _with_repeats(best[contender.name], turn)
            if turn == 1 or row.ok:
                _report(workload, row, turn)
    return iter(best.values())


def _with_repeats(row: Row, repeats: int) -> Row:
    return Row(**{**vars(row), "repeats": repeats if row.ok else 0})


def measure(workload: Workload, contender: Contender, size: int, turn: int) -> Row:
    """One measurement in a fresh process."""
    if not contender.takes_part(size):
        return Row(size, contender.name, f"skipped: {contender.reason}")
    command = [sys.executable, "-m", "benchmarks.harness.child", workload.name, contender.name, str(size)]
    try:
        finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=workload.time_limit, check=False)
    except subprocess.TimeoutExpired:
        return Row(size, contender.name, f"failed: more than {workload.time_limit:.0f} s")
    if finished.returncode:
        print(finished.stderr, file=sys.stderr)
        return Row(size, contender.name, f"failed: {_error_line(finished.stderr) or finished.returncode}")
    figures = json.loads(_last_line(finished.stdout))
    return Row(size, contender.name, figures.pop("status"), turn, **figures)


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def _error_line(text: str) -> str:
    """The last line that names an exception, for messages go on after it."""
    return next((line for line in reversed(text.splitlines()) if "Error: " in line or "Exception: " in line), _last_line(text))


def _report(workload: Workload, row: Row, turn: int) -> None:
    where = f"{workload.name:18} {row.size:>9} {workload.unit}  {row.contender:26}"
    if row.ok:
        peak = f"{row.peak_mb:6.0f} MB peak" if workload.name == "memory" else ""
        requested = dict.fromkeys(target.measure for target in workload.targets)
        more = "  ".join(f"{row.figure(name):8,.3f} {UNITS[name]}" for name in requested if name not in {"cpu", "wall"})
        print(f"{where} {row.cpu:8.3f} s CPU {row.wall:8.3f} s wall {row.facts:>10} facts  {peak}  {more}  #{turn}", flush=True)
    else:
        print(f"{where} {row.status}", flush=True)


def _report_growth(workload: Workload, rows: Sequence[Row]) -> None:
    """With which power of the size the plotted figure grows."""
    for contender in workload.contenders:
        power = growth(rows, contender.name, workload.plotted)
        if not math.isnan(power):
            print(f"{workload.name:18} {contender.name:26} {workload.plotted} grows with {workload.unit}^{power:.2f}", flush=True)


def check_counts(workload: Workload, size: int, rows: Sequence[Row]) -> None:
    """All contenders must have found the same number of facts, and the one that is known."""
    counts = {row.contender: row.facts for row in rows if row.ok}
    if size in workload.expected and counts:
        counts["known beforehand"] = workload.expected[size]
    if len(set(counts.values())) > 1:
        listed = "\n".join(f"  {count:>12}  {contender}" for contender, count in counts.items())
        raise WrongCountError(f"{workload.name}, {size} {workload.unit}: the numbers of result facts differ\n{listed}")
