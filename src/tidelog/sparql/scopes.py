"""Which variables an operator binds, always or sometimes, and which it reads; and joins of patterns that are one pattern."""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.sparql.algebra import (
    Bgp,
    Distinct,
    Expression,
    Extend,
    Filter,
    Group,
    Join,
    LeftJoin,
    Minus,
    Node,
    OrderBy,
    Project,
    Slice,
    Table,
    Term,
    Union,
)
from tidelog.syntax.tree import Variable


def names_in(terms: Iterable[Term]) -> set[str]:
    """The variables among terms."""
    return {term.name for term in terms if isinstance(term, Variable)}


def join(left: Node, right: Node) -> Node:
    """Both; patterns that stand side by side are one."""
    if isinstance(left, Bgp) and isinstance(right, Bgp):
        return Bgp((*left.patterns, *right.patterns))
    if isinstance(left, Bgp) and not left.patterns:
        return right
    if isinstance(right, Bgp) and not right.patterns:
        return left
    if isinstance(right, Bgp) and isinstance(left, Join) and isinstance(left.left, Bgp):
        return Join(join(left.left, right), left.right)
    return Join(left, right)


def scope(node: Node) -> set[str]:
    """The variables that a solution of a node may bind."""
    match node:
        case Bgp(patterns):
            return {name for pattern in patterns for name in names_in(pattern.terms)}
        case Join(left, right) | LeftJoin(left, right) | Union(left, right):
            return scope(left) | scope(right)
        case Minus(left):
            return scope(left)
        case Extend(inner, name):
            return scope(inner) | {name}
        case Table(names) | Project(_, names):
            return set(names)
        case Group(_, keys, aggregates):
            return {*keys, *(one.name for one in aggregates)}
        case Filter(_, inner):
            return scope(inner)
        case Distinct(inner) | OrderBy(inner) | Slice(inner):
            return scope(inner)


def bound(node: Node) -> set[str]:
    """The variables that every solution of a node binds."""
    match node:
        case Bgp():
            return scope(node)
        case Join(left, right):
            return bound(left) | bound(right)
        case LeftJoin(left) | Minus(left):
            return bound(left)
        case Union(left, right):
            return bound(left) & bound(right)
        case Extend(inner) | Distinct(inner) | OrderBy(inner) | Slice(inner) | Filter(_, inner):
            return bound(inner)
        case Table(names, rows):
            return {name for at, name in enumerate(names) if all(row[at] is not None for row in rows)}
        case Project(inner, names):
            return bound(inner) & set(names)
        case Group():
            return set()


def read_by(node: Node) -> set[str]:
    """The variables that a node binds or reads."""
    match node:
        case Bgp() | Table() | Project():
            return scope(node)
        case Join(left, right) | Union(left, right) | Minus(left, right):
            return read_by(left) | read_by(right)
        case LeftJoin(left, right, condition):
            return read_by(left) | read_by(right) | (set() if condition is None else read_by_expression(condition))
        case Filter(condition, inner):
            return read_by(inner) | read_by_expression(condition)
        case Extend(inner, name, expression):
            return read_by(inner) | {name} | read_by_expression(expression)
        case Group():
            return scope(node)
        case Distinct(inner) | OrderBy(inner) | Slice(inner):
            return read_by(inner)


def read_by_expression(expression: Expression) -> set[str]:
    """The variables that an expression reads, those of patterns in it included."""
    return {*expression.names, *(name for node in expression.exists.values() for name in read_by(node))}


def is_independent(node: Node, names: Iterable[str]) -> bool:
    """Whether a pattern inside of `EXISTS` means the same if variables outside are compared with its solutions afterwards."""
    match node:
        case Bgp():
            return set(names) <= bound(node)
        case Join(left, right):
            return set(names) <= bound(node) and is_independent(left, ()) and is_independent(right, ())
        case Filter(condition, inner):
            return read_by_expression(condition) <= bound(inner) and is_independent(inner, names)
        case Union(left, right):
            return is_independent(left, names) and is_independent(right, names)
    return False
