"""The section of the summary about maintenance: every step of every job with all contenders, and the equilibria."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from benchmarks.maintenance import table
from benchmarks.maintenance.equilibrium import crossing
from benchmarks.maintenance.job import Job
from benchmarks.maintenance.jobs import JOBS
from benchmarks.maintenance.judging import SINGLE, seconds
from benchmarks.maintenance.measuring import DELETE, FRESH, INSERT
from benchmarks.maintenance.pathway_peer import PATHWAY
from benchmarks.maintenance.table import Rows
from tidelog.options import ALGORITHMS

_COLUMNS = (*ALGORITHMS, FRESH, PATHWAY)
_MAINTAINING = tuple(name for name in ALGORITHMS[1:] if name != "rematerialise")
_START_OVER = "rematerialise"
_INTRODUCTION = """
# Maintenance

CPU time of `kb.update`, the median of several updates in one process, the best of the repeats; each process is a fresh one,
warmed up, and contenders take turns. `from scratch` is the evaluation alone in a new knowledge base, without loading; what
pathway takes is from sending a batch to having its changes. `auto / best` compares with the best of bf, dred, counting and
rematerialise. All hold the same number of facts after every update.
"""
_EQUILIBRIUM = """
## Equilibrium

The share of the explicit facts whose deletion takes as long as to start over (`rematerialise`), between the measured shares by
interpolation; `auto` is judged by the worst of all shares.
"""


def text(folder: Path) -> str:
    """The section, empty where nothing was measured."""
    tables = {name: table.read(folder, name) for name in JOBS}
    lines = [line for name, job in JOBS.items() if job.scale is None for line in _lines(job, tables[name])]
    shares = [_equilibrium(job, tables[name]) for name, job in JOBS.items() if job.scale is not None and tables[name]]
    parts = []
    if lines:
        parts += [_INTRODUCTION, f"| work | step | {' | '.join(_COLUMNS)} | auto / best |", "| --- " * (len(_COLUMNS) + 3) + "|"]
        parts += lines
    if shares:
        parts += [
            _EQUILIBRIUM,
            f"| work | {' | '.join(_MAINTAINING)} | auto / best at worst |",
            "| --- " * (len(_MAINTAINING) + 2) + "|",
            *shares,
        ]
    return "\n".join(parts) + "\n" if parts else ""


def _lines(job: Job, rows: Rows) -> Iterator[str]:
    for size in sorted({row.size for row in rows}):
        for step in (DELETE, INSERT):
            found = [table.find(rows, contender, size, step) for contender in _COLUMNS]
            if not any(found):
                continue
            cells = " | ".join(seconds(row.cpu) if row else "" for row in found)
            ratio = ratio_of_auto(rows, size, step)
            yield f"| {job.title}, {size:,} {job.unit.split(',')[0]} | {step} | {cells} | {_ratio(ratio)} |"


def ratio_of_auto(rows: Rows, size: int, step: str) -> float:
    """`auto` divided by the best single algorithm."""
    own, best = table.find(rows, ALGORITHMS[0], size, step), table.best_single(rows, size, step, SINGLE)
    return own.cpu / best.cpu if own and best and best.cpu else math.nan


def _equilibrium(job: Job, rows: Rows) -> str:
    over = {row.size: row.cpu for row in rows if row.ok and row.contender == _START_OVER and row.step == DELETE}
    cells = []
    for contender in _MAINTAINING:
        own = [(row.size, row.cpu) for row in rows if row.ok and row.contender == contender and row.step == DELETE]
        share = crossing(own, over)
        reached = max((size for size, _ in own), default=0)
        least = min((size for size, _ in own), default=0)
        if not own:
            cells.append("–")
        elif math.isnan(share):
            cells.append(f"never up to {reached / 10:g} %")
        else:
            cells.append(f"{'≤ ' if share <= least else ''}{share / 10:.2g} %")
    worst = max((ratio_of_auto(rows, size, DELETE) for size in over), default=math.nan)
    return f"| {job.title} | {' | '.join(cells)} | {_ratio(worst)} |"


def _ratio(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"
