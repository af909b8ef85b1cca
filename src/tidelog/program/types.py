"""Types: what kinds of values each term can have, given the declared columns.

A relation without a declaration takes anything, at any time.  So only what is certain is an error: a variable that would need
two types at once, an operator that no possible kind of its arguments fits, a constant of the wrong type.

A declared column holds values of its type and nothing else.  An integer that a fact, a constant or a head puts into a float
column becomes a float.  Where a head might derive a value of another type, `conform` puts a test around its argument: a value
that does not fit is undefined, and so derives nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from tidelog.errors import Diagnostics
from tidelog.functions.conform import CONFORM, conform
from tidelog.functions.signatures import (
    ANY,
    COMPARABLE,
    FLOAT,
    FUNCTIONS,
    INT,
    NEVER,
    STRING,
    Type,
    aggregate_type,
    type_name,
)
from tidelog.program.hypergraph import HyperGraph
from tidelog.program.relations import Relation, Shown
from tidelog.syntax.tree import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Constant,
    Fact,
    Literal,
    Negation,
    Rule,
    Term,
    Variable,
    atoms,
    names_of,
)
from tidelog.values import Kind, Value, text_of

Environment = dict[str, Type]
Relations = Mapping[str, Relation]

_PASSES = 3
"""How often equations pass types on; more would only find errors that nobody makes."""


def type_of(term: Term, environment: Mapping[str, Type]) -> Type:
    """The kinds that a term can have; `NEVER` if some function inside cannot have a value."""
    match term:
        case Constant(value):
            return frozenset({value.kind})
        case Variable(name):
            return environment.get(name, ANY)
        case Call(function, args):
            types = [type_of(arg, environment) for arg in args]
            known = FUNCTIONS.get(function)
            if known is None or not known.takes(len(args)):
                return ANY
            return known.result(types) if all(types) else NEVER


def environment_of(
    body: Iterable[Literal], columns: Mapping[str, tuple[Type, ...]], outer: Environment | None = None
) -> Environment:
    """The types of the variables of a body, from the types of the columns they stand in and from equations."""
    environment: Environment = dict(outer or {})
    equations: list[tuple[Term, Term | Type]] = []
    for literal in body:
        match literal:
            case Atom(predicate, args):
                types = columns.get(predicate, ())
                for arg, kinds in zip(args, types, strict=False):
                    if isinstance(arg, Variable):
                        environment[arg.name] = environment.get(arg.name, ANY) & kinds
            case Comparison("=", left, right):
                equations += [(left, right), (right, left)]
            case Aggregate(result, function, target, inner):
                inside = environment_of(inner, columns)
                kinds = aggregate_type(function, ANY if target is None else type_of(target, inside))
                equations.append((result, kinds))
    for _ in range(_PASSES if equations else 0):
        for variable, other in equations:
            if isinstance(variable, Variable):
                kinds = other if isinstance(other, frozenset) else type_of(other, environment)
                environment[variable.name] = environment.get(variable.name, ANY) & kinds
    return environment


class Checker:
    """Checks facts and rules against the declared columns, and against the functions they use."""

    def __init__(self, relations: Relations, diagnostics: Diagnostics, shown: Shown) -> None:
        """Nothing is kept between rules but the relations."""
        self.relations, self.diagnostics, self.shown = relations, diagnostics, shown
        self.columns = {name: declared_types(relation) for name, relation in relations.items() if relation.is_declared}

    def check_fact(self, fact: Fact) -> None:
        """Constants fit their columns, expressions their functions."""
        self._check_atom(fact.atom, {}, fact, is_head=True)

    def check_rule(self, rule: Rule) -> None:
        """Everything in a rule fits."""
        environment = self._clashes(rule.body, rule, {})
        self._check_body(rule.body, environment, rule)
        self._check_atom(rule.head, environment, rule, is_head=True)

    def _clashes(self, body: tuple[Literal, ...], rule: Rule, outer: Environment) -> Environment:
        """The types of the variables; where columns contradict each other, that is noted and the variable left open."""
        first = {name: f"{type_name(kinds)} outside of the aggregate" for name, kinds in outer.items()}
        so_far: Environment = dict(outer)
        clashing: set[str] = set()
        for literal in body:
            if not isinstance(literal, Atom):
                continue
            for position, arg in enumerate(literal.args):
                kinds = self._column(literal, position)
                if not isinstance(arg, Variable) or kinds == ANY:
                    continue
                place = f"{type_name(kinds)} in {self._column_name(literal, position)}"
                if not so_far.setdefault(arg.name, kinds) & kinds and arg.name not in clashing:
                    clashing.add(arg.name)
                    message = f"{arg.name} is {first[arg.name]} and {place}"
                    self.diagnostics.add(
                        "TL041", message, rule.source, arg.span, fix="the two never join; check the declarations"
                    )
                first.setdefault(arg.name, place)
        environment = environment_of(body, self.columns, outer)
        return {name: kinds or ANY for name, kinds in environment.items() if name not in clashing}

    def _check_body(self, body: tuple[Literal, ...], environment: Environment, rule: Rule) -> None:
        for literal in body:
            match literal:
                case Atom():
                    self._check_atom(literal, environment, rule)
                case Negation(atom):
                    self._check_atom(atom, environment, rule)
                case Comparison():
                    self._check_comparison(literal, environment, rule)
                case Aggregate():
                    self._check_aggregate(literal, environment, rule)

    def _check_atom(self, atom: Atom, environment: Environment, statement: Rule | Fact, *, is_head: bool = False) -> None:
        for position, arg in enumerate(atom.args):
            kinds, column = self._check_term(arg, environment, statement), self._column(atom, position)
            widened = kinds == INT and column == FLOAT and (is_head or isinstance(arg, Constant))
            if kinds & column or not kinds or widened:
                continue
            where = self._column_name(atom, position)
            what = f"{arg.name} is" if isinstance(arg, Variable) else "this is of type"
            message = f"{what} {type_name(kinds)}, and {where} takes {type_name(column)}"
            code = "TL041" if isinstance(arg, Variable) else "TL040"
            fix = _as_written(arg, column) if isinstance(arg, Constant) else _conversion(kinds, column)
            self.diagnostics.add(code, message, statement.source, arg.span, fix=fix)

    def _check_comparison(self, literal: Comparison, environment: Environment, rule: Rule) -> None:
        left, right = (self._check_term(side, environment, rule) for side in (literal.left, literal.right))
        if literal.op in ("=", "!=") or not (left and right):
            return
        if not any(left & together and right & together for together in COMPARABLE):
            message = f"`{literal.op}` finds no order between {type_name(left)} and {type_name(right)}"
            self.diagnostics.add("TL042", message, rule.source, literal.span)

    def _check_aggregate(self, literal: Aggregate, environment: Environment, rule: Rule) -> None:
        shared = {name: kinds for name, kinds in environment.items() if name in names_of(literal.body)}
        inside = self._clashes(literal.body, rule, shared)
        self._check_body(literal.body, inside, rule)
        self._check_term(literal.result, environment, rule)
        if literal.target is not None:
            kinds = self._check_term(literal.target, inside, rule)
            if kinds and not aggregate_type(literal.function, kinds):
                message = f"`{literal.function}` cannot work on {type_name(kinds)}"
                self.diagnostics.add("TL042", message, rule.source, literal.target.span)

    def _check_term(self, term: Term, environment: Environment, statement: Rule | Fact) -> Type:
        """The type of a term; the innermost call that cannot have a value is noted."""
        kinds = type_of(term, environment)
        if not kinds and isinstance(term, Call):
            types = [self._check_term(arg, environment, statement) for arg in term.args]
            if all(types):
                message = f"`{term.function}` cannot work on {' and '.join(type_name(t) for t in types)}"
                self.diagnostics.add("TL042", message, statement.source, term.span)
        return kinds

    def _column(self, atom: Atom, position: int) -> Type:
        types = self.columns.get(atom.predicate, ())
        return types[position] if position < len(types) else ANY

    def _column_name(self, atom: Atom, position: int) -> str:
        columns = self.relations[atom.predicate].columns
        name = self.shown(atom.predicate)
        return f"`{name}.{columns[position].name}`" if columns else f"`{name}`"


def _as_written(constant: Constant, column: Type) -> str | None:
    """How a constant of the wrong type would be written with the right one."""
    text = text_of(constant.value)
    if column == STRING:
        return f'write `"{text}"`'
    if column == frozenset({Kind.IRI}):
        return "write an IRI: `<http://…>`, or a name with a prefix"
    for kind in (Kind.DATE, Kind.TIMESTAMP):
        if column == frozenset({kind}) and constant.value.kind is Kind.STRING:
            return f'write `{kind}("{text}")`'
    return None


def _conversion(kinds: Type, column: Type) -> str | None:
    if kinds == INT and column == FLOAT:
        return "write `float(…)` around it"
    if kinds == FLOAT and column == INT:
        return "write `round(…)` or `int(…)` around it"
    if column == STRING:
        return "write `string(…)` around it, or mend the declaration"
    return None


# --- keeping declared columns to their types ----------------------------------------------------------------------------


def coerce_value(value: Value, kinds: Type) -> Value:
    """The value for a column of that type: an integer in a float column becomes a float."""
    return (conform(Kind.FLOAT, value) or value) if kinds == FLOAT else value


def coerce_rule(rule: Rule, relations: Relations) -> Rule:
    """The rule with integer constants in float columns as floats, and its head kept to the declared types."""
    head, body = _coerce_atom(rule.head, relations), _coerce_body(rule.body, relations)
    declared = declared_types(relations[head.predicate])
    if any(kinds != ANY for kinds in declared):
        columns = {atom.predicate: declared_types(relations[atom.predicate]) for atom, _ in atoms(body)}
        environment = environment_of(body, columns)
        pairs = zip(head.args, declared, strict=True)
        head = replace(
            head, args=tuple(arg if type_of(arg, environment) <= kinds else _conforming(arg, kinds) for arg, kinds in pairs)
        )
    return replace(rule, head=head, body=body)


def _conforming(term: Term, kinds: Type) -> Term:
    """The term, undefined where its value is not of the one kind that is declared."""
    (kind,) = kinds
    return Call(CONFORM + kind.value, (term,), term.span)


def declared_types(relation: Relation) -> tuple[Type, ...]:
    """The declared type of each column."""
    return tuple(relation.declared_type(i) for i in range(relation.arity))


def _coerce_body(body: tuple[Literal, ...], relations: Relations) -> tuple[Literal, ...]:
    result: list[Literal] = []
    for literal in body:
        match literal:
            case Atom():
                result.append(_coerce_atom(literal, relations))
            case Negation(atom):
                result.append(replace(literal, atom=_coerce_atom(atom, relations)))
            case Aggregate():
                result.append(replace(literal, body=_coerce_body(literal.body, relations)))
            case Comparison():
                result.append(literal)
    return tuple(result)


def _coerce_atom(atom: Atom, relations: Relations) -> Atom:
    relation = relations[atom.predicate]
    if not relation.is_declared:
        return atom
    args = tuple(
        replace(arg, value=coerce_value(arg.value, relation.declared_type(i))) if isinstance(arg, Constant) else arg
        for i, arg in enumerate(atom.args)
    )
    return replace(atom, args=args)


# --- what the columns of all relations turn out to hold -----------------------------------------------------------------


def infer(
    relations: Relations,
    rules: Sequence[Rule],
    facts: Iterable[tuple[str, tuple[Value, ...]]],
    graph: HyperGraph,
) -> dict[str, tuple[Type, ...]]:
    """For each relation the kinds of its columns: as declared, or as the program's facts and rules make them.

    What is neither declared nor shown by the program is `ANY`, since its facts come from outside.
    """
    types: dict[str, list[Type]] = {}
    for name, relation in relations.items():
        is_open = not (relation.is_declared or relation.has_rules or relation.has_facts)
        types[name] = [
            relation.declared_type(i) if relation.is_declared else ANY if is_open else NEVER for i in range(relation.arity)
        ]
    for predicate, values in facts:
        if not relations[predicate].is_declared:
            types[predicate] = [kinds | {v.kind} for kinds, v in zip(types[predicate], values, strict=True)]
    columns = {name: tuple(kinds) for name, kinds in types.items()}
    for component in graph.components:
        derived = [rules[at] for at in component.rules if not relations[rules[at].head.predicate].is_declared]
        while sum(_widen(rule, columns) for rule in derived):
            pass
    return columns


def _widen(rule: Rule, columns: dict[str, tuple[Type, ...]]) -> bool:
    """Let the columns of the rule's head take what the rule derives; whether that was new."""
    environment = environment_of(rule.body, columns)
    before = columns[rule.head.predicate]
    after = tuple(kinds | type_of(arg, environment) for kinds, arg in zip(before, rule.head.args, strict=True))
    columns[rule.head.predicate] = after
    return after != before
