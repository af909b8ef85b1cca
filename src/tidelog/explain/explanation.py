"""What `kb.explain` gives: steps to walk over, print, save and draw."""

from __future__ import annotations

import json
from pathlib import Path

from tidelog.arguments import path_of
from tidelog.errors import fail
from tidelog.explain.picture import page_of, svg_of
from tidelog.explain.steps import MOST_SHOWN, Steps
from tidelog.explain.text import text_of


class Explanation(Steps):
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

    def to_json(self) -> str:
        """The explanation as a line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @property
    def svg(self) -> str:
        """The explanation as a picture."""
        return svg_of(self)

    @property
    def html(self) -> str:
        """A page with the picture and the steps; it needs nothing from anywhere else."""
        return page_of(self)

    def save(self, path: str | Path) -> None:
        """Write it to a file, whose ending says in which form: .txt, .json, .svg or .html."""
        target = path_of(path)
        forms = {".svg": lambda: self.svg, ".html": lambda: self.html, ".json": self.to_json, ".txt": self.to_text}
        if target.suffix.lower() not in forms:
            fix = "let the name end with .txt, .json, .svg or .html"
            raise fail("TL082", f"an explanation cannot be written as {target.name}", fix=fix)
        try:
            target.write_text(forms[target.suffix.lower()]() + "\n", encoding="utf-8")
        except OSError as error:
            raise fail("TL060", f"cannot write {target}: {error.strerror or error}") from error

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.to_text()
