"""Rewrites checked rules into core form (`core.rules`) and groups them into units in evaluation order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from itertools import islice

from tidelog.core.closed_relations import ClosedRelations, closed_by
from tidelog.core.rules import NATIVE, Aggregation, Closure, Core, CoreRule, FunctionCalls, Operator, Part, Unit
from tidelog.functions.conform import CONFORM
from tidelog.functions.evaluate import ORDERINGS
from tidelog.program import hypergraph
from tidelog.program.checks.scope import Step, schedule
from tidelog.program.lowering import lower
from tidelog.program.program import Program
from tidelog.program.same_as import REPRESENTATIVE, by_representatives
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Constant,
    Literal,
    Negation,
    Rule,
    Term,
    Variable,
    atoms,
    names_of,
)
from tidelog.values import TRUE, Kind, Value

_ZERO = Constant(Value(Kind.INT, 0))


def core_of(program: Program, *, modules: bool = True, only_whole: bool = False, native: frozenset[str] = NATIVE) -> Core:
    """The program in core form; without `modules`, transitive relations are evaluated like any other.

    With `only_whole`, those are, too, that another rule recurs through, and aggregates read no relation itself, as on Spark.
    `native` names the functions that the engine computes within a join.
    """
    found = program.modules if modules else ()
    return _Builder(native=native, directly=not only_whole).build(
        program, closed_by(found, range(len(program.rules)), only_whole=only_whole)
    )


def part_of(
    rule: Rule, origin: int, first_number: int, given: MutableMapping[str, str], *, directly: bool, same_as: bool = False
) -> tuple[Part, int]:
    """The core form of one rule, and the last number in its generated names, which start after `first_number`.

    `given` are the virtual relations, as in `Core`; `directly` as in `core_of`. With `same_as`, the individuals that it names are
    replaced by their representatives.
    """
    builder = _Builder(directly=directly)
    builder.same_as = same_as
    builder.number, builder.core.given = first_number, given
    builder.rewrite(rule, origin)
    return builder.core.parts[origin], builder.number


def units_of(parts: Iterable[Part], closures: Mapping[str, Closure] | None = None) -> list[Unit]:
    """The units of one component's rules, and of the relations that are closed in it, in evaluation order."""
    builder = _Builder()
    for name, closure in (closures or {}).items():
        builder.operators[name] = closure
        builder.owners[name] = name
    for part in parts:
        builder.rules += part.rules
        builder.operators |= part.operators
        builder.owners |= dict.fromkeys(part.operators, part.rules[-1].shown)
        builder.requested |= part.requested
    return list(builder.units())


def core_of_rule(rule: Rule, arities: Mapping[str, int], prefix: str, native: frozenset[str] = NATIVE) -> Core:
    """One rule by itself, such as a query; its generated names start with the prefix."""
    builder = _Builder(prefix=prefix, native=native)
    builder.core.arities = dict(arities)
    builder.rewrite(rule, 0)
    builder.core.units = tuple(builder.units())
    return builder.core


