"""The section of the summary about the papers' tables: each deletion with all counters, for every algorithm."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.maintenance import table
from benchmarks.maintenance.job import Job
from benchmarks.maintenance.judging import seconds
from benchmarks.maintenance.measuring import COUNTERS, DELETE, INSERT
from benchmarks.maintenance.table import Row
from benchmarks.papers.jobs import jobs

_INTRODUCTION = """
# Deletions at the papers' shapes

Sets of explicit facts that are deleted and inserted again, each within the next, in the shape of Table 2 of the B/F paper and of
Table 2 of the paper on modules; data are generated from seeds. *delete* and *insert* are CPU times of `kb.update`, the median
(and the worst after the first) of the rounds in one process; *from scratch* is the evaluation alone. The counters are those of
the papers: facts that went, *checked* (the set C of B/F), rule instances of backward and forward chaining and of deletion
propagation (in DRed: over-deletion), facts that DRed over-deleted, instances that rederived facts, and instances of insertion.
"""
_LAST = "went | checked | backward | forward | propagated | over-deleted | rederived | inserted"


def text(folder: Path) -> str:
    """The section, empty where nothing was measured."""
    lines = [line for job in jobs() for line in _lines(job, folder)]
    if not lines:
        return ""
    head = f"| work | facts | algorithm | delete | insert | {_LAST} | chosen |"
    return "\n".join([_INTRODUCTION, head, "| --- " * (head.count("|") - 1) + "|", *lines]) + "\n"


def _lines(job: Job, folder: Path) -> Iterator[str]:
    rows = table.read(folder, job.name)
    for row in rows:
        if row.step != DELETE:
            continue
        inserted = table.find(rows, row.contender, row.size, INSERT)
        start = f"| {job.title} | {row.size:,} | {row.contender}"
        if not row.ok or inserted is None:
            yield f"{start} | {row.status} |" + " |" * (_LAST.count("|") + 3)
            continue
        counts = " | ".join(f"{getattr(row, name):,.0f}" for name in ("went", *COUNTERS))
        yield f"{start} | {_times(row)} | {_times(inserted)} | {counts} | {row.choice} |"


def _times(row: Row) -> str:
    return f"{seconds(row.cpu)} ({seconds(row.worst)})" if row.worst else seconds(row.cpu)
