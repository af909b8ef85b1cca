"""The parser: from text to syntax tree, with all syntax errors of the text as diagnostics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lark import Token
from lark.exceptions import UnexpectedToken

from tidelog.errors import Diagnostics
from tidelog.source import Source, Span
from tidelog.syntax.clauses import Clause, Preparation, cut
from tidelog.syntax.dlog.parser import parse_dlog
from tidelog.syntax.lexing import QUERY, STATEMENT, parser
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.tree import Atom, Document, Layout, Literal, Statement
from tidelog.syntax.zodiac import from_zodiac


def parse(source: Source, diagnostics: Diagnostics, prefixes: Mapping[str, str] | None = None) -> Document:
    """The statements of a text, given some prefixes; clauses that cannot be parsed are reported and left out."""
    if _has_surrogate(source, diagnostics):
        return Document((), source=source)
    if source.language == "dlog":
        return parse_dlog(source, diagnostics, prefixes)
    preparation = Preparation(source, diagnostics)
    preparation.prefixes.update(prefixes or {})
    statements: list[Statement] = []
    layout: list[Layout] = []
    closing = Layout()
    for clause in cut(source):
        around = Layout(tuple(clause.comments), clause.trailing, clause.blank_before)
        if not clause.tokens:
            closing = around
            continue
        statement = _parse_clause(clause, preparation, STATEMENT)
        if statement is None:
            continue
        statements.append(replace(statement, source=source))
        layout.append(around)
    return Document(tuple(statements), tuple(layout), closing, source)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _has_surrogate(source: Source, diagnostics: Diagnostics) -> bool:
    """Whether a text is none, since it has half of a surrogate pair, which is reported."""
    if (lone := _SURROGATE.search(source.text)) is None:
        return False
    diagnostics.add("TL002", "half of a surrogate pair is no character", source, Span(*lone.span()))
    return True


def parse_query(source: Source, diagnostics: Diagnostics, prefixes: dict[str, str]) -> tuple[Literal, ...]:
    """The literals of a query: a body without a head, with or without a final `.`."""
    preparation = Preparation(source, diagnostics)
    preparation.prefixes.update(prefixes)
    if _has_surrogate(source, diagnostics):
        return ()
    clauses = [clause for clause in cut(source) if clause.tokens]
    if not clauses or clauses[0].tokens[0].type == "_END":
        diagnostics.add("TL001", "the query is empty", source, Span(0, 0), fix="write `path(a, X), X != b`")
        return ()
    if len(clauses) > 1:
        diagnostics.add("TL001", "a query is one body", source, clauses[1].span, fix="ask one question at a time")
        return ()
    if clauses[0].tokens[-1].type == "_END":
        clauses[0].tokens.pop()
    body = _parse_clause(clauses[0], preparation, QUERY)
    return from_zodiac(Atom("", ()), body or ())


def _parse_clause(clause: Clause, preparation: Preparation, start: str) -> Any:
    tokens = preparation.prepare(clause)
    if tokens is None:
        return None
    source, diagnostics = preparation.source, preparation.diagnostics
    machine = parser(start)
    previous: Token | None = None
    try:
        for token in tokens:
            machine.feed_token(token)
            previous = token
        return machine.feed_eof(previous)  # type: ignore[no-untyped-call]
    except UnexpectedToken as error:
        accepted = _accepted_before(error.token, tokens, start)
        _explain(error.token, accepted, previous, clause, source, diagnostics)
    except ClauseError as problem:
        fix = (
            (_fix_for_a_comment(source, problem.span.end) or _fix_for_targets(source, problem))
            if problem.code == "TL012"
            else None
        )
        diagnostics.add(problem.code, problem.message, source, problem.span, fix=fix or problem.fix)
    return None


_WORDS = {
    "_END": "`.`",
    "COMMA": "`,`",
    "_ARROW": "`:-`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "COLON": "`:`",
    "COMPARE": "a comparison",
    "IRI": "an IRI",
    "STRING": "a quoted text",
    "INT": "a number",
    "NAME": "a name",
    "VARIABLE": "a variable",
}
"""Expected terminals in words, the likeliest first; other terminals are not shown."""
_OPENING = ("`(`", "`[`", "`{`")


def _accepted_before(refused: Token, tokens: list[Token], start: str) -> set[str]:
    """The terminals accepted in place of the refused token; the parser that refused it has already left that state."""
    machine = parser(start)
    for token in tokens:
        if token is refused:
            break
        machine.feed_token(token)
    accepted: set[str] = machine.accepts()  # type: ignore[no-untyped-call]
    return accepted


def _explain(
    token: Token,
    accepts: set[str],
    previous: Token | None,
    clause: Clause,
    source: Source,
    diagnostics: Diagnostics,
) -> None:
    """Report a token that the parser refused, with what was expected and a likely fix."""
    if token.type == "$END":
        end = clause.tokens[-1].end_pos or 0
        fix = "end it with a `.`" if "_END" in accepts else None
        if clause.tokens[-1].type in _NUMBERS:
            fix = _fix_for_a_comment(source, end) or fix
        message = "the query is not complete" if clause.tokens and "_END" not in accepts and "$END" in accepts else _NOT_CLOSED
        diagnostics.add("TL005", message, source, Span(clause.span.start, end), fix=fix)
        return
    span = Span(token.start_pos or 0, token.end_pos or 0)
    fix = _fix_for(token, accepts, previous, source, is_directive=clause.tokens[0].startswith("@"))
    expected = [word for kind, word in _WORDS.items() if kind in accepts]
    expected = [word for word in expected if word not in _OPENING] or expected
    text = source.text[slice(*span)]
    message = f"`{text if len(text) <= 40 else text[:37] + '...'}` cannot stand here"
    if expected:
        message += f"; expected {', '.join(expected[:-1])}{' or ' if len(expected) > 1 else ''}{expected[-1]}"
    diagnostics.add("TL001", message, source, span, fix=fix)


_NOT_CLOSED = "the text ends before the clause does"

_OPENED = re.compile(r"(\w+)\s*\{\s*$")
_MORE_TARGETS = re.compile(r"\s*,[^{}]*?:[^-]")
_COMMENT = re.compile(r"%|//|#")
_COMMENT_FIX = "`{}` starts a comment; division is `/`, and its remainder `mod`"
_NUMBERS = ("INT", "FLOAT", "VARIABLE")
"""What may be a number; a comment directly behind it may be meant as an operator."""
_WORDS_OF_TEXTS = frozenset({"NAME", "VARIABLE"})
_MORE_WORDS = re.compile(r"(?:[ \t]+\w+)*")
_AT_THE_START = {
    "_END": "take the extra `.` away; directives start with `@`",
    "_ARROW": "a clause starts with its head",
    "DIVIDE": "a comment starts with `%` and ends with its line",
}
_FOREIGN_WORDS = {
    "is": "write `=`",
    "or": "write one rule for each alternative",
    "in": "write a fact for each value, `allowed(1).`, and the atom `allowed(X)`",
    "if": "write `:-`",
    "like": 'write `contains(X, "part")`, `starts_with(X, "begin")` or `matches(X, "regex")`',
    "between": "write two comparisons: `1 <= X, X <= 9`",
    ":": "write `:-`",
}


def _fix_for_a_comment(source: Source, at: int) -> str | None:
    """The fix where a comment begins in the same line behind a place, if its sign is an operator elsewhere."""
    rest = source.text[at:].partition("\n")[0].lstrip()
    found = _COMMENT.match(rest)
    return _COMMENT_FIX.format(found[0]) if found is not None and rest[len(found[0]) :].strip() else None


def _fix_for_targets(source: Source, problem: ClauseError) -> str | None:
    """The fix for an aggregate of several terms, `sum { X, Y : … }`."""
    before = _OPENED.search(source.text[: problem.span.start])
    if before is None or not _MORE_TARGETS.match(source.text, problem.span.end):
        return None
    first = source.text[slice(*problem.span)]
    return f"an aggregate is of one term, and looks at all bindings of its body: `{before[1]} {{ {first} : … }}`"


def _fix_for(token: Token, accepts: set[str], previous: Token | None, source: Source, *, is_directive: bool) -> str | None:
    """The likely fix for a refused token."""
    after_head = "_ARROW" in accepts
    if previous is None:
        return _AT_THE_START.get(token.type)
    if token.type == "_END" and previous.type == "INT" and previous.end_pos == token.start_pos:
        return "a number has digits on both sides of its point"
    if previous.type in _NUMBERS and (comment := _COMMENT.search(source.text[previous.end_pos : token.start_pos])):
        return _COMMENT_FIX.format(comment[0])
    if str(token).lower() in _FOREIGN_WORDS and (token.type in _WORDS_OF_TEXTS or after_head):
        return _FOREIGN_WORDS[str(token).lower()]
    if "_END" in accepts and "\n" in source.text[previous.end_pos : token.start_pos]:
        return "if the clause ends on the line before, close it with a `.`"
    if after_head:
        return "a rule has one head; write one rule for each" if token.type == "COMMA" else "write `:-` between head and body"
    if token.type == "_ARROW":
        return "a clause has one arrow, right after its head"
    if token.type == "COMPARE" and "_END" in accepts:
        return "a negated comparison is written with the opposite operator, and `X < Y < Z` as two comparisons"
    if token.type == "COMPARE":
        opens_iri = token == "<" and previous.type in ("LPAR", "COMMA", "COMPARE")
        return "an IRI has a scheme: `<http://…>`" if opens_iri else "a comparison is a literal of its own"
    if "COMMA" in accepts and "_END" in accepts and token.type in ("NAME", "VARIABLE", "IRI", "NOT", "LSQB"):
        quotes = f", or {_quotes(token, previous, source)}" if _is_text(token, previous) else ""
        return f"put a `,` between literals{quotes}"
    return _quotes(token, previous, source) if _is_text(token, previous) and not is_directive else None


def _is_text(token: Token, previous: Token) -> bool:
    """Whether two words in a row may be meant as one text."""
    return {previous.type, token.type} <= _WORDS_OF_TEXTS


def _quotes(token: Token, previous: Token, source: Source) -> str:
    """The fix for several words in a row: quotes around them."""
    more = _MORE_WORDS.match(source.text, token.end_pos or 0)
    assert more is not None  # of no words, too
    return f'put a text of several words in quotes: `"{source.text[previous.start_pos or 0 : more.end()]}"`'
