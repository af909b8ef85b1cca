"""The streams: those of the paper's tables, generated or recorded, those of the corpus, and one of measurements."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.maintenance.lubm import corpus

UPDATES, INITIAL = 50, 100
SIZES = (10, 20, 30, 40, 50, 60, 70, 80)
SEEDS = (0, 1, 2)
NODES = {"trans": 20, "seq": 100}
RULES = {"trans": "path", "seq": "sequence"}
SENSORS, TICKS = 300, 40

Update = dict[str, list[list[object]]]

MEASUREMENTS = """
    @relation reading(sensor: int key, value: int) .
    higher(S, T) :- near(S, T), reading(S, V), reading(T, W), V > W + 20 .
    peak(S) :- reading(S, V), V > 60, not topped(S) .
    topped(S) :- higher(_, S) .
    slope(S, U) :- higher(S, T), higher(T, U), zone(S, Z), zone(U, Z) .
    alarm(Z, S) :- slope(S, U), zone(S, Z), peak(S), watched(U) .
"""
"""Joins of measurements that change all the time; hardly anything that they derive has two derivations."""


@dataclass(frozen=True)
class Stream:
    """Updates of a knowledge base."""

    name: str
    size: int
    """Facts that an update deletes, and inserts; 0 if that differs."""
    seed: int
    rules: str
    updates: tuple[Update, ...]


def rules_of(knowledge_base: str) -> str:
    """The rules of one of the authors' knowledge bases."""
    return (corpus() / "marking_streams" / "rules" / f"{knowledge_base}.dl").read_text(encoding="utf-8")


@cache
def generated(name: str, size: int, seed: int) -> Stream:
    """P_trans or P_seq: from the third update on, each deletes what the one before has inserted."""
    nodes, generator = NODES[name], random.Random(seed)
    pool = [(x, y) for x in range(nodes) for y in range(nodes)]
    last = generator.sample(pool, INITIAL)
    held = set(last)
    updates: list[Update] = [{"delete": [], "insert": _edges(last)}]
    for number in range(1, UPDATES):
        gone = generator.sample(last, size) if number == 1 else last
        new = generator.sample([edge for edge in pool if edge not in held], size)
        updates.append({"delete": _edges(gone), "insert": _edges(new)})
        held = (held - set(gone)) | set(new)
        last = new
    return Stream(name, size, seed, rules_of(RULES[name]), tuple(updates))


def _edges(edges: list[tuple[int, int]]) -> list[list[object]]:
    return [["edge", *edge] for edge in edges]


def recorded(path: Path) -> Stream:
    """A stream of the corpus."""
    case, knowledge_base = path.parts[-4], path.parts[-3]
    updates = tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    name = "track 0" if case == "real" else f"{case}/{knowledge_base}/{path.stem}"
    return Stream(name, 0, 0, rules_of(knowledge_base), updates)


def measurements() -> Stream:
    """Sensors on a grid, each of which reports something else each time."""
    generator = random.Random(0)
    width = 20
    near = [[s, t] for s in range(SENSORS) for t in (s - width, s - 1, s + 1, s + width) if 0 <= t < SENSORS]
    fixed: list[list[object]] = [["near", *pair] for pair in near]
    fixed += [["zone", s, s // 50] for s in range(SENSORS)]
    fixed += [["watched", s] for s in range(0, SENSORS, 7)]
    ticks: list[Update] = []
    for tick in range(TICKS):
        readings: list[list[object]] = [
            ["reading", s, (s * 37 + tick * 11 + generator.randrange(90)) % 101] for s in range(SENSORS)
        ]
        ticks.append({"upsert": readings})
    return Stream("measurements", SENSORS, 0, MEASUREMENTS, ({"insert": fixed}, *ticks))


def of_group(group: str) -> Iterator[Stream]:
    """The streams that are measured together."""
    folder = corpus() / "marking_streams"
    if group in NODES:
        yield from (generated(group, size, seed) for size in SIZES for seed in SEEDS)
    elif group == "track":
        yield recorded(folder / "real" / "ways" / "0" / "gps-track.jsonl")
    elif group == "measurements":
        yield measurements()
    else:
        yield from map(recorded, sorted(path for path in folder.glob(f"{group}/*/0/*.jsonl")))


GROUPS = ("trans", "seq", "track", "measurements", "random", "batch", "scale-update", "scale-data", "random-large")
