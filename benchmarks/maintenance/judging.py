"""The targets of maintenance, each with what was measured and what it was compared with in the same run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.summary import Judgement
from benchmarks.maintenance import table
from benchmarks.maintenance.jobs import FOREST, JOBS
from benchmarks.maintenance.measuring import DELETE, FRESH, INSERT
from benchmarks.maintenance.pathway_peer import PATHWAY
from benchmarks.maintenance.table import Row, Rows
from tidelog.options import ALGORITHMS

AUTO = ALGORITHMS[0]
SINGLE = ALGORITHMS[1:]
SLACK = 1.3
"""How much longer `auto` may take than the best single algorithm."""

Tables = Mapping[str, Rows]


@dataclass(frozen=True)
class Place:
    """A step of a job at a size."""

    job: str
    size: int
    step: str = DELETE

    @property
    def work(self) -> str:
        """As the summary names it."""
        job = JOBS[self.job]
        return f"{job.title}, {self.size:,} {job.unit.split(',')[0]}: {self.step}"

    def of(self, tables: Tables, contender: str) -> Row | None:
        """What a contender took."""
        return table.find(tables[self.job], contender, self.size, self.step)


def seconds(value: float) -> str:
    """Seconds for people."""
    if math.isnan(value):
        return "–"
    return f"{value * 1e6:.0f} µs" if value < 1e-3 else f"{value * 1e3:.2f} ms" if value < 1 else f"{value:.2f} s"


def at_most(place: Place, limit: float, peer: str, elsewhere: str = "") -> Callable[[Tables], Judgement]:
    """`auto` takes no more than so many seconds."""

    def judge(tables: Tables) -> Judgement:
        own, other = place.of(tables, AUTO), place.of(tables, peer)
        beside = f"{peer} {seconds(other.cpu)}" if other else ""
        if own is None:
            return Judgement(place.work, f"≤ {seconds(limit)} CPU", peer=beside, elsewhere=elsewhere)
        ratio = f"{own.cpu / other.cpu:.4f}" if other and other.cpu else ""
        return Judgement(
            place.work, f"≤ {seconds(limit)} CPU", seconds(own.cpu), beside, ratio, _met(own.cpu <= limit), elsewhere
        )

    return judge


def times_faster(place: Place, limit: float, peer: str, elsewhere: str = "") -> Callable[[Tables], Judgement]:
    """`auto` is so many times faster than a peer."""

    def judge(tables: Tables) -> Judgement:
        own, other = place.of(tables, AUTO), place.of(tables, peer)
        target = f"≥ {limit:g} times faster than {peer}"
        beside = f"{peer} {seconds(other.cpu)}" if other else f"{peer} not measured"
        if own is None or other is None:
            return Judgement(place.work, target, seconds(own.cpu) if own else "not measured", beside, elsewhere=elsewhere)
        factor = other.cpu / own.cpu
        measured = f"{seconds(own.cpu)}: {factor:.1f} times"
        return Judgement(place.work, target, measured, beside, f"{1 / factor:.4f}", _met(factor >= limit), elsewhere)

    return judge


def no_more_in_copies(step: str, limit: float) -> Callable[[Tables], Judgement]:
    """A fact of one copy among ten takes no more than so many times what it takes alone."""
    alone, among = Place("one_fact", FOREST[2], step), Place("one_fact_copies", FOREST[2], step)

    def judge(tables: Tables) -> Judgement:
        one, ten = alone.of(tables, AUTO), among.of(tables, AUTO)
        if one is None or ten is None:
            return Judgement(among.work, f"≤ {limit:g} × one copy")
        ratio = ten.cpu / one.cpu
        beside = f"one copy {seconds(one.cpu)}"
        return Judgement(among.work, f"≤ {limit:g} × one copy", seconds(ten.cpu), beside, f"{ratio:.2f}", _met(ratio <= limit))

    return judge


def fewer_instances(job: str, size: int, limit: float) -> Callable[[Tables], Judgement]:
    """B/F looks at no more than a part of DRed's rule instances."""
    place = Place(job, size)

    def judge(tables: Tables) -> Judgement:
        own, other = place.of(tables, "bf"), place.of(tables, "dred")
        target = f"B/F examines ≤ 1/{1 / limit:.0f} of DRed's rule instances"
        if own is None or other is None or not other.instances:
            return Judgement(place.work, target)
        ratio = own.instances / other.instances
        beside = f"dred {other.instances:,.0f} ({seconds(other.cpu)})"
        return Judgement(
            place.work, target, f"{own.instances:,.0f} ({seconds(own.cpu)})", beside, f"{ratio:.6f}", _met(ratio <= limit)
        )

    return judge


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


_PAPER = "the paper: {} s"
_PATHWAY = "pathway elsewhere: {} s"
_JUDGES: tuple[Callable[[Tables], Judgement], ...] = (
    at_most(Place("one_fact", FOREST[2], DELETE), 100e-6, "rematerialise"),
    at_most(Place("one_fact", FOREST[2], INSERT), 50e-6, "rematerialise"),
    no_more_in_copies(DELETE, SLACK),
    no_more_in_copies(INSERT, SLACK),
    at_most(Place("dag_r", 1000, DELETE), 0.1, FRESH, _PAPER.format(64.9)),
    at_most(Place("dag_r", 1000, INSERT), 0.1, FRESH, _PAPER.format(14.6)),
    at_most(Place("dag_r", 25_000, DELETE), 0.1, FRESH, _PAPER.format(62.5)),
    fewer_instances("clique", 200, 0.01),
    *(
        times_faster(Place("lubm", size), limit, peer)
        for size, limit in ((100, 20), (5000, 3))
        for peer in (FRESH, "rematerialise")
    ),
    *(
        times_faster(Place("dag_xs", size, step), 100, PATHWAY, _PATHWAY.format(elsewhere))
        for size, elsewhere in ((10, 0.05), (100, 0.15), (1000, 0.75))
        for step in (DELETE, INSERT)
    ),
)


def judgements(folder: Path) -> list[Judgement]:
    """Every target, then the worst of `auto` beside the best single algorithm in each job."""
    tables = {name: table.read(folder, name) for name in JOBS}
    return [*(judge(tables) for judge in _JUDGES), *_judgements_of_auto(tables)]


def _judgements_of_auto(tables: Tables) -> Iterator[Judgement]:
    for name, job in JOBS.items():
        worst = max(compared(tables[name]), key=lambda found: found[0], default=None)
        if worst is None:
            continue
        ratio, own, best = worst
        place = Place(name, own.size, own.step)
        measured, beside = seconds(own.cpu), f"{best.contender} {seconds(best.cpu)}"
        yield Judgement(
            f"`auto`, the worst of: {job.title} ({place.size:,}, {place.step})",
            f"≤ {SLACK:g} × the best single algorithm",
            measured,
            beside,
            f"{ratio:.2f}",
            _met(ratio <= SLACK),
        )


def compared(rows: Rows) -> Iterator[tuple[float, Row, Row]]:
    """`auto` beside the best single algorithm, wherever both were measured."""
    for own in rows:
        if own.ok and own.contender == AUTO:
            best = table.best_single(rows, own.size, own.step, SINGLE)
            if best is not None:
                yield own.cpu / max(best.cpu, 1e-9), own, best
