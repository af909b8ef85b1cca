"""Prints the syntax tree in one canonical form; parsing the output gives the same program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from tidelog.functions.signatures import FUNCTIONS
from tidelog.syntax import tree
from tidelog.syntax.clauses import WELL_KNOWN
from tidelog.values import IRI, Kind, Value, text_of
from tidelog.values import Literal as RDFLiteral

_LINE = 100
"""Rules longer than this are broken, one literal a line."""

_BARE = re.compile(r"[a-z][A-Za-z0-9_]*")
_KEYWORDS = frozenset({"not", "and", "mod", "true", "false"})
_LOCAL = re.compile(r"\w(?:[\w.-]*[\w-])?")
_BINDING = {"+": 1, "-": 1, "*": 2, "/": 2, "mod": 2}
_UNARY, _PRIMARY = 3, 4


class Printer:
    """Prints with the prefixes that it is given."""

    def __init__(self, prefixes: Mapping[str, str] | None = None) -> None:
        """Well-known prefixes are used as well, unless the given ones redefine them."""
        self._prefixes = {**WELL_KNOWN, **(prefixes or {})}

    def statement(self, statement: tree.Statement) -> str:
        """One statement, its `.` included."""
        match statement:
            case tree.Rule(head, body, name):
                return self._rule(head, body, name)
            case tree.Fact(atom):
                return f"{self.literal(atom)}."
            case tree.Prefix(name, iri):
                self._prefixes[name] = iri
                return f"@prefix {name}: <{iri}> ."
            case tree.Declaration(relation, columns):
                shown = ", ".join(_column(c.name, c.type, is_key=c.is_key) for c in columns)
                return f"@relation {self.predicate(relation)}({shown}) ."
            case tree.Port(direction, relation, path):
                return f"@{direction} {self.predicate(relation)} {quoted(path)} ."

    def _rule(self, head: tree.Atom, body: tuple[tree.Literal, ...], name: str | None) -> str:
        start = (f"{name}: " if name else "") + self.literal(head) + " :-"
        line = f"{start} {', '.join(map(self.literal, body))}."
        if len(line) <= _LINE:
            return line
        return start + "\n    " + ",\n    ".join(self._broken(literal) for literal in body) + "."

    def _broken(self, literal: tree.Literal) -> str:
        """A literal of a rule printed on several lines; an aggregate that is too long is broken too."""
        text = self.literal(literal)
        if len(text) <= _LINE - 6 or not isinstance(literal, tree.Aggregate):
            return text
        opening = f"{self.term(literal.result)} = {literal.function} {{"
        if literal.target is not None:
            opening += f" {self.term(literal.target)} :"
        return opening + "\n        " + ",\n        ".join(map(self.literal, literal.body)) + "\n    }"

    def rule(self, rule: tree.Rule) -> str:
        """A rule on one line, for messages."""
        return re.sub(r"\n +", " ", self.statement(rule))

    def literal(self, literal: tree.Literal) -> str:
        """One literal of a body, or a head."""
        match literal:
            case tree.Atom(predicate, args):
                shown = ", ".join(self.term(arg) for arg in args)
                return (
                    f"{self.predicate(predicate)}({shown})"
                    if args or _looks_like_variable(predicate)
                    else self.predicate(predicate)
                )
            case tree.Negation(atom):
                return f"not {self.literal(atom)}"
            case tree.Comparison("=", tree.Call(function) as call, tree.Constant(Value(Kind.BOOL, truth))) if _is_boolean(
                function
            ):
                return ("" if truth else "not ") + self.term(call)
            case tree.Comparison(op, left, right):
                return f"{self.term(left)} {op} {self.term(right)}"
            case tree.Aggregate(result, function, target, body):
                start = "" if target is None else f"{self.term(target)} : "
                return f"{self.term(result)} = {function} {{ {start}{', '.join(map(self.literal, body))} }}"

    def term(self, term: tree.Term, binding: int = 0) -> str:
        """A term; in parentheses if its context binds more tightly."""
        match term:
            case tree.Variable(name):
                return variable(name)
            case tree.Constant(value):
                return self.value(value)
            case tree.Call(function, (left, right)) if function in _BINDING:
                own = _BINDING[function]
                text = f"{self.term(left, own)} {function} {self.term(right, own + 1)}"
                return f"({text})" if own < binding else text
            case tree.Call("-", (only,)):
                text = "-" + self.term(only, _PRIMARY)
                if isinstance(only, tree.Constant) and only.value.kind in (Kind.INT, Kind.FLOAT):
                    text = f"-({self.term(only)})"
                return f"({text})" if binding > _UNARY else text
            case tree.Call(function, args):
                return f"{self.predicate(function)}({', '.join(self.term(arg) for arg in args)})"

    def predicate(self, name: str) -> str:
        """The name of a relation."""
        return self._iri(name) if tree.is_iri_name(name) else name

    def value(self, value: Value) -> str:
        """A constant."""
        match value.content:
            case IRI(text):
                return self._iri(text)
            case RDFLiteral(text, _, str(language)):
                return f"{quoted(text)}@{language}"
            case RDFLiteral(text, str(datatype), None):
                return f"{quoted(text)}^^{self._iri(datatype)}"
            case str(text):
                return text if _BARE.fullmatch(text) and text not in _KEYWORDS else quoted(text)
        match value.kind:
            case Kind.DATE | Kind.TIMESTAMP:
                return f'{value.kind}("{text_of(value)}")'
            case Kind.FLOAT if text_of(value) in ("inf", "-inf", "nan"):
                return f'float("{text_of(value)}")'
        return text_of(value)

    def _iri(self, iri: str) -> str:
        for name, start in self._prefixes.items():
            if iri.startswith(start) and _LOCAL.fullmatch(iri[len(start) :]):
                return f"{name}:{iri[len(start) :]}"
        return f"<{iri}>"

    def expanded(self, name: str) -> str:
        """The IRI that a prefixed name or an IRI in angle brackets stands for, as in a program; any other text as it is."""
        prefix, _, local = name.partition(":")
        if prefix in self._prefixes and _LOCAL.fullmatch(local):
            return self._prefixes[prefix] + local
        return name[1:-1] if name.startswith("<") and name.endswith(">") and ":" in name else name

    def spellings(self, name: str) -> list[str]:
        """All texts that `expanded` takes for the name of a relation."""
        starts = ((prefix, iri) for prefix, iri in self._prefixes.items() if name.startswith(iri))
        short = [f"{prefix}:{name[len(iri) :]}" for prefix, iri in starts if _LOCAL.fullmatch(name[len(iri) :])]
        return [name, *short, *([f"<{name}>"] if ":" in name else [])]

    def document(self, document: tree.Document) -> str:
        """The whole text with its comments: each before its statement, or behind it if it was on the same line."""
        pairs = zip(document.statements, document.layout or (tree.Layout(),) * len(document.statements), strict=True)
        return "".join(line + "\n" for line in self._lines(pairs, document.closing))

    def _lines(self, pairs: Iterator[tuple[tree.Statement, tree.Layout]], closing: tree.Layout) -> Iterator[str]:
        first = True
        for statement, around in pairs:
            if around.blank_before and not first:
                yield ""
            first = False
            yield from around.comments
            trailing = f"  {around.trailing}" if around.trailing else ""
            yield self.statement(statement) + trailing
        if closing.comments and closing.blank_before and not first:
            yield ""
        yield from closing.comments


def variable(name: str) -> str:
    """A variable, as the language writes it."""
    return "_" if name.startswith("_#") else name if _looks_like_variable(name) else f"?{name}"


def quoted(text: str) -> str:
    """The text in double quotes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _looks_like_variable(name: str) -> bool:
    return name[0].isupper() or name[0].istitle() or name[0] == "_"


def _is_boolean(function: str) -> bool:
    return function in FUNCTIONS and FUNCTIONS[function].is_boolean


def _column(name: str, kind: Kind | str | None, *, is_key: bool) -> str:
    return name + (f": {kind}" if kind else ": any" if is_key else "") + (" key" if is_key else "")
