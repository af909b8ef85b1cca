"""Transitive relations under change: what one edge costs, deleted and inserted again, in graphs of several shapes and sizes.

CPU time of the calling thread, with a rule above the relation and without, with modules and, where that can be materialised,
without.  `read` is what listing the changed pairs of the relation takes beside that, up to some size: of a grid they are as many
as a hundredth of all nodes' pairs.
"""

from __future__ import annotations

import csv
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.harness.summary import Judgement

KINDS = {
    "TC": "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). ",
    "STC": "path(X, Y) :- edge(X, Y). path(Y, X) :- path(X, Y). path(X, Z) :- path(X, Y), path(Y, Z). ",
}
"""Transitive, and symmetric as well."""
RULES = {"none": "", "one node's": "far(X) :- path(0, X). ", "negated": "alone(X) :- node(X), not path(X, 0). "}
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
CLIQUES = (1_000, 10_000)
_LARGEST_WITH_RULES, _LARGEST_OF_OTHERS = 1_000_000, 1_000_000
_COMPLETE, _FRIENDS = 1_000, 20
"""Up to so many members there is an edge between any two; of more, each has so many edges, and the clique is derived."""
_CHANGES, _READ, _LARGEST_READ = 60, 10, 100_000
_MOST, _MOST_OF_CLIQUES, _GROWTH, _AGAINST = 2e-4, 1e-3, 1.3, 1.2

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


def clique(nodes: int) -> Edges:
    """All know all, by an edge each way between any two, or because each knows some."""
    first, second = np.divmod(np.arange(nodes * nodes), nodes) if nodes <= _COMPLETE else _friends(nodes)
    return first[first != second], second[first != second]


def _friends(nodes: int) -> Edges:
    return np.repeat(np.arange(nodes), _FRIENDS), np.random.default_rng(6).integers(0, nodes, _FRIENDS * nodes)


SHAPES: dict[str, Callable[[int], Edges]] = {
    "forest": forest,
    "chains": chains,
    "grid": grid,
    "power law": power_law,
    "peers": peers,
    "giant component": giant,
    "clique": clique,
}
WITHOUT = {"forest": 100_000, "chains": 10_000}
"""Closures that fit without modules, up to so many nodes."""
_OTHERS = ("chains", "peers")
"""Shapes beside those that are measured at every size and for both kinds."""


@dataclass(frozen=True)
class Row:
    """Medians of some changes, in seconds."""

    kind: str
    shape: str
    nodes: int
    rules: str
    modules: bool
    materialised: float
    deleted: float
    inserted: float
    slowest: float
    read: float


def measure(kind: str, shape: str, nodes: int, rules: str, *, modules: bool) -> Row:
    """Delete an edge and insert it again, many times."""
    from tidelog import KnowledgeBase

    source, target = SHAPES[shape](nodes)
    kb = KnowledgeBase(KINDS[kind] + RULES[rules], modules=modules)
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
            if turn >= 4:  # the first ones make plans and load compiled code
                taken[step].append(updated - started)
            if len(taken["read"]) < _READ and nodes <= _LARGEST_READ:
                _ = len(change.inserted.get("path", ())) + len(change.deleted.get("path", ()))
                taken["read"].append(time.thread_time() - updated)
    changes = [*taken["delete"], *taken["insert"]]
    medians = median(taken["delete"]), median(taken["insert"])
    return Row(kind, shape, nodes, rules, modules, materialised, *medians, max(changes), median(taken["read"] or [0.0]))


def cases(*, quick: bool) -> Iterator[tuple[str, str, int, str, bool]]:
    """Kind, shape, nodes, rules above, and whether with modules."""
    for kind in KINDS:
        for shape in SHAPES:
            if kind == "STC" and shape in _OTHERS:
                continue
            for nodes in CLIQUES if shape == "clique" else SIZES[:2] if quick else SIZES:
                if shape in _OTHERS and nodes > _LARGEST_OF_OTHERS:
                    continue
                for rules in RULES if nodes <= _LARGEST_WITH_RULES else ("none",):
                    yield kind, shape, nodes, rules, True
                    if kind == "TC" and nodes <= WITHOUT.get(shape, 0):
                        yield kind, shape, nodes, rules, False


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table, row by row."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "transitive.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        for kind, shape, nodes, rules, modules in cases(quick=quick):
            row = measure(kind, shape, nodes, rules, modules=modules)
            taken = f"{row.deleted * 1e3:8.3f} {row.inserted * 1e3:8.3f} ms, at most {row.slowest * 1e3:9.3f}"
            with_them = "with modules" if modules else "without"
            print(f"{kind:3} {shape:16} {nodes:>10,} {rules:11} {with_them:13} {taken}, read {row.read * 1e3:8.3f}", flush=True)
            writer.writerow(asdict(row))
            stream.flush()


def judgements(folder: Path) -> list[Judgement]:
    """Whether an edge costs what it changes, whatever the size."""
    file = folder / "transitive.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for kind, shape, rules in dict.fromkeys((row["kind"], row["shape"], row["rules"]) for row in rows):
        alike = [row for row in rows if (row["kind"], row["shape"], row["rules"]) == (kind, shape, rules)]
        taken = {
            (int(row["nodes"]), row["modules"] == "True"): max(float(row["deleted"]), float(row["inserted"])) for row in alike
        }
        found.append(_judged(kind, shape, rules, taken))
    return found


def _judged(kind: str, shape: str, rules: str, taken: dict[tuple[int, bool], float]) -> Judgement:
    sizes = sorted(nodes for nodes, modules in taken if modules)
    few = taken[sizes[0], True]
    compared = max((nodes for nodes in sizes if nodes <= _LARGEST_WITH_RULES), default=sizes[-1])
    many, last = taken[compared, True], taken[sizes[-1], True]
    ratios = [taken[nodes, True] / other for (nodes, modules), other in taken.items() if not modules]
    measured = ", ".join(f"{taken[nodes, True] * 1e3:.3f} ms at {nodes:,}" for nodes in sizes)
    measured += f"; at most {max(ratios):.1f} times what it is without modules" if ratios else ""
    most = _MOST_OF_CLIQUES if shape == "clique" else _MOST
    is_met = max(many, last) <= most and (shape == "clique" or many <= _GROWTH * few) and max(ratios, default=0.0) <= _AGAINST
    aim = f"at most {most * 1e3:g} ms" + ("" if shape == "clique" else f", {_GROWTH} times the first at a million nodes")
    aim += f", {_AGAINST} times without modules" if ratios else ""
    return Judgement(f"One edge, {kind}: {shape}, rules above: {rules}", aim, measured, met="yes" if is_met else "**no**")
