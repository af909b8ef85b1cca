"""ZodiacEdge's notation, turned into ours: `COMP(X, !=, Y)`, `BIND(e AS D)`, `AGGREGATE(body) ON X WITH count(T) AS Z`.

Its words are no keywords: `on`, `as` or `bind` may be constants and relations as well.  `mark_words` finds the places where
they belong to one of the three forms and gives their tokens types of their own; the grammar does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from lark import Token

from tidelog.source import Span
from tidelog.syntax.tree import Aggregate, Atom, Call, Comparison, Literal, Negation, Term, Variable, variables

_WORDS = ("NAME", "VARIABLE")
_OPENING, _CLOSING = ("LPAR", "LBRACE", "LSQB"), ("RPAR", "RBRACE", "RSQB")


def mark_words(tokens: list[Token]) -> list[Token]:
    """The tokens of a clause, those of ZodiacEdge's words with types of their own."""
    for at, token in enumerate(tokens[:-1]):
        if token.type not in _WORDS or tokens[at + 1].type != "LPAR" or (word := token.lower()) not in _FORMS:
            continue
        closing = _closing(tokens, at + 1)
        if closing is not None:
            _FORMS[word](tokens, at, closing)
    return tokens


def _closing(tokens: Sequence[Token], opening: int) -> int | None:
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at].type in _OPENING) - (tokens[at].type in _CLOSING)
        if depth == 0:
            return at
    return None


def _is_word(tokens: Sequence[Token], at: int, word: str) -> bool:
    return at < len(tokens) and tokens[at].type in _WORDS and tokens[at].lower() == word


def _retype(tokens: list[Token], at: int, kind: str) -> None:
    tokens[at] = tokens[at].update(type=kind)


def _comp(tokens: list[Token], at: int, closing: int) -> None:
    for middle in range(at + 3, closing - 1):
        if [t.type for t in tokens[middle - 1 : middle + 2]] == ["COMMA", "COMPARE", "COMMA"]:
            return _retype(tokens, at, "COMP")
    return None


def _bind(tokens: list[Token], at: int, closing: int) -> None:
    if closing - at >= 5 and tokens[closing - 1].type == "VARIABLE" and _is_word(tokens, closing - 2, "as"):
        _retype(tokens, at, "BIND")
        _retype(tokens, closing - 2, "_AS")


def _aggregate(tokens: list[Token], at: int, closing: int) -> None:
    if not _is_word(tokens, closing + 1, "on"):
        return
    word_with = next((i for i in range(closing + 2, len(tokens)) if _is_word(tokens, i, "with")), None)
    if word_with is None or word_with + 2 >= len(tokens):
        return
    target_end = _closing(tokens, word_with + 2) if tokens[word_with + 2].type == "LPAR" else None
    if target_end is None or not _is_word(tokens, target_end + 1, "as"):
        return
    for place, kind in ((at, "AGGREGATE"), (closing + 1, "_ON"), (word_with, "_WITH"), (target_end + 1, "_AS")):
        _retype(tokens, place, kind)


_FORMS = {"comp": _comp, "bind": _bind, "aggregate": _aggregate}


@dataclass(frozen=True, slots=True)
class GroupedAggregate:
    """An aggregate in ZodiacEdge's form, with the variables behind `ON`."""

    aggregate: Aggregate
    groups: tuple[Variable, ...]

    @property
    def span(self) -> Span:
        """Where it stands."""
        return self.aggregate.span


Parsed = Literal | GroupedAggregate
"""A literal as the grammar gives it."""


def comparison_of(variable: Variable, expression: Term, span: Span) -> Comparison:
    """`BIND(expression AS variable)` is an assignment."""
    return Comparison("=", variable, expression, span)


def from_zodiac(head: Atom, body: Sequence[Parsed]) -> tuple[Literal, ...]:
    """The body with every aggregate in ZodiacEdge's form replaced by ours.

    We group by the variables that an aggregate shares with the rest of the rule, ZodiacEdge by those behind `ON`.  So a
    variable that is shared but not behind `ON` gets another name inside, and one behind `ON` that is shared with nothing
    gets a harmless `X = X` beside the aggregate.
    """
    result: list[Literal] = []
    for at, literal in enumerate(body):
        if not isinstance(literal, GroupedAggregate):
            result.append(literal)
            continue
        aggregate, groups = literal.aggregate, literal.groups
        outside = _names_outside(head, body, at) | {v.name for v in variables(aggregate.result)}
        grouped = {v.name for v in groups}
        inside = {v.name for v in _inner_variables(aggregate)}
        taken = outside | inside | grouped
        fresh = {name: _fresh(name, taken) for name in sorted(inside & outside - grouped)}
        result.append(_renamed(aggregate, fresh) if fresh else aggregate)
        result.extend(Comparison("=", v, v, v.span) for v in groups if v.name not in outside)
    return tuple(result)


def _names_outside(head: Atom, body: Sequence[Parsed], skip: int) -> set[str]:
    names = {v.name for v in variables(head)}
    for at, literal in enumerate(body):
        inner = literal.aggregate if isinstance(literal, GroupedAggregate) else literal
        if at != skip:
            names |= {v.name for v in variables(inner.result if isinstance(inner, Aggregate) else inner)}
    return names


def _inner_variables(aggregate: Aggregate) -> Iterable[Variable]:
    return variables(*aggregate.body, *(() if aggregate.target is None else (aggregate.target,)))


def _fresh(name: str, taken: set[str]) -> str:
    number = 1
    while f"{name}_{number}" in taken:
        number += 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"


def _renamed(aggregate: Aggregate, names: dict[str, str]) -> Aggregate:
    target = None if aggregate.target is None else _rename(aggregate.target, names)
    return replace(aggregate, target=target, body=tuple(_rename_literal(literal, names) for literal in aggregate.body))


def _rename(term: Term, names: dict[str, str]) -> Term:
    match term:
        case Variable(name) if name in names:
            return replace(term, name=names[name])
        case Call():
            return replace(term, args=tuple(_rename(arg, names) for arg in term.args))
    return term


def _rename_literal(literal: Literal, names: dict[str, str]) -> Literal:
    match literal:
        case Atom():
            return replace(literal, args=tuple(_rename(arg, names) for arg in literal.args))
        case Negation(atom):
            return replace(literal, atom=replace(atom, args=tuple(_rename(arg, names) for arg in atom.args)))
        case Comparison(_, left, right):
            return replace(literal, left=_rename(left, names), right=_rename(right, names))
    return literal
