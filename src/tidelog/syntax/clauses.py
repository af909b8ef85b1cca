"""Cuts the token stream into clauses and prepares each for the grammar.

Each clause is parsed by itself, so that an error in one does not affect the others.  `_PASSES` resolve, in their order, what a
context-free grammar cannot: variables that start with a letter outside ASCII, prefixed names, `<-`, negative
numbers, the numbering of `_`, and ZodiacEdge's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from lark import Token

from tidelog.errors import Diagnostics, did_you_mean
from tidelog.source import Source, Span
from tidelog.syntax.lexing import tokens as lex
from tidelog.syntax.zodiac import mark_words
from tidelog.values import RDF, XSD

WELL_KNOWN = {
    "rdf": RDF,
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": XSD,
}
"""Prefixes that need no declaration."""

_OPERANDS = frozenset(
    ["VARIABLE", "NAME", "INT", "FLOAT", "STRING", "LANGUAGE", "IRI", "TRUE", "FALSE", "RPAR", "RSQB"],
)
_FOREIGN_OPERATORS = {
    "==": "write `=`",
    "=<": "write `<=`",
    "=>": "write `>=`",
    "<>": "write `!=`",
    "&&": "write `,` between literals",
    "&": "write `,` between literals",
    "\\+": "write `not`",
    "**": "write `pow(base, exponent)`",
    ";": "write one rule for each alternative",
    "|": "write one rule for each alternative",
    "||": "write one rule for each alternative; texts are joined by `cat(X, Y)`",
}
_FOREIGN_CHARACTERS = {
    "≠": "write `!=`",
    "≤": "write `<=`",
    "≥": "write `>=`",
    "∨": "write one rule for each alternative",
    "^": "write `pow(base, exponent)`",
    "~": "write `not`",
    "?": "a variable is written `?name`",
    **dict.fromkeys("“”„‟‘’‚", 'write straight quotes: `"`'),
}
_MOST_SUGGESTIONS = 20
"""The search for similar names costs time for each error, and no reader needs more suggestions."""
_DIRECTIVES = ("@prefix", "@relation", "@input", "@output")


@dataclass(slots=True)
class Clause:
    """The tokens of one statement, `.` included if there is one, and the comments around it."""

    tokens: list[Token]
    comments: list[str] = field(default_factory=list)
    trailing: str | None = None
    blank_before: bool = False

    @property
    def span(self) -> Span:
        """Its span in the text."""
        return Span(self.tokens[0].start_pos or 0, self.tokens[-1].end_pos or 0)


def cut(source: Source) -> Iterator[Clause]:
    """The clauses of a text; the last one has no tokens and holds the comments at the end."""
    text, last_end = source.text, 0
    clause = Clause([])
    previous: Clause | None = None
    for token in lex(text):
        start = token.start_pos or 0
        if token.type == "COMMENT":
            if not clause.tokens and previous is not None and "\n" not in text[last_end:start]:
                previous.trailing = str(token).rstrip()
            else:
                _note_blank(clause, text.count("\n", last_end, start) > 1)
                clause.comments.append(str(token).rstrip())
            last_end = token.end_pos or 0
            continue
        _note_blank(clause, text.count("\n", last_end, start) > 1)
        clause.tokens.append(token)
        last_end = token.end_pos or 0
        if token.type in ("_END", "OPEN_STRING"):  # after an open string, parsing resumes at the next line
            if previous is not None:
                yield previous
            previous, clause = clause, Clause([])
    if previous is not None:
        yield previous
    if clause.tokens:
        yield clause
        clause = Clause([])
    yield clause


def _note_blank(clause: Clause, is_blank: bool) -> None:
    """Keep a blank line in front of a clause, and among the comments above it."""
    if is_blank and not clause.tokens:
        if clause.comments:
            clause.comments.append("")
        else:
            clause.blank_before = True


@dataclass(slots=True)
class Preparation:
    """Prepares clauses for the grammar; holds the prefixes declared so far."""

    source: Source
    diagnostics: Diagnostics
    prefixes: dict[str, str] = field(default_factory=lambda: dict(WELL_KNOWN))
    unknown: int = 0
    """The number of names with an undeclared prefix."""

    def prepare(self, clause: Clause) -> list[Token] | None:
        """The tokens as the grammar expects them, or None after an error, which is reported."""
        tokens = clause.tokens
        if _is_sparql_prefix(tokens):
            span = Span(tokens[0].start_pos or 0, tokens[0].end_pos or 0)
            self.diagnostics.add(
                "TL010", "a prefix is declared by a directive", self.source, span, fix="write `@prefix name: <…> .`"
            )
            return None
        for token in tokens:
            if token.type in _REFUSED:
                self._refuse(token)
                return None
        types = {token.type for token in tokens}
        for needed, apply_pass in _PASSES:
            if not needed.isdisjoint(types):
                prepared = apply_pass(self, tokens)
                if prepared is None:
                    return None
                tokens = prepared
        return tokens

    def _refuse(self, token: Token) -> None:
        text, span = str(token), Span(token.start_pos or 0, token.end_pos or 0)
        match token.type:
            case "OPEN_STRING":
                message, fix = "the quoted text is not closed on its line", "close it; a line break in a text is written `\\n`"
                self.diagnostics.add("TL003", message, self.source, span, fix=fix)
            case "DIRECTIVE":
                fix = did_you_mean(text, _DIRECTIVES) or "the directives are " + ", ".join(_DIRECTIVES)
                self.diagnostics.add("TL010", f"there is no directive `{text}`", self.source, span, fix=fix)
            case "FOREIGN_OPERATOR":
                self.diagnostics.add("TL002", f"`{text}` means nothing here", self.source, span, fix=_FOREIGN_OPERATORS[text])
            case _:
                shown = text if text.isprintable() else f"U+{ord(text):04X}"
                message = f"the character `{shown}` means nothing here"
                self.diagnostics.add("TL002", message, self.source, span, fix=_FOREIGN_CHARACTERS.get(text))

    def _foreign_names(self, tokens: list[Token]) -> list[Token]:
        return [
            t.update(type="VARIABLE" if t[0].isupper() or t[0].istitle() else "NAME") if t.type == "FOREIGN_NAME" else t
            for t in tokens
        ]

    def _prefix_names(self, tokens: list[Token]) -> list[Token]:
        """In `@prefix psi-ms: <…> .` the name is one token."""
        colon = next((at for at, token in enumerate(tokens) if token.type == "COLON"), 1)
        name = tokens[1:colon]
        if tokens[0].type != "_PREFIX" or any(left.end_pos != right.start_pos for left, right in pairwise(name)):
            return tokens
        joined = [_token("NAME", "".join(name), name[0].start_pos or 0)] if name else []
        if len(tokens) > colon + 1 and tokens[colon + 1].type == "IRI":  # declared, even if the rest is wrong
            self.prefixes["".join(name)] = _IRI_ESCAPE.sub(_character, tokens[colon + 1][1:-1])
        return tokens[:1] + joined + tokens[colon:]

    def _prefixed_names(self, tokens: list[Token]) -> list[Token] | None:
        """Prefixed names become IRIs, unless the colon is that of a label, a column's type or an aggregate's target."""
        result: list[Token] = []
        in_columns = False
        for at, token in enumerate(tokens):
            in_columns = in_columns or (tokens[0].type == "_RELATION" and at > 1)
            if token.type != "PREFIXED":
                result.append(token)
                continue
            prefix, _, local = token.partition(":")
            behind_operand = not prefix and bool(result) and result[-1].type in _OPERANDS
            like_variable = at > 0 and prefix[:1].isupper() and prefix not in self.prefixes
            if in_columns or behind_operand or like_variable:
                result.extend(_relexed(token, len(prefix)))
            elif prefix in self.prefixes:
                result.append(token.update(type="IRI", value=self.prefixes[prefix] + local))
            else:
                self._unknown_prefix(token, prefix, is_first=at == 0)
                return None
        return result

    def _unknown_prefix(self, token: Token, prefix: str, *, is_first: bool) -> None:
        self.unknown += 1
        similar = did_you_mean(prefix, self.prefixes) if self.unknown <= _MOST_SUGGESTIONS else None
        fix = similar or f"add `@prefix {prefix}: <…> .` above"
        if is_first and prefix:
            fix = f"if `{prefix}` is the rule's name, put a space behind the colon; else {fix}"
        start = token.start_pos or 0
        span = Span(start, start + len(prefix) + 1)
        self.diagnostics.add("TL009", f"the prefix `{prefix}:` is not declared", self.source, span, fix=fix)

    def _iris(self, tokens: list[Token]) -> list[Token] | None:
        """IRIs without their brackets, escapes replaced."""
        result: list[Token] = []
        for token in tokens:
            if token.type != "IRI" or not token.startswith("<"):
                result.append(token)
                continue
            text = _IRI_ESCAPE.sub(_character, token[1:-1])
            if _NOT_IN_IRI.search(text):
                span = Span(token.start_pos or 0, token.end_pos or 0)
                self.diagnostics.add("TL004", "an escape in the IRI stands for a character that no IRI holds", self.source, span)
                return None
            result.append(token.update(value=text))
        return result

    def _left_arrows(self, tokens: list[Token]) -> list[Token]:
        """The first `<-` is the arrow, unless another arrow came before; any other is `<` and `-`."""
        result: list[Token] = []
        may_be_arrow = tokens[-1].type == "_END"
        for token in tokens:
            if token.type == "LEFT_ARROW":
                if may_be_arrow:
                    result.append(token.update(type="_ARROW"))
                else:
                    start = token.start_pos or 0
                    result += [_token("COMPARE", "<", start), _token("MINUS", "-", start + 1)]
            else:
                result.append(token)
            may_be_arrow = may_be_arrow and token.type not in ("_ARROW", "LEFT_ARROW")
        return result

    def _negative_numbers(self, tokens: list[Token]) -> list[Token]:
        """A minus that has no operand before it and a number behind it belongs to the number."""
        result: list[Token] = []
        before = ""
        for token in tokens:
            signed = token.type in ("INT", "FLOAT") and bool(result) and result[-1].type == "MINUS" and before not in _OPERANDS
            if signed:
                minus = result.pop()
                token = Token.new_borrow_pos(token.type, f"-{token}", token)  # noqa: PLW2901
                token.start_pos = minus.start_pos
            before = result[-1].type if result else ""
            result.append(token)
        return result

    def _anonymous_variables(self, tokens: list[Token]) -> list[Token]:
        number = 0
        result: list[Token] = []
        for token in tokens:
            if token.type == "VARIABLE" and token in ("_", "?_"):
                number += 1
                token = token.update(value=f"_#{number}")  # noqa: PLW2901
            result.append(token)
        return result

    def _zodiac_words(self, tokens: list[Token]) -> list[Token]:
        return mark_words(list(tokens))


_REFUSED = frozenset({"OPEN_STRING", "DIRECTIVE", "FOREIGN_OPERATOR", "STRAY"})
_PASSES = (
    (frozenset({"_PREFIX"}), Preparation._prefix_names),
    (frozenset({"FOREIGN_NAME"}), Preparation._foreign_names),
    (frozenset({"PREFIXED"}), Preparation._prefixed_names),
    (frozenset({"IRI"}), Preparation._iris),
    (frozenset({"LEFT_ARROW"}), Preparation._left_arrows),
    (frozenset({"MINUS", "LEFT_ARROW"}), Preparation._negative_numbers),
    (frozenset({"VARIABLE", "PREFIXED"}), Preparation._anonymous_variables),
    (frozenset({"LPAR"}), Preparation._zodiac_words),
)
"""Each pass with the token types that it handles; without one of them it is skipped."""


def _is_sparql_prefix(tokens: list[Token]) -> bool:
    return len(tokens) > 2 and tokens[0].lower() == "prefix" and [t.type for t in tokens[1:3]] == ["NAME", "COLON"]


def _token(kind: str, text: str, start: int) -> Token:
    return Token(kind, text, start_pos=start, end_pos=start + len(text))


def _relexed(token: Token, colon: int) -> list[Token]:
    """The tokens of text that looks like a prefixed name: before the colon, the colon, after it."""
    start = token.start_pos or 0
    result: list[Token] = []
    for offset, text in ((0, token[:colon]), (colon + 1, token[colon + 1 :])):
        if offset:
            result.append(_token("COLON", ":", start + colon))
        pieces = lex(str(text))
        result += [_token(piece.type, str(piece), start + offset + (piece.start_pos or 0)) for piece in pieces]
    return result


_IRI_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_NOT_IN_IRI = re.compile(r'[<>"{}|^`\\\x00-\x20\ud800-\udfff]')


def _character(escape: re.Match[str]) -> str:
    """The character of an escape in an IRI; an invalid code becomes a character that is refused."""
    code = int(escape[1] or escape[2], 16)
    return chr(code) if code <= 0x10FFFF else "\0"
