"""Limits on texts from outside: their length, how deeply they are nested, and how many literals a rule has.

Parsers of other libraries recurse, and a text that is nested deeply enough ends the process.  So brackets are counted before.
"""

from __future__ import annotations

from tidelog.errors import Diagnostic, TidelogError
from tidelog.source import Source

LONGEST_TEXT = 1 << 28
"""The default of `limit_text`: the most bytes of a program, of a value, and of a line of a file or stream."""
DEEPEST = 100
"""The most levels of expressions in one another, of JSON, and of quoted triples."""
MOST_LITERALS = 256
"""The most literals of a rule or query, those inside aggregates included: planning an update takes the square of it, or more."""
TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"

_PIECE = 1 << 20


def too_long(what: str, limit: int, place: str = "") -> TidelogError:
    """The error for a text that is longer than the limit."""
    fix = "raise limit_text (--limit-text), or divide it; nothing has been changed"
    source = Source("", place) if place else None
    return TidelogError([Diagnostic("TL070", f"{what} is longer than {limit:,} bytes", source, fix=fix)])


def check_length(text: str | bytes, what: str, limit: int = LONGEST_TEXT, place: str = "") -> None:
    """Raise TL070 if a text is longer than the limit; a string has at least as many bytes as characters."""
    if len(text) > limit:
        raise too_long(what, limit, place)


def check_lines(data: bytes, source: str, limit: int = LONGEST_TEXT) -> None:
    """Raise TL070 if a line is longer than the limit: looks at one line for each `limit` bytes."""
    begin = 0
    while len(data) - begin > limit:
        end = data.rfind(b"\n", begin, begin + limit + 1)
        if end < 0:
            number = data.count(b"\n", 0, begin) + 1
            raise too_long("the line", limit, f"{source}:{number}")
        begin = end + 1


def is_shallow(data: bytes) -> bool:
    """Whether JSON values, one after the other, are nested no more than 100 levels deep.

    False also if quotes or brackets do not match, since a reader that starts at a later line might then see other brackets.
    """
    objects = data.count(b"{")
    if data.count(b"[") + objects <= DEEPEST:
        return True
    if b"[" not in data and objects <= data.count(b"}\n{") + 1:
        return True  # flat objects, one a line: the usual case
    import numpy as np

    if b"\\" in data:
        data = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    in_text, depth = 0, 0
    for begin in range(0, len(data), _PIECE):
        codes = np.frombuffer(data, np.uint8, min(_PIECE, len(data) - begin), begin)
        inside = (np.cumsum(codes == ord('"'), dtype=np.uint8) + np.uint8(in_text)) & 1
        if inside[codes == ord("\n")].any():
            return False
        in_text = int(inside[-1])
        lowered = codes | 0x20  # `[` and `]` become `{` and `}`
        at = np.flatnonzero(((lowered == ord("{")) | (lowered == ord("}"))) & (inside == 0))
        if len(at):
            depths = depth + np.cumsum(np.where(lowered[at] == ord("{"), 1, -1))
            if depths.max() > DEEPEST or depths.min() < 0:
                return False
            depth = int(depths[-1])
    return True
