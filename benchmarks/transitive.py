"""Transitive relations under change: what one edge costs, deleted and inserted again, in graphs of several shapes and sizes.

CPU time of the calling thread, with a rule above the relation and without, with modules and, where that can be materialised,
without.  `read` is what listing the changed pairs of the relation takes beside that.
"""

from __future__ import annotations

import csv
import random
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.harness.summary import Judgement

CLOSURE = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). "
RULES = {"none": "", "one node's": "far(X) :- path(0, X). ", "negated": "alone(X) :- node(X), not path(X, 0). "}
SIZES = (10_000, 100_000, 1_000_000)
_CHANGES = 60
_MOST, _GROWTH, _AGAINST = 2e-4, 1.3, 1.2

Edges = tuple[NDArray[np.int64], NDArray[np.int64]]


def forest(nodes: int) -> Edges:
    """Trees, from children to parents, about ten levels deep."""
    children = np.arange(1, nodes)
    return children, (children - 1) // 4


def chains(nodes: int) -> Edges:
    """Chains of a hundred nodes."""
    begins = np.arange(nodes)[np.arange(nodes) % 100 != 99]
    return begins, begins + 1


def grid(nodes: int) -> Edges:
    """A square with edges to the right and down."""
    width = int(nodes**0.5)
    at = np.arange(width * width)
    right, down = at[at % width != width - 1], at[at < width * (width - 1)]
    return np.concatenate([right, down]), np.concatenate([right + 1, down + width])


def power_law(nodes: int) -> Edges:
    """Each node has an edge to an earlier one, the earlier the likelier."""
    generator, begins = np.random.default_rng(4), np.arange(1, nodes)
    return begins, (generator.random(nodes - 1) ** 3 * begins).astype(np.int64)


def peers(nodes: int) -> Edges:
    """As in peer-to-peer networks: a third have edges to any, so that a giant component has many nodes behind it."""
    generator, count = np.random.default_rng(2), 12 * nodes // 5
    pairs = np.stack([generator.integers(0, nodes * 3 // 10, count), generator.integers(0, nodes, count)], axis=1)
    found = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return found[:, 0], found[:, 1]


def giant(nodes: int) -> Edges:
    """A cycle through all nodes, and as many edges beside."""
    generator, at = np.random.default_rng(3), np.arange(nodes)
    pairs = np.stack([np.tile(at, 2), np.concatenate([np.roll(at, -1), generator.integers(0, nodes, nodes)])], axis=1)
    found = np.unique(pairs[pairs[:, 0] != pairs[:, 1]], axis=0)
    return found[:, 0], found[:, 1]


SHAPES: dict[str, Callable[[int], Edges]] = {
    "forest": forest,
    "chains": chains,
    "grid": grid,
    "power law": power_law,
    "peers": peers,
    "giant component": giant,
}
WITHOUT = ("forest", "chains")
"""Closures that fit without modules."""


@dataclass(frozen=True)
class Row:
    """Medians of some changes, in seconds."""

    shape: str
    nodes: int
    rules: str
    modules: bool
    materialised: float
    deleted: float
    inserted: float
    slowest: float
    read: float


def measure(shape: str, nodes: int, rules: str, *, modules: bool) -> Row:
    """Delete an edge and insert it again, many times."""
    from tidelog import KnowledgeBase

    source, target = SHAPES[shape](nodes)
    kb = KnowledgeBase(CLOSURE + RULES[rules], modules=modules)
    started = time.thread_time()
    kb.load("edge", pa.table({"a": source, "b": target}))
    if rules == "negated":
        kb.load("node", pa.table({"a": np.arange(0, nodes, 1000)}))
    kb.update(insert=[("edge", -1, -2)])
    materialised = time.thread_time() - started
    taken: dict[str, list[float]] = {"delete": [], "insert": [], "read": []}
    generator = random.Random(5)
    for turn in range(_CHANGES + 4):
        at = generator.randrange(len(source))
        for step in ("delete", "insert"):
            edge = [("edge", int(source[at]), int(target[at]))]
            started = time.thread_time()
            change = kb.update(delete=edge) if step == "delete" else kb.update(insert=edge)
            updated = time.thread_time()
            _ = len(change.inserted.get("path", ())) + len(change.deleted.get("path", ()))
            if turn >= 4:  # the first ones make plans and load compiled code
                taken[step].append(updated - started)
                taken["read"].append(time.thread_time() - updated)
    changes = [*taken["delete"], *taken["insert"]]
    medians = median(taken["delete"]), median(taken["insert"])
    return Row(shape, nodes, rules, modules, materialised, *medians, max(changes), median(taken["read"]))


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows = []
    for shape in SHAPES:
        for nodes in SIZES[:2] if quick else SIZES:
            for rules in RULES:
                for modules in (True, False) if shape in WITHOUT and nodes < SIZES[-1] else (True,):
                    rows.append(row := measure(shape, nodes, rules, modules=modules))
                    taken = f"{row.deleted * 1e3:8.3f} {row.inserted * 1e3:8.3f} ms, at most {row.slowest * 1e3:9.3f}"
                    with_them = "with modules" if modules else "without"
                    print(f"{shape:16} {nodes:>9,} {rules:11} {with_them:13} {taken}, read {row.read * 1e3:8.3f}", flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "transitive.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether an edge costs what it changes, whatever the size."""
    file = folder / "transitive.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for shape in SHAPES:
        for rules in RULES:
            alike = [row for row in rows if (row["shape"], row["rules"]) == (shape, rules)]
            taken = {
                (int(row["nodes"]), row["modules"] == "True"): max(float(row["deleted"]), float(row["inserted"])) for row in alike
            }
            sizes = sorted(nodes for nodes, modules in taken if modules)
            few, many = taken[sizes[0], True], taken[sizes[-1], True]
            ratios = [taken[nodes, True] / other for (nodes, modules), other in taken.items() if not modules]
            measured = f"{few * 1e3:.3f} ms at {sizes[0]:,} nodes, {many * 1e3:.3f} ms at {sizes[-1]:,}"
            measured += f"; at most {max(ratios):.1f} times what it is without modules" if ratios else ""
            is_met = many <= _MOST and many <= _GROWTH * few and max(ratios, default=0.0) <= _AGAINST
            aim = f"at most {_MOST * 1e3} ms, {_GROWTH} times the first, {_AGAINST} times without modules"
            found.append(Judgement(f"One edge: {shape}, rules above: {rules}", aim, measured, met="yes" if is_met else "**no**"))
    return found
