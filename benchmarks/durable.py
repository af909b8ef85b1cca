"""Saved knowledge bases: what the journal costs on a stream of small updates, and how long a large one takes to open.

`journal`: updates of 10 facts, one after the other, without a folder and with each durability; CPU of the whole process, so
that of the thread that syncs counts.  `open`: a knowledge base of half explicit and half derived facts is saved by one process
and opened by another, which then applies updates; the same updates in the process that saved it stand beside the first of them.
"""

from __future__ import annotations

import csv
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.harness.runner import ROOT
from benchmarks.harness.summary import Judgement

GROUPS = ("journal", "open")
STREAM = """\
@relation reading(sensor: int key, value: int) .
hot(S, P) :- reading(S, V), V > 900, at(S, P).
busy(P, N) :- at(_, P), N = count { S : hot(S, P) }.
"""
LIKES = "liked(Y, X) :- likes(X, Y). both(X, Y) :- likes(X, Y), likes(Y, X)."
_SENSORS, _PLACES, _FACTS = 20_000, 500, 10


@dataclass(frozen=True)
class Row:
    """One measurement."""

    group: str
    what: str
    size: int
    cpu: float
    wall: float
    """Seconds; of `journal` for one update."""


def _updates(count: int) -> list[list[tuple[Any, ...]]]:
    chance = Random(7)
    return [[("reading", chance.randrange(_SENSORS), chance.randrange(1000)) for _ in range(_FACTS)] for _ in range(count)]


def _stream(durability: str | None, count: int, folder: Path) -> Row:
    from tidelog import KnowledgeBase

    kb = KnowledgeBase(STREAM)
    kb.update(insert=[("at", sensor, sensor % _PLACES) for sensor in range(_SENSORS)])
    kb.update(insert=[("reading", sensor, 0) for sensor in range(_SENSORS)])
    updates = _updates(count + 200)
    for update in updates[:200]:
        kb.update(upsert=update)
    if durability is not None:
        kb.save(folder, durability=durability)
    cpu, wall = time.process_time(), time.perf_counter()
    for update in updates[200:]:
        kb.update(upsert=update)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    kb.close()
    shutil.rmtree(folder, ignore_errors=True)
    return Row("journal", durability or "no folder", _FACTS, cpu / count, wall / count)


