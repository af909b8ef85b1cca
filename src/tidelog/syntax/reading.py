"""Resolves what the grammar leaves open: a name, a call or a bracket form may be a term, an atom or a literal.

The position decides.  A form that is not allowed in its position is refused with a `ClauseError`.
"""

from __future__ import annotations

import re
from typing import Any

from lark import Token

from tidelog.functions.signatures import FUNCTIONS, is_reserved
from tidelog.source import Span
from tidelog.syntax.tree import Atom, Call, Comparison, Constant, Literal, Term, Variable
from tidelog.values import FALSE, IRI, TRUE, Kind, Value

_ESCAPE = re.compile(r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)")
_SIMPLE_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\", "/": "/"}


class ClauseError(Exception):
    """An error in a clause that the grammar accepts."""

    def __init__(self, code: str, message: str, span: Span, fix: str | None = None) -> None:
        """Store the error's code, message, place and fix."""
        super().__init__(message)
        self.code, self.message, self.span, self.fix = code, message, span, fix


class AggregateTerm:
    """`count { … }`, before the comparison around it is known."""

    def __init__(self, function: str, target: Term | None, body: tuple[Literal, ...], span: Span) -> None:
        self.function, self.target, self.body, self.span = function, target, body, span


class BracketAtom:
    """`[s, p, o]` or `p[s, o]`, before its position is known."""

    def __init__(self, atom: Atom) -> None:
        self.atom, self.span = atom, atom.span


def as_term(thing: Any) -> Term:
    """The term in a position that needs one; other forms are refused."""
    if isinstance(thing, BracketAtom):
        raise ClauseError("TL012", "an atom cannot be part of an expression", thing.span)
    if isinstance(thing, AggregateTerm):
        raise ClauseError("TL011", "an aggregate cannot be part of an expression", thing.span, "write `N = …` for it and use N")
    term: Term = thing
    return term


def as_atom(thing: Any) -> Atom | None:
    """The atom of a name, a call or a bracket form, or None."""
    match thing:
        case BracketAtom():
            return thing.atom
        case Call(function, args, span) if function[0].isalpha() or function[0] == "_":
            return named_atom(function, args, span)
        case Constant(_, span) if (name := _unquoted_name(thing)) is not None:
            return named_atom(name, (), span)
    return None


def named_atom(name: str, args: tuple[Term, ...], span: Span) -> Atom:
    """An atom; refused if its name is that of a function."""
    if is_reserved(name, len(args)):
        message = f"`{name}` is a function and cannot be the name of a relation"
        raise ClauseError("TL025", message, span, "give the relation another name")
    return Atom(name, args, span)


def as_literal(thing: Any, *, negated: bool) -> Literal:
    """The literal of a form that stands alone in a body: an atom, a call of a boolean function, `true` or `false`."""
    wanted = Constant(FALSE if negated else TRUE, thing.span)
    match thing:
        case Call(function) if function in FUNCTIONS and FUNCTIONS[function].is_boolean:
            return Comparison("=", thing, wanted, thing.span)
        case Constant(Value(Kind.BOOL)):
            return Comparison("=", thing, wanted, thing.span)
        case Call(function, args) if function in FUNCTIONS and FUNCTIONS[function].takes(len(args)):
            message = f"`{function}` gives a value, which cannot stand alone as a literal"
            raise ClauseError("TL012", message, thing.span, "compare it with something")
        case AggregateTerm():
            message = "an aggregate must be set equal to something"
            raise ClauseError("TL011", message, thing.span, f"write `N = {thing.function} {{ … }}`")
        case _ if (atom := as_atom(thing)) is not None:
            return atom
        case Variable(name):
            shown = "_" if name.startswith("_#") else name
            fix = f"write `{shown} = true`, or an atom with {shown} in it"
            raise ClauseError("TL012", "a variable cannot stand alone as a literal", thing.span, fix)
    raise ClauseError("TL012", "this cannot stand alone as a literal", thing.span, "compare it with something, or write an atom")


def predicate_name(thing: Any, what: str) -> str:
    """The name of a triple's predicate or class."""
    if isinstance(thing, Constant) and (name := _unquoted_name(thing)) is not None:
        return name
    message = f"the {what} of a triple must be a name"
    raise ClauseError("TL013", message, thing.span, f"write one rule for each {what} that is meant")


def _unquoted_name(constant: Constant) -> str | None:
    """The identifier or IRI of a constant; None for a quoted text, which cannot name a predicate."""
    match constant.value.content:
        case IRI(text):
            return text
        case str(text) if constant.span.end - constant.span.start == len(text):  # quotes would make it longer
            return text
    return None


def unquoted(token: Token) -> str:
    """The text between the quotes, escapes replaced."""
    text = token[1:-1]
    if "\\" not in text:
        return str(text)

    def replaced(match: re.Match[str]) -> str:
        escape = match[1]
        if escape[0] in "uU" and len(escape) > 1:
            code = [int(part[1:], 16) for part in escape.split("\\")]
            if len(code) == 2:
                return chr(0x10000 + ((code[0] - 0xD800) << 10) + (code[1] - 0xDC00))
            if code[0] <= 0x10FFFF and not 0xD800 <= code[0] <= 0xDFFF:
                return chr(code[0])
        elif escape in _SIMPLE_ESCAPES:
            return _SIMPLE_ESCAPES[escape]
        start = (token.start_pos or 0) + 1 + match.start()
        fix = r"write a backslash as `\\`" if escape[0] not in "uU" or len(escape) == 1 else "give the code of a character"
        raise ClauseError("TL004", f"`{match[0]}` is not an escape", Span(start, start + len(match[0])), fix)

    return _ESCAPE.sub(replaced, text)
