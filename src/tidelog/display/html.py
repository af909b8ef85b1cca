"""Tables and captions as HTML, for notebooks; whatever is given as a text is escaped here and nowhere else."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence


def table(caption: str, columns: Sequence[object], rows: Iterable[Sequence[object]], more: Iterable[str] = ()) -> str:
    """A table with a caption above and lines of text below."""
    head = "".join(f"<th>{text(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<p>{text(line)}</p>" for line in more)
    return f"<table><caption>{text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def code(lines: Iterable[str]) -> str:
    """Lines of a program."""
    return f"<pre>{text(chr(10).join(lines))}</pre>"


def text(thing: object) -> str:
    """Anything as text inside of HTML."""
    return html.escape(str(thing))
