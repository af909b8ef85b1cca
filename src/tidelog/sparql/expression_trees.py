"""Expressions as rdflib parses them: their variables, and which parts are computed column by column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_COLUMNAR = frozenset(
    (
        "ConditionalAndExpression",
        "ConditionalOrExpression",
        "UnaryNot",
        "RelationalExpression",
        "TrueFilter",
        "Builtin_BOUND",
        "Builtin_sameTerm",
        "Builtin_isIRI",
        "Builtin_isURI",
        "Builtin_isBLANK",
        "Builtin_isLITERAL",
        "Builtin_isNUMERIC",
        "AdditiveExpression",
        "MultiplicativeExpression",
        "UnaryMinus",
    )
)
_EACH_ROW = frozenset(("Builtin_RAND", "Builtin_UUID", "Builtin_STRUUID", "Builtin_BNODE"))
"""Another value for each solution."""


def is_columnar(tree: Any) -> bool:
    """Whether an expression is computed column by column."""
    return getattr(tree, "name", None) in _COLUMNAR


def is_list(tree: Any) -> bool:
    """Whether it is several trees."""
    return isinstance(tree, list | tuple) or type(tree).__name__ == "ParseResults"


def nodes(tree: Any) -> Iterator[Any]:
    """All nodes of a tree of rdflib."""
    if isinstance(tree, dict):
        yield tree
        for value in list(tree.values()):
            yield from nodes(value)
    elif is_list(tree):
        for one in tree:
            yield from nodes(one)


def variables(tree: Any, *, aggregates: bool = True) -> Iterator[Any]:
    """The variables of an expression; without those in aggregates if that is asked for."""
    if type(tree).__name__ == "Variable":
        yield tree
    elif isinstance(tree, dict):
        if aggregates or not getattr(tree, "name", "").startswith("Aggregate_"):
            for key, value in list(tree.items()):
                if key not in ("_vars", "graph"):
                    yield from variables(value, aggregates=aggregates)
    elif is_list(tree):
        for one in tree:
            yield from variables(one, aggregates=aggregates)


def names_read(tree: Any) -> tuple[set[str], bool]:
    """The variables of an expression, and whether each solution has a value of its own."""
    names = set(map(str, variables(tree)))
    return names, any(node.name in _EACH_ROW for node in nodes(tree))
