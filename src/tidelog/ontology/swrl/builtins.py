"""The built-ins of SWRL as comparisons: those that compare, and those whose first argument is what the others give.

Numbers are equal by their values, and a quotient has a fraction, as XPath's functions have it, which SWRL names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tidelog.ontology.expressions import Outside
from tidelog.syntax.tree import Call, Comparison, Constant, Literal, Term
from tidelog.values import TRUE, Kind, Value, string

_NUMBERS = (Kind.INT, Kind.FLOAT)
_MANY = 100
_COMPARED = {
    "lessThan": "<",
    "lessThanOrEqual": "<=",
    "greaterThan": ">",
    "greaterThanOrEqual": ">=",
    "equal": "=",
    "notEqual": "!=",
}
_TESTS = {"contains": "contains", "startsWith": "starts_with", "endsWith": "ends_with"}
_IGNORING_CASE = {"stringEqualIgnoreCase": "=", "containsIgnoreCase": "contains"}


def literals_of(name: str, args: Sequence[Term]) -> list[Literal]:
    """The literals of a built-in, by the local part of its IRI."""
    if name in _COMPARED:
        _count(name, args, 2, 2)
        return _compared(_COMPARED[name], *args)
    if name in _TESTS:
        _count(name, args, 2, 2)
        return [_true(Call(_TESTS[name], tuple(args)))]
    if name in _IGNORING_CASE:
        _count(name, args, 2, 2)
        one, other = (Call("lower", (arg,)) for arg in args)
        return [Comparison("=", one, other) if name.startswith("string") else _true(Call("contains", (one, other)))]
    if name == "matches":
        return [_true(_matching(args))]
    if name not in _COMPUTED:
        raise Outside(f"the built-in {name} is none that rules can compute")
    least, most, made = _COMPUTED[name]
    _count(name, args, least, most)
    return _compared("=", args[0], made(args[1:]))


def _count(name: str, args: Sequence[Term], least: int, most: int) -> None:
    if not least <= len(args) <= most:
        wanted = str(least) if least == most else f"{least} or more"
        raise Outside(f"the built-in {name} has {len(args)} arguments instead of {wanted}")


def _compared(op: str, left: Term, right: Term) -> list[Literal]:
    """A comparison; numbers are equal if neither is less."""
    if op == "=" and (_is_number(left) or _is_number(right)):
        return [Comparison("<=", left, right), Comparison(">=", left, right)]
    if op == "!=" and (_is_number(left) or _is_number(right)):
        return [Comparison("<", Call("min", (left, right)), Call("max", (left, right)))]
    return [Comparison(op, left, right)]


def _is_number(term: Term) -> bool:
    return isinstance(term, Constant) and term.value.kind in _NUMBERS


def _true(call: Call) -> Literal:
    return Comparison("=", call, Constant(TRUE))


def _matching(args: Sequence[Term]) -> Call:
    """XPath's matches looks for a part of the text."""
    _count("matches", args, 2, 2)
    text, pattern = args
    if not isinstance(pattern, Constant) or pattern.value.kind is not Kind.STRING:
        raise Outside("the pattern of matches is computed")
    return Call("matches", (text, Constant(string(f"(?s:.*)(?:{pattern.value.content})(?s:.*)"))))


_Made = Callable[[Sequence[Term]], Call]


def _as(function: str) -> _Made:
    return lambda args: Call(function, tuple(args))


def _folded(operator: str) -> _Made:
    def made(args: Sequence[Term]) -> Call:
        found = Call(operator, (args[0], args[1]))
        for depth, arg in enumerate(args[2:], 2):
            found = Call(operator, (found, arg), depth=depth)
        return found

    return made


def _number(value: float) -> Constant:
    return Constant(Value(Kind.INT if isinstance(value, int) else Kind.FLOAT, value))


def _quotient(args: Sequence[Term]) -> Call:
    divisor = args[1]
    if isinstance(divisor, Constant) and isinstance(divisor.value.content, int):
        return Call("/", (args[0], _number(float(divisor.value.content))))
    return Call("/", (args[0], Call("float", (divisor,))), depth=2)


def _substring(args: Sequence[Term]) -> Call:
    """XPath counts characters from 1, and may leave the length out."""
    length = args[2] if len(args) == 3 else Call("length", (args[0],))
    return Call("substr", (args[0], Call("-", (args[1], _number(1))), length), depth=2)


_COMPUTED: dict[str, tuple[int, int, _Made]] = {
    "add": (3, _MANY, _folded("+")),
    "subtract": (3, 3, _as("-")),
    "multiply": (3, _MANY, _folded("*")),
    "divide": (3, 3, _quotient),
    "integerDivide": (3, 3, lambda args: Call("int", (_quotient(args),), depth=3)),
    "mod": (3, 3, _as("mod")),
    "pow": (3, 3, _as("pow")),
    "unaryMinus": (2, 2, _as("-")),
    "abs": (2, 2, _as("abs")),
    "ceiling": (2, 2, _as("ceil")),
    "floor": (2, 2, _as("floor")),
    "round": (2, 2, lambda args: Call("floor", (Call("+", (args[0], _number(0.5))),), depth=2)),
    "roundHalfToEven": (2, 2, _as("round")),
    "stringConcat": (2, _MANY, _as("cat")),
    "substring": (3, 4, _substring),
    "stringLength": (2, 2, _as("length")),
    "upperCase": (2, 2, _as("upper")),
    "lowerCase": (2, 2, _as("lower")),
}
"""By name the least and the most arguments, the result among them, and the call of the others."""
