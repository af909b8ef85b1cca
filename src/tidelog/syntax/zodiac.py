"""Translates ZodiacEdge's notation: `COMP(X, !=, Y)`, `BIND(e AS D)`, `AGGREGATE(body) ON X WITH count(T) AS Z`.

Its words are not reserved: `on`, `as` or `bind` may be constants and relations as well.  `mark_words` finds the places where
they belong to one of the three forms and gives their tokens types of their own; the grammar does the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lark import Token

from tidelog.source import Span
from tidelog.syntax.renaming import fresh_name, names_inside, rename_inside
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Literal, Variable, variables

_WORDS = ("NAME", "VARIABLE")
_OPENING, _CLOSING = ("LPAR", "LBRACE", "LSQB"), ("RPAR", "RBRACE", "RSQB")


def mark_words(tokens: list[Token]) -> list[Token]:
    """The tokens of a clause, with ZodiacEdge's words retyped."""
    found = [
        at
        for at, token in enumerate(tokens[:-1])
        if token.type in _WORDS and tokens[at + 1].type == "LPAR" and token.lower() in _FORMS
    ]
    closing = _closings(tokens) if found else {}
    for at in found:
        if at + 1 in closing:
            _FORMS[tokens[at].lower()](tokens, at, closing)
    return tokens


def _closings(tokens: Sequence[Token]) -> dict[int, int]:
    """For each opening bracket the place of the one that closes it."""
    opened: list[int] = []
    result: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if token.type in _OPENING:
            opened.append(at)
        elif token.type in _CLOSING and opened:
            result[opened.pop()] = at
    return result


def _is_word(tokens: Sequence[Token], at: int, word: str) -> bool:
    return at < len(tokens) and tokens[at].type in _WORDS and tokens[at].lower() == word


def _retype(tokens: list[Token], at: int, kind: str) -> None:
    tokens[at] = tokens[at].update(type=kind)


def _comp(tokens: list[Token], at: int, closing: dict[int, int]) -> None:
    end = closing[at + 1]
    middle = at + 2
    while middle < end and tokens[middle].type != "COMPARE":
        middle = closing.get(middle, middle) + 1  # skips bracketed parts
    if [t.type for t in tokens[middle - 1 : middle + 2]] == ["COMMA", "COMPARE", "COMMA"]:
        _retype(tokens, at, "COMP")


def _bind(tokens: list[Token], at: int, closing: dict[int, int]) -> None:
    end = closing[at + 1]
    if end - at >= 5 and tokens[end - 1].type == "VARIABLE" and _is_word(tokens, end - 2, "as"):
        _retype(tokens, at, "BIND")
        _retype(tokens, end - 2, "_AS")


def _aggregate(tokens: list[Token], at: int, closing: dict[int, int]) -> None:
    word_on = closing[at + 1] + 1
    if not _is_word(tokens, word_on, "on"):
        return
    word_with = word_on + 2
    while word_with + 1 < len(tokens) and tokens[word_with].type == "COMMA":
        word_with += 2
    word_as = closing.get(word_with + 2, len(tokens)) + 1
    if _is_word(tokens, word_with, "with") and _is_word(tokens, word_as, "as"):
        for place, kind in ((at, "AGGREGATE"), (word_on, "_ON"), (word_with, "_WITH"), (word_as, "_AS")):
            _retype(tokens, place, kind)


_FORMS = {"comp": _comp, "bind": _bind, "aggregate": _aggregate}


@dataclass(frozen=True, slots=True)
class GroupedAggregate:
    """An aggregate in ZodiacEdge's form, with the variables behind `ON`."""

    aggregate: Aggregate
    groups: tuple[Variable, ...]

    @property
    def span(self) -> Span:
        """Its span in the text."""
        return self.aggregate.span


Parsed = Literal | GroupedAggregate
"""A literal as the grammar gives it."""


def from_zodiac(head: Atom, body: Sequence[Parsed]) -> tuple[Literal, ...]:
    """The body with every aggregate in ZodiacEdge's form replaced by ours.

    We group by the variables that an aggregate shares with the rest of the rule, ZodiacEdge by those behind `ON`.  So a
    variable that is shared but not behind `ON` is renamed inside, and one behind `ON` that is not shared
    gets an `X = X` beside the aggregate.
    """
    result: list[Literal] = []
    for at, literal in enumerate(body):
        if not isinstance(literal, GroupedAggregate):
            result.append(literal)
            continue
        aggregate, groups = literal.aggregate, literal.groups
        outside = _names_outside(head, body, at) | {v.name for v in variables(aggregate.result)}
        grouped = {v.name for v in groups}
        inside = names_inside(aggregate)
        taken = outside | inside | grouped
        fresh = {name: fresh_name(name, taken) for name in sorted(inside & outside - grouped)}
        result.append(rename_inside(aggregate, fresh))
        result.extend(Comparison("=", v, v, v.span) for v in groups if v.name not in outside)
    return tuple(result)


def _names_outside(head: Atom, body: Sequence[Parsed], skip: int) -> set[str]:
    names = {v.name for v in variables(head)}
    for at, literal in enumerate(body):
        inner = literal.aggregate if isinstance(literal, GroupedAggregate) else literal
        if at != skip:
            names |= {v.name for v in variables(inner.result if isinstance(inner, Aggregate) else inner)}
    return names