def _journal(*, quick: bool) -> Iterator[Row]:
    count, repeats = (1_000, 2) if quick else (10_000, 4)
    best: dict[str, Row] = {}
    with tempfile.TemporaryDirectory(dir=ROOT) as name:  # a disk, not memory
        for _ in range(repeats):
            for durability in (None, "none", "batch", "fsync"):
                row = _stream(durability, count // 10 if durability == "fsync" else count, Path(name) / "kb")
                known = best.setdefault(row.what, row)
                best[row.what] = Row("journal", row.what, row.size, min(row.cpu, known.cpu), min(row.wall, known.wall))
    yield from best.values()


def _write(folder: Path, facts: int) -> Iterator[Row]:
    from tidelog import KnowledgeBase

    count, people = facts // 2, max(100, facts // 10)
    chance = np.random.default_rng(7)
    pairs = np.unique(chance.integers(0, people, (int(count * 1.01), 2)), axis=0)[:count]
    names = pa.array([f"person {at}" for at in range(people)], pa.large_string())
    kb = KnowledgeBase(LIKES)
    kb.load("likes", pa.table({"a": names.take(pa.array(pairs[:, 0])), "b": names.take(pa.array(pairs[:, 1]))}))
    size = kb.count("likes") + kb.count("liked") + kb.count("both")
    for change in _few():
        kb.update(**change)
    started, cpu = time.perf_counter(), time.process_time()
    kb.save(folder)
    yield Row("open", "save", size, time.process_time() - cpu, time.perf_counter() - started)
    yield _median("an update before", size, [_timed(kb, change) for change in _few(20)])
    kb.close()


def _few(first: int = 0) -> list[dict[str, Any]]:
    facts = [("likes", f"person {at}", f"person {at + 50}") for at in range(first, first + 20)]
    return [{key: [fact]} for fact in facts for key in ("insert", "delete")]


def _timed(kb: Any, change: dict[str, Any]) -> tuple[float, float]:
    cpu, wall = time.process_time(), time.perf_counter()
    kb.update(**change)
    return time.process_time() - cpu, time.perf_counter() - wall


def _median(what: str, size: int, times: list[tuple[float, float]]) -> Row:
    return Row("open", what, size, statistics.median(cpu for cpu, _ in times), statistics.median(wall for _, wall in times))


def _read(folder: Path) -> Iterator[Row]:
    from tidelog import KnowledgeBase

    KnowledgeBase("p(1). q(X) :- p(X).").count("q")  # compiled code is loaded
    cpu, wall = time.process_time(), time.perf_counter()
    kb = KnowledgeBase.open(folder)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    size = kb.count("likes") + kb.count("liked") + kb.count("both")
    yield Row("open", "open", size, cpu, wall)
    first, *others = [_timed(kb, change) for change in _few(40)]
    yield Row("open", "the first update", size, *first)
    yield _median("an update after", size, others)
    kb.close()


def _in_process(*arguments: str) -> Iterator[Row]:
    command = [sys.executable, "-m", "benchmarks.durable", *arguments]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    yield from (Row(**json.loads(line)) for line in finished.stdout.splitlines() if line.startswith("{"))


def run(group: str, folder: Path, *, quick: bool) -> bool:
    """Measure in fresh processes, print and write; whether it finished."""
    if group == "journal":
        rows = list(_in_process("journal", *(["quick"] if quick else [])))
    else:
        with tempfile.TemporaryDirectory(dir=ROOT) as name:
            rows = list(_in_process("write", f"{name}/kb", str(100_000 if quick else 10_000_000)))
            rows += _in_process("read", f"{name}/kb")
    for row in rows:
        print(f"{group:8} {row.what:20} {row.size:12,} {row.cpu * 1e6:14,.1f} µs CPU {row.wall * 1e6:14,.1f} µs")
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"durable_{group}.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, fieldnames=[field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows({**asdict(row), "cpu": f"{row.cpu:.7f}", "wall": f"{row.wall:.7f}"} for row in rows)
    return True


# --- the summary ---------------------------------------------------------------------------------------------------------


def _measured(folder: Path, group: str) -> dict[str, Row]:
    file = folder / f"durable_{group}.csv"
    if not file.exists():
        return {}
    with file.open(newline="", encoding="utf-8") as stream:
        rows = [Row(c["group"], c["what"], int(c["size"]), float(c["cpu"]), float(c["wall"])) for c in csv.DictReader(stream)]
    return {row.what: row for row in rows}


def judgements(folder: Path) -> Iterator[Judgement]:
    """The targets, each with what was measured."""
    journal, opening = _measured(folder, "journal"), _measured(folder, "open")
    if journal:
        without, batch = journal["no folder"].cpu, journal["batch"].cpu
        ours, beside, met = f"{batch * 1e6:.0f} µs CPU", f"no folder {without * 1e6:.0f} µs", batch <= 1.3 * without
        yield Judgement(
            "Updates of 10 facts with `batch`",
            "≤ 1.3 × no folder",
            ours,
            beside,
            f"{batch / without:.2f}",
            "yes" if met else "**no**",
        )
    if opening:
        row, first, usual = opening["open"], opening["the first update"], opening["an update after"]
        is_met = "yes" if row.wall <= 5 else "**no**"
        yield Judgement(f"Open {row.size:,} facts", "≤ 5 s", f"{row.wall:.2f} s", met=is_met)
        ours, beside = f"{first.wall * 1e3:.2f} ms", f"others {usual.wall * 1e3:.2f} ms"
        yield Judgement("The first update after it", "as fast as any", ours, beside, f"{first.wall / usual.wall:.1f}")


def text(folder: Path) -> str:
    """The section of the summary, empty where nothing was measured."""
    rows = [row for group in GROUPS for row in _measured(folder, group).values()]
    if not rows:
        return ""
    lines = ["\n# Saved knowledge bases\n", "| what | size | CPU | wall |", "| --- " * 4 + "|"]
    lines += [f"| {row.group}: {row.what} | {row.size:,} | {row.cpu * 1e3:.3f} ms | {row.wall * 1e3:.3f} ms |" for row in rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["journal", *options]:
            found = _journal(quick="quick" in options)
        case ["write", path, size]:
            found = _write(Path(path), int(size))
        case ["read", path]:
            found = _read(Path(path))
    for measured in found:
        print(json.dumps(asdict(measured)), flush=True)
