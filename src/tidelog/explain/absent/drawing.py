"""Answers to `why_not` as pictures: a card for each rule, with what is true and what fails in it; then the repairs."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tidelog.explain.absent.parts import Answer, Attempt
from tidelog.explain.absent.told import RULES_SHOWN, failing, in_order, text_of
from tidelog.explain.shown.cards import Lines, svg_of_cards
from tidelog.explain.shown.picture import PAGE
from tidelog.explain.shown.picture import svg_of as svg_of_proof
from tidelog.report.svg import html_page


def page_of(answer: Answer) -> str:
    """A page with the picture and the text."""
    title = escape(f"Why {answer.text}" if answer.holds else f"Why not {answer.text}")
    return html_page(title, PAGE, f"<h1>{title}</h1>\n{svg_of(answer)}\n<pre>{escape(text_of(answer))}</pre>")


def svg_of(answer: Answer) -> str:
    """The answer as SVG, complete in itself."""
    if answer.proof is not None:
        return svg_of_proof(answer.proof)
    return svg_of_cards(f"Why not {answer.text}", _cards(answer))


def _cards(answer: Answer) -> Iterator[tuple[str, Lines]]:
    what = "does not hold" if answer.attempts else "is not explicit, and no rule derives its relation"
    yield "absent", [("title", answer.text), ("note", what), *(("", one) for one in answer.near)]
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
