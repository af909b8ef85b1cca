"""From rdflib's algebra to operators.  What has no operator is an error with its place, never an empty answer."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

from rdflib import Variable as Name

from tidelog.errors import Diagnostic, TidelogError
from tidelog.source import Source, Span
from tidelog.sparql.algebra import (
    Aggregated,
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
    is_hidden,
)
from tidelog.sparql.expression_trees import is_columnar, is_list, nodes, variables
from tidelog.sparql.reading.only_needed import only_needed
from tidelog.sparql.reading.path_patterns import PathPatterns
from tidelog.sparql.reading.question import Question, occurrences
from tidelog.sparql.scopes import join, scope
from tidelog.sparql.terms import value_of
from tidelog.syntax.tree import Constant, Variable
from tidelog.values import Kind, Value

_AGGREGATES = {
    "Aggregate_Count": "count",
    "Aggregate_Sum": "sum",
    "Aggregate_Avg": "avg",
    "Aggregate_Min": "min",
    "Aggregate_Max": "max",
    "Aggregate_Sample": "sample",
    "Aggregate_GroupConcat": "group_concat",
}
_DEFAULT_GRAPH = Constant(Value(Kind.STRING, ""))


class Translation:
    """The translation of one query."""

    def __init__(self, source: Source, *, graphs: bool) -> None:
        """`graphs`: whether the last argument of facts is their graph."""
        self.source, self.graphs = source, graphs
        self._number = 0
        self._graph: Term | None = _DEFAULT_GRAPH if graphs else None

    def question(self, query: Any, prologue: Any) -> Question:
        """A whole query."""
        tree, kind = query.algebra, query.algebra.name.removesuffix("Query").lower()
        if tree.datasetClause:
            raise self.unsupported(
                "FROM", "a query over other graphs than those that are loaded", "load them, and ask without FROM"
            )
        node: Node = Bgp(()) if tree.p is None else self.node(tree.p)
        variables: tuple[str, ...] = ()
        template: list[tuple[Term, Term, Term]] = []
        described: tuple[Term, ...] = ()
        if kind == "select":
            variables = _selected(node)
            node = only_needed(node)
        elif kind == "ask":
            node = only_needed(Project(_without_project(node), ()), is_set=True)
        elif kind == "construct":
            triples = tree.template if tree.template is not None else _triples_of(tree.p)
            template = [(self.term(s), self.term(p), self.term(o)) for s, p, o in triples]
            names = {
                term.name for triple in template for term in triple if isinstance(term, Variable) and not is_hidden(term.name)
            }
            node = _without_project(node)
            node = only_needed(Project(node, tuple(sorted(names & scope(node)))))
        elif kind == "describe":
            described = tuple(self.term(one) for one in tree.PV)
            if any(isinstance(one, Variable) for one in described):
                node = only_needed(Project(_without_project(node), tuple(v.name for v in described if isinstance(v, Variable))))
        else:
            raise self.unsupported(kind, "this kind of query", "ask SELECT, ASK, CONSTRUCT or DESCRIBE")
        return Question(kind, self.source, node, variables, tuple(template), described, prologue)

    # --- operators -----------------------------------------------------------------------------------------------------------

    def node(self, tree: Any) -> Node:
        """One operator of rdflib."""
        match tree.name:
            case "BGP":
                return self._patterns(tree.triples)
            case "Join":
                return join(self.node(tree.p1), self.node(tree.p2))
            case "LeftJoin":
                condition = None if getattr(tree.expr, "name", None) == "TrueFilter" else self.expression(tree.expr)
                return LeftJoin(self.node(tree.p1), self.node(tree.p2), condition)
            case "Union":
                return Union(self.node(tree.p1), self.node(tree.p2))
            case "Minus":
                return Minus(self.node(tree.p1), self.node(tree.p2))
            case "Filter":
                return Filter(self.expression(tree.expr), self.node(tree.p))
            case "Extend":
                return Extend(self.node(tree.p), self.name(tree.var), self.expression(tree.expr))
            case "ToMultiSet":
                return self.node(tree.p) if tree.p is not None and not isinstance(tree.p, list) else Table((), ())
            case "values":
                return self._table(tree.res)
            case "Graph":
                return self._in_graph(tree)
            case "AggregateJoin":
                return self._group(tree)
            case "Project":
                return self._project(tree)
            case "Distinct":
                return Distinct(self.node(tree.p))
            case "Reduced":
                return self.node(tree.p)
            case "OrderBy":
                conditions = tuple((self.expression(one.expr), one.order == "DESC") for one in tree.expr)
                return OrderBy(self.node(tree.p), conditions)
            case "Slice":
                return Slice(self.node(tree.p), tree.start, tree.length)
            case "ServiceGraphPattern":
                raise self.unsupported("SERVICE", "a question to another server", "ask there, and load what it answers")
        raise self.unsupported(tree.name, f"`{tree.name}`", "write the query without it")

    def _project(self, tree: Any) -> Node:
        inner, names = self.node(tree.p), [self.name(one) for one in tree.PV]
        return Project(inner, tuple(dict.fromkeys(name for name in names if not is_hidden(name))))

    def _table(self, rows: Iterable[Any]) -> Table:
        found = list(rows)
        names = tuple(dict.fromkeys(name for row in found for name in row))
        values = (tuple(None if row.get(name, "UNDEF") == "UNDEF" else value_of(row[name]) for name in names) for row in found)
        return Table(tuple(map(str, names)), tuple(values))

    def _in_graph(self, tree: Any) -> Node:
        if not self.graphs:
            fix = "load with graphs=True, and ask with graphs=True"
            raise self.unsupported("GRAPH", "GRAPH over facts that do not say in which graph they are", fix)
        before, self._graph = self._graph, self.term(tree.term)
        try:
            inner = self.node(tree.p)
        finally:
            self._graph = before
        if isinstance(tree.term, str) and type(tree.term).__name__ == "Variable" and _needs_its_graph(inner, str(tree.term)):
            fix = "let each group inside hold a triple pattern, and no sub-select, aggregate or MINUS"
            raise self.unsupported("GRAPH", "this pattern inside GRAPH with a variable", fix)
        return inner

    def _group(self, tree: Any) -> Node:
        inner, keys = self.node(tree.p.p), []
        for key in tree.p.expr or ():
            expression = self.expression(key)
            if type(expression.tree).__name__ != "Variable":
                inner = Extend(inner, self.fresh(), expression)
                keys.append(inner.name)
            else:
                keys.append(str(expression.tree))
        aggregates = []
        for one in tree.A:
            function = _AGGREGATES.get(one.name)
            if function is None:
                raise self.unsupported(one.name.removeprefix("Aggregate_"), f"the aggregate {one.name}", "choose another one")
            everything = isinstance(one.vars, str) and str(one.vars) == "*" and type(one.vars).__name__ != "Variable"
            counted = None if everything else self.expression(one.vars)
            separator = " " if one.separator is None else str(one.separator)
            aggregates.append(Aggregated(str(one.res), function, counted, bool(one.distinct), separator))
        return Group(inner, tuple(keys), tuple(aggregates))

    # --- patterns ------------------------------------------------------------------------------------------------------------

    def _patterns(self, triples: Iterable[tuple[Any, Any, Any]]) -> Node:
        made = PathPatterns(self, self._graph)
        parts: list[Node] = []
        for subject, predicate, target in triples:
            made.add(self.term(subject), predicate, self.term(target), parts)
        first: Node = Bgp(tuple(made.patterns))
        return reduce(join, parts, first)

    def term(self, term: Any) -> Term:
        """A term of a pattern."""
        match type(term).__name__:
            case "Variable":
                return Variable(self.name(term))
            case "BNode":
                return Variable(f"_:{term}")
        return Constant(value_of(term))

    def name(self, variable: Any) -> str:
        """The name of a variable."""
        return str(variable)

    def fresh(self) -> str:
        """The name of a variable that nobody has written."""
        self._number += 1
        return f"_:path {self._number}"

    # --- expressions ---------------------------------------------------------------------------------------------------------

    def expression(self, tree: Any) -> Expression:
        """An expression; patterns in it become variables that say whether they have a solution."""
        made = Expression(None, frozenset(), {}, {})
        tree = self._prepared(tree, made, is_inside=False)
        names = set(map(str, variables([tree, *made.parts.values()])))
        return Expression(tree, frozenset(names - set(made.exists) - set(made.parts)), made.exists, made.parts)

    def _prepared(self, tree: Any, made: Expression, *, is_inside: bool) -> Any:
        """A part of an expression with variables in the place of patterns, and of conditions inside of functions."""
        if is_list(tree):
            return [self._prepared(one, made, is_inside=is_inside) for one in tree]
        kind = getattr(tree, "name", None)
        if kind is None or not isinstance(tree, dict):
            return tree
        return self._prepared_node(tree, kind, made, is_inside=is_inside)

    def _prepared_node(self, tree: Any, kind: str, made: Expression, *, is_inside: bool) -> Any:
        if kind in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            if not tree.graph.translated:
                raise self.unsupported("EXISTS", "EXISTS here", "ask for it in a FILTER or a BIND, and use that variable")
            from rdflib.plugins.sparql.operators import not_

            name = self.fresh()
            made.exists[name] = only_needed(self.node(tree.graph), is_set=True, keep=None)
            if kind == "Builtin_EXISTS":
                return Name(name)
            return self._prepared(not_(Name(name)), made, is_inside=is_inside)
        if kind == "Function":
            self._check_function(tree)
        for key, value in list(tree.items()):
            if key != "_vars":
                tree[key] = self._prepared(value, made, is_inside=not is_columnar(tree))
        if is_inside and is_columnar(tree):
            made.parts[name := self.fresh()] = tree
            return Name(name)
        return tree

    def _check_function(self, tree: Any) -> None:
        from rdflib.plugins.sparql.operators import _CUSTOM_FUNCTIONS

        if tree.iri not in _CUSTOM_FUNCTIONS:
            word = str(tree.iri).rsplit("/", 1)[-1].rsplit("#", 1)[-1]
            fix = "use a function of SPARQL 1.1, or register it: rdflib.plugins.sparql.operators.register_custom_function"
            raise self.unsupported(word, f"the function <{tree.iri}>", fix)

    # --- errors --------------------------------------------------------------------------------------------------------------

    def unsupported(self, word: str, what: str, fix: str) -> TidelogError:
        """The error for a part of SPARQL that is not supported, at the first place of a word."""
        place = next(occurrences(self.source, word), Span(0, 1))
        return TidelogError([Diagnostic("TL016", f"{what} is not supported", self.source, place, fix)])


def _selected(node: Any) -> tuple[str, ...]:
    """The variables of a query in their order."""
    while not isinstance(node, Project):
        node = node.node
    return node.names


def _without_project(node: Node) -> Node:
    return node.node if isinstance(node, Project) else node


def _triples_of(tree: Any) -> list[Any]:
    """The triples of `CONSTRUCT WHERE`, whose pattern is the template."""
    found = [node for node in nodes(tree) if node.name == "BGP"]
    return [triple for node in found for triple in node.triples]


def _needs_its_graph(node: Node, graph: str) -> bool:
    """Whether a pattern means something else when the graph is a variable like any other."""
    match node:
        case Bgp(patterns):
            return not patterns
        case Join(left, right):
            return _needs_its_graph(left, graph) and _needs_its_graph(right, graph)
        case LeftJoin(left, right) | Union(left, right):
            return _needs_its_graph(left, graph) or _needs_its_graph(right, graph)
        case Filter(_, inner) | Extend(inner):
            return _needs_its_graph(inner, graph)
        case Table():
            return True
    return True
