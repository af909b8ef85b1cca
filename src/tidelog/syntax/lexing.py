"""The one lark instance of the grammar, built on first use; both lexer and parser use it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from lark import Lark, Token
from lark.lark import PostLex
from lark.lexer import BasicLexer, LexerThread
from lark.parsers.lalr_interactive_parser import InteractiveParser

from tidelog.syntax.builder import Builder

STATEMENT, QUERY = "statement", "query"


class _KeepAll(PostLex):
    """Makes lark keep the tokens that only `clauses.py` reads, so that lexing never fails."""

    always_accept = ("COMMENT", "DIRECTIVE", "LEFT_ARROW", "FOREIGN_NAME", "PREFIXED", "OPEN_STRING", "FOREIGN_OPERATOR", "STRAY")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        return stream


@cache
def _lark() -> Lark:
    grammar = files("tidelog.syntax").joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(
        grammar,
        start=[STATEMENT, QUERY],
        parser="lalr",
        lexer="basic",
        postlex=_KeepAll(),
        transformer=Builder(),
        maybe_placeholders=False,
    )


@cache
def _lexer() -> BasicLexer:
    """The lexer, cached, since `Lark.lex` builds one for each text, which takes longer than parsing a rule."""
    return BasicLexer(_lark().lexer_conf)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text, comments and strays included."""
    found: Iterator[Token] = LexerThread.from_text(_lexer(), text).lex(None)  # type: ignore[no-untyped-call]
    return found


def parser(start: str) -> InteractiveParser:
    """A new LALR parser for one statement, or one query, fed token by token."""
    return _lark().parse_interactive(start=start)
