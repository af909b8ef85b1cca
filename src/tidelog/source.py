"""Source texts: a text with a name, positions in it, and excerpts for error messages."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cached_property
from typing import Literal, NamedTuple

_WIDEST = 96
"""Longest excerpt of a line that an error shows, in characters."""


Language = Literal["tidelog", "dlog"]
"""What rules are written in."""


class Span(NamedTuple):
    """A stretch of a text, from `start` up to but not including `end`."""

    start: int
    end: int


class Source:
    """A program text, and its name in error messages."""

    def __init__(self, text: str, name: str = "<text>", *, language: Language = "tidelog") -> None:
        """Store the text with Unix line breaks; lines are counted only when an error needs them.

        `language="dlog"` is RDFox's rule language.
        """
        self.text = text.replace("\r\n", "\n") if "\r" in text else text
        self.name, self.language = name, language

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(i + 1 for i, char in enumerate(self.text) if char == "\n")
        return starts

    def line_of(self, offset: int) -> int:
        """The number of the line that holds the offset, counted from 1."""
        return bisect_right(self._line_starts, offset)

    def offset_of(self, line: int, column: int) -> int:
        """The offset of a line and column, both counted from 1; the end of the text behind its last line."""
        return self._line_starts[line - 1] + column - 1 if line <= len(self._line_starts) else len(self.text)

    def place(self, span: Span) -> str:
        """`file:line:column` of the start of a span, both counted from 1."""
        line = self.line_of(span.start)
        return f"{self.name}:{line}:{span.start - self._line_starts[line - 1] + 1}"

    def line_span(self, offset: int) -> Span:
        """The line that holds the offset, without its line break."""
        start = self._line_starts[self.line_of(offset) - 1]
        end = self.text.find("\n", start)
        return Span(start, len(self.text) if end < 0 else end)

    def __repr__(self) -> str:
        """Short, since texts are long."""
        return f"Source({self.name!r}, {len(self.text)} characters)"


def excerpt(source: Source, span: Span) -> tuple[str, str]:
    """The line that holds the start of the span, and a line of carets under the span.

    A long line is cut to a window around the span; unprintable characters are shown as `·`.
    """
    line = source.line_span(span.start)
    line = Span(line.start, line.start + len(source.text[slice(*line)].rstrip()))
    start, end = line
    if end - start > _WIDEST:
        start = max(start, min(span.start - _WIDEST // 3, end - _WIDEST))
        end = min(end, start + _WIDEST)
    before, after = "..." if start > line.start else "", "..." if end < line.end else ""
    shown = before + _printable(source.text[start:end]) + after
    lead = before + _printable(source.text[start : span.start])
    marked = _printable(source.text[span.start : max(span.start, min(span.end, end))])
    return shown, " " * _width(lead) + "^" * max(1, _width(marked))


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " if c == "\t" else "·" for c in text)


def _width(text: str) -> int:
    """Columns that the text takes on a terminal."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
