"""What FILTER and BIND compute: expressions of SPARQL as terms, and conditions as literals.

A condition may be a disjunction, which a body cannot have: `alternatives` gives one body for each of its ways to be true.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from tidelog.source import Span
from tidelog.syntax.dlog.lexing import Token
from tidelog.syntax.dlog.terms import Terms
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.tree import Call, Comparison, Constant, Term, Variable
from tidelog.text_limits import DEEPEST
from tidelog.values import FALSE, TRUE, XSD, Kind, Value, string, text_of

_OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MOST_ALTERNATIVES = 64
_NUMBERS = (Kind.INT, Kind.FLOAT)


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison, or a call that is true or false."""

    op: str
    left: Term
    right: Term
    span: Span


@dataclass(frozen=True, slots=True)
class Both:
    """Conditions that all hold, or of which one does."""

    parts: tuple[Condition, ...]
    is_any: bool
    span: Span


Condition = Test | Both


def negated(condition: Condition) -> Condition:
    """The opposite; what cannot be computed is neither."""
    if isinstance(condition, Both):
        return Both(tuple(map(negated, condition.parts)), not condition.is_any, condition.span)
    if isinstance(condition.right, Constant) and condition.right.value in (TRUE, FALSE) and condition.op == "=":
        other = Constant(FALSE if condition.right.value == TRUE else TRUE, condition.right.span)
        return Test("=", condition.left, other, condition.span)
    return Test(_OPPOSITE[condition.op], condition.left, condition.right, condition.span)


def alternatives(condition: Condition) -> list[tuple[Comparison, ...]]:
    """The ways in which a condition is true, each as literals that hold together."""
    if isinstance(condition, Test):
        return [tuple(_comparisons(condition))]
    parts = [alternatives(part) for part in condition.parts]
    if condition.is_any:
        found = [one for part in parts for one in part]
    else:
        count = 1
        for part in parts:
            count *= len(part)
        found = [] if count > _MOST_ALTERNATIVES else [tuple(x for one in some for x in one) for some in product(*parts)]
    if not 0 < len(found) <= _MOST_ALTERNATIVES:
        fix = "write a rule for some of them, and use what it derives here"
        raise ClauseError("TL017", f"a condition with more than {_MOST_ALTERNATIVES} alternatives", condition.span, fix)
    return found


def _comparisons(test: Test) -> list[Comparison]:
    """A test as comparisons; numbers are equal by their values, as in SPARQL."""
    left, right, span = test.left, test.right, test.span
    if test.op in ("=", "!=") and (_is_number(left) or _is_number(right)):
        if test.op == "=":
            return [Comparison("<=", left, right, span), Comparison(">=", left, right, span)]
        return [Comparison("<", Call("min", (left, right), span), Call("max", (left, right), span), span)]
    return [Comparison(test.op, left, right, span)]


def _is_number(term: Term) -> bool:
    if isinstance(term, Constant):
        return term.value.kind in _NUMBERS
    return isinstance(term, Call) and term.function in _NUMERIC


_NUMERIC = {"+", "-", "*", "/", "abs", "floor", "ceil", "sqrt", "pow", "length", "int", "float"}


