"""Explanations as pictures: a card for each derived fact, the explained one on top; arrows from the cards of what it needs.

Explicit facts are pills beside the card that needs them.  Of a long explanation the first and the last cards are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from tidelog.explain.shown.cards import cut, line_of_text
from tidelog.explain.shown.text import text_of
from tidelog.explain.steps import MOST_SHOWN, Step, Steps, Way
from tidelog.report.svg import STYLE, html_page

_CHARACTER, _LINE, _PAD, _GAP = 7.25, 17.0, 10.0, 16.0
_LEFT, _EDGE = 84.0, 20.0
"""Where cards begin, with room for lines to the left of them; the edge around all."""
_LONGEST = 90
"""Characters of a line; all of it appears when one points at it."""
_PILLS = 6
"""Explicit facts beside a card."""
_MOST_WAYS = 4
"""Ways to a fact on its card."""
_MORE = """
svg.tidelog .pill { fill: none; stroke: var(--good); stroke-width: 1.2; }
svg.tidelog .root { stroke: var(--module); stroke-width: 2.2; }
"""
PAGE = (
    ":root { color-scheme: light dark; } body { margin: 16px; font: 15px/1.5 system-ui, sans-serif; } "
    "pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-x: auto; }"
)
"""How a page looks."""


def page_of(explanation: Steps) -> str:
    """A page with the picture and all steps."""
    title = escape(f"Why {explanation.root.text}")
    brief, whole = text_of(explanation, MOST_SHOWN), text_of(explanation, None)
    steps = f"<pre>{escape(brief)}</pre>"
    if whole != brief:
        steps += f"\n<details><summary>All {len(explanation):,} facts</summary><pre>{escape(whole)}</pre></details>"
    return html_page(title, PAGE, f"<h1>{title}</h1>\n{svg_of(explanation)}\n{steps}")


def svg_of(explanation: Steps) -> str:
    """The explanation as SVG, complete in itself."""
    drawing = _Drawing(explanation)
    parts = "".join(drawing.parts())
    width, height = drawing.width + 2 * _EDGE, drawing.y + 2 * _EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tidelog" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><title>{escape(f"Why {explanation.root.text}")}</title>'
        f'<style>{STYLE}{_MORE}</style><defs><marker id="head" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0.5 L8 4 L0 7.5 z"/></marker></defs>'
        f'<g transform="translate({_EDGE:.0f} {_EDGE:.0f})">{parts}</g></svg>'
    )


class _Drawing:
    """Places the cards from top to bottom, then the lines between them."""

    def __init__(self, explanation: Steps) -> None:
        self.explanation = explanation
        self.y = self.width = 0.0
        self._middles: dict[int, float] = {}
        self._drawn: set[int] = set()

    def parts(self) -> Iterator[str]:
        """All elements of the picture."""
        derived = [step for step in reversed(self.explanation) if step.ways] or [self.explanation.root]
        first = derived if len(derived) <= MOST_SHOWN else derived[: MOST_SHOWN // 2]
        last = [] if len(derived) <= MOST_SHOWN else derived[-(MOST_SHOWN // 2) :]
        self._drawn = {step.number for step in (*first, *last)}
        for step in first:
            yield from self._card(step)
        if last:
            text = f"... {len(derived) - len(first) - len(last):,} more steps ..."
            yield f'<text x="{_LEFT + _PAD:.0f}" y="{self.y + _LINE:.1f}" class="note">{text}</text>'
            self.y += 2 * _LINE
            for step in last:
                yield from self._card(step)
        for step in (*first, *last):
            for number in dict.fromkeys(number for way in step.ways for number in way.numbers):
                if number in self._middles and number != step.number:
                    yield _line(self._middles[number], self._middles[step.number])
        self.y -= _GAP

    def _card(self, step: Step) -> Iterator[str]:
        lines = [("title", step.text), *self._lines(step)]
        width = 2 * _PAD + _CHARACTER * max(len(cut(text, _LONGEST)) for _, text in lines) + 8
        height = 2 * _PAD + _LINE * len(lines) - 3
        name = "box root" if step is self.explanation.root else "box"
        yield f'<rect class="{name}" x="{_LEFT}" y="{self.y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="6"/>'
        for at, (kind, text) in enumerate(lines):
            yield line_of_text(_LEFT + _PAD, self.y + _PAD + _LINE * (at + 0.7), kind, text, _LONGEST)
        self._middles[step.number] = self.y + height / 2
        x = _LEFT + width + 14
        for text in self._pills(step):
            wide = 20 + _CHARACTER * len(cut(text, _LONGEST))
            middle = self.y + height / 2
            yield f'<rect class="pill" x="{x:.1f}" y="{middle - 12:.1f}" width="{wide:.1f}" height="24" rx="12"/>'
            yield line_of_text(x + 9, middle + 4, "", text, _LONGEST)
            x += wide + 8
        self.width = max(self.width, x)
        self.y += height + _GAP

    def _lines(self, step: Step) -> Iterator[tuple[str, str]]:
        if not step.ways:
            yield "note", "explicit"
        elif step.is_explicit:
            yield "note", "explicit, and derived"
        for way in step.ways[:_MOST_WAYS]:
            yield "", _rule(way)
            for reason in way.reasons:
                if reason.premise is None:
                    yield "note", reason.text + (f": {reason.note}" if reason.note else "")
                    yield from (("note", f"   {row}") for row in reason.rows)
                    if reason.more:
                        yield "note", f"   ... and {reason.more:,} more"
                elif reason.premise not in self._drawn and not self._is_pill(reason.premise):
                    yield "note", f"from {reason.text}"
        if len(step.ways) > _MOST_WAYS:
            yield "note", f"and {len(step.ways) - _MOST_WAYS:,} more rule instances"

    def _is_pill(self, number: int) -> bool:
        return not self.explanation[number].ways

    def _pills(self, step: Step) -> Sequence[str]:
        needed = dict.fromkeys(number for way in step.ways for number in way.numbers if self._is_pill(number))
        texts = [self.explanation[number].text for number in needed]
        return texts if len(texts) <= _PILLS else [*texts[: _PILLS - 1], f"... {len(texts) - _PILLS + 1:,} more"]


def _rule(way: Way) -> str:
    if way.is_chain:
        count = len(way.reasons) + way.left_out
        return f"a chain of {count:,} facts, by {' and '.join(rule.place for rule in way.rules)}"
    return f"{way.rules[0].place}: {way.rules[0].text}"


def _line(source: float, target: float) -> str:
    """An arrow from one card to another, along their left sides."""
    out = min(_LEFT - 8, 16 + abs(source - target) / 6)
    x = _LEFT - 2
    return (
        f'<path class="arrow" marker-end="url(#head)" d="M{x:.0f} {source:.1f}C{x - out:.1f} {source:.1f} '
        f'{x - out:.1f} {target:.1f} {x:.0f} {target:.1f}"/>'
    )
