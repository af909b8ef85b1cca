"""Where boxes stand and how arrows run: layers from left to right, or downward, after Sugiyama's method.

A box stands one layer behind the last that leads to it. Arrows over several layers have a place of their own in each of them, so
that they run between boxes and not across. Within a layer, places are sorted by those that they are joined to, to and fro.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

_SWEEPS = 6
_GAP = 26.0
"""Between boxes of a layer."""
_THREAD = 10.0
"""What an arrow takes that passes by."""
_BETWEEN = 70.0
"""Between layers."""

Point = tuple[float, float]


@dataclass(slots=True)
class Layout:
    """The upper left corners of boxes, the points that arrows run through, and the size of it all."""

    corners: list[Point]
    paths: list[list[Point]]
    width: float
    height: float
    is_downward: bool = False


def layout(sizes: Sequence[Point], arrows: Sequence[tuple[int, int]], widest: float = inf) -> Layout:
    """Places for boxes of these sizes (width, height) and arrows between them, which have no cycle but perhaps a few.

    Layers go from left to right, and downward if that is narrower where they would be wider than `widest`.
    """
    across = _across(sizes, arrows)
    if across.width <= widest:
        return across
    turned = _across([_turned(size) for size in sizes], arrows)
    if turned.height >= across.width:
        return across
    paths = [[_turned(point) for point in path] for path in turned.paths]
    return Layout([_turned(corner) for corner in turned.corners], paths, turned.height, turned.width, is_downward=True)


def _turned(point: Point) -> Point:
    return point[1], point[0]


def _across(sizes: Sequence[Point], arrows: Sequence[tuple[int, int]]) -> Layout:
    layer_of = _layers(len(sizes), arrows)
    layers: list[list[int]] = [[] for _ in range(1 + max(layer_of, default=0))]
    for box, layer in enumerate(layer_of):
        layers[layer].append(box)
    heights = [height for _, height in sizes]
    chains: list[list[int]] = []
    joined: dict[int, list[int]] = defaultdict(list)
    for source, target in arrows:
        chain = [source]
        for layer in range(layer_of[source] + 1, layer_of[target]):
            layers[layer].append(len(heights))
            chain.append(len(heights))
            heights.append(_THREAD)
        chain.append(target)
        chains.append(chain)
        for one, other in pairwise(chain):
            joined[one].append(other)
            joined[other].append(one)
    _sort(layers, joined)
    widths = [max((sizes[at][0] for at in layer if at < len(sizes)), default=0.0) for layer in layers]
    lengths = [sum(heights[at] for at in layer) + _GAP * max(0, len(layer) - 1) for layer in layers]
    height = max(lengths, default=0.0)
    place: dict[int, Point] = {}
    x = 0.0
    for boxes, width, length in zip(layers, widths, lengths, strict=True):
        y = (height - length) / 2
        for at in boxes:
            place[at] = x, y
            y += heights[at] + _GAP
        x += width + _BETWEEN
    paths = [_path(chain, place, sizes, widths, layer_of) for chain in chains]
    return Layout([place[at] for at in range(len(sizes))], paths, max(0.0, x - _BETWEEN), height)


def _layers(count: int, arrows: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each box: one behind the last that leads to it; arrows that close a cycle do not count."""
    after: dict[int, list[int]] = defaultdict(list)
    missing = [0] * count
    for source, target in arrows:
        after[source].append(target)
        missing[target] += 1
    layer = [0] * count
    ready = [at for at in range(count) if not missing[at]]
    waiting = {at for at in range(count) if missing[at]}
    while ready or waiting:
        if not ready:  # a cycle: begin somewhere
            first = min(waiting)
            waiting.discard(first)
            ready.append(first)
        source = ready.pop()
        for target in after[source]:
            if target in waiting:
                layer[target] = max(layer[target], layer[source] + 1)
                missing[target] -= 1
                if not missing[target]:
                    waiting.discard(target)
                    ready.append(target)
    return layer


def _sort(layers: list[list[int]], joined: dict[int, list[int]]) -> None:
    """Sort each layer by the middle of what its places are joined to in the layer before, then in the layer behind."""
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        order = range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1)
        for at in order:
            beside = {node: place for place, node in enumerate(layers[at - 1 if forward else at + 1])}
            own = {node: place for place, node in enumerate(layers[at])}

            def middle(node: int, beside: dict[int, int] = beside, own: dict[int, int] = own) -> float:
                places = [beside[other] for other in joined[node] if other in beside]
                return sum(places) / len(places) if places else float(own[node])

            layers[at].sort(key=middle)


def _path(
    chain: list[int], place: dict[int, Point], sizes: Sequence[Point], widths: list[float], layer_of: list[int]
) -> list[Point]:
    """From the right edge of a box, past others, to the left edge of another."""
    source, target = chain[0], chain[-1]
    x, y = place[source]
    points = [(x + sizes[source][0], y + sizes[source][1] / 2)]
    for step, thread in enumerate(chain[1:-1], 1):
        x, y = place[thread]
        points += [(x, y + _THREAD / 2), (x + widths[layer_of[source] + step], y + _THREAD / 2)]
    x, y = place[target]
    return [*points, (x, y + sizes[target][1] / 2)]