class Expressions(Terms):
    """Reads expressions."""

    _depth = 0

    def condition(self) -> Condition:
        """What FILTER asks."""
        found = self._any()
        if isinstance(found, Condition):
            return found
        if isinstance(found, Constant) and found.value in (TRUE, FALSE):
            return Test("=", found, Constant(TRUE, found.span), found.span)
        if isinstance(found, Variable):
            return Test("=", found, Constant(TRUE, found.span), found.span)
        raise ClauseError("TL012", "this is neither true nor false", found.span, "compare it with something")

    def expression(self) -> Term:
        """What BIND computes."""
        return self._as_term(self._any())

    def _as_term(self, found: Term | Condition) -> Term:
        if not isinstance(found, Condition):
            return found
        fix = "write FILTER, in one rule for the case that it is true and in one for the other"
        raise ClauseError("TL017", "whether something is true is no value", found.span, fix)

    def _as_condition(self, found: Term | Condition) -> Condition:
        if isinstance(found, Condition):
            return found
        return Test("=", found, Constant(TRUE, found.span), found.span)

    def _any(self) -> Term | Condition:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ClauseError("TL006", f"the expression is nested more than {DEEPEST} levels deep", self.next.span)
        parts = [self._all()]
        while self.accept("||"):
            parts.append(self._all())
        self._depth -= 1
        return self._joined(parts, is_any=True)

    def _all(self) -> Term | Condition:
        parts = [self._comparison()]
        while self.accept("&&"):
            parts.append(self._comparison())
        return self._joined(parts, is_any=False)

    def _joined(self, parts: list[Term | Condition], *, is_any: bool) -> Term | Condition:
        if len(parts) == 1:
            return parts[0]
        span = Span(parts[0].span.start, parts[-1].span.end)
        return Both(tuple(map(self._as_condition, parts)), is_any, span)

    def _comparison(self) -> Term | Condition:
        left = self._sum()
        if self.next.is_sign(*_OPPOSITE):
            op, start = self.take().text, self._as_term(left)
            right = self._as_term(self._sum())
            return Test(op, start, right, Span(start.span.start, right.span.end))
        is_not = (
            self.next.is_word("NOT") and self.tokens[self.at + 1 : self.at + 2] != [] and self.tokens[self.at + 1].is_word("IN")
        )
        if is_not:
            self.take()
        if self.accept_word("IN") is not None:
            start = self._as_term(left)
            self.expect("(")
            tests: list[Condition] = []
            while not self.accept(")"):
                if tests:
                    self.expect(",")
                one = self._as_term(self._sum())
                tests.append(Test("=", start, one, Span(start.span.start, one.span.end)))
            if not tests:
                raise ClauseError("TL012", "nothing is in an empty list", start.span, "name what it may be")
            found: Condition = (
                tests[0] if len(tests) == 1 else Both(tuple(tests), True, Span(start.span.start, tests[-1].span.end))
            )
            return negated(found) if is_not else found
        return left

    def _sum(self) -> Term | Condition:
        left = self._product()
        while self.next.is_sign("+", "-"):
            op, start = self.take().text, self._as_term(left)
            left = self._call(op, start, self._as_term(self._product()))
        return left

    def _product(self) -> Term | Condition:
        left = self._unary()
        while self.next.is_sign("*", "/"):
            op, start = self.take().text, self._as_term(left)
            right = self._as_term(self._unary())
            left = self._call(op, start, _as_float(right) if op == "/" else right)
        return left

    def _call(self, function: str, *args: Term, span: Span | None = None) -> Call:
        depth = 1 + max((arg.depth for arg in args if isinstance(arg, Call)), default=0)
        place = span or Span(args[0].span.start, args[-1].span.end)
        if depth > DEEPEST:
            raise ClauseError("TL006", f"the expression is nested more than {DEEPEST} levels deep", place)
        return Call(function, args, place, depth)

    def _unary(self) -> Term | Condition:
        token = self.next
        if self.accept("!"):
            return negated(self._as_condition(self._unary()))
        if token.is_sign("-", "+"):
            if self._is_number_behind():
                return self.number(is_computed=True)
            self.take()
            inner = self._as_term(self._unary())
            return inner if token.text == "+" else self._call("-", inner, span=Span(token.span.start, inner.span.end))
        return self._primary()

    def _primary(self) -> Term | Condition:
        token = self.next
        if self.accept("("):
            found = self._any()
            self.expect(")")
            return found
        if token.kind in ("INTEGER", "DECIMAL", "DOUBLE"):
            return self.number(is_computed=True)
        if token.kind == "WORD" and not token.is_word("TRUE", "FALSE"):
            return self._function(self.take(), token.text.upper())
        if token.kind in ("IRI", "PREFIXED"):
            iri = self.iri()
            return self._function(token, text_of(iri.value)) if self.next.is_sign("(") else iri
        return self.term()

    def _function(self, token: Token, name: str) -> Term | Condition:
        self.expect("(")
        args: list[Term] = []
        while not self.next.is_sign(")"):
            if args:
                self.expect(",")
            args.append(self.expression())
        span = Span(token.span.start, self.take().span.end)
        if name not in _FUNCTIONS:
            fix = "the functions are " + ", ".join(sorted(known for known in _FUNCTIONS if ":" not in known))
            raise ClauseError("TL017", f"the function `{token.text}` is not supported", token.span, fix)
        least, most, made = _FUNCTIONS[name]
        if not least <= len(args) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}" if most < _MANY else f"{least} or more"
            raise ClauseError("TL024", f"`{token.text}` takes {wanted} arguments, and here are {len(args)}", span)
        found = made(span, args)
        return Test("=", found, Constant(TRUE, span), span) if found.function in _BOOLEAN else found


