"""What `kb.explain` gives: steps to walk over, print, save and draw."""

from __future__ import annotations

from tidelog.explain.shown.picture import page_of, svg_of
from tidelog.explain.shown.saved import Saved
from tidelog.explain.shown.text import text_of
from tidelog.explain.steps import MOST_SHOWN, Steps


class Explanation(Steps, Saved):
    """Why a fact holds: its steps, each after those it needs; the fact itself is the last.

    >>> print(kb.explain("path(a, c)"))                             # doctest: +SKIP

    With `all=True` a fact may have several ways, and facts may need one another.
    """

    # --- into other forms ------------------------------------------------------------------------------------------------

    def to_text(self, most: int | None = MOST_SHOWN) -> str:
        """The explanation as text; of a long one, its first and last steps, as many as `most` in all."""
        return text_of(self, most)

    def to_dict(self) -> dict[str, object]:
        """The explanation as JSON: `fact`, `rules`, `steps`, and whether it is a `proof`, and `whole`."""
        return {
            "fact": self.root.text,
            "proof": self.is_proof,
            "whole": self.is_whole,
            "rules": [{"place": rule.place, "text": rule.text} for rule in self.rules],
            "steps": [step.to_dict() for step in self._steps],
        }

    @property
    def svg(self) -> str:
        """The explanation as a picture."""
        return svg_of(self)

    @property
    def html(self) -> str:
        """A page with the picture and the steps; it needs nothing from anywhere else."""
        return page_of(self)
