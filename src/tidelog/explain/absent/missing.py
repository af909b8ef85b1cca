"""What `kb.why_not` gives: for each rule how near it comes, and what would have to be inserted."""

from __future__ import annotations

from tidelog.explain.absent.drawing import page_of, svg_of
from tidelog.explain.absent.parts import Answer
from tidelog.explain.absent.told import text_of
from tidelog.explain.explanation import Explanation
from tidelog.explain.shown.saved import Saved


class WhyNot(Answer, Saved):
    """Why a fact does not hold; or, if it does, its proof.

    >>> print(kb.why_not("path(a, d)"))                             # doctest: +SKIP
    """

    _what = "an answer"

    def to_text(self) -> str:
        """The answer as text."""
        return text_of(self)

    def to_dict(self) -> dict[str, object]:
        """The answer as JSON."""
        return {
            "fact": self.text,
            "holds": self.holds,
            "rules": [attempt.to_dict() for attempt in self.attempts],
            "near": list(self.near),
            "repairs": [repair.to_dict() for repair in self.repairs],
            "proof": self.proof.to_dict() if isinstance(self.proof, Explanation) else None,
        }

    @property
    def svg(self) -> str:
        """The answer as a picture."""
        return svg_of(self)

    @property
    def html(self) -> str:
        """A page with the picture and the text; it needs nothing from anywhere else."""
        return page_of(self)
