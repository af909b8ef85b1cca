"""What nobody reads need not be computed: the variables that each basic graph pattern keeps.

Where it does not matter how often a solution is found, below `DISTINCT`, `ASK` and `EXISTS`, a pattern keeps only the variables
that somebody reads; the kernel then leaves the rest of a join at the first match.
"""

from __future__ import annotations

from tidelog.sparql.algebra import (
    Bgp,
    Distinct,
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
    Union,
)
from tidelog.sparql.scopes import read_by_expression, scope


def only_needed(node: Node, *, is_set: bool = False, keep: tuple[str, ...] | None = ()) -> Node:
    """The same operators over smaller patterns; `keep` are variables that somebody reads, None for all."""
    needed = scope(node) if keep is None or not is_set else set(keep)
    return _reduced(node, needed, is_set=is_set)


def _reduced(node: Node, needed: set[str], *, is_set: bool) -> Node:
    """An operator of whose solutions only some variables are read; `is_set`: it does not matter how often each is found."""
    match node:
        case Bgp(patterns):
            return Bgp(patterns, tuple(sorted(scope(node) & needed))) if is_set else node
        case Distinct(inner):
            return Distinct(_reduced(inner, scope(inner), is_set=True))
        case Project(inner, names):
            return Project(_reduced(inner, set(names), is_set=is_set), names)
        case Filter(condition, inner):
            return Filter(condition, _reduced(inner, needed | read_by_expression(condition), is_set=is_set))
        case Extend(inner, name, expression):
            return Extend(_reduced(inner, needed | read_by_expression(expression), is_set=is_set), name, expression)
        case Union(left, right):
            return Union(_reduced(left, needed, is_set=is_set), _reduced(right, needed, is_set=is_set))
        case Join(left, right):
            shared = needed | (scope(left) & scope(right))
            return Join(_reduced(left, shared, is_set=is_set), _reduced(right, shared, is_set=is_set))
        case LeftJoin(left, right, condition):
            shared = needed | (scope(left) & scope(right)) | (read_by_expression(condition) if condition is not None else set())
            return LeftJoin(_reduced(left, shared, is_set=is_set), _reduced(right, shared, is_set=is_set), condition)
        case Minus(left, right):
            shared = scope(left) & scope(right)
            return Minus(_reduced(left, needed | shared, is_set=is_set), _reduced(right, shared, is_set=True))
        case OrderBy(inner, conditions):
            read = {name for condition, _ in conditions for name in read_by_expression(condition)}
            return OrderBy(_reduced(inner, needed | read, is_set=is_set), conditions)
        case Slice(inner, start, length):
            return Slice(_reduced(inner, needed, is_set=False), start, length)
        case Group(inner, keys, aggregates):
            return Group(_reduced(inner, scope(inner), is_set=False), keys, aggregates)
    return node
