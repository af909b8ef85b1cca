"""Modules: relations closed by transitivity, which a specialised algorithm can evaluate and maintain (`local.closure`).

After Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019), modules TC and STC: a recursive
component may hold *modules* beside other rules.  A module closes one relation R over its *external* facts (the paper's X_R):
those that the user or any other rule gives, at any time.

| kind | rules | R is |
| --- | --- | --- |
| transitive (TC) | `R(X, Z) :- R(X, Y), R(Y, Z)` | the transitive closure of the external facts |
| symmetric-transitive (STC) | the same and `R(X, Y) :- R(Y, X)` | all pairs within a connected component of the external facts |
| linear | `R(X, Z) :- R(X, Y), E(Y, Z)`, E not depending on R | external facts, prolonged by any path of E at their ends |
| linear | `R(X, Z) :- E(X, Y), R(Y, Z)` | the same, at their starts |

The linear kind is an addition to the paper.  It is *not* the closure of R: an external fact of R is a start for E's paths and
never a step of one.  Its base rule, `R(X, Y) :- E(X, Y)`, is a rule like any other that derives external facts; `Module.base`
records it, since then all of E is in R.

With `X != Z` in the rule no fact R(a, a) is derived, and the closure is the same otherwise: a path between two different nodes
has a simple path with the same ends, on which every prefix ends at another node than it starts.  For the linear kind this
needs the base rule, since a path from an external fact R(a, b) may have to lead through a itself.  Inequalities that keep Y
apart from X or Z change nothing, since the instances that they forbid derive nothing new; only where they keep the two ends of
the linear kind's R apart do they need the base rule too.  Beside the symmetric rule atoms of R may stand either way round.

Some rules beside a module need not read R, since its external facts are enough (`Module.external_rules`):

- `S(X, Y) :- R(X, Y)` and `S(X, Y) :- R(Y, X)`, where S is closed too: closing S closes the copied facts like those of R.
- `R(X, Y) :- R(X, Z), ...` and `R(Y, X) :- ..., R(Z, X)`, if nothing else mentions X: of a path from X to Z, its last step is
  enough, since the rest of the path leads to that step.

A rule that joins R with R, or with another relation of the component, wants all pairs of R in each round.  Rows are joined faster
than pairs that are searched: beside such a rule, as in analyses of pointers, R is evaluated like any other relation.

So the rules of SKOS, with two relations that are inverse to each other, recur through external facts only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum

from tidelog.program.hypergraph import HyperGraph
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Literal, Negation, Rule, Variable, atoms, names_of


class ModuleKind(StrEnum):
    """The closure that a module computes."""

    TRANSITIVE = "transitive"
    SYMMETRIC_TRANSITIVE = "symmetric-transitive"
    LINEAR = "linear transitive"


@dataclass(frozen=True, slots=True)
class Module:
    """A relation with the rules that close it."""

    kind: ModuleKind
    relation: str
    rules: tuple[int, ...]
    """Positions of the closing rules in the program."""
    is_irreflexive: bool = False
    """Whether these rules derive no R(a, a); external facts may still be such."""
    edge: str | None = None
    """For the linear kind: E."""
    extends: str | None = None
    """For the linear kind: whether E prolongs facts at their `end` or at their `start`."""
    base: str | None = None
    """For the linear kind: whether base rules make `all` of E external facts, all but its `loops`, or none of it (None)."""
    is_whole: bool = False
    """Whether no other rule of R's component is recursive."""
    is_shared: bool = False
    """Whether the module can be evaluated beside other recursive rules of its component."""
    external_rules: tuple[int, ...] = ()
    """Positions of rules of the component that read R, and for which its external facts are enough."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """`R(X, Z) :- A(X, Y), B(Y, Z)`, optionally with inequalities among X, Y and Z."""

    first: str
    second: str
    ends_differ: bool = False
    """Whether it says X != Z."""
    first_differs: bool = False
    """Whether it says X != Y."""
    second_differs: bool = False
    """Whether it says Y != Z."""


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
        found: list[Module] = []
        for relation in component.predicates:
            module = _transitive(relation, by_head[relation], rules) or _linear(relation, by_head[relation], rules, graph)
            if module is not None:
                found.append(replace(module, is_whole=recursive <= set(module.rules)))
        own = set(component.predicates)
        result += _beside_others(found, {at: rules[at] for at in sorted(recursive)}, own) if len(recursive) > 1 else found
    return tuple(result)


# --- beside other recursive rules ------------------------------------------------------------------------------------------


def _beside_others(found: list[Module], recursive: Mapping[int, Rule], own: Set[str]) -> list[Module]:
    """The modules of one component, with which of them share it, and which rules need their external facts only."""
    if any(isinstance(literal, Aggregate) for rule in recursive.values() for literal in rule.body):
        return found  # its groups are complete only in turns
    closing = {at for module in found if module.kind is not ModuleKind.LINEAR for at in module.rules}
    joined = {name for at, rule in recursive.items() if at not in closing for name in _joined_inside(rule, own)}
    closed = {m.relation: m for m in found if m.kind is not ModuleKind.LINEAR and m.relation not in joined}
    external: dict[str, list[int]] = defaultdict(list)
    for at, rule in recursive.items():
        if at not in closing and (read := _read_externally(rule, closed, own)) is not None:
            external[read].append(at)
    return [
        replace(module, is_shared=True, external_rules=tuple(external[module.relation])) if module.relation in closed else module
        for module in found
    ]


def _joined_inside(rule: Rule, own: Set[str]) -> set[str]:
    """The relations of its component that a rule joins with one another: many of their pairs are wanted, in each round.

    Where one atom has all variables of the other, it is only tested.
    """
    inside = [literal for literal in rule.body if isinstance(literal, Atom) and literal.predicate in own]
    pairs = ((one, other) for at, one in enumerate(inside) for other in inside[at + 1 :])
    return {
        atom.predicate
        for one, other in pairs
        if not (names_of([one]) <= names_of([other]) or names_of([other]) <= names_of([one]))
        for atom in (one, other)
    }


def _read_externally(rule: Rule, closed: Mapping[str, Module], own: Set[str]) -> str | None:
    """The closed relation of which the external facts are enough for a rule, if it reads one and no other of its component."""
    head = closed.get(rule.head.predicate)
    inside = [literal for literal in rule.body if isinstance(literal, Atom) and literal.predicate in own]
    if head is None or len(inside) != 1 or (read := closed.get(inside[0].predicate)) is None:
        return None
    is_enough = _is_any_copy(rule, inside[0], head, read) or (read is head and _extends_steps(rule, inside[0], head))
    return read.relation if is_enough else None


def _is_any_copy(rule: Rule, atom: Atom, head: Module, read: Module) -> bool:
    """Whether a rule copies a closed relation, or its inverse, and closing the copies of its external facts gives the same."""
    ends, pair = _two_variables(rule.head), _two_variables(atom)
    if len(rule.body) != 1 or ends is None or pair is None or pair not in (ends, ends[::-1]):
        return False
    is_symmetric = read.kind is ModuleKind.SYMMETRIC_TRANSITIVE
    fits = head.kind is ModuleKind.SYMMETRIC_TRANSITIVE or not is_symmetric
    return fits and (read.is_irreflexive or not head.is_irreflexive)


def _extends_steps(rule: Rule, atom: Atom, module: Module) -> bool:
    """Whether a rule prolongs facts of a transitive relation at one end, whatever the other end is."""
    others = [literal for literal in rule.body if literal is not atom]
    if module.kind is not ModuleKind.TRANSITIVE or module.is_irreflexive or not all(map(_is_plain, others)):
        return False
    for end in (0, 1):
        kept, changed = rule.head.args[end], rule.head.args[1 - end]
        if isinstance(kept, Variable) and kept == atom.args[end] and kept not in (changed, atom.args[1 - end]):
            return _is_simple(rule.head) and _is_simple(atom) and kept.name not in names_of(others)
    return False


def _is_plain(literal: Literal) -> bool:
    return _is_simple(literal.atom if isinstance(literal, Negation) else literal)


def _is_simple(literal: object) -> bool:
    """Whether it is an atom of variables and constants."""
    return isinstance(literal, Atom) and all(isinstance(arg, Variable | Constant) for arg in literal.args)


# --- the forms of rules --------------------------------------------------------------------------------------------------


def _transitive(relation: str, own: list[int], rules: Sequence[Rule]) -> Module | None:
    """The transitive or symmetric-transitive module of a relation."""
    symmetric = [at for at in own if _is_symmetry(rules[at])]
    turning = relation if symmetric else None
    all_chains = {at: chain for at in own if (chain := _chain(rules[at], turning))}
    chains = {at: chain for at, chain in all_chains.items() if chain.first == chain.second == relation}
    if not chains:
        return None
    kind = ModuleKind.SYMMETRIC_TRANSITIVE if symmetric else ModuleKind.TRANSITIVE
    irreflexive = all(chain.ends_differ for chain in chains.values())
    # `R(X, Z) :- R(X, Y), E(Y, Z)` beside the base rule of E is redundant: the facts of E are facts of R.
    implied = [
        at
        for at, chain in all_chains.items()
        if (chain.first == relation) != (chain.second == relation)
        and (chain.ends_differ or not irreflexive)
        and _base(chain.second if chain.first == relation else chain.first, own, rules)
    ]
    return Module(kind, relation, tuple(sorted([*chains, *symmetric, *implied])), irreflexive)


def _linear(relation: str, own: list[int], rules: Sequence[Rule], graph: HyperGraph) -> Module | None:
    """The linear module of a relation: the first direction and edge relation for which there is one."""
    candidates: dict[tuple[str, str], dict[int, _Chain]] = defaultdict(dict)
    for at in own:
        chain = _chain(rules[at])
        if chain is None or (chain.first == relation) == (chain.second == relation):
            continue
        edge, extends = (chain.second, "end") if chain.first == relation else (chain.first, "start")
        if graph.component_of.get(edge) != graph.component_of[relation]:
            candidates[edge, extends][at] = chain
    for (edge, extends), chains in candidates.items():
        base = _base(edge, own, rules)
        sound = {at: chain for at, chain in chains.items() if base or not _needs_base(chain, extends)}
        if sound:
            irreflexive = all(chain.ends_differ for chain in sound.values())
            return Module(ModuleKind.LINEAR, relation, tuple(sorted(sound)), irreflexive, edge, extends, base)
    return None


def _needs_base(chain: _Chain, extends: str) -> bool:
    """Whether an inequality of a linear chain may lose facts that only the base rule brings back."""
    return chain.ends_differ or (chain.first_differs if extends == "end" else chain.second_differs)


def _base(edge: str, own: list[int], rules: Sequence[Rule]) -> str | None:
    """How much of E the rules `R(X, Y) :- E(X, Y)` copy: `all`, all but `loops` if each has an `X != Y`, or nothing."""
    found = {_is_copy(rules[at], edge) for at in own} - {None}
    return "all" if False in found else "loops" if found else None


def _split(rule: Rule) -> tuple[list[Atom], list[frozenset[str]]] | None:
    """Positive atoms and the pairs of variables that must differ; None if there is anything else in the body."""
    positive = [literal for literal in rule.body if isinstance(literal, Atom)]
    guards = [_inequality(literal) for literal in rule.body if not isinstance(literal, Atom)]
    pairs = [guard for guard in guards if guard is not None]
    return (positive, pairs) if len(pairs) == len(guards) else None


def _chain(rule: Rule, turning: str | None = None) -> _Chain | None:
    """The rule as a chain of two binary atoms, or None; atoms of the `turning` predicate may be read backwards."""
    ends, parts = _two_variables(rule.head), _split(rule)
    if ends is None or parts is None or len(parts[0]) != 2:
        return None
    positive, pairs = parts
    for first, second in (positive, positive[::-1]):
        for left in _readings(first, turning):
            for right in _readings(second, turning):
                middle = left[1]
                if (left[0], right) == (ends[0], (middle, ends[1])) and middle not in ends:
                    if not all(pair <= {*ends, middle} for pair in pairs):
                        return None
                    differ = (frozenset(pair) in pairs for pair in (ends, left, right))
                    return _Chain(first.predicate, second.predicate, *differ)
    return None


def _readings(atom: Atom, turning: str | None) -> list[tuple[str, str]]:
    """The atom's two variables, and again the other way round if it may be turned."""
    pair = _two_variables(atom)
    if pair is None:
        return []
    return [pair, pair[::-1]] if atom.predicate == turning else [pair]


def _is_symmetry(rule: Rule) -> bool:
    """`R(X, Y) :- R(Y, X)`, optionally with `X != Y`, which changes nothing."""
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
