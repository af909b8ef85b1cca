"""The reference evaluator: the meaning of a program, computed as plainly as possible.  It judges every test; never optimise it.

Stratum by stratum, all rules are applied until the fixpoint.  A body is evaluated literal by literal, in the
order that `program.scope` found, over a list of bindings.

Two concessions keep tests feasible.  After the first round only instances with a fact of the round before are considered (with
`naive=True` all are, and a test compares the two).  And each atom gets a dictionary, so that a join does not compare every fact
with every binding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidelog.errors import fail
from tidelog.functions.aggregates import aggregate
from tidelog.functions.evaluate import evaluate
from tidelog.functions.ordering import compare
from tidelog.program.checks.scope import Step, schedule
from tidelog.program.lowering import lower, lower_query
from tidelog.program.program import GroundFact, Program
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Literal, Negation, Variable, atoms, variables
from tidelog.values import Value, integer

Row = tuple[Value, ...]
Facts = dict[str, set[Row]]
Binding = dict[str, Value]
_Steps = tuple[Step, ...]


def materialise(
    program: Program,
    explicit: Iterable[GroundFact] | None = None,
    *,
    limit_facts: int | None = None,
    naive: bool = False,
) -> Facts:
    """All facts that follow from a program and its own facts, or from the given facts in their place.

    A program may not terminate; `limit_facts` stops it with an error.
    """
    facts: Facts = {name: set() for name in program.relations}
    for predicate, row in program.facts if explicit is None else explicit:
        facts.setdefault(predicate, set()).add(row)
    for stratum in sorted(set(program.graph.strata.values())):
        rules = [lower(rule) for rule in program.rules if program.graph.strata[rule.head.predicate] == stratum]
        ordered = [(rule.head, schedule(rule.body, rule.head.args).steps) for rule in rules]
        _saturate(ordered, facts, limit_facts, naive=naive)
    return facts


def answers(body: tuple[Literal, ...], facts: Facts) -> list[Binding]:
    """All distinct bindings of a query's variables that satisfy its body."""
    shown = list(dict.fromkeys(v.name for v in variables(*body) if not v.is_anonymous))
    order = schedule(lower_query(body))
    if order.unbound:
        raise fail("TL031", f"nothing in the query binds {', '.join(sorted(order.unbound))}")
    for atom, _ in atoms(body):
        if any(len(row) != len(atom.args) for row in facts.get(atom.predicate, ())):
            raise fail("TL020", f"`{atom.predicate}` does not have {len(atom.args)} arguments")
    solutions = _solve(order.steps, [{}], facts)
    projected = [{name: b[name] for name in shown if name in b} for b in solutions]
    return list({tuple(sorted(b.items())): b for b in projected}.values())


def _saturate(rules: Sequence[tuple[Atom, _Steps]], facts: Facts, limit_facts: int | None, *, naive: bool) -> None:
    """Apply the rules until the fixpoint."""
    new: Facts | None = None
    while True:
        derived: Facts = defaultdict(set)
        for head, steps in rules:
            derived[head.predicate] |= {_instance(head, binding) for binding in _derive(steps, facts, new)}
        new = {name: rows - facts[name] for name, rows in derived.items()}
        if not any(new.values()):
            return
        for name, rows in new.items():
            facts[name] |= rows
        if limit_facts is not None and sum(map(len, facts.values())) > limit_facts:
            growing = max(new.items(), key=lambda item: len(item[1]))[0]
            message = f"there are more than {limit_facts} facts and still new ones, last of `{growing}`"
            raise fail("TL070", message, fix="raise the limit, or look for a rule that counts without end")
        if naive:
            new = None


def _derive(steps: _Steps, facts: Facts, new: Facts | None) -> Iterator[Binding]:
    """The solutions of a body; unless `new` is None, at least those that use a new fact."""
    if new is None:
        yield from _solve(steps, [{}], facts)
        return
    for at, step in enumerate(steps):
        if isinstance(step.literal, Atom) and new.get(step.literal.predicate):
            start = _join(step.literal, [{}], new)
            yield from _solve(steps[:at] + steps[at + 1 :], start, facts)


