"""Cards one below the other, each with lines of text: pictures that need no lines between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tidelog.report.svg import STYLE

_CHARACTER, _LINE, _PAD, _GAP, _EDGE = 7.25, 17.0, 10.0, 16.0, 20.0
_LONGEST = 110
"""Characters of a line; all of it appears when one points at it."""
_MORE = """
svg.tidelog .true { fill: var(--good); }
svg.tidelog .fails { fill: var(--bad); }
svg.tidelog .root { stroke: var(--module); stroke-width: 2.2; }
svg.tidelog .absent { stroke: var(--negative); stroke-width: 2.2; stroke-dasharray: 6 4; }
svg.tidelog .repair { stroke: var(--good); stroke-width: 1.6; }
"""
Lines = Sequence[tuple[str, str]]
"""How each line looks, and its text."""


def svg_of_cards(title: str, cards: Iterable[tuple[str, Lines]]) -> str:
    """Cards as SVG, complete in itself; each has a look and its lines."""
    parts: list[str] = []
    y = width = 0.0
    for kind, lines in cards:
        wide = 2 * _PAD + _CHARACTER * max(len(cut(text, _LONGEST)) for _, text in lines) + 8
        high = 2 * _PAD + _LINE * len(lines) - 3
        parts.append(f'<rect class="box {kind}" x="0" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"/>')
        parts += [line_of_text(_PAD, y + _PAD + _LINE * (at + 0.7), *line, _LONGEST) for at, line in enumerate(lines)]
        y, width = y + high + _GAP, max(width, wide)
    width, height = width + 2 * _EDGE, y - _GAP + 2 * _EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tidelog" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><title>{escape(title)}</title>'
        f'<style>{STYLE}{_MORE}</style><g transform="translate({_EDGE:.0f} {_EDGE:.0f})">{"".join(parts)}</g></svg>'
    )


def line_of_text(x: float, y: float, kind: str, text: str, longest: int) -> str:
    """A line of a card; of a longer text the beginning, and all of it when one points at it."""
    shown = cut(text, longest)
    tip = f"<title>{escape(text)}</title>" if shown != text else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" xml:space="preserve">{tip}{escape(shown)}</text>'


def cut(text: str, longest: int) -> str:
    """The beginning of a text, if it is longer than a line."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
