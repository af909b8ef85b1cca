"""Lint: warnings on legal programs that probably do not mean what they say."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidelog.errors import Diagnostics, did_you_mean
from tidelog.functions.evaluate import evaluate
from tidelog.functions.ordering import compare
from tidelog.functions.signatures import ANY, FUNCTIONS, Type, aggregate_type
from tidelog.program.changes.sameness import canonical_key
from tidelog.program.checks.types import declared_types, environment_of, type_of
from tidelog.program.relations import Relation, Shown
from tidelog.source import Span
from tidelog.syntax.printer import variable as printed
from tidelog.syntax.renaming import rename_locals_apart
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Negation, Rule, Variable, atoms, names_of, variables
from tidelog.values import Value

_MOST_SUGGESTIONS = 20
"""The search for similar names costs time for each warning, and no reader needs more suggestions."""


def warn(rules: Sequence[Rule], relations: Mapping[str, Relation], diagnostics: Diagnostics, shown: Shown) -> None:
    """Add every warning of a program without errors to the diagnostics."""
    _undefined_relations(rules, relations, diagnostics, shown)
    fillable = _fillable(rules, relations)
    columns = {name: declared_types(relation) for name, relation in relations.items() if relation.is_declared}
    for rule in rules:
        _single_variables(rule, diagnostics)
        reason = next(_contradictions(rule, fillable), None)
        if reason is None and (clash := _clash(rule, columns)) is not None:
            reason = clash, "two things that it sets equal are never of the same type"
        if reason is not None:
            diagnostics.add("TL103", f"the rule can never fire: {reason[1]}", rule.source, reason[0])
    _same_rules(rules, diagnostics)


def warn_of_added(rules: Iterable[Rule], relations: Mapping[str, Relation], diagnostics: Diagnostics, shown: Shown) -> None:
    """Add the warnings of rules that come to others, at a cost that does not depend on how many these are."""
    _undefined_relations(rules, relations, diagnostics, shown)
    for rule in rules:
        _single_variables(rule, diagnostics)


def _clash(rule: Rule, columns: Mapping[str, tuple[Type, ...]]) -> Span | None:
    """The place where a rule equates terms of disjoint types."""
    body = rename_locals_apart(rule).body
    environment = environment_of(body, columns)
    for literal in body:
        match literal:
            case Comparison("=", left, right) if not type_of(left, environment) & type_of(right, environment):
                return literal.span
            case Aggregate(result, function, target, inner):
                kinds = ANY if target is None else type_of(target, environment_of(inner, columns))
                if not aggregate_type(function, kinds) & type_of(result, environment):
                    return literal.span
    return None if all(environment.values()) else rule.span


def _undefined_relations(
    rules: Iterable[Rule],
    relations: Mapping[str, Relation],
    diagnostics: Diagnostics,
    shown: Shown,
) -> None:
    reported: set[str] = set()
    defined: list[str] = []
    for rule in rules:
        for atom, _ in atoms(rule.body):
            name = atom.predicate
            if not relations[name].is_defined and name not in reported:
                reported.add(name)
                if not defined:
                    defined += [name for name, relation in relations.items() if relation.is_defined]
                    defined += [name for name, function in FUNCTIONS.items() if function.is_boolean]
                similar = did_you_mean(name, defined) if len(reported) <= _MOST_SUGGESTIONS else None
                fix = similar or f"declare it if its facts come later: `@relation {shown(name)}(…) .`"
                message = f"`{shown(name)}` has no facts, no rules and no declaration"
                diagnostics.add("TL101", message, rule.source, atom.span, fix=fix, relation=name)


def _single_variables(rule: Rule, diagnostics: Diagnostics) -> None:
    apart = rename_locals_apart(rule)
    everything = list(variables(apart.head, *apart.body))
    counts = Counter(variable.name for variable in everything)
    for variable in everything:
        if counts[variable.name] == 1 and not variable.name.startswith("_"):
            text = rule.source.text[slice(*variable.span)]
            fix = "write `_` if any value will do"
            if len(text) > 2 and text[1:].islower():  # as names of people and places are written
                fix += f', or `"{text}"` if this text is meant'
            diagnostics.add("TL102", f"{text} is used only once", rule.source, variable.span, fix=fix)


def _fillable(rules: Sequence[Rule], relations: Mapping[str, Relation]) -> set[str]:
    """The relations that can have a fact without explicit facts of derived relations."""
    fillable = {name for name, r in relations.items() if r.is_declared or r.has_facts or r.inputs or not r.has_rules}
    needs = {at: {a.predicate for a, sign in atoms(rule.body) if sign == "positive"} - fillable for at, rule in enumerate(rules)}
    waiters: dict[str, list[int]] = defaultdict(list)
    for at, names in needs.items():
        for name in names:
            waiters[name].append(at)
    ready = [at for at, names in needs.items() if not names]
    while ready:
        head = rules[ready.pop()].head.predicate
        if head not in fillable:
            fillable.add(head)
            for at in waiters[head]:
                needs[at].discard(head)
                if not needs[at]:
                    ready.append(at)
    return fillable


def _contradictions(rule: Rule, fillable: set[str]) -> Iterator[tuple[Span, str]]:
    positive = {literal for literal in rule.body if isinstance(literal, Atom)}
    assigned: dict[str, Value] = {}
    for literal in rule.body:
        match literal:
            case Atom(predicate) if predicate not in fillable:
                yield literal.span, f"`{predicate}` is derived only from itself and starts with no fact"
            case Negation(atom) if atom in positive:
                yield literal.span, "the same atom must hold and not hold"
            case Comparison(("!=" | "<" | ">") as op, Variable(left), Variable(right)) if left == right:
                yield literal.span, f"{printed(left)} {op} {printed(right)} is never true"
            case Comparison(op, left_term, right_term) if not names_of([literal]):
                left_value, right_value = evaluate(left_term, {}), evaluate(right_term, {})
                if left_value is None or right_value is None or not compare(op, left_value, right_value):
                    yield literal.span, "the comparison is never true"
            case Comparison("=", Variable(name), Constant(value)) | Comparison("=", Constant(value), Variable(name)):
                if assigned.setdefault(name, value) != value:
                    yield literal.span, f"{printed(name)} would have to be two different constants"


def _same_rules(rules: Sequence[Rule], diagnostics: Diagnostics) -> None:
    first: dict[object, Rule] = {}
    alike: dict[object, list[Rule]] = defaultdict(list)
    for rule in rules:
        alike[rule.head.predicate, len(rule.body), tuple(sorted(a.predicate for a, _ in atoms(rule.body)))].append(rule)
    for group in alike.values():
        for rule in group if len(group) > 1 else ():
            earlier = first.setdefault(canonical_key(rule), rule)
            if earlier is not rule:
                message = f"the same rule stands at {earlier.source.place(earlier.span)}"
                diagnostics.add("TL104", message, rule.source, rule.span, fix="take one of the two away")
