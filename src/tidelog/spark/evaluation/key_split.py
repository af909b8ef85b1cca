"""Units that can be split by a key: which columns rules hand on, and which rows of other relations go with a key.

A column of each relation of the unit is the key if every rule has one variable in that column of its head and of its recursive
atoms.  Then no fact depends on one of another key (decomposable programs of Wolfson and Silberschatz, "Distributed Processing of
Logic Programs", 1988; generalised pivoting of Seib and Lausen, 1991, as in BigDatalog), and tasks derive what follows for their
keys without a word to each other.  An atom of another relation that has the key in the same column in all rules is split, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np

from tidelog.core.arrays import Int32s
from tidelog.core.rules import Closure, CoreRule, Unit
from tidelog.local.evaluation.keyed_unit import KeyedRules
from tidelog.syntax.tree import Atom, Comparison, Constant, Literal, Negation, Term, Variable
from tidelog.values import Kind, Value

_MOST_CHOICES = 4096
"""So many choices of columns are tried, the first columns first."""


@dataclass(frozen=True, slots=True)
class Split:
    """How a unit is split."""

    rules: KeyedRules
    inputs: Mapping[str, int | None]
    """For each relation that the rules read, the column of the key, or None if each task needs all of it."""
    is_recursive: bool
    """Whether tasks derive it; what is not recursive is one round."""


def split(unit: Unit, arities: Mapping[str, int], number_of: Callable[[Value], int]) -> Split | None:
    """How a unit of rules is split by a key, if it can be; `number_of` gives the number of a constant."""
    if unit.stages or unit.operators or not all(arities[name] for name in unit.relations):
        return None
    choices = product(*(range(arities[name]) for name in unit.relations))
    for columns in islice(choices, _MOST_CHOICES):
        key = dict(zip(unit.relations, columns, strict=True))
        if all(_hands_on(rule, unit, key) for rule in unit.rules):
            rules = tuple(_numbered(rule, number_of) for rule in unit.rules)
            names = {*unit.relations, *unit.uses}
            keyed = KeyedRules(unit.relations, rules, {name: max(1, arities[name]) for name in sorted(names)}, key)
            inputs = {name: _key_column(name, unit, key) for name in sorted(unit.uses - set(unit.relations))}
            return Split(keyed, inputs, any(_recursive(rule, unit) for rule in unit.rules))
    return None


def is_closure(unit: Unit) -> Closure | None:
    """The closure that a unit is, if it is one."""
    found = [operator for operator in unit.operators.values() if isinstance(operator, Closure)]
    return found[0] if found else None


def _recursive(rule: CoreRule, unit: Unit) -> list[Atom]:
    return [literal for literal in rule.body if isinstance(literal, Atom) and literal.predicate in unit.relations]


def _hands_on(rule: CoreRule, unit: Unit, key: Mapping[str, int]) -> bool:
    handed = rule.head.args[key[rule.head.predicate]]
    own = _recursive(rule, unit)
    return not own or (isinstance(handed, Variable) and all(atom.args[key[atom.predicate]] == handed for atom in own))


def _key_column(name: str, unit: Unit, key: Mapping[str, int]) -> int | None:
    """The column of an input that has the key wherever a rule reads it."""
    places: set[int] | None = None
    for rule in unit.rules:
        handed = rule.head.args[key[rule.head.predicate]]
        for atom in _atoms(rule):
            if atom.predicate == name:
                mine = {at for at, arg in enumerate(atom.args) if isinstance(handed, Variable) and arg == handed}
                places = mine if places is None else places & mine
    return min(places) if places else None


def _atoms(rule: CoreRule) -> Iterator[Atom]:
    for literal in rule.body:
        if isinstance(literal, Atom):
            yield literal
        elif isinstance(literal, Negation):
            yield literal.atom


def _numbered(rule: CoreRule, number_of: Callable[[Value], int]) -> CoreRule:
    """A rule with numbers, as integers, for constants; relations without columns have one, as frames do."""

    def term(given: Term) -> Term:
        return Constant(Value(Kind.INT, number_of(given.value))) if isinstance(given, Constant) else given

    def atom(given: Atom) -> Atom:
        return Atom(given.predicate, tuple(map(term, given.args)) or (Constant(Value(Kind.INT, 0)),))

    def literal(given: Literal) -> Literal:
        match given:
            case Atom():
                return atom(given)
            case Negation(inner):
                return replace(given, atom=atom(inner))
            case Comparison(_, left, right):
                return replace(given, left=term(left), right=term(right))
        raise AssertionError(given)

    return replace(rule, head=atom(rule.head), body=tuple(map(literal, rule.body)))


def shard_of(keys: Int32s, shards: int) -> Int32s:
    """The shard of each key: the partition into which Spark puts it, by Murmur3 with the seed 42."""
    with np.errstate(over="ignore"):
        mixed = _rotated(keys.view(np.uint32) * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593)
        found = _rotated(mixed ^ np.uint32(42), 13) * np.uint32(5) + np.uint32(0xE6546B64)
        found ^= np.uint32(4)
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            found = (found ^ (found >> np.uint32(shift))) * np.uint32(factor)
        found ^= found >> np.uint32(16)
    return np.mod(found.view(np.int32), np.int32(shards))


def _rotated(words: np.ndarray, bits: int) -> np.ndarray:
    return (words << np.uint32(bits)) | (words >> np.uint32(32 - bits))


def labels(shards: int) -> Int32s:
    """A number for each shard that lies in it, by which rows that every shard needs are sent there."""
    tried = np.arange(64 * shards, dtype=np.int32)
    found = shard_of(tried, shards)
    while len(np.unique(found)) < shards:
        tried = np.arange(2 * len(tried), dtype=np.int32)
        found = shard_of(tried, shards)
    return np.unique(found, return_index=True)[1].astype(np.int32)
