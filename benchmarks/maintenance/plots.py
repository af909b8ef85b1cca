"""A plot for each job: CPU seconds of each step against the size, on logarithmic axes; for cliques also the rule instances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.maintenance.job import Job
from benchmarks.maintenance.measuring import DELETE, INSERT
from benchmarks.maintenance.table import Row

_AXES = {"cpu": "CPU seconds", "instances": "rule instances examined"}


def plot(job: Job, rows: Sequence[Row], folder: Path) -> None:
    """Draw all contenders that were measured, a picture for each step."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    panels = [(DELETE, "cpu"), (INSERT, "cpu")]
    if job.name in {"clique", "ring"}:
        panels.append((DELETE, "instances"))
    figure, axes = pyplot.subplots(1, len(panels), figsize=(5.2 * len(panels), 4.2), squeeze=False)
    for axis, (step, column) in zip(axes[0], panels, strict=True):
        for contender in job.contenders:
            own = [row for row in rows if row.ok and row.contender == contender and row.step == step]
            points = [(row.size, getattr(row, column)) for row in own if getattr(row, column) > 0]
            if points:
                line = "dashed" if contender in {"from scratch", "pathway"} else "dotted" if contender == "auto" else "solid"
                axis.plot(*zip(*points, strict=True), marker="o", linestyle=line, label=contender)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(f"{job.title}: {step}", fontsize=9)
        axis.set_xlabel(job.unit)
        axis.set_ylabel(_AXES[column])
        axis.grid(which="both", alpha=0.25)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / f"maintenance_{job.name}.png", dpi=110)
    pyplot.close(figure)