def _solve(steps: Iterable[Step], bindings: list[Binding], facts: Facts) -> list[Binding]:
    """All extensions of the bindings that satisfy every literal."""
    for step in steps:
        match step.literal:
            case Atom() as atom:
                bindings = _join(atom, bindings, facts)
            case Negation(atom):
                matches = _matches(atom, bindings, facts)
                bindings = [b for b, found in zip(bindings, matches, strict=True) if not found]
            case Comparison(op, left, right) if step.binds is None:
                bindings = [b for b in bindings if _holds(op, evaluate(left, b), evaluate(right, b))]
            case Comparison(_, _, right) if step.binds is not None:
                name, computed = step.binds.name, [(b, evaluate(right, b)) for b in bindings]
                bindings = [{**b, name: v} for b, v in computed if v is not None and b.get(name, v) == v]
            case Aggregate() as literal:
                bindings = list(_aggregated(literal, step, bindings, facts))
    return bindings


def _holds(op: str, left: Value | None, right: Value | None) -> bool:
    return left is not None and right is not None and compare(op, left, right) is True


def _join(atom: Atom, bindings: list[Binding], facts: Facts) -> list[Binding]:
    """Each binding with each fact that matches the atom under it."""
    return [extended for found in _matches(atom, bindings, facts) for extended in found]


def _matches(atom: Atom, bindings: list[Binding], facts: Facts) -> Iterator[list[Binding]]:
    """For each binding its extensions by the facts that match the atom."""
    args = _plain(atom)
    known = [at for at, arg in enumerate(args) if isinstance(arg, Constant) or (bindings and arg.name in bindings[0])]
    by_known: dict[Row, list[Row]] = defaultdict(list)
    for row in facts.get(atom.predicate, ()) if bindings else ():
        by_known[tuple(row[at] for at in known)].append(row)
    for binding in bindings:
        key = tuple(_value(args[at], binding) for at in known)
        extended = (_extended(args, row, binding) for row in by_known.get(key, ()))
        yield [b for b in extended if b is not None]


def _extended(args: Sequence[Constant | Variable], row: Row, binding: Binding) -> Binding | None:
    """The binding extended so that the arguments are the row; None where a variable would need two values."""
    extended = dict(binding)
    for arg, value in zip(args, row, strict=True):
        if isinstance(arg, Variable) and extended.setdefault(arg.name, value) != value:
            return None
    return extended


def _instance(atom: Atom, binding: Mapping[str, Value]) -> Row:
    return tuple(_value(arg, binding) for arg in _plain(atom))


def _value(arg: Constant | Variable, binding: Mapping[str, Value]) -> Value:
    return arg.value if isinstance(arg, Constant) else binding[arg.name]


def _plain(atom: Atom) -> list[Constant | Variable]:
    """The arguments of a lowered atom, which has no expressions."""
    return [arg for arg in atom.args if isinstance(arg, Constant | Variable)]


def _aggregated(literal: Aggregate, step: Step, bindings: list[Binding], facts: Facts) -> Iterator[Binding]:
    """Each binding extended by the aggregate's groups and result, once for each of its groups."""
    bound = [name for name in step.groups if bindings and name in bindings[0]]
    starts = {tuple(b[name] for name in bound): {name: b[name] for name in bound} for b in bindings}
    groups: dict[Row, dict[Row, dict[Row, Binding]]] = {start: defaultdict(dict) for start in starts}
    for inner in _solve(step.inner, list(starts.values()), facts):
        group = tuple(inner[name] for name in step.groups)
        distinct = tuple(inner[name] for name in sorted(inner))
        groups[tuple(inner[name] for name in bound)][group][distinct] = inner
    for binding in bindings:
        start = tuple(binding[name] for name in bound)
        own: dict[Row, dict[Row, Binding]] = groups[start]
        if not own and step.is_total and literal.function in ("count", "sum"):
            own = {tuple(binding[name] for name in step.groups): {}}
        for group, members in own.items():
            result = _aggregate_of(literal, list(members.values()))
            extended = {**binding, **dict(zip(step.groups, group, strict=True))}
            name = next(variables(literal.result)).name
            if result is not None and extended.setdefault(name, result) == result:
                yield extended


def _aggregate_of(literal: Aggregate, members: list[Binding]) -> Value | None:
    if isinstance(literal.target, Variable):
        return aggregate(literal.function, [member[literal.target.name] for member in members])
    return integer(len(members))
