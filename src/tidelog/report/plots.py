"""Plots as inline SVG: horizontal bars and vertical columns.  Colours come from the page's style."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_WIDTH = 760
_ROW = 26
_LABELS = 250
_VALUES = 110
_LONGEST_LABEL = 36
_MOST_COLUMNS = 240
_SPREAD_FOR_LOG = 1000
"""From this ratio between the largest and the smallest value on, lengths follow the logarithm."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: a label, a value, and how the value is written."""

    label: str
    value: float
    shown: str
    series: int = 0
    """Which of the page's colours it has."""


def is_logarithmic(values: Sequence[float]) -> bool:
    """Whether a logarithmic scale is needed for the small values to be visible."""
    positive = [value for value in values if value > 0]
    return bool(positive) and max(positive) / min(positive) >= _SPREAD_FOR_LOG


def bars(items: Sequence[Bar], title: str, *, may_be_logarithmic: bool = True) -> str:
    """Horizontal bars, with labels to the left and values to the right."""
    if not items:
        return '<p class="none">nothing to show</p>'
    logarithmic = may_be_logarithmic and is_logarithmic([item.value for item in items])
    space = _WIDTH - _LABELS - _VALUES
    largest = max((_scaled(item.value, logarithmic) for item in items), default=0.0) or 1.0
    parts = []
    for at, item in enumerate(items):
        top = at * _ROW
        length = max(_scaled(item.value, logarithmic) / largest * space, 1.0 if item.value > 0 else 0.0)
        middle = top + _ROW / 2
        parts.append(
            f"<g><title>{escape(item.label)}: {escape(item.shown)}</title>"
            f'<text x="{_LABELS - 10}" y="{middle:.1f}" class="label end">{escape(_cut(item.label))}</text>'
            f'<rect x="{_LABELS}" y="{top + 4}" width="{length:.1f}" height="{_ROW - 8}" rx="3" class="s{item.series}"/>'
            f'<text x="{_LABELS + length + 8:.1f}" y="{middle:.1f}" class="value">{escape(item.shown)}</text></g>'
        )
    return _svg(len(items) * _ROW, title, "".join(parts)) + _scale_note(logarithmic)


def columns(
    values: Sequence[tuple[int, float]], title: str, *, unit: str, noun: str = "round", series: int = 0, height: int = 150
) -> str:
    """Vertical columns, for a series of values; if there are very many, neighbours are added up."""
    if not values:
        return '<p class="none">nothing to show</p>'
    gathered, size = _gathered(values)
    logarithmic = is_logarithmic([value for _, value in gathered])
    largest = max((_scaled(value, logarithmic) for _, value in gathered), default=0.0) or 1.0
    left, bottom = 84, height - 26
    step = (_WIDTH - left - 10) / len(gathered)
    width = max(min(step - 1.5, 36.0), 0.8)
    peak = max(value for _, value in gathered)
    parts = [
        f'<line x1="{left}" y1="{bottom}" x2="{_WIDTH - 10}" y2="{bottom}" class="axis"/>',
        f'<text x="{left - 8}" y="14" class="value end">{peak:,.0f}</text>',
        f'<text x="{left - 8}" y="{bottom}" class="value end">0</text>',
    ]
    every = max(1, math.ceil(len(gathered) / 12))
    for at, (number, value) in enumerate(gathered):
        x = left + at * step + (step - width) / 2
        tall = max(_scaled(value, logarithmic) / largest * (bottom - 10), 1.0 if value > 0 else 0.0)
        name = f"{noun} {number}" if size == 1 else f"{noun}s {number} to {number + size - 1}"
        parts.append(
            f"<g><title>{name}: {value:,.0f} {escape(unit)}</title>"
            f'<rect x="{x:.1f}" y="{bottom - tall:.1f}" width="{width:.1f}" height="{tall:.1f}" rx="1.5" class="s{series}"/></g>'
        )
        if at % every == 0:
            parts.append(f'<text x="{x + width / 2:.1f}" y="{height - 10}" class="value middle">{number}</text>')
    return _svg(height, title, "".join(parts)) + _scale_note(logarithmic)


def _gathered(values: Sequence[tuple[int, float]]) -> tuple[list[tuple[int, float]], int]:
    """The values, or sums of as many neighbours as it takes to have room for them."""
    size = math.ceil(len(values) / _MOST_COLUMNS)
    groups = [values[at : at + size] for at in range(0, len(values), size)]
    return [(group[0][0], sum(value for _, value in group)) for group in groups], size


def _scaled(value: float, logarithmic: bool) -> float:
    return math.log10(1 + max(value, 0.0)) if logarithmic else max(value, 0.0)


def _cut(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else f"{label[: _LONGEST_LABEL - 1]}…"


def _svg(height: int, title: str, content: str) -> str:
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{content}</svg>"
    )


def _scale_note(logarithmic: bool) -> str:
    return '<p class="note">logarithmic scale</p>' if logarithmic else ""
