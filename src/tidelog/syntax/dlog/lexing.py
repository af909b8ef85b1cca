"""The tokens of RDFox's rule language, which are those of SPARQL."""

from __future__ import annotations

import re
from typing import NamedTuple

from tidelog.errors import Diagnostics
from tidelog.source import Source, Span

_NAME = r"(?:[^\W\d_](?:[\w.\-]*[\w\-])?)?"
_SPECIAL = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_LOCAL = rf"(?:[\w:]|{_SPECIAL})(?:(?:[\w:.\-]|{_SPECIAL})*(?:[\w:\-]|{_SPECIAL}))?"
_TOKEN = re.compile(
    rf"""
    (?P<SPACE>\s+)
  | (?P<COMMENT>//[^\n]*|\#[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)
  | (?P<IRI><[^<>"{{}}|^`\\\x00-\x20]*(?:\\[uU][0-9A-Fa-f]+[^<>"{{}}|^`\\\x00-\x20]*)*>)
  | (?P<STRING>\"\"\"(?:\"{{0,2}}(?:[^"\\]|\\.))*\"\"\"|'''(?:'{{0,2}}(?:[^'\\]|\\.))*'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<LANGUAGE>(?<=["'])@[a-zA-Z]+(?:-[a-zA-Z0-9]+)*)
  | (?P<VARIABLE>[?$]\w+)
  | (?P<BLANK>_:\w(?:[\w.\-]*[\w\-])?)
  | (?P<ARROW>:-)
  | (?P<PREFIXED>{_NAME}:(?:{_LOCAL})?)
  | (?P<DOUBLE>\d+(?:\.\d*)?[eE][+\-]?\d+|\.\d+[eE][+\-]?\d+)
  | (?P<DECIMAL>\d*\.\d+)
  | (?P<INTEGER>\d+)
  | (?P<WORD>@?[A-Za-z_]\w*)
  | (?P<SIGN>\^\^|&&|\|\||!=|<=|>=|[\[\](){{}},.!=<>+\-*/:|])
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTES = ('"', "'")


class Token(NamedTuple):
    """A word of the text and its place."""

    kind: str
    text: str
    span: Span

    def is_word(self, *words: str) -> bool:
        """Whether it is one of some words, in any case of letters."""
        return self.kind == "WORD" and self.text.upper() in words

    def is_sign(self, *signs: str) -> bool:
        """Whether it is one of some signs."""
        return self.kind == "SIGN" and self.text in signs


class Comment(NamedTuple):
    """A comment, and where it begins."""

    text: str
    start: int


def lex(source: Source, diagnostics: Diagnostics) -> tuple[list[Token], list[Comment], list[int]]:
    """The tokens and the comments of a text; what is none of both is reported and left out, and where it begins."""
    tokens: list[Token] = []
    comments: list[Comment] = []
    strays: list[int] = []
    at, text = 0, source.text
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            strays.append(at)
            at = _report(source, diagnostics, at)
            continue
        kind = (found.lastgroup or "").replace("ARROW", "SIGN")
        if kind == "COMMENT":
            comments.append(Comment(found[0], at))
        elif kind != "SPACE":
            tokens.append(Token(kind, found[0], Span(at, found.end())))
        at = found.end()
    return tokens, comments, strays


def _report(source: Source, diagnostics: Diagnostics, at: int) -> int:
    """Report what is no token; where to go on."""
    text = source.text
    if text[at] in _QUOTES:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        diagnostics.add("TL003", "the quotes are not closed", source, Span(at, end), fix=f"close them with `{text[at]}`")
        return end
    shown = text[at] if text[at].isprintable() else f"U+{ord(text[at]):04X}"
    diagnostics.add("TL002", f"the character `{shown}` means nothing here", source, Span(at, at + 1))
    return at + 1
