"""Builds the syntax tree: one method for each rule of `grammar.lark`.

The methods are stateless, so one builder serves every text and thread.  They refuse what they cannot build with a
`ClauseError`, which the parser turns into an error of the clause at hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lark import Token, Transformer

from tidelog import text_limits, values
from tidelog.errors import did_you_mean
from tidelog.functions.signatures import AGGREGATES
from tidelog.source import Span
from tidelog.syntax import tree
from tidelog.syntax.reading import (
    AggregateTerm,
    BracketAtom,
    ClauseError,
    as_atom,
    as_literal,
    as_term,
    named_atom,
    predicate_name,
    unquoted,
)
from tidelog.syntax.renaming import names_inside
from tidelog.syntax.zodiac import GroupedAggregate, from_zodiac

DEEPEST, MOST_LITERALS = text_limits.DEEPEST, text_limits.MOST_LITERALS
"""The deepest nesting of calls in an expression, and the most literals of a body; they keep walks and plans safe."""


def _span(first: Any, last: Any) -> Span:
    start = first.start_pos or 0 if isinstance(first, Token) else first.span.start
    end = last.end_pos or 0 if isinstance(last, Token) else last.span.end
    return Span(start, end)


class Builder(Transformer[Token, Any]):
    """Builds the tree bottom up, while the parser reduces."""

    # --- statements -------------------------------------------------------------------------------------------------

    def statement(self, children: list[Any]) -> Any:
        return children[0]

    def query(self, children: list[Any]) -> Any:
        return children[0]

    def prefix(self, children: list[Token]) -> tree.Prefix:
        *name, iri = children
        return tree.Prefix(str(name[0]) if name else "", str(iri), _span(children[0], iri))

    def declaration(self, children: list[Any]) -> tree.Declaration:
        name, *columns = children
        return tree.Declaration(str(name), tuple(columns), _span(name, columns[-1] if columns else name))

    def column(self, children: list[Token]) -> tree.Column:
        name, *words = children
        _identifier(name, "a column")
        types = [str(word) for word in words if word.type == "TYPE"]
        for word in words:
            if word.type != "TYPE" and word != "key":
                fix = "write the type behind a `:`; behind it only `key` may stand"
                raise ClauseError("TL001", f"`{word}` cannot stand here in a column", _span(word, word), fix)
        kind: values.Kind | str | None = types[0] if types else None
        kind = None if kind == "any" else values.Kind(kind) if kind in _KINDS else kind
        type_span = next((_span(word, word) for word in words if word.type == "TYPE"), _span(name, name))
        return tree.Column(str(name), kind, len(words) > len(types), _span(name, children[-1]), type_span)

    def type(self, children: list[Token]) -> Token:
        return _identifier(children[0], "a type").update(type="TYPE")

    def port(self, children: list[Token]) -> tree.Port:
        direction, name, path = children
        return tree.Port(str(direction).removeprefix("@"), str(name), unquoted(path), _span(direction, path))

    def label(self, children: list[Token]) -> Token:
        return _identifier(children[0], "a rule").update(type="LABEL")

    def fact(self, children: list[Any]) -> tree.Fact:
        *label, head = children
        if label:
            fix = "facts have no names; leave the name out"
            raise ClauseError("TL001", "a clause without a body carries a name", _span(label[0], label[0]), fix)
        atom = self._head(head)
        return tree.Fact(atom, atom.span)

    def rule(self, children: list[Any]) -> tree.Rule:
        *label, head, body = children
        atom = self._head(head)
        literals = from_zodiac(atom, body)
        name = str(label[0]) if label else None
        return tree.Rule(atom, literals, name, _span(label[0] if label else head, body[-1]))

    def _head(self, head: Any) -> tree.Atom:
        atom = as_atom(head)
        if atom is None:
            raise ClauseError("TL012", "a head must be an atom", _span(head, head), "write it as `name(arguments)`")
        return atom

    # --- bodies -----------------------------------------------------------------------------------------------------

    def body(self, children: list[Any]) -> tuple[Any, ...]:
        count = 0
        for literal in children:
            count += 1 + len(_inside(literal))
            if count > MOST_LITERALS:
                fix = "derive a relation from some of them, and use that here"
                raise ClauseError("TL014", f"there are more than {MOST_LITERALS} literals in one body", literal.span, fix)
        return tuple(children)

    def plain(self, children: list[Any]) -> tree.Literal:
        return as_literal(children[0], negated=False)

    def negated(self, children: list[Any]) -> tree.Literal:
        mark, inner = children
        literal = as_literal(inner, negated=True)
        if isinstance(literal, tree.Atom):
            return tree.Negation(literal, _span(mark, inner))
        return literal

    def comparison(self, children: list[Any]) -> tree.Literal:
        left, op, right = children
        span = _span(left, right)
        if isinstance(left, AggregateTerm):
            left, right = right, left
        if isinstance(right, AggregateTerm):
            if op != "=" or isinstance(left, AggregateTerm):
                fix = "give each aggregate a variable of its own: `N = count { … }, N > 3`"
                raise ClauseError("TL011", "an aggregate can only be set equal to a term", span, fix)
            return tree.Aggregate(as_term(left), right.function, right.target, right.body, span)
        return tree.Comparison(str(op), as_term(left), as_term(right), span)

    def comp(self, children: list[Any]) -> tree.Comparison:
        word, _, left, op, right, closing = children
        return tree.Comparison(str(op), as_term(left), as_term(right), _span(word, closing))

    def bind(self, children: list[Any]) -> tree.Comparison:
        word, _, expression, variable, closing = children
        return tree.Comparison("=", self.variable([variable]), as_term(expression), _span(word, closing))

    def zodiac_aggregate(self, children: list[Any]) -> GroupedAggregate:
        word, _, body, groups, function, _, *target, result = children
        _no_nesting(body)
        name = str(function).lower()
        aggregate = tree.Aggregate(
            self.variable([result]),
            _aggregate_name("median" if name == "med" else name, bool(target), function),
            as_term(target[0]) if target else None,
            body,
            _span(word, result),
        )
        for group in groups:
            if group.name not in names_inside(aggregate):
                message = f"{group.name} is no variable of the aggregate, which cannot group by it"
                raise ClauseError("TL033", message, group.span, "name a variable of the body behind `ON`")
        return GroupedAggregate(aggregate, groups)

    def on(self, children: list[Token]) -> tuple[tree.Variable, ...]:
        for token in children:
            if token.startswith("_#"):
                raise ClauseError("TL013", "`_` cannot be a group", _span(token, token), "name the variable to group by")
        return tuple(self.variable([token]) for token in children)

    def aggregate(self, children: list[Any]) -> AggregateTerm:
        function, _, *target, body, closing = children
        _no_nesting(body)
        name = _aggregate_name(str(function), bool(target), function)
        return AggregateTerm(name, target[0] if target else None, body, _span(function, closing))

    def target(self, children: list[Any]) -> tree.Term:
        return as_term(children[0])

    def triple(self, children: list[Any]) -> BracketAtom:
        opening, subject, predicate, obj, closing = children
        span = _span(opening, closing)
        name = predicate_name(predicate, "predicate")
        if name in (values.RDF + "type", "a"):
            return BracketAtom(named_atom(predicate_name(obj, "class"), (as_term(subject),), span))
        return BracketAtom(named_atom(name, (as_term(subject), as_term(obj)), span))

    # --- expressions ------------------------------------------------------------------------------------------------

    def operation(self, children: list[Any]) -> tree.Call:
        left, op, right = children
        return _call(str(op), (as_term(left), as_term(right)), _span(left, right))

    def negative(self, children: list[Any]) -> tree.Call:
        minus, term = children
        return _call("-", (as_term(term),), _span(minus, term))

    def integer(self, children: list[Token]) -> tree.Constant:
        token = children[0]
        value = values.parse_integer(token)
        if value is None:
            message = "the number does not fit into a 64-bit integer"
            raise ClauseError("TL007", message, _span(token, token), "write it as a float, with a `.0`, if that will do")
        return tree.Constant(value, _span(token, token))

    def floating(self, children: list[Token]) -> tree.Constant:
        token = children[0]
        value = values.parse_float(token)
        if value is None or value.content in (float("inf"), float("-inf")):
            raise ClauseError("TL007", "the number is too large for a float", _span(token, token), 'infinity is `float("inf")`')
        return tree.Constant(value, _span(token, token))

    def string(self, children: list[Token]) -> tree.Constant:
        return tree.Constant(values.string(unquoted(children[0])), _span(children[0], children[0]))

    def language_string(self, children: list[Token]) -> tree.Constant:
        text, language = children
        return tree.Constant(values.language_literal(unquoted(text), language[1:]), _span(text, language))

    def typed_string(self, children: list[Token]) -> tree.Constant:
        text, datatype = children
        value = values.typed_literal(unquoted(text), str(datatype))
        if value is None:
            raise ClauseError("TL008", f"{text} is not a value of the datatype <{datatype}>", _span(text, datatype))
        return tree.Constant(value, _span(text, datatype))

    def boolean(self, children: list[Token]) -> tree.Constant:
        return tree.Constant(values.TRUE if children[0] == "true" else values.FALSE, _span(children[0], children[0]))

    def variable(self, children: list[Token]) -> tree.Variable:
        return tree.Variable(children[0].removeprefix("?"), _span(children[0], children[0]))

    def bare_name(self, children: list[Token]) -> tree.Constant:
        return tree.Constant(values.string(str(children[0])), _span(children[0], children[0]))

    def iri(self, children: list[Token]) -> tree.Constant:
        return tree.iri_constant(str(children[0]), _span(children[0], children[0]))

    def name(self, children: list[Token]) -> Token:
        return _identifier(children[0], "a predicate")

    def call(self, children: list[Any]) -> Any:
        name, _, *args, closing = children
        span = _span(name, closing)
        if name.type == "NAME" and name in ("date", "timestamp", "float") and len(args) == 1:
            constant = _constructed(str(name), args[0], span)
            if constant is not None:
                return constant
        return _call(str(name), tuple(as_term(arg) for arg in args), span)

    def bracket_atom(self, children: list[Any]) -> BracketAtom:
        name, _, *args, closing = children
        return BracketAtom(named_atom(str(name), tuple(as_term(arg) for arg in args), _span(name, closing)))

    def parenthesised(self, children: list[Any]) -> tree.Term:
        return as_term(children[1])


_KINDS = frozenset(kind.value for kind in values.Kind)


def _identifier(token: Token, what: str) -> Token:
    """The token, if it can be a name."""
    if token.startswith(("?", "_#")):
        shown = "_" if token.startswith("_#") else token
        raise ClauseError("TL013", f"`{shown}` cannot be the name of {what}", _span(token, token), "write an identifier")
    return token


def _call(function: str, args: tuple[tree.Term, ...], span: Span) -> tree.Call:
    depth = 1 + max((arg.depth for arg in args if isinstance(arg, tree.Call)), default=0)
    if depth > DEEPEST:
        message = f"the expression is nested more than {DEEPEST} levels deep"
        raise ClauseError("TL006", message, span, "compute a part of it in a variable: `V = …`")
    return tree.Call(function, args, span, depth)


def _constructed(name: str, arg: Any, span: Span) -> tree.Constant | None:
    """The constant of `date("…")`, `timestamp("…")`, `float("inf")` or `float("nan")`; else None."""
    if not (isinstance(arg, tree.Constant) and isinstance(text := arg.value.content, str)):
        return None
    if name == "float":
        value = values.parse_float(text) if text.lower().strip("+-") in ("inf", "nan") else None
        return None if value is None else tree.Constant(value, span)
    value = values.parse_date(text) if name == "date" else values.parse_timestamp(text)
    if value is None:
        form = "2026-11-15" if name == "date" else "2026-11-15T06:43:00Z"
        raise ClauseError("TL008", f"`{text[:40]}` is not a {name}", span, f"a {name} looks like `{form}`")
    return tree.Constant(value, span)


def _aggregate_name(name: str, has_target: bool, token: Token) -> str:
    if name not in AGGREGATES:
        _identifier(token, "an aggregate")
        fix = _OTHER_AGGREGATES.get(name.lower()) or did_you_mean(name, AGGREGATES) or _ALL_AGGREGATES
        raise ClauseError("TL023", f"there is no aggregate `{token}`", _span(token, token), fix)
    if not has_target and name != "count":
        fix = f"write `{name} {{ X : … }}`"
        raise ClauseError("TL011", f"`{name}` needs to know of what", _span(token, token), fix)
    return name


_ALL_AGGREGATES = "the aggregates are " + ", ".join(AGGREGATES)
_DEVIATION = "compute it: `M = avg { X : … }, Q = avg { X * X : … }, V = Q - M * M`, and the deviation is `sqrt(V)`"
_OTHER_AGGREGATES = {
    **dict.fromkeys(("mean", "average"), "did you mean `avg`?"),
    **dict.fromkeys(("total", "add"), "did you mean `sum`?"),
    **dict.fromkeys(("length", "len", "size", "number", "cnt", "nunique"), "did you mean `count`?"),
    **dict.fromkeys(("minimum", "first", "lowest"), "did you mean `min`?"),
    **dict.fromkeys(("maximum", "last", "highest"), "did you mean `max`?"),
    **dict.fromkeys(("std", "stdev", "stddev", "var", "variance"), _DEVIATION),
}


def _inside(literal: Any) -> Sequence[Any]:
    """The literals inside an aggregate."""
    aggregate = literal.aggregate if isinstance(literal, GroupedAggregate) else literal
    return aggregate.body if isinstance(aggregate, tree.Aggregate) else ()


def _no_nesting(body: Sequence[Any]) -> None:
    for literal in body:
        if isinstance(literal, tree.Aggregate | GroupedAggregate):
            fix = "put the inner aggregate into a rule of its own"
            raise ClauseError("TL011", "an aggregate stands inside another one", literal.span, fix)
