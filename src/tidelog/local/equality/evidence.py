"""What makes individuals equal: pairs of owl:sameAs that rules derive, and equal values of individuals (`tidelog_same_by_…`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s, Rows
from tidelog.core.rules import Aggregation, Closure, FunctionCalls, Operator
from tidelog.core.units import Structure
from tidelog.local.equality.classes import NO_EDGES
from tidelog.local.maintenance.delta.deltas import Delta
from tidelog.local.program_state import ProgramState
from tidelog.local.storage.tables import Table
from tidelog.program.same_as import CONSTANT, SAME, SAME_BY, VOCABULARIES
from tidelog.syntax.tree import Atom, Constant, Negation
from tidelog.values import Kind, Value, text_of


def edges_found(engine: ProgramState, deltas: Mapping[str, Delta] | None) -> Rows:
    """The pairs of individuals that rules have found to be the same in a step; without deltas, of all that they have found."""
    pieces = [NO_EDGES]
    names = [name for name in engine.core.arities if name == SAME or name.startswith(SAME_BY)]
    for name in names if deltas is None else (name for name in names if name in deltas):
        stored = engine.state.stored(name)
        rows = stored.rows if deltas is None else deltas[name].inserted_rows()
        if name == SAME:
            pieces.append(rows[rows[:, 0] != rows[:, 1]])
        elif isinstance(stored, Table) and len(rows):
            pieces.append(_with_equal_values(engine, stored, rows, is_all=deltas is None))
    found = np.concatenate(pieces)
    return found[are_individuals(engine, found).all(axis=1)]


def _with_equal_values(engine: ProgramState, table: Table, new: Rows, *, is_all: bool) -> Rows:
    """A pair for each individual but the first among those with the same values."""
    width = table.arity - 1
    rows = new if is_all else table.rows_with_keys(tuple(range(width)), np.unique(new[:, :width], axis=0))
    rows = rows[are_individuals(engine, rows[:, width])]
    if len(rows) < 2:
        return NO_EDGES
    rows = rows[np.lexsort(rows.T)]
    rows = rows[np.lexsort(rows[:, :width].T)]
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (rows[1:, :width] != rows[:-1, :width]).any(axis=1)
    first = rows[np.flatnonzero(begins)[np.cumsum(begins) - 1], width]
    return np.stack([first[~begins], rows[~begins, width]], axis=1)


def are_individuals(engine: ProgramState, ids: Int32s) -> NDArray[np.bool_]:
    """For each value whether it may be equal to another one: literals are not, nor what RDF and OWL define."""
    terms, own = engine.state.terms, np.unique(ids)
    own = own[terms.have_kind(Kind.IRI, own)]
    values = terms.values_of(own)
    is_free = np.array([not text_of(value).startswith(VOCABULARIES) for value in values], np.bool_)
    result: NDArray[np.bool_] = np.isin(ids, own[is_free])
    return result


# --- what a program has to do with it ------------------------------------------------------------------------------------


def constants_of(structure: Structure) -> set[Value]:
    """The individuals that rules name."""
    atoms = (literal for unit in structure.units.values() for rule in unit.rules for literal in rule.body)
    return {
        atom.args[0].value
        for atom in atoms
        if isinstance(atom, Atom) and atom.predicate == CONSTANT and isinstance(atom.args[0], Constant)
    }


def what_matters(structure: Structure) -> frozenset[str]:
    """The stored relations on which it depends what rules find to be the same."""
    below: dict[str, set[str]] = {}
    for unit in structure.units.values():
        for rule in unit.rules:
            atoms = (literal.atom if isinstance(literal, Negation) else literal for literal in rule.body)
            below.setdefault(rule.head.predicate, set()).update(atom.predicate for atom in atoms if isinstance(atom, Atom))
        for name, operator in unit.operators.items():
            below.setdefault(name, set()).update(_read_by(operator))
    found = {name for name in below if name == SAME or name.startswith(SAME_BY)}
    left = list(found)
    while left:
        new = below.get(left.pop(), set()) - found
        found |= new
        left += new
    return frozenset(found)


def _read_by(operator: Operator) -> Iterable[str]:
    match operator:
        case FunctionCalls(_, requested):
            return (requested,)
        case Aggregation(_, inner):
            return (inner,)
        case Closure(module, given):
            return (given,) if module.edge is None else (given, module.edge)