class _Builder:
    def __init__(self, *, prefix: str = "#", native: frozenset[str] = NATIVE, directly: bool = False) -> None:
        """With `directly`, aggregates read a stored relation itself where that is all of their body."""
        self.prefix, self.native, self.directly = prefix, native, directly
        self.core = Core({})
        self.rules: list[CoreRule] = []
        self.operators: dict[str, Operator] = {}
        self.number = 0
        self.shown = ""
        self.owners: dict[str, str] = {}
        """For each operator the program's relation that it serves."""
        self.requested: set[str] = set()
        """Relations that hold the groups requested of aggregates."""
        self.same_as = False
        """Whether rules work with representatives of individuals (`program.same_as`)."""

    def build(self, program: Program, closed: ClosedRelations) -> Core:
        """The core form of a program of which some relations are closed."""
        core = self.core
        core.arities = {name: relation.arity for name, relation in program.relations.items()}
        self.same_as = REPRESENTATIVE in program.relations
        for name, closure in closed.closures.items():
            core.given[name] = closure.given
            core.arities[closure.given] = 2
            self.operators[name] = closure
            self.owners[name] = name
        for at, rule in enumerate(program.rules):
            if at in closed.closing:
                continue
            self.rewrite(rule, at)
            if at in closed.external:
                part = core.parts[at] = core.parts[at].placed(self.rules[-1].head.predicate, (closed.external[at],))
                self.rules[-1] = part.rules[-1]
        core.units, core.last_name = tuple(self.units()), self.number
        return core

    # --- rules -----------------------------------------------------------------------------------------------------------

    def rewrite(self, rule: Rule, origin: int) -> None:
        """Add the core rules of a rule."""
        self.shown = rule.head.predicate
        rules, operators, arities, requested = len(self.rules), len(self.operators), len(self.core.arities), set(self.requested)
        lowered = by_representatives(lower(rule)) if self.same_as else lower(rule)
        body = self._body(schedule(lowered.body, lowered.head.args).steps, [], origin)
        head = Atom(self.core.stored_name(lowered.head.predicate), lowered.head.args)
        self._add(head, tuple(body), origin)
        self.core.parts[origin] = Part(
            tuple(self.rules[rules:]),
            dict(islice(self.operators.items(), operators, None)),
            dict(islice(self.core.arities.items(), arities, None)),
            frozenset(self.requested - requested),
        )

    def _body(self, steps: Iterable[Step], done: list[Literal], origin: int) -> list[Literal]:
        """Append the literals of the steps, in core form, to `done`."""
        for step in steps:
            match step.literal:
                case Comparison(op, left, right):
                    left, right = self._native(left, done, origin), self._native(right, done, origin)
                    if op in ORDERINGS and op not in self.native:
                        self._call(op, (left, right), Constant(TRUE), done, origin)
                    else:
                        done.append(Comparison(op, left, right))
                case Aggregate() as aggregate:
                    done.append(self._aggregate(aggregate, step, done, origin))
                case literal:
                    done.append(literal)
        return done

    def _native(self, term: Term, done: list[Literal], origin: int) -> Term:
        """The term with calls that are not native replaced by result variables; their atoms go to `done`."""
        if not isinstance(term, Call):
            return term
        args = tuple(self._native(arg, done, origin) for arg in term.args)
        if (CONFORM if term.function.startswith(CONFORM) else term.function) in self.native:
            return Call(term.function, args)
        result = Variable(self._new("v"))
        self._call(term.function, args, result, done, origin)
        return result

    def _call(self, function: str, args: Iterable[Term], result: Term, done: list[Literal], origin: int) -> None:
        """Add the atom of a call and its result, and the rule that requests its arguments."""
        plain: list[Term] = []
        for arg in args:
            if isinstance(arg, Call):
                variable = Variable(self._new("v"))
                done.append(Comparison("=", variable, arg))
                arg = variable  # noqa: PLW2901
            plain.append(arg)
        requested, called = self._relation("requested", len(plain)), self._relation("call", len(plain) + 1)
        self._add(Atom(requested, tuple(plain)), tuple(done), origin)
        self.operators[called] = FunctionCalls(function, requested)
        self.owners[called] = self.shown
        done.append(Atom(called, (*plain, result)))

    def _aggregate(self, aggregate: Aggregate, step: Step, done: list[Literal], origin: int) -> Atom:
        """The atom that replaces an aggregate; adds the rules and the operator behind it."""
        groups = tuple(Variable(name) for name in step.groups)
        own = schedule(aggregate.body, (*groups, *([aggregate.target] if aggregate.target else [])))
        bound = names_of([literal for literal in done if isinstance(literal, Atom | Comparison)])
        start: list[Literal] = []
        requested: Atom | None = None
        has_zero = step.is_total and aggregate.function in ("count", "sum")
        if own.unbound or has_zero:
            known = tuple(group for group in groups if group.name in bound)
            requested = Atom(self._relation("requested", len(known)), known)
            self.requested.add(requested.predicate)
            self._add(requested, tuple(done), origin)
            start = [requested] if own.unbound else []
        inner_steps = step.inner if own.unbound else own.steps
        inner = self._read_directly(inner_steps) if not own.unbound else None
        if inner is None:
            others = sorted(_bound_by(inner_steps) - set(step.groups))
            columns = (*groups, *(Variable(name) for name in others))
            inner = Atom(self._relation("inner", len(columns)), columns)
            self._add(inner, tuple(self._body(inner_steps, start, origin)), origin)
        folded = Atom(self._relation("folded", len(groups) + 1), (*groups, aggregate.result))
        target = inner.args.index(Variable(aggregate.target.name)) if isinstance(aggregate.target, Variable) else None
        places = tuple(map(inner.args.index, groups))
        self.operators[folded.predicate] = Aggregation(aggregate.function, inner.predicate, places, target)
        self.owners[folded.predicate] = self.shown
        if not has_zero or requested is None:
            return folded
        total = Atom(self._relation("total", len(groups) + 1), folded.args)
        self._add(total, (folded,), origin)
        args = (arg if arg in groups else Variable(f"_#{arg.name}") for arg in inner.args if isinstance(arg, Variable))
        nothing = Negation(Atom(inner.predicate, tuple(args)))
        self._add(Atom(total.predicate, (*groups, _ZERO)), (requested, nothing), origin)
        return total

    def _read_directly(self, steps: Sequence[Step]) -> Atom | None:
        """The atom that is the body of an aggregate, if its stored facts are the bindings: one, of different variables."""
        if not self.directly or len(steps) != 1 or not isinstance(atom := steps[0].literal, Atom):
            return None
        are_variables = all(isinstance(arg, Variable) for arg in atom.args) and len(set(atom.args)) == len(atom.args)
        return atom if atom.args and are_variables and atom.predicate not in self.core.given else None

    def _add(self, head: Atom, body: tuple[Literal, ...], origin: int) -> None:
        self.rules.append(CoreRule(head, body, origin, self.shown))

    def _new(self, what: str) -> str:
        self.number += 1
        return f"{self.prefix}{what} {self.number}"

    def _relation(self, what: str, arity: int) -> str:
        name = self._new(what)
        self.core.arities[name] = arity
        return name

    # --- order -----------------------------------------------------------------------------------------------------------

    def units(self) -> Iterator[Unit]:
        """The units in evaluation order."""
        edges: list[tuple[CoreRule | str, Rule]] = [(rule, Rule(rule.head, rule.body)) for rule in self.rules]
        edges += [(name, _dependency(name, operator)) for name, operator in self.operators.items()]
        yield from self._ordered(edges, frozenset())

    def _ordered(self, edges: list[tuple[CoreRule | str, Rule]], cut: frozenset[str]) -> Iterator[Unit]:
        """The units of rules and operators, each with its dependencies; those on relations in `cut` are ignored."""
        counted = [Rule(edge.head, tuple(lit for lit in edge.body if not _is_atom_of(lit, cut))) for _, edge in edges]
        mentioned = dict.fromkeys(atom.predicate for edge in counted for atom in (edge.head, *(a for a, _ in atoms(edge.body))))
        graph = hypergraph.build(counted, tuple(mentioned))
        for component in graph.components:
            yield self._unit([edges[at] for at in component.rules], component.predicates, cut)

    def _unit(self, edges: list[tuple[CoreRule | str, Rule]], relations: tuple[str, ...], cut: frozenset[str]) -> Unit:
        rules = tuple(what for what, _ in edges if isinstance(what, CoreRule))
        operators = {what: self.operators[what] for what, _ in edges if isinstance(what, str)}
        read = [edge.body for _, edge in edges]
        positive = {literal.predicate for body in read for literal in body if isinstance(literal, Atom)}
        negative = {literal.atom.predicate for body in read for literal in body if isinstance(literal, Negation)}
        folded = {operator.inner for operator in operators.values() if isinstance(operator, Aggregation)}
        uses = frozenset(positive | negative)
        owner = next((rule.shown for rule in rules), None) or self.owners[next(iter(operators))]
        if not cut and folded & set(relations):
            stages = tuple(self._ordered(edges, frozenset(self.requested & set(relations))))
            return Unit(relations, rules, operators, uses, uses, owner, stages)
        return Unit(relations, rules, operators, uses, frozenset(negative | folded), owner)


def _is_atom_of(literal: Literal, relations: frozenset[str]) -> bool:
    return isinstance(literal, Atom) and literal.predicate in relations


def _bound_by(steps: Sequence[Step]) -> set[str]:
    """The variables that the steps bind."""
    names: set[str] = set()
    for step in steps:
        if isinstance(step.literal, Atom):
            names |= names_of([step.literal])
        elif step.binds is not None:
            names.add(step.binds.name)
    return names


def _dependency(name: str, operator: Operator) -> Rule:
    """The dependencies of an operator's relation as a rule; it serves only to find the evaluation order."""
    match operator:
        case FunctionCalls(_, requested):
            sources = [requested]
        case Aggregation(_, inner):
            sources = [inner]
        case Closure(module, given):
            sources = [given] if module.edge is None else [given, module.edge]
    return Rule(Atom(name, ()), tuple(Atom(source, ()) for source in sources))
