"""Readers beside a writer: what one-fact updates take alone, beside reading threads, and while somebody holds a result.

Each update inserts or deletes one fact of a relation of many facts, from which another is derived.  Alone, with one and with four
threads that ask as fast as they can, and while all rows of the relation or a snapshot are held.  The conditions take turns in
rounds, so that all of them see the same moments of a shared machine; a figure is the median of all updates.
"""

from __future__ import annotations

import csv
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.harness.summary import Judgement

if TYPE_CHECKING:
    from tidelog import KnowledgeBase

SIZES = (100_000, 10_000_000)
RULES = "back(Y, X) :- fact(X, Y)."
_ROUNDS, _UPDATES = 5, 200
_MOST = {"1 reader": 1.5, "4 readers": 1.5, "result held": 2.0, "snapshot held": 2.0}
"""Times the median alone."""


@dataclass(frozen=True)
class Row:
    """One condition: microseconds of an update, and questions that were answered per second meanwhile."""

    facts: int
    condition: str
    median: float
    worst_of_100: float
    reads: float


@contextmanager
def _reading(kb: KnowledgeBase, facts: int, threads: int, answered: list[int]) -> Iterator[None]:
    """Threads that ask for single facts and counts as fast as they can."""
    over, failures = threading.Event(), list[BaseException]()

    def read(number: int) -> None:
        at = number
        try:
            while not over.is_set():
                at = (at * 48_271 + 11) % facts
                assert len(list(kb.query(f"back(X, {at * 7919 % facts})"))) == 1 or at < 2
                assert kb.count("fact") in (facts - 1, facts)
                answered[0] += 2
        except BaseException as error:
            failures.append(error)
            raise

    readers = [threading.Thread(target=read, args=(number + 2,)) for number in range(threads)]
    for reader in readers:
        reader.start()
    try:
        yield
    finally:
        over.set()
        for reader in readers:
            reader.join()
    assert not failures


@contextmanager
def _holding(take: Callable[[], object]) -> Iterator[None]:
    held = take()
    yield
    del held


def measure(facts: int) -> list[Row]:
    """All conditions on a relation of so many facts."""
    from tidelog import KnowledgeBase

    kb = KnowledgeBase(RULES)
    ids = np.arange(facts, dtype=np.int64)
    kb.load("fact", pa.table({"a": ids, "b": (ids * 7919) % facts}))
    kb.update(delete=[("fact", 1, 7919 % facts)])
    alone = KnowledgeBase(RULES)  # nobody else has ever read this one
    alone.load("fact", pa.table({"a": ids, "b": (ids * 7919) % facts}))
    alone.update(delete=[("fact", 1, 7919 % facts)])
    taken: dict[str, list[float]] = {name: [] for name in ("alone", *_MOST)}
    reads, seconds = dict.fromkeys(taken, 0), dict.fromkeys(taken, 0.0)
    for _ in range(_ROUNDS):
        for condition, times in taken.items():
            answered, used = [0], alone if condition == "alone" else kb
            if condition.endswith("held"):
                context = _holding(kb.snapshot if condition.startswith("snapshot") else partial(kb.__getitem__, "fact"))
            else:
                context = _reading(kb, facts, 0 if used is alone else int(condition[0]), answered)
            with context:
                began = time.perf_counter()
                for number in range(_UPDATES):
                    started = time.perf_counter()
                    used.update(**{"delete" if number % 2 else "insert": [("fact", 1, 7919 % facts)]})  # type: ignore[arg-type]
                    times.append(time.perf_counter() - started)
                seconds[condition] += time.perf_counter() - began
            reads[condition] += answered[0]
    rows = []
    for condition, times in taken.items():
        worst = sorted(times)[len(times) * 99 // 100]
        rows.append(Row(facts, condition, median(times) * 1e6, worst * 1e6, reads[condition] / seconds[condition]))
        line = f"{rows[-1].median:9.0f} us a fact, one in 100 takes {worst * 1e6:9.0f} us, {rows[-1].reads:9.0f} reads/s"
        print(f"{facts:>11,} facts, {condition:14}: {line}", flush=True)
    return rows


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows = [row for facts in (SIZES[:1] if quick else SIZES) for row in measure(facts)]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "readers.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether a writer is held up by those who read."""
    file = folder / "readers.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        medians = {(int(row["facts"]), row["condition"]): float(row["median"]) for row in csv.DictReader(stream)}
    found = []
    for (facts, condition), taken in medians.items():
        if condition in _MOST:
            ratio = taken / medians[facts, "alone"]
            met = "yes" if ratio <= _MOST[condition] else "**no**"
            aim = f"at most {_MOST[condition]} times that alone"
            found.append(Judgement(f"One-fact update of {facts:,} facts, {condition}", aim, f"{ratio:.2f} times", met=met))
    return found
