"""Answers to `why_not` as pictures: a card for each rule, with what is true and what fails in it; then the repairs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tidelog.explain.absent.parts import Answer, Attempt
from tidelog.explain.absent.told import RULES_SHOWN, failing, in_order, text_of
from tidelog.explain.picture import PAGE
from tidelog.explain.picture import svg_of as svg_of_proof
from tidelog.report.svg import STYLE, html_page

_CHARACTER, _LINE, _PAD, _GAP, _EDGE = 7.25, 17.0, 10.0, 16.0, 20.0
_LONGEST = 110
"""Characters of a line; all of it appears when one points at it."""
_MORE = """
svg.tidelog .true { fill: var(--good); }
svg.tidelog .fails { fill: var(--bad); }
svg.tidelog .root { stroke: var(--negative); stroke-width: 2.2; stroke-dasharray: 6 4; }
svg.tidelog .repair { stroke: var(--good); stroke-width: 1.6; }
"""
_Lines = list[tuple[str, str]]


def page_of(answer: Answer) -> str:
    """A page with the picture and the text."""
    title = escape(f"Why {answer.text}" if answer.holds else f"Why not {answer.text}")
    return html_page(title, PAGE, f"<h1>{title}</h1>\n{svg_of(answer)}\n<pre>{escape(text_of(answer))}</pre>")


def svg_of(answer: Answer) -> str:
    """The answer as SVG, complete in itself."""
    if answer.proof is not None:
        return svg_of_proof(answer.proof)
    parts: list[str] = []
    y = width = 0.0
    for kind, lines in _cards(answer):
        wide, high = 2 * _PAD + _CHARACTER * max(len(_cut(text)) for _, text in lines) + 8, 2 * _PAD + _LINE * len(lines) - 3
        parts.append(f'<rect class="box {kind}" x="0" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" rx="6"/>')
        parts += [_text(_PAD, y + _PAD + _LINE * (at + 0.7), *line) for at, line in enumerate(lines)]
        y, width = y + high + _GAP, max(width, wide)
    width, height = width + 2 * _EDGE, y - _GAP + 2 * _EDGE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tidelog" role="img" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}"><title>{escape(f"Why not {answer.text}")}</title>'
        f'<style>{STYLE}{_MORE}</style><g transform="translate({_EDGE:.0f} {_EDGE:.0f})">{"".join(parts)}</g></svg>'
    )


def _cards(answer: Answer) -> Iterator[tuple[str, _Lines]]:
    what = "does not hold" if answer.attempts else "is not explicit, and no rule derives its relation"
    yield "root", [("title", answer.text), ("note", what), *(("", one) for one in answer.near)]
    attempts = in_order(answer)
    for attempt in attempts[:RULES_SHOWN]:
        yield "", [("title", f"{attempt.rule.place}: {attempt.rule.text}"), *_attempt(attempt)]
    if len(attempts) > RULES_SHOWN:
        yield "", [("note", f"... and {len(attempts) - RULES_SHOWN:,} more rules, which come no nearer")]
    if answer.repairs:
        yield "repair", [("title", "it would hold with"), *(("true", ", ".join(one.texts)) for one in answer.repairs)]


def _attempt(attempt: Attempt) -> Iterator[tuple[str, str]]:
    if not attempt.fits:
        yield "note", "its head cannot be this fact"
    for miss in attempt.misses:
        yield from (("true", f"✓ {text}") for text in miss.true)
        for failure in miss.failed:
            yield "fails", f"✗ {failing(failure)}"
            yield from (("note", f"    {one}") for one in failure.near)
        yield from (("note", f"? {text}   not looked at") for text in miss.unseen)


def _text(x: float, y: float, kind: str, text: str) -> str:
    shown = _cut(text)
    tip = f"<title>{escape(text)}</title>" if shown != text else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" xml:space="preserve">{tip}{escape(shown)}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