def _as_float(term: Term) -> Term:
    """A divisor, so that the quotient has a fraction, as SPARQL's has."""
    if isinstance(term, Constant) and term.value.kind is Kind.INT and isinstance(term.value.content, int):
        return Constant(Value(Kind.FLOAT, float(term.value.content)), term.span)
    return term if isinstance(term, Constant) else Call("float", (term,), term.span, _deeper(term))


def _deeper(*args: Term) -> int:
    return 1 + max((arg.depth for arg in args if isinstance(arg, Call)), default=0)


_MANY = 1_000_000
_BOOLEAN = {"contains", "starts_with", "ends_with", "matches"}
_Made = Callable[[Span, list[Term]], Call]


def _as(function: str) -> _Made:
    return lambda span, args: Call(function, tuple(args), span, _deeper(*args))


def _number(value: int | float) -> Constant:
    return Constant(Value(Kind.INT if isinstance(value, int) else Kind.FLOAT, value))


def _substring(span: Span, args: list[Term]) -> Call:
    """SPARQL counts characters from 1, and may leave the length out."""
    start = Call("-", (args[1], _number(1)), args[1].span, _deeper(args[1]))
    length = args[2] if len(args) == 3 else Call("length", (args[0],), args[0].span, _deeper(args[0]))
    return Call("substr", (args[0], start, length), span, _deeper(args[0], start, length))


def _rounded(span: Span, args: list[Term]) -> Call:
    """SPARQL rounds a half up."""
    more = Call("+", (args[0], _number(0.5)), span, _deeper(args[0]))
    return Call("floor", (more,), span, more.depth + 1)


def _found(span: Span, args: list[Term]) -> Call:
    """SPARQL's REGEX looks for a part of the text."""
    constants = [arg.value.content for arg in args[1:] if isinstance(arg, Constant) and arg.value.kind is Kind.STRING]
    flags = str(constants[1]) if len(constants) > 1 else ""
    if len(constants) != len(args) - 1 or set(flags) - set("ims"):
        fix = "write the pattern and the flags, of i, m and s, as texts"
        raise ClauseError("TL017", "a regular expression that is computed, or has other flags", span, fix)
    inner = f"(?{flags}:{constants[0]})" if flags else f"(?:{constants[0]})"
    return Call("matches", (args[0], Constant(string(f"(?s:.*){inner}(?s:.*)"), args[1].span)), span, _deeper(args[0]))


_FUNCTIONS: dict[str, tuple[int, int, _Made]] = {
    **{name: (1, 1, _as(ours)) for name, ours in (("ABS", "abs"), ("CEIL", "ceil"), ("FLOOR", "floor"), ("SQRT", "sqrt"))},
    **{
        name: (1, 1, _as(ours))
        for name, ours in (("STR", "string"), ("STRLEN", "length"), ("UCASE", "upper"), ("LCASE", "lower"))
    },
    "POW": (2, 2, _as("pow")),
    "MINFN": (1, _MANY, _as("min")),
    "MAXFN": (1, _MANY, _as("max")),
    "CONCAT": (1, _MANY, _as("cat")),
    "CONTAINS": (2, 2, _as("contains")),
    "STRSTARTS": (2, 2, _as("starts_with")),
    "STRENDS": (2, 2, _as("ends_with")),
    "SUBSTR": (2, 3, _substring),
    "ROUND": (1, 1, _rounded),
    "REGEX": (2, 3, _found),
    XSD + "integer": (1, 1, _as("int")),
    XSD + "double": (1, 1, _as("float")),
    XSD + "float": (1, 1, _as("float")),
    XSD + "decimal": (1, 1, _as("float")),
    XSD + "string": (1, 1, _as("string")),
}
"""By SPARQL's name the least and the most arguments, and our call."""
