"""What a query selects, looked at before rdflib translates it.

Two things would go wrong there: the variables of `SELECT *`, and variables beside aggregates that nothing is grouped by.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tidelog.errors import Diagnostic, TidelogError
from tidelog.source import Source, Span
from tidelog.sparql.expression_trees import nodes, variables

_NOTHING = "_:nothing"
"""What `SELECT *` selects where a pattern has no variables."""


def write_out(parsed: Any, source: Source) -> None:
    """Write out the variables of each `SELECT *` of a parsed query, and check what stands beside aggregates."""
    from rdflib import Variable
    from rdflib.plugins.sparql.parserutils import CompValue

    for tree in nodes(parsed):
        if tree.name in ("SelectQuery", "SubSelect"):
            _check_grouping(tree, source)
            if not tree.projection:
                names = dict.fromkeys(_visible(tree)) or (Variable(_NOTHING),)
                tree["projection"] = [CompValue("vars", var=name) for name in names]


def _check_grouping(tree: Any, source: Source) -> None:
    groups = list(tree.groupby.condition) if tree.groupby else []
    has_aggregate = any(
        node.name.startswith("Aggregate_") for part in (tree.projection, tree.having, tree.orderby) for node in nodes(part)
    )
    if not groups and not has_aggregate:
        return
    if not tree.projection:
        raise _error(source, "*", "SELECT * with GROUP BY is not supported", "name the variables")
    known = {name for group in groups for name in _names_of_group(group)}
    for one in tree.projection:
        used = [one.var] if one.var else list(variables(one.expr, aggregates=False))
        for name in map(str, used):
            if name not in known:
                message = f"`?{name}` is neither in an aggregate nor what the solutions are grouped by"
                fix = f"add it to GROUP BY, or take one of its values: (SAMPLE(?{name}) AS …)"
                raise _error(source, f"?{name}", message, fix)
        if one.evar:
            known.add(str(one.evar))


def _error(source: Source, word: str, message: str, fix: str) -> TidelogError:
    at = max(source.text.find(word), 0)
    return TidelogError([Diagnostic("TL016", message, source, Span(at, at + len(word)), fix)])


def _names_of_group(group: Any) -> Iterator[str]:
    if getattr(group, "name", None) == "GroupAs":
        yield str(group.var)
        yield from map(str, variables(group.expr))
    else:
        yield from map(str, variables(group))


def _visible(tree: Any) -> Iterator[Any]:
    """The variables that a group or sub-select of the parsed query shows to what is outside, in the order of the text."""
    match tree.name:
        case "SelectQuery" | "SubSelect":
            if tree.projection:
                yield from (one.var or one.evar for one in tree.projection)
            else:
                yield from _visible(tree.where)
                yield from tree.valuesClause.var if tree.valuesClause else ()
        case "TriplesBlock":
            yield from (name for triple in tree.triples for name in variables(triple))
        case "Bind":
            yield tree.var
        case "InlineData":
            yield from tree.var
        case "Filter" | "MinusGraphPattern":
            return
        case _:
            yield from variables(tree.term)
            for part in (tree.part, tree.graph):
                for inner in part if isinstance(part, list) else [part] if isinstance(part, dict) else ():
                    yield from _visible(inner)
