"""What `change.explain` gives: why a fact came, went or stayed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from tidelog.errors import fail
from tidelog.explain.access import Access
from tidelog.explain.changed.causes import Causes, ChangeOfFacts, Sides
from tidelog.explain.changed.parts import Changed
from tidelog.explain.changed.told import text_of
from tidelog.explain.explainer import Explainer
from tidelog.explain.explanation import Explanation
from tidelog.explain.shown.cards import Lines, svg_of_cards
from tidelog.explain.shown.picture import PAGE
from tidelog.explain.shown.saved import Saved
from tidelog.report.svg import html_page
from tidelog.syntax.tree import Atom, Constant
from tidelog.values import Value

_CARDS = 30
"""Cards of a picture."""


class ChangedFact(Changed, Saved):
    """Why a fact came, went or stayed.

    >>> print(change.explain("path(a, d)"))                         # doctest: +SKIP
    """

    def to_text(self, most: int | None = 60) -> str:
        """The explanation as text; of a large one so many lines."""
        return text_of(self, most)

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON."""
        return {
            "fact": self.text,
            "what": self.what,
            "started_by": list(self.started_by),
            "steps": [step.to_dict() for step in self.steps],
            "lost": list(self.lost),
            "was_explicit": self.was_explicit,
            "proof": self.proof.to_dict() if isinstance(self.proof, Explanation) else None,
        }

    @property
    def svg(self) -> str:
        """The explanation as a picture."""
        return svg_of_cards(f"Why {self.text} {self.what}", self._cards())

    @property
    def html(self) -> str:
        """A page with the picture and the text; it needs nothing from anywhere else."""
        title = escape(f"Why {self.text} {self.what}")
        return html_page(title, PAGE, f"<h1>{title}</h1>\n{self.svg}\n<pre>{escape(self.to_text())}</pre>")

    def _cards(self) -> Iterator[tuple[str, Lines]]:
        if self.what == "stayed" or not self.steps:
            yield "root", [("title", self.text), ("note", self.what)]
        steps = self.steps if len(self.steps) <= _CARDS else (*self.steps[: _CARDS // 2], *self.steps[-_CARDS // 2 :])
        for step in steps:
            sign, kind = ("+", "true") if step.what == "came" else ("−", "fails")
            lines = [("title", f"{sign} {step.text}"), (kind, step.why), *(("", rule.text) for rule in step.rules)]
            lines += [
                ("note" if not reason.steps else kind, "   ".join(filter(None, (reason.text, reason.note))))
                for reason in step.reasons[:_CARDS]
            ]
            yield "root" if step.number == 0 and self.what != "stayed" else "", lines
        if len(self.steps) > _CARDS:
            yield "", [("note", f"{len(self.steps) - _CARDS:,} facts between them are not shown")]


def explained(sides: Sides, change: ChangeOfFacts, relation: str, values: tuple[Value, ...]) -> ChangedFact:
    """Why a fact came, went or stayed with a change."""
    causes, event = Causes(sides, change), (relation, values)
    fact = (relation, *(value.content for value in values))

    def proof_in(state: Callable[[Callable[[Access], Any]], Any]) -> tuple[Explanation | None, bool, str]:
        def ask(access: Access) -> tuple[Explanation | None, bool, str]:
            explainer, row = Explainer(access), tuple(map(access.cell, values))
            text = explainer.words.literal(Atom(relation, tuple(map(Constant, values))))
            held = access.holds(relation, row)
            return explainer.proof((relation, row)) if held else None, access.is_explicit(relation, row), text

        found: tuple[Explanation | None, bool, str] = state(ask)
        return found

    now, is_explicit, text = proof_in(sides.now)
    if causes.has_changed("came", *event):
        causes.number(("came", *event))
        return ChangedFact(fact, text, "came", causes.steps(), proof=now)
    if causes.has_changed("went", *event):
        causes.number(("went", *event))
        return ChangedFact(fact, text, "went", causes.steps(), proof=proof_in(sides.before)[0])
    if now is None:
        raise fail(
            "TL098",
            f"`{text}` does not hold, and did not before this change",
            fix="`kb.why_not` says what is missing",
        )
    before, was_explicit, _ = proof_in(sides.before)
    lost = causes.lost_by(before) if before is not None else []
    was_deleted = was_explicit and not is_explicit
    return ChangedFact(fact, text, "stayed", causes.steps(), lost=tuple(lost), was_explicit=was_deleted, proof=now)
