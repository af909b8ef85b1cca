"""Answers that can be printed, saved and shown in notebooks."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from pathlib import Path

from tidelog.arguments import path_of
from tidelog.errors import fail
from tidelog.report.raster import png_of
from tidelog.report.svg import write


class Saved(ABC):
    """An answer that has a text, a form in JSON, a picture and a page."""

    _what = "an explanation"

    @abstractmethod
    def to_text(self) -> str:
        """The answer as text."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """The answer as JSON."""

    @property
    @abstractmethod
    def svg(self) -> str:
        """The answer as a picture."""

    @property
    @abstractmethod
    def html(self) -> str:
        """A page with the picture and the text."""

    def to_json(self) -> str:
        """The answer as a line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write it to a file, whose ending says in which form: .txt, .json, .svg, .png or .html."""
        target = path_of(path)
        texts = {".svg": lambda: self.svg, ".html": lambda: self.html, ".json": self.to_json, ".txt": self.to_text}
        form = target.suffix.lower()
        if form not in texts and form != ".png":
            fix = "let the name end with .txt, .json, .svg, .png or .html"
            raise fail("TL082", f"{self._what} cannot be written as {target.name}", fix=fix)
        data = png_of(self.svg) if form == ".png" else f"{texts[form]()}\n".encode()
        write(target, data)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return self.to_text()
