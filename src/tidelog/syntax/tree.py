"""The syntax tree: terms, literals, rules, facts and declarations, all immutable.

Positions in the text (`span`) and the text itself (`source`) serve error messages; they do not count when two
trees are compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tidelog.source import Source, Span
from tidelog.values import IRI, Kind, Value

NOWHERE = Span(0, 0)
NO_SOURCE = Source("", "<none>")


def _place() -> Span:
    return field(default=NOWHERE, compare=False, repr=False)


def _text() -> Source:
    return field(default=NO_SOURCE, compare=False, repr=False)


# --- terms ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable.  Each `_` has a name of its own that starts with `_#`, numbered within its clause."""

    name: str
    span: Span = _place()

    @property
    def is_anonymous(self) -> bool:
        """Whether it was written `_`."""
        return self.name.startswith("_#")


@dataclass(frozen=True, slots=True)
class Constant:
    """A value in the text."""

    value: Value
    span: Span = _place()


@dataclass(frozen=True, slots=True)
class Call:
    """A function or an operator applied to terms: `abs(X)`, `X + 1` (named `+`), `-X` (named `-`, one argument)."""

    function: str
    args: tuple[Term, ...]
    span: Span = _place()
    depth: int = field(default=1, compare=False, repr=False)


Term = Variable | Constant | Call


# --- literals ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Atom:
    """`predicate(args)`: the fact holds."""

    predicate: str
    args: tuple[Term, ...]
    span: Span = _place()


@dataclass(frozen=True, slots=True)
class Negation:
    """`not atom`: no such fact holds."""

    atom: Atom
    span: Span = _place()


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left op right`, with `op` one of `= != < <= > >=`."""

    op: str
    left: Term
    right: Term
    span: Span = _place()


@dataclass(frozen=True, slots=True)
class Aggregate:
    """`result = function { target : body }`; only `count` may go without a target."""

    result: Term
    function: str
    target: Term | None
    body: tuple[Literal, ...]
    span: Span = _place()


Literal = Atom | Negation | Comparison | Aggregate


# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rule:
    """`name: head :- body.`"""

    head: Atom
    body: tuple[Literal, ...]
    name: str | None = None
    span: Span = _place()
    source: Source = _text()


@dataclass(frozen=True, slots=True)
class Fact:
    """A clause without a body: an explicit fact of the program.  Its arguments may still be expressions."""

    atom: Atom
    span: Span = _place()
    source: Source = _text()


@dataclass(frozen=True, slots=True)
class Prefix:
    """`@prefix name: <iri> .`"""

    name: str
    iri: str
    span: Span = _place()
    source: Source = _text()


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a declared relation; `type` is a `Kind`, the text of an unknown type, or None for any."""

    name: str
    type: Kind | str | None = None
    is_key: bool = False
    span: Span = _place()
    type_span: Span = _place()


@dataclass(frozen=True, slots=True)
class Declaration:
    """`@relation name(column: type key, …) .`"""

    relation: str
    columns: tuple[Column, ...]
    span: Span = _place()
    source: Source = _text()


@dataclass(frozen=True, slots=True)
class Port:
    """`@input relation "path" .` or `@output relation "path" .`"""

    direction: str
    relation: str
    path: str
    span: Span = _place()
    source: Source = _text()


Statement = Rule | Fact | Prefix | Declaration | Port


@dataclass(frozen=True, slots=True)
class Layout:
    """Comments and blank lines around a statement, so that formatting preserves them."""

    comments: tuple[str, ...] = ()
    trailing: str | None = None
    blank_before: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed text: its statements in order, with the layout of each and the comments after the last one."""

    statements: tuple[Statement, ...]
    layout: tuple[Layout, ...] = field(default=(), compare=False, repr=False)
    closing: Layout = field(default=Layout(), compare=False, repr=False)
    source: Source = _text()

    @property
    def prefixes(self) -> dict[str, str]:
        """The prefixes that it declares."""
        return {s.name: s.iri for s in self.statements if isinstance(s, Prefix)}


# --- walks ------------------------------------------------------------------------------------------------------------


def subterms(term: Term) -> Iterator[Term]:
    """The term and all terms inside it."""
    yield term
    if isinstance(term, Call):
        for arg in term.args:
            yield from subterms(arg)


def terms(literal: Literal) -> Iterator[Term]:
    """The outermost terms of a literal, those inside an aggregate's braces included."""
    match literal:
        case Atom(_, args) | Negation(Atom(_, args)):
            yield from args
        case Comparison(_, left, right):
            yield left
            yield right
        case Aggregate(result, _, target, body):
            yield result
            if target is not None:
                yield target
            for inner in body:
                yield from terms(inner)


def variables(*things: Term | Literal) -> Iterator[Variable]:
    """Every occurrence of a variable in terms and literals."""
    for thing in things:
        for term in (thing,) if isinstance(thing, Term) else terms(thing):
            if isinstance(term, Variable):
                yield term
            elif isinstance(term, Call):
                yield from (t for t in subterms(term) if isinstance(t, Variable))


def names_of(things: Iterable[Term | Literal]) -> set[str]:
    """The names of all variables in terms and literals."""
    return {variable.name for variable in variables(*things)}


def atoms(body: tuple[Literal, ...]) -> Iterator[tuple[Atom, str]]:
    """The atoms of a body, each `positive`, `negative`, or `aggregate` if it is inside braces."""
    for literal in body:
        match literal:
            case Atom():
                yield literal, "positive"
            case Negation(atom):
                yield atom, "negative"
            case Aggregate():
                for atom, _ in atoms(literal.body):
                    yield atom, "aggregate"


def calls(literal: Literal) -> Iterator[Call]:
    """Every call inside a literal."""
    for term in terms(literal):
        yield from (t for t in subterms(term) if isinstance(t, Call))


def is_iri_name(name: str) -> bool:
    """Whether a predicate is named by an IRI: identifiers never hold a colon."""
    return ":" in name


def iri_constant(text: str, span: Span = NOWHERE) -> Constant:
    """A constant for an IRI."""
    return Constant(Value(Kind.IRI, IRI(text)), span)
