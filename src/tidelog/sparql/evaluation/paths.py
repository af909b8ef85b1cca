"""Paths of any length: what is reached from some terms, or leads to them, by temporary rules.

The steps of a path are a relation: that of the predicate itself, or one that rules fill.  Where it is closed under transitivity
already, its facts are the answer.  Otherwise a search begins at the terms that are known, on the side where these are fewer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from tidelog.core.arrays import Int32s, Rows
from tidelog.core.rules import CoreRule
from tidelog.rdf.terms import TYPE
from tidelog.sparql.algebra import Alternative, Excluding, Inverse, Link, Path, Reach, Repeated, Term, Triple
from tidelog.sparql.algebra import Sequence as Chain
from tidelog.sparql.evaluation.dataset import TRIPLE, Dataset
from tidelog.sparql.evaluation.inquiries import Inquiry, answer_name
from tidelog.sparql.evaluation.solutions import Solutions, distinct_rows
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Variable, iri_constant

_X, _Y, _Z, _G = Variable("x"), Variable("y"), Variable("z"), Variable("g")
Body = tuple[Literal, ...]


class Paths:
    """The solutions of paths of any length."""

    def __init__(self, inquiry: Inquiry, dataset: Dataset) -> None:
        self._inquiry, self._dataset = inquiry, dataset
        self._relations: dict[tuple[Path, Term | None], str] = {}
        self._number = 0

    def solve(self, pattern: Reach, known: Solutions) -> Solutions:
        """The solutions; those that fit no solution in `known` may be left out."""
        sides = [self._ids(term, known) for term in (pattern.subject, pattern.object)]
        backwards = sides[1] is not None and (sides[0] is None or len(sides[1]) < len(sides[0]))
        starts = sides[1] if backwards else sides[0]
        rows = self._reached(pattern, starts, backwards=backwards)
        if backwards:
            rows = rows[:, [1, 0, *range(2, rows.shape[1])]]
        return self._solutions(pattern, rows)

    def _ids(self, term: Term, known: Solutions) -> Int32s | None:
        """The ids that a term may have, if that is known."""
        if isinstance(term, Constant):
            found: Int32s = self._inquiry.terms.encode([term.value])
            return found
        if term.name not in known.columns or (known.count and known.columns[term.name].min() < 0):
            return None
        return distinct_rows(known, (term.name,))[:, 0]

    def _solutions(self, pattern: Reach, rows: Rows) -> Solutions:
        """Pairs as bindings of the variables at both ends."""
        columns: dict[str, Int32s] = {}
        for at, term in enumerate(pattern.terms[: rows.shape[1]]):
            if isinstance(term, Constant):
                wanted: Any = self._inquiry.terms.encode([term.value])[0]
            elif term.name not in columns:
                columns[term.name] = rows[:, at]
                continue
            else:
                wanted = columns[term.name]
            fits = rows[:, at] == wanted
            rows, columns = rows[fits], {name: column[fits] for name, column in columns.items()}
        return Solutions(len(rows), columns)

    def _reached(self, pattern: Reach, starts: Int32s | None, *, backwards: bool) -> Rows:
        """Each start, or any term, with what it reaches; the graph last, if that is a variable."""
        path, graph = pattern.path, pattern.graph
        last: tuple[Term, ...] = (_G,) if isinstance(graph, Variable) else ()
        width = 2 + len(last)
        first = () if starts is None else (Atom(self._inquiry.give(starts.reshape(-1, 1)), (_X,)),)
        step = list(self._bodies(path.path, *((_Y, _X) if backwards else (_X, _Y)), graph))
        if not path.is_closed or self._is_closed(path.path):
            rules = [CoreRule(Atom(answer_name(width), (_X, _Y, *last)), (*first, *body), 0, "SPARQL") for body in step]
            rows = self._inquiry.answer(rules, width)
        else:
            rows = self._closure(path.path, graph, first, last, backwards=backwards)
        return rows if not path.is_reflexive else self._with_itself(rows, starts, graph)

    def _closure(self, path: Path, graph: Term | None, first: Body, last: tuple[Term, ...], *, backwards: bool) -> Rows:
        edge, name = self._relation(path, graph), self._new()

        def step(start: Variable, end: Variable) -> Atom:
            return Atom(edge, (*((end, start) if backwards else (start, end)), *last))

        begin = CoreRule(Atom(name, (_X, _Y, *last)), (*first, step(_X, _Y)), 0, "SPARQL")
        go_on = CoreRule(Atom(name, (_X, _Z, *last)), (Atom(name, (_X, _Y, *last)), step(_Y, _Z)), 0, "SPARQL")
        self._inquiry.derive({name: 2 + len(last)}, [begin, go_on])
        return self._inquiry.rows(name)

    def _with_itself(self, rows: Rows, starts: Int32s | None, graph: Term | None) -> Rows:
        """The pairs, and each term with itself: a path may have no step."""
        more = self._all_terms(graph) if isinstance(graph, Variable) or starts is None else starts.reshape(-1, 1)
        itself = np.column_stack([more[:, 0], more[:, 0], *more[:, 1:].T])
        if isinstance(graph, Variable) and starts is not None:
            itself = itself[np.isin(itself[:, 0], starts)]
        return np.unique(np.concatenate([rows, itself]), axis=0)

    def _all_terms(self, graph: Term | None) -> Rows:
        """All subjects and objects of triples, with their graph if that is a variable."""
        last = (_G.name,) if isinstance(graph, Variable) else ()
        pattern = Triple(_X, _Y, _Z, _G if last else graph)
        rules = [
            CoreRule(
                Atom(answer_name(1 + len(last)), holder.head((name, *last))), holder.body(self._guarded(holder.atom)), 0, "SPARQL"
            )
            for holder in self._dataset.holders(pattern)
            for name in (_X.name, _Z.name)
        ]
        return self._inquiry.answer(rules, 1 + len(last))

    # --- steps ---------------------------------------------------------------------------------------------------------------

    def _is_closed(self, path: Path) -> bool:
        """Whether the steps are closed under transitivity already."""
        if isinstance(path, Inverse):
            return self._is_closed(path.path)
        if not isinstance(path, Link) or path.iri not in self._dataset.closed or self._dataset.has_triples or path.iri == TYPE:
            return False
        return not self._inquiry.holds_other_subjects(path.iri, 1)

    def _relation(self, path: Path, graph: Term | None) -> str:
        """The relation that has the steps of a path: that of the predicate, or a temporary one."""
        graph_is_variable = isinstance(graph, Variable)
        last: tuple[Term, ...] = (_G,) if graph_is_variable else ()
        bodies = list(self._bodies(path, _X, _Y, graph))
        if len(bodies) == 1 and len(bodies[0]) == 1 and isinstance(atom := bodies[0][0], Atom) and atom.args == (_X, _Y, *last):
            return atom.predicate
        key = path, _G if graph_is_variable else graph
        if key not in self._relations:
            name = self._relations[key] = self._new()
            rules = [CoreRule(Atom(name, (_X, _Y, *last)), body, 0, "SPARQL") for body in bodies]
            self._inquiry.derive({name: 2 + len(last)}, rules)
        return self._relations[key]

    def _bodies(self, path: Path, start: Variable, end: Variable, graph: Term | None) -> Iterator[Body]:
        """Bodies of which each finds steps of a path."""
        place: Term | None = _G if isinstance(graph, Variable) else graph
        match path:
            case Link(iri):
                yield from self._holding(Triple(start, iri_constant(iri), end, place))
            case Excluding(iris):
                self._number += 1
                yield from self._holding(Triple(start, Variable(f"p{self._number}"), end, place, iris))
            case Inverse(inner):
                yield from self._bodies(inner, end, start, graph)
            case Alternative(paths):
                for one in paths:
                    yield from self._bodies(one, start, end, graph)
            case Chain(paths):
                self._number += 1
                middle = [Variable(f"m{self._number}.{at}") for at in range(len(paths) - 1)]
                ends = [start, *middle, end]
                choices = [list(self._one_body(one, ends[at], ends[at + 1], graph)) for at, one in enumerate(paths)]
                for chosen in product(*choices):
                    yield tuple(literal for body in chosen for literal in body)
            case Repeated():
                yield (self._repeated(path, start, end, graph),)

    def _one_body(self, path: Path, start: Variable, end: Variable, graph: Term | None) -> Iterator[Body]:
        """The same for a part of a chain: one body, for the bodies of a chain are all combinations."""
        bodies = list(self._bodies(path, start, end, graph))
        if len(bodies) == 1:
            yield bodies[0]
        else:
            last = (_G,) if isinstance(graph, Variable) else ()
            yield (Atom(self._relation(path, graph), (start, end, *last)),)

    def _holding(self, pattern: Triple) -> Iterator[Body]:
        for holder in self._dataset.holders(pattern):
            fixed = [Comparison("=", Variable(name), value) for name, value in holder.fixed.items()]
            yield (*holder.body(self._guarded(holder.atom)), *fixed)

    def _repeated(self, path: Repeated, start: Variable, end: Variable, graph: Term | None) -> Atom:
        """The atom of a temporary relation with all pairs of a path inside of another one."""
        key = path, _G if isinstance(graph, Variable) else graph
        last: tuple[Term, ...] = (_G,) if isinstance(graph, Variable) else ()
        if key not in self._relations:
            rows = self._reached(Reach(_X, path, _Y, graph), None, backwards=False)
            name = self._new()
            given = self._inquiry.give(rows)
            self._inquiry.derive(
                {name: 2 + len(last)}, [CoreRule(Atom(name, (_X, _Y, *last)), (Atom(given, (_X, _Y, *last)),), 0, "SPARQL")]
            )
            self._relations[key] = name
        return Atom(self._relations[key], (start, end, *last))

    def _guarded(self, atom: Atom) -> frozenset[str]:
        name = atom.predicate
        columns = 2 if name == TRIPLE else 1
        return frozenset((name,)) if self._inquiry.holds_other_subjects(name, columns) else frozenset()

    def _new(self) -> str:
        return self._inquiry.new_name()
