"""A plot for each workload: the measured figure against size, on logarithmic axes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.results import Row, exponent
from benchmarks.harness.workload import Workload

AXES = {"cpu": "CPU seconds", "wall": "wall seconds", "round_wall": "wall seconds a late round", "at_rest_mb": "MB at rest"}


def growth(rows: Sequence[Row], contender: str, column: str) -> float:
    """The measured exponent of a contender."""
    return exponent([(row.size, row.figure(column)) for row in rows if row.ok and row.contender == contender])


def plot(workload: Workload, rows: Sequence[Row], folder: Path) -> None:
    """Draw all contenders that were measured; the legend says with which power of the size each grows."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axis = pyplot.subplots(figsize=(6.4, 4.4))
    for contender in workload.contenders:
        own = [row for row in rows if row.ok and row.contender == contender.name]
        if own:
            power = growth(rows, contender.name, workload.plotted)
            label = contender.name if len(own) < 2 else f"{contender.name}: size^{power:.2f}"
            own_line = "solid" if contender.name.startswith("tidelog") else "dashed"
            values = [max(row.figure(workload.plotted), 1e-4) for row in own]
            axis.plot([row.size for row in own], values, marker="o", linestyle=own_line, label=label)
    for target in workload.targets:
        if not target.peer and target.measure == workload.plotted:
            axis.plot([target.size], [target.limit], marker="_", markersize=18, color="black", linestyle="", label="target")
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_title(workload.title, fontsize=10)
    axis.set_xlabel(workload.unit)
    axis.set_ylabel(AXES[workload.plotted])
    axis.grid(which="both", alpha=0.25)
    if axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(folder / f"{workload.name}.png", dpi=110)
    pyplot.close(figure)
