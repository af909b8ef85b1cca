"""Reads tokens one by one: prefixes, and terms, which are variables, IRIs and literals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urljoin

from tidelog import values
from tidelog.errors import did_you_mean
from tidelog.source import Source, Span
from tidelog.syntax.clauses import WELL_KNOWN
from tidelog.syntax.dlog.lexing import Token
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.tree import Constant, Term, Variable, iri_constant
from tidelog.values import RDF_TYPE, XSD

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_NO_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_NUMBERS = {"INTEGER": "integer", "DECIMAL": "decimal", "DOUBLE": "double"}


class Terms:
    """A list of tokens that is read from its beginning to its end."""

    def __init__(self, source: Source, tokens: list[Token], prefixes: Mapping[str, str]) -> None:
        self.source, self.tokens, self.at = source, tokens, 0
        self.prefixes = {**WELL_KNOWN, **prefixes}
        self.base = ""

    # --- tokens ----------------------------------------------------------------------------------------------------------

    @property
    def next(self) -> Token:
        """The next token; at the end one without text."""
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        end = self.tokens[-1].span.end if self.tokens else 0
        return Token("END", "", Span(max(0, end - 1), end))

    @property
    def is_at_end(self) -> bool:
        """Whether all tokens are read."""
        return self.at >= len(self.tokens)

    def take(self) -> Token:
        """Read the next token."""
        token = self.next
        self.at += 1
        return token

    def accept(self, *signs: str) -> bool:
        """Read a sign, if it is next."""
        if self.next.is_sign(*signs):
            self.at += 1
            return True
        return False

    def accept_word(self, *words: str) -> Token | None:
        """Read a word, if it is next."""
        return self.take() if self.next.is_word(*words) else None

    def expect(self, *signs: str) -> Token:
        """Read a sign, or raise an error."""
        if not self.next.is_sign(*signs):
            raise self.unexpected(" or ".join(f"`{sign}`" for sign in signs))
        return self.take()

    def expect_word(self, word: str) -> Token:
        """Read a word, or raise an error."""
        if not self.next.is_word(word):
            raise self.unexpected(f"`{word}`")
        return self.take()

    def unexpected(self, expected: str, fix: str | None = None) -> ClauseError:
        """The error that something else was expected."""
        token = self.next
        if token.kind == "END":
            return ClauseError("TL005", "the text ends before the rule does", token.span, fix or "end it with a `.`")
        shown = token.text if len(token.text) <= 40 else token.text[:37] + "..."
        return ClauseError("TL001", f"`{shown}` cannot stand here; expected {expected}", token.span, fix)

    # --- terms -----------------------------------------------------------------------------------------------------------

    def variable(self) -> Variable:
        """A variable."""
        if self.next.kind != "VARIABLE":
            raise self.unexpected("a variable")
        token = self.take()
        name = token.text[1:]
        return Variable(name if name[0].isalpha() else f"v{name}", token.span)

    def term(self) -> Term:
        """A variable, an IRI or a literal, as a triple has it."""
        token = self.next
        match token.kind:
            case "VARIABLE":
                return self.variable()
            case "IRI" | "PREFIXED":
                return self.iri()
            case "BLANK":
                fix = "give it an IRI; blank nodes belong to the file that has them"
                raise ClauseError("TL017", "a rule cannot name a blank node", token.span, fix)
            case "STRING":
                return self.literal()
            case "INTEGER" | "DECIMAL" | "DOUBLE":
                return self.number()
        if token.is_word("TRUE", "FALSE"):
            self.take()
            return Constant(values.TRUE if token.text.upper() == "TRUE" else values.FALSE, token.span)
        if token.is_sign("-", "+") and self._is_number_behind():
            return self.number()
        raise self.unexpected("a variable, an IRI or a literal")

    def _is_number_behind(self) -> bool:
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].kind in _NUMBERS

    def number(self, *, is_computed: bool = False) -> Constant:
        """A number; a decimal is a float where it is computed with, else the literal that RDF has."""
        sign = self.take().text if self.next.is_sign("-", "+") else ""
        token = self.take()
        span = Span(token.span.start - len(sign), token.span.end)
        kind = "DOUBLE" if is_computed and token.kind == "DECIMAL" else token.kind
        return self._typed(sign.removeprefix("+") + token.text, XSD + _NUMBERS[kind], span)

    def literal(self) -> Constant:
        """A quoted text, with a language or a datatype."""
        token = self.take()
        quotes = 3 if token.text[:3] in ('"""', "'''") else 1
        text = self._unescaped(token.text[quotes:-quotes], token.span.start + quotes)
        if self.next.kind == "LANGUAGE":
            tag = self.take()
            return Constant(values.language_literal(text, tag.text[1:]), Span(token.span.start, tag.span.end))
        if self.accept("^^"):
            datatype = self.iri()
            return self._typed(text, values.text_of(datatype.value), Span(token.span.start, datatype.span.end))
        return Constant(values.string(text), token.span)

    def _typed(self, text: str, datatype: str, span: Span) -> Constant:
        value = values.typed_literal(text, datatype)
        if value is None:
            raise ClauseError("TL008", f'"{text}" is not a value of the datatype <{datatype}>', span)
        return Constant(value, span)

    def iri(self) -> Constant:
        """An IRI, in brackets or with a prefix."""
        token = self.next
        if token.kind not in ("IRI", "PREFIXED"):
            raise self.unexpected("an IRI")
        self.take()
        if token.kind == "IRI":
            return iri_constant(self.resolved(token), token.span)
        prefix, _, local = token.text.partition(":")
        if prefix not in self.prefixes:
            known = did_you_mean(prefix, self.prefixes)
            fix = known or f"declare it: `PREFIX {prefix}: <…>`"
            raise ClauseError("TL009", f"the prefix `{prefix}:` is not declared", token.span, fix)
        return iri_constant(self.prefixes[prefix] + re.sub(r"\\(.)", r"\1", local), token.span)

    def predicate(self) -> Term:
        """The predicate of a triple: an IRI, `a`, or a variable."""
        if self.next.kind == "WORD" and self.next.text == "a":
            return iri_constant(RDF_TYPE, self.take().span)
        if self.next.kind == "VARIABLE":
            return self.variable()
        return self.iri()

    def resolved(self, token: Token) -> str:
        """The text of an IRI in brackets, relative to the base."""
        text = self._unescaped(token.text[1:-1], token.span.start + 1)
        if not _SCHEME.match(text):
            if not self.base:
                fix = "write it in full, or declare a base: `@base <…> .`"
                raise ClauseError("TL004", f"the IRI `{token.text}` is relative to nothing", token.span, fix)
            text = urljoin(self.base, text) + ("#" if text.endswith("#") else "")  # `urljoin` drops an empty fragment
        if _NO_IRI.search(text):
            raise ClauseError("TL004", "an escape in the IRI stands for a character that no IRI holds", token.span)
        return text

    def _unescaped(self, text: str, start: int) -> str:
        if "\\" not in text:
            return text

        def replaced(match: re.Match[str]) -> str:
            escape = match[1]
            if escape in _SIMPLE:
                return _SIMPLE[escape]
            code = int(escape[1:], 16) if escape[0] in "uU" and len(escape) > 1 else -1
            if 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
                return chr(code)
            span = Span(start + match.start(), start + match.end())
            raise ClauseError("TL004", f"`{match[0]}` is not an escape", span, r"write a backslash as `\\`")

        return _ESCAPE.sub(replaced, text)
