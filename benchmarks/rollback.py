"""Rollback: what it takes to undo an update of k facts that fails at its end, in relations of many facts.

The update deletes k explicit facts, with and without a relation derived from them, and stops when everything has been maintained
(by an exception at the last poll).  `with_update` is the time of the failing update as a whole, `rollback` that of its end.
"""

from __future__ import annotations

import csv
import time
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.harness.summary import Judgement

SIZES = (100_000, 1_000_000, 10_000_000)
DELETED = (1, 100, 10_000)
RULES = {"explicit only": "other(X) :- none(X).", "one derived relation": "back(Y, X) :- fact(X, Y)."}
_REPEATS = 5
_MOST = 3.0
"""At a hundred times as many facts, a rollback may take so many times as long (caches are missed), and a millisecond."""


@dataclass(frozen=True)
class Row:
    """The best of some failing updates."""

    rules: str
    facts: int
    deleted: int
    rollback: float
    with_update: float


def measure(rules: str, facts: int) -> list[Row]:
    """Fail updates of all sizes in a relation of so many facts."""
    from tidelog import KnowledgeBase
    from tidelog.local.transaction import Transaction

    kb = KnowledgeBase(RULES[rules])
    ids = np.arange(facts, dtype=np.int64)
    kb.load("fact", pa.table({"a": ids, "b": (ids * 7919) % facts}))
    kb.update(delete=[("fact", 0, 0)])  # derives everything, and prepares for deletions
    rows, ended = [], [0.0]
    whole, end_step, end = kb.count("fact"), Transaction.end_step, Transaction.end

    def stop(transaction: Transaction, marks: object = None) -> None:
        end_step(transaction, marks)  # type: ignore[arg-type]
        transaction.watch.stopped_by = error = TimeoutError()
        raise error

    def timed(transaction: Transaction) -> None:
        started = time.perf_counter()
        end(transaction)
        ended[0] = time.perf_counter() - started

    Transaction.end_step, Transaction.end = stop, timed  # type: ignore[method-assign, assignment]
    try:
        for count in DELETED:
            given = [("fact", at, at * 7919 % facts) for at in range(1, 1 + count)]
            best = (float("inf"), float("inf"))
            for _ in range(_REPEATS):
                started = time.perf_counter()
                try:
                    kb.update(delete=given)
                except TimeoutError:
                    best = min(best, (ended[0], time.perf_counter() - started))
            assert kb.count("fact") == whole
            rows.append(Row(rules, facts, count, *best))
            taken = f"rollback {best[0] * 1e3:9.3f} ms of {best[1] * 1e3:9.3f} ms"
            print(f"{rules:22} {facts:>11,} facts, {count:>6,} deleted: {taken}", flush=True)
    finally:
        Transaction.end_step, Transaction.end = end_step, end  # type: ignore[method-assign]
    return rows


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows = [row for rules in RULES for facts in (SIZES[:2] if quick else SIZES) for row in measure(rules, facts)]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "rollback.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether the cost follows what was done, not what there is."""
    file = folder / "rollback.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for rules in RULES:
        for count in DELETED:
            alike = [row for row in rows if (row["rules"], row["deleted"]) == (rules, str(count))]
            taken = {int(row["facts"]): float(row["rollback"]) for row in alike}
            few, many = taken[min(taken)], taken[max(taken)]
            measured = f"{few * 1e3:.3f} ms at {min(taken):,} facts, {many * 1e3:.3f} ms at {max(taken):,}"
            met = "yes" if many <= _MOST * few + 1e-3 else "**no**"
            found.append(Judgement(f"Rollback of {count:,} deletions, {rules}", "cost follows k", measured, met=met))
    return found
