"""Names, arities and types of functions and aggregates.

A type is the set of kinds that a term may have; the full set is "any", the empty set means that the term cannot have a
value.  A function's `result` maps the types of its arguments to the type of its value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tidelog.values import Kind

Type = frozenset[Kind]

ANY: Type = frozenset(Kind)
NEVER: Type = frozenset()
NUMBER: Type = frozenset({Kind.INT, Kind.FLOAT})
INT, FLOAT, STRING, BOOL = (frozenset({kind}) for kind in (Kind.INT, Kind.FLOAT, Kind.STRING, Kind.BOOL))
COMPARABLE: tuple[Type, ...] = (NUMBER, STRING, BOOL, frozenset({Kind.DATE}), frozenset({Kind.TIMESTAMP}))
"""Kinds within one of these sets have an order among them; all others have none."""

AGGREGATES = ("count", "sum", "min", "max", "avg", "median")


def type_name(kinds: Type) -> str:
    """A type in words: `int or float`, `any`."""
    if kinds == ANY:
        return "any"
    return " or ".join(kind.value for kind in Kind if kind in kinds) or "nothing"


def _numeric(args: Sequence[Type]) -> Type:
    """Integers give an integer, and a float among them gives a float."""
    numbers = [arg & NUMBER for arg in args]
    if not all(numbers):
        return NEVER
    all_int = all(Kind.INT in arg for arg in numbers)
    any_float = any(Kind.FLOAT in arg for arg in numbers)
    return (INT if all_int else NEVER) | (FLOAT if any_float else NEVER)


def _minus(args: Sequence[Type]) -> Type:
    moments = [kind for kind in (Kind.DATE, Kind.TIMESTAMP) if all(kind in arg for arg in args)]
    return _numeric(args) | (FLOAT if moments and len(args) == 2 else NEVER)


def _power(args: Sequence[Type]) -> Type:
    return NUMBER if _numeric(args) == INT else _numeric(args)


def _ordered(args: Sequence[Type]) -> Type:
    """The smallest or largest of values that have an order among them."""
    result: Type = NEVER
    for comparable in COMPARABLE:
        within = [arg & comparable for arg in args]
        if all(within):
            result = result.union(*within)
    return result


def _takes(result: Type, *params: Type) -> Callable[[Sequence[Type]], Type]:
    """A function of fixed types; the last parameter stands for all further arguments."""

    def typed(args: Sequence[Type]) -> Type:
        fits = all(arg & params[min(i, len(params) - 1)] for i, arg in enumerate(args))
        return result if fits else NEVER

    return typed


@dataclass(frozen=True, slots=True)
class Function:
    """The arity and the result type of a function."""

    least: int
    most: int
    result: Callable[[Sequence[Type]], Type]
    is_boolean: bool = False

    def takes(self, count: int) -> bool:
        """Whether it takes `count` arguments."""
        return self.least <= count <= self.most

    @property
    def arity(self) -> str:
        """The number of arguments, in words."""
        if self.most == _MANY:
            return f"{self.least} or more arguments"
        numbers = " or ".join(str(n) for n in range(self.least, self.most + 1))
        return f"{numbers} argument{'' if self.most == 1 else 's'}"


_MANY = 1_000_000
_TEXTS = _takes(BOOL, STRING, STRING)

FUNCTIONS: dict[str, Function] = {
    "+": Function(2, 2, _numeric),
    "-": Function(1, 2, _minus),
    "*": Function(2, 2, _numeric),
    "/": Function(2, 2, _numeric),
    "mod": Function(2, 2, _numeric),
    "abs": Function(1, 1, _numeric),
    "floor": Function(1, 1, _takes(INT, NUMBER)),
    "ceil": Function(1, 1, _takes(INT, NUMBER)),
    "round": Function(1, 1, _takes(INT, NUMBER)),
    "sqrt": Function(1, 1, _takes(FLOAT, NUMBER)),
    "pow": Function(2, 2, _power),
    "min": Function(1, _MANY, _ordered),
    "max": Function(1, _MANY, _ordered),
    "cat": Function(1, _MANY, _takes(STRING, STRING)),
    "length": Function(1, 1, _takes(INT, STRING)),
    "lower": Function(1, 1, _takes(STRING, STRING)),
    "upper": Function(1, 1, _takes(STRING, STRING)),
    "substr": Function(3, 3, _takes(STRING, STRING, INT, INT)),
    "contains": Function(2, 2, _TEXTS, is_boolean=True),
    "starts_with": Function(2, 2, _TEXTS, is_boolean=True),
    "ends_with": Function(2, 2, _TEXTS, is_boolean=True),
    "matches": Function(2, 2, _TEXTS, is_boolean=True),
    "string": Function(1, 1, _takes(STRING, ANY)),
    "int": Function(1, 1, _takes(INT, NUMBER | STRING)),
    "float": Function(1, 1, _takes(FLOAT, NUMBER | STRING)),
}


def aggregate_type(name: str, target: Type) -> Type:
    """The type of an aggregate of values of the given type."""
    match name:
        case "count":
            return INT
        case "sum":  # of nothing it is the integer 0
            return _numeric([target]) and _numeric([target]) | INT
        case "avg" | "median":
            return FLOAT if target & NUMBER else NEVER
    return _ordered([target])


def is_reserved(name: str, arity: int) -> bool:
    """Whether `name(…)` with `arity` arguments is a function, so that no relation can have that name.

    A name with another number of arguments is free, except for functions that can stand alone as a literal.
    """
    function = FUNCTIONS.get(name)
    if name in ("date", "timestamp"):
        return arity == 1
    return function is not None and (function.is_boolean or function.takes(arity))
