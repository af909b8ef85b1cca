"""Random graphs from fixed seeds, as Arrow tables of two 32-bit columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Numbers = npt.NDArray[np.int64]


def pairs(first: npt.NDArray[Any], second: npt.NDArray[Any]) -> pa.Table:
    """A table of the distinct pairs."""
    distinct = np.unique(np.stack([first, second], axis=1), axis=0).astype(np.int32)
    return pa.table({"x": np.ascontiguousarray(distinct[:, 0]), "y": np.ascontiguousarray(distinct[:, 1])})


def dag(nodes: int, edges_a_node: int = 10, seed: int = 1) -> pa.Table:
    """Distinct random edges, each from a smaller to a greater number."""
    count = nodes * edges_a_node
    random = np.random.default_rng(seed)
    found: Numbers = np.empty(0, np.int64)
    while len(found) < count:
        source, target = random.integers(0, nodes, (2, count * 2))
        forward = source < target
        found = np.unique(np.concatenate([found, source[forward] * nodes + target[forward]]))
    chosen = random.permutation(found)[:count]
    return pairs(chosen // nodes, chosen % nodes)


def chain(nodes: int) -> pa.Table:
    """Each number to the next."""
    numbers = np.arange(nodes)
    return pairs(numbers[:-1], numbers[1:])


def forest(nodes: int, trees: int = 10, seed: int = 5) -> pa.Table:
    """Edges from parent to child: each node after the roots is a child of a random node before it."""
    children = np.arange(trees, nodes)
    parents = (np.random.default_rng(seed).random(nodes - trees) * children).astype(np.int64)
    return pairs(parents, children)


def random_pairs(random: np.random.Generator, values: int, count: int) -> pa.Table:
    """About so many pairs of values below a bound."""
    return pairs(random.integers(0, values, count), random.integers(0, values, count))
