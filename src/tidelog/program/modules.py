"""Relations that are closed by transitivity, so that an algorithm of their own can keep them.

After Hu, Motik and Horrocks (AAAI 2019): a recursive component may hold *modules* beside other rules.  A module closes one
relation R over its *external* facts, that is, those which the user or any other rule gives; these may arrive at any time.

| kind | rules | R is |
| --- | --- | --- |
| transitive | `R(X, Z) :- R(X, Y), R(Y, Z)` | the transitive closure of the external facts |
| symmetric-transitive | the same and `R(X, Y) :- R(Y, X)` | all pairs within a connected component of the external facts |
| linear | `R(X, Z) :- R(X, Y), E(Y, Z)`, E not depending on R | external facts, prolonged by any path of E at their ends |
| linear | `R(X, Z) :- E(X, Y), R(Y, Z)` | the same, at their starts |

The linear kind is an addition to the paper.  It is *not* the closure of R: an external fact of R is a start for E's paths and
never a step of one.  Its base rule, `R(X, Y) :- E(X, Y)`, makes all of E external facts.

With `X != Z` in the rule no fact R(a, a) is derived, and the closure is the same otherwise: a path between two different nodes
has a simple path with the same ends, on which every prefix ends at another node than it starts.  For the linear kind this
needs the base rule, since a path from an external fact R(a, b) may have to lead through a itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tidelog.program.hypergraph import HyperGraph
from tidelog.syntax.tree import Atom, Comparison, Rule, Variable, atoms


class ModuleKind(StrEnum):
    """What a module does."""

    TRANSITIVE = "transitive"
    SYMMETRIC_TRANSITIVE = "symmetric-transitive"
    LINEAR = "linear transitive"


@dataclass(frozen=True, slots=True)
class Module:
    """A relation with the rules that close it."""

    kind: ModuleKind
    relation: str
    rules: tuple[int, ...]
    """Positions of the closing rules in the program, base rules of the linear kind included."""
    is_irreflexive: bool = False
    """Whether the rules derive no R(a, a); external facts may still be such."""
    edge: str | None = None
    """For the linear kind: E."""
    extends: str | None = None
    """For the linear kind: whether E prolongs facts at their `end` or at their `start`."""
    is_whole: bool = False
    """Whether no other rule of R's component is recursive, so that R's pairs need not be stored."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """`R(X, Z) :- A(X, Y), B(Y, Z)`, perhaps with inequalities among X, Y and Z."""

    first: str
    second: str
    ends_differ: bool
    """Whether it says X != Z."""
    has_other_guards: bool
    """Whether it keeps Y apart from X or Z: no matter where both atoms are R, since those instances derive nothing new."""


def find_modules(rules: Sequence[Rule], graph: HyperGraph) -> tuple[Module, ...]:
    """All modules of a program, in evaluation order; a rule belongs to one at most."""
    result: list[Module] = []
    for component in graph.components:
        if not component.is_recursive:
            continue
        by_head: dict[str, list[int]] = defaultdict(list)
        for at in component.rules:
            by_head[rules[at].head.predicate].append(at)
        recursive = {
            at for at in component.rules if any(atom.predicate in component.predicates for atom, _ in atoms(rules[at].body))
        }
        for relation in component.predicates:
            module = _transitive(relation, by_head[relation], rules) or _linear(relation, by_head[relation], rules, graph)
            if module is not None:
                result.append(replace(module, is_whole=recursive <= set(module.rules)))
    return tuple(result)


def _transitive(relation: str, own: list[int], rules: Sequence[Rule]) -> Module | None:
    """The transitive or symmetric-transitive module of a relation."""
    all_chains = {at: chain for at in own if (chain := _chain(rules[at]))}
    chains = {at: chain for at, chain in all_chains.items() if chain.first == chain.second == relation}
    if not chains:
        return None
    symmetric = [at for at in own if _is_symmetry(rules[at])]
    kind = ModuleKind.SYMMETRIC_TRANSITIVE if symmetric else ModuleKind.TRANSITIVE
    irreflexive = all(chain.ends_differ for chain in chains.values())
    # `R(X, Z) :- R(X, Y), E(Y, Z)` beside the base rule of E says nothing new: the facts of E are facts of R.
    implied = [
        at
        for at, chain in all_chains.items()
        if (chain.first == relation) != (chain.second == relation)
        and (chain.ends_differ or not irreflexive)
        and _bases(chain.second if chain.first == relation else chain.first, own, rules, guarded=None)
    ]
    return Module(kind, relation, tuple(sorted([*chains, *symmetric, *implied])), irreflexive)


def _linear(relation: str, own: list[int], rules: Sequence[Rule], graph: HyperGraph) -> Module | None:
    """The linear module of a relation: the first direction and edge relation for which there is one."""
    candidates: dict[tuple[str, str], dict[int, _Chain]] = defaultdict(dict)
    for at in own:
        chain = _chain(rules[at])
        if chain is None or chain.has_other_guards or (chain.first == relation) == (chain.second == relation):
            continue
        edge, extends = (chain.second, "end") if chain.first == relation else (chain.first, "start")
        if graph.component_of.get(edge) != graph.component_of[relation]:
            candidates[edge, extends][at] = chain
    for (edge, extends), chains in candidates.items():
        irreflexive = all(chain.ends_differ for chain in chains.values())
        # Beside an unguarded chain a guarded base is like any other rule: its guard hides self-loops of E.
        bases = _bases(edge, own, rules, guarded=None if irreflexive else False)
        if irreflexive and not bases:
            continue
        return Module(ModuleKind.LINEAR, relation, tuple(sorted([*chains, *bases])), irreflexive, edge, extends)
    return None


def _bases(edge: str, own: list[int], rules: Sequence[Rule], *, guarded: bool | None) -> list[int]:
    """The rules `R(X, Y) :- E(X, Y)` for E: with `X != Y`, without, or (None) either."""
    return [at for at in own if (found := _is_copy(rules[at], edge)) is not None and guarded in (None, found)]


def _split(rule: Rule) -> tuple[list[Atom], list[frozenset[str]]] | None:
    """Positive atoms and the pairs of variables that must differ; None if there is anything else in the body."""
    positive = [literal for literal in rule.body if isinstance(literal, Atom)]
    guards = [_inequality(literal) for literal in rule.body if not isinstance(literal, Atom)]
    pairs = [guard for guard in guards if guard is not None]
    return (positive, pairs) if len(pairs) == len(guards) else None


def _chain(rule: Rule) -> _Chain | None:
    """The rule as a chain of two binary atoms, or None."""
    ends, parts = _two_variables(rule.head), _split(rule)
    if ends is None or parts is None or len(parts[0]) != 2:
        return None
    positive, pairs = parts
    for first, second in (positive, positive[::-1]):
        left, right = _two_variables(first), _two_variables(second)
        if left is None or right is None:
            return None
        if left[0] == ends[0] and right[1] == ends[1] and left[1] == right[0] and left[1] not in ends:
            if not all(pair <= {*ends, left[1]} for pair in pairs):
                return None
            others = any(pair != frozenset(ends) for pair in pairs)
            return _Chain(first.predicate, second.predicate, frozenset(ends) in pairs, others)
    return None


def _is_symmetry(rule: Rule) -> bool:
    """`R(X, Y) :- R(Y, X)`, perhaps with `X != Y`, which changes nothing."""
    return _only_atom(rule, turned=True, predicate=rule.head.predicate) is not None


def _is_copy(rule: Rule, edge: str) -> bool | None:
    """Whether `R(X, Y) :- E(X, Y)` has an `X != Y`; None if the rule is something else."""
    return _only_atom(rule, turned=False, predicate=edge)


def _only_atom(rule: Rule, *, turned: bool, predicate: str) -> bool | None:
    """For a head and one atom of the predicate over the same two variables: whether they must differ."""
    ends, parts = _two_variables(rule.head), _split(rule)
    if ends is None or parts is None or len(parts[0]) != 1:
        return None
    (atom,), pairs = parts
    fits = atom.predicate == predicate and _two_variables(atom) == (ends[::-1] if turned else ends)
    return bool(pairs) if fits and all(pair == frozenset(ends) for pair in pairs) else None


def _two_variables(atom: Atom) -> tuple[str, str] | None:
    """The names of an atom's two variables, if it has two different ones and nothing else."""
    match atom.args:
        case (Variable(first), Variable(second)) if first != second:
            return first, second
    return None


def _inequality(literal: object) -> frozenset[str] | None:
    match literal:
        case Comparison("!=", Variable(left), Variable(right)) if left != right:
            return frozenset((left, right))
    return None
