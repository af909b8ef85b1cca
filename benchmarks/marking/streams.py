"""The streams: those of the paper's tables, generated or recorded, those of the corpus, and one of measurements."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.workloads.lubm import corpus

UPDATES, INITIAL = 50, 100
SIZES = (10, 20, 30, 40, 50, 60, 70, 80)
SEEDS = (0, 1, 2)
NODES = {"trans": 20, "seq": 100}
RULES = {"trans": "path", "seq": "sequence"}
SENSORS, TICKS = 60, 40

Update = dict[str, list[list[object]]]

MEASUREMENTS = """
    @relation reading(sensor: int key, value: int) .
    falls(S, T, U) :- reading(S, V), near(S, T), reading(T, W), V > W + 45, near(T, U), reading(U, Y), W > Y + 45 .
    starts(S) :- falls(S, _, _) .
    alarm(Z, S) :- starts(S), zone(S, Z), watched(Z) .
"""
"""Joins of measurements that change all the time: many to look at, few that match, and hardly any fact derived twice."""


@dataclass(frozen=True)
class Stream:
    """Updates of a knowledge base."""

    name: str
    size: int
    """Facts that an update deletes, and inserts; 0 if that differs."""
    seed: int
    rules: str
    updates: tuple[Update, ...]
    is_in_papers: bool = True
    """Whether it is in a table of the papers, or made for the purpose of marks."""


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


@cache
def drawn(name: str, size: int, seed: int) -> Stream:
    """The same as the authors' published program draws them: with it the paper's explicit marks and insertions come out.

    New edges are drawn until they are none of those that there are.  What is deleted is taken from the front of a hash set, each
    edge with probability one half: so the same places are deleted and filled again and again, and the others hardly ever; and the
    set grows where half of it is less than `size`.  Under half of what goes was inserted by the update before.
    """
    nodes, generator = NODES[name], random.Random(seed)
    held: dict[tuple[int, int], int] = {}
    updates: list[Update] = []
    for number in range(UPDATES):
        new: set[tuple[int, int]] = set()
        for _ in range(size if number else INITIAL):
            edge = generator.randrange(nodes), generator.randrange(nodes)
            while edge in held:
                edge = generator.randrange(nodes), generator.randrange(nodes)
            new.add(edge)
        in_order = sorted(held, key=lambda edge: (_bucket(edge), held[edge])) if number else []
        gone: list[tuple[int, int]] = []
        for edge in in_order:
            if generator.random() < 0.5:
                gone.append(edge)
            if len(gone) == size:
                break
        updates.append({"delete": _edges(gone), "insert": _edges(sorted(new))})
        held |= dict.fromkeys(sorted(new), number)
        for edge in gone:
            del held[edge]
    return Stream(f"{name}, drawn as published", size, seed, rules_of(RULES[name]), tuple(updates))


def _bucket(edge: tuple[int, int]) -> int:
    """Where a hash set of Java with 256 buckets has the text of an edge."""
    code = 0
    for character in f"[edge, {edge[0]}, {edge[1]}]":
        code = (31 * code + ord(character)) & 0xFFFFFFFF
    return (code ^ code >> 16) & 0xFF


def _edges(edges: list[tuple[int, int]]) -> list[list[object]]:
    return [["edge", *edge] for edge in edges]


def recorded(path: Path) -> Stream:
    """A stream of the corpus."""
    case, knowledge_base = path.parts[-4], path.parts[-3]
    updates = tuple(json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    is_track = case == "real"
    name = "track 0" if is_track else f"{case}/{knowledge_base}/{path.stem}"
    return Stream(name, 0, 0, rules_of(knowledge_base), updates, is_in_papers=is_track)


def measurements() -> Stream:
    """Sensors that are all near one another, each of which reports something else each time."""
    generator = random.Random(0)
    sensors = range(SENSORS)
    fixed: list[list[object]] = [["near", s, t] for s in sensors for t in sensors if s != t]
    fixed += [["zone", s, s // 10] for s in sensors]
    fixed += [["watched", zone] for zone in range(0, SENSORS // 10, 2)]
    values = [generator.sample(range(100), TICKS) for _ in sensors]
    ticks: list[Update] = [{"upsert": [["reading", s, values[s][tick]] for s in sensors]} for tick in range(TICKS)]
    return Stream("measurements", SENSORS, 0, MEASUREMENTS, ({"insert": fixed}, *ticks))


def of_group(group: str) -> Iterator[Stream]:
    """The streams that are measured together."""
    if group in NODES:
        yield from (generated(group, size, seed) for size in SIZES for seed in SEEDS)
    elif group.startswith(_DRAWN):
        yield from (drawn(group.removeprefix(_DRAWN), size, seed) for size in SIZES for seed in SEEDS)
    elif group == "track":
        yield recorded(corpus() / "marking_streams" / "real" / "ways" / "0" / "gps-track.jsonl")
    elif group == "measurements":
        yield measurements()
    else:
        yield from map(recorded, sorted((corpus() / "marking_streams").glob(f"{group}/*/0/*.jsonl")))


_DRAWN = "drawn_"
GROUPS = (
    "trans",
    "seq",
    "drawn_trans",
    "drawn_seq",
    "track",
    "measurements",
    "random",
    "batch",
    "scale-update",
    "scale-data",
    "random-large",
)
