"""The targets of deletions: what one fact takes beside starting over, and larger sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness.summary import Judgement
from benchmarks.maintenance import table
from benchmarks.maintenance.judging import AUTO, Place, seconds
from benchmarks.maintenance.measuring import DELETE, FRESH
from benchmarks.maintenance.table import Row
from benchmarks.papers.jobs import jobs

_ONE, _WORST, _NEVER = 1 / 50, 1.1, 1.1
"""Shares of starting over: the median and the worst of one fact, and any deletion at all."""
_SECONDS = {
    ("deletions_cycles_4000", 10_000): 0.25,
    ("deletions_lubm_l_100", 100): 0.004,
}
_SHARES = {("deletions_lubm_l_100", 5_000): _ONE}


def judgements(folder: Path) -> Iterator[Judgement]:
    """Of every job that was measured, and of what has a target and was not."""
    for job in jobs():
        rows = table.read(folder, job.name)
        for size in job.sizes:
            place = Place(job.name, size)
            own, fresh = (table.find(rows, contender, size, DELETE) for contender in (AUTO, FRESH))
            if own is None or fresh is None:
                if rows or (job.name, size) in _SECONDS:
                    yield Judgement(place.work, "≤ starting over")
                continue
            yield from _of(place, own, fresh)


def _of(place: Place, own: Row, fresh: Row) -> Iterator[Judgement]:
    beside, ratio = f"{FRESH} {seconds(fresh.cpu)}", own.cpu / fresh.cpu
    limit = _SECONDS.get((place.job, place.size))
    if limit is not None:
        yield Judgement(place.work, f"≤ {seconds(limit)} CPU", seconds(own.cpu), beside, f"{ratio:.4f}", _met(own.cpu <= limit))
        return
    share = _ONE if place.job.startswith("one_of_") else _SHARES.get((place.job, place.size), _NEVER)
    wanted = "1/50 of starting over" if share == _ONE else f"{share:g} × starting over"
    yield Judgement(f"{place.work}, median", f"≤ {wanted}", seconds(own.cpu), beside, f"{ratio:.4f}", _met(ratio <= share))
    if place.job.startswith("one_of_"):
        worst = own.worst / fresh.cpu
        yield Judgement(
            f"{place.work}, worst",
            f"≤ {_WORST:g} × starting over",
            seconds(own.worst),
            beside,
            f"{worst:.2f}",
            _met(worst <= _WORST),
        )


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"
