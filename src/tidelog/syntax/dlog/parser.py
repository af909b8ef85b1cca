"""From a text in RDFox's rule language to the syntax tree of its rules, with all errors of the text as diagnostics."""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.errors import Diagnostics
from tidelog.source import Source
from tidelog.syntax.dlog.lexing import Comment, lex
from tidelog.syntax.dlog.rules import Rules, has_open_predicates
from tidelog.syntax.dlog.statements import Statements, Written
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.tree import Column, Declaration, Document, Layout, Prefix, Statement


def parse_dlog(source: Source, diagnostics: Diagnostics, prefixes: Mapping[str, str] | None = None) -> Document:
    """The statements of a text, given some prefixes; those that cannot be read are reported and left out."""
    tokens, comments, strays = lex(source, diagnostics)
    reader = Statements(source, tokens, prefixes or {})
    read: list[Written | Prefix] = []
    while not reader.is_at_end:
        begin = reader.at
        try:
            if (statement := reader.statement()) is not None:
                read.append(statement)
        except ClauseError as error:
            _skip(reader, begin)
            first, last = tokens[begin].span.start, len(source.text) if reader.is_at_end else reader.next.span.start
            if not any(first <= at < last for at in strays):  # what is left out there may be why
                diagnostics.add(error.code, error.message, source, error.span, fix=error.fix)
    as_triples = has_open_predicates(one for one in read if isinstance(one, Written))
    rules = Rules(source, as_triples=as_triples)
    statements: list[Statement] = [_TRIPLES] if as_triples else []
    layout: list[Layout] = [Layout()] * len(statements)
    for one in read:
        own: list[Statement] = []
        try:
            own = [_with_source(one, source)] if isinstance(one, Prefix) else list(rules.statements(one))
        except ClauseError as error:
            diagnostics.add(error.code, error.message, source, error.span, fix=error.fix)
        layout += [Layout(_before(one.span.start, comments)), *[Layout()] * (len(own) - 1)][: len(own)]
        statements += own
    return Document(tuple(statements), tuple(layout), Layout(tuple(map(_as_ours, comments))), source)


_TRIPLES = Declaration("triple", tuple(Column(name) for name in ("subject", "predicate", "object")))


def _skip(reader: Statements, begin: int) -> None:
    """Go on behind the next dot, which ends the statement that has the mistake."""
    reader.at = max(reader.at, begin + 1)
    while not reader.is_at_end and not reader.tokens[reader.at - 1].is_sign("."):
        reader.at += 1


def _with_source(prefix: Prefix, source: Source) -> Prefix:
    return Prefix(prefix.name, prefix.iri, prefix.span, source)


def _before(start: int, comments: list[Comment]) -> tuple[str, ...]:
    """The comments before a place, which are taken out of the list."""
    found: list[str] = []
    while comments and comments[0].start < start:
        found.append(_as_ours(comments.pop(0)))
    return tuple(found)


def _as_ours(comment: Comment) -> str:
    """A comment that is one line."""
    text = comment.text.removeprefix("/*").removesuffix("*/") if comment.text.startswith("/*") else comment.text.lstrip("/#")
    return "% " + " ".join(text.split())
