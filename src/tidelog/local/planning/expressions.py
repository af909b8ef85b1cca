"""Compiles expressions to postfix code for the kernel's stack machine."""

from __future__ import annotations

from collections.abc import Callable

from tidelog.functions.conform import CONFORM
from tidelog.local.kernel import arithmetic
from tidelog.local.storage.term_buffers import KIND_CODES
from tidelog.syntax.tree import Call, Term
from tidelog.values import Kind

_BINARY = {
    "+": arithmetic.ADD,
    "-": arithmetic.SUBTRACT,
    "*": arithmetic.MULTIPLY,
    "/": arithmetic.DIVIDE,
    "mod": arithmetic.MODULO,
    "min": arithmetic.SMALLER,
    "max": arithmetic.LARGER,
}
COMPARISONS = {
    "=": arithmetic.EQUAL,
    "!=": arithmetic.UNEQUAL,
    "<": arithmetic.LESS,
    "<=": arithmetic.LESS_EQUAL,
    ">": arithmetic.GREATER,
    ">=": arithmetic.GREATER_EQUAL,
}
_UNARY = {
    "-": arithmetic.NEGATE,
    "abs": arithmetic.ABSOLUTE,
    "floor": arithmetic.FLOOR,
    "ceil": arithmetic.CEIL,
    "round": arithmetic.ROUND,
    "sqrt": arithmetic.SQRT,
}


def postfix(term: Term, slot_of: Callable[[Term], int]) -> tuple[list[int], int]:
    """The postfix code of a term, and the stack depth that it needs."""
    if not isinstance(term, Call):
        return [arithmetic.PUSH, slot_of(term)], 1
    first, *others = term.args
    code, deepest = postfix(first, slot_of)
    if term.function.startswith(CONFORM):
        return [*code, arithmetic.CONFORM, KIND_CODES[Kind(term.function.removeprefix(CONFORM))]], deepest
    if term.function in ("min", "max"):
        code.append(arithmetic.ORDERED)  # min and max of one value, too, are undefined if it has no order
    elif not others:
        return [*code, _UNARY[term.function]], deepest
    for other in others:
        more, depth = postfix(other, slot_of)
        code += [*more, _BINARY[term.function]]
        deepest = max(deepest, 1 + depth)
    return code, deepest
