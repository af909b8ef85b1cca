"""Type checks: report only what is certainly an error.

A relation without a declaration takes anything, at any time.  So these are errors: a variable that would need two types at once,
an operator that no possible kind of its arguments fits, a constant of the wrong type.
"""

from __future__ import annotations

from collections.abc import Sequence

from tidelog.errors import Diagnostics
from tidelog.functions.signatures import ANY, COMPARABLE, FLOAT, INT, STRING, Type, aggregate_type, type_name
from tidelog.program.checks.types import Environment, Relations, declared_types, environment_of, type_of
from tidelog.program.relations import Shown
from tidelog.syntax import tree
from tidelog.syntax.printer import Printer
from tidelog.syntax.printer import variable as printed
from tidelog.syntax.renaming import rename_locals_apart
from tidelog.values import Kind, text_of


class TypeChecker:
    """Checks facts and rules against the declared columns, and against the functions they use."""

    def __init__(self, relations: Relations, diagnostics: Diagnostics, shown: Shown) -> None:
        """Relations are the only state between rules."""
        self.relations, self.diagnostics, self.shown = relations, diagnostics, shown
        self.columns = {name: declared_types(relation) for name, relation in relations.items() if relation.is_declared}

    def check_fact(self, fact: tree.Fact) -> None:
        """Check constants against their columns and expressions against their functions."""
        self._check_atom(fact.atom, {}, fact, is_head=True)

    def check_rule(self, rule: tree.Rule) -> None:
        """Check all terms of a rule."""
        rule = rename_locals_apart(rule)
        environment = self._clashes(rule.body, rule, {})
        self._check_body(rule.body, environment, rule)
        self._check_atom(rule.head, environment, rule, is_head=True)

    def _clashes(self, body: tuple[tree.Literal, ...], rule: tree.Rule, outer: Environment) -> Environment:
        """The types of the variables; a variable whose columns contradict each other is reported and left out."""
        first = {name: f"{type_name(kinds)} outside of the aggregate" for name, kinds in outer.items()}
        so_far: Environment = dict(outer)
        clashing: set[str] = set()
        for literal in body:
            if not isinstance(literal, tree.Atom):
                continue
            for position, arg in enumerate(literal.args):
                kinds = self._column(literal, position)
                if not isinstance(arg, tree.Variable) or kinds == ANY:
                    continue
                place = f"{type_name(kinds)} in {self._column_name(literal, position)}"
                if not so_far.setdefault(arg.name, kinds) & kinds and arg.name not in clashing:
                    clashing.add(arg.name)
                    message = f"{printed(arg.name)} is {first[arg.name]} and {place}"
                    self.diagnostics.add(
                        "TL041", message, rule.source, arg.span, fix="the two never join; check the declarations"
                    )
                first.setdefault(arg.name, place)
        environment = environment_of(body, self.columns, outer)
        return {name: kinds or ANY for name, kinds in environment.items() if name not in clashing}

    def _check_body(self, body: tuple[tree.Literal, ...], environment: Environment, rule: tree.Rule) -> None:
        for literal in body:
            match literal:
                case tree.Atom():
                    self._check_atom(literal, environment, rule)
                case tree.Negation(atom):
                    self._check_atom(atom, environment, rule)
                case tree.Comparison():
                    self._check_comparison(literal, environment, rule)
                case tree.Aggregate():
                    self._check_aggregate(literal, environment, rule)

    def _check_atom(
        self, atom: tree.Atom, environment: Environment, statement: tree.Rule | tree.Fact, *, is_head: bool = False
    ) -> None:
        for position, arg in enumerate(atom.args):
            kinds, column = self._check_term(arg, environment, statement), self._column(atom, position)
            widened = kinds == INT and column == FLOAT and (is_head or isinstance(arg, tree.Constant))
            if kinds & column or not kinds or widened:
                continue
            where = self._column_name(atom, position)
            what = f"{printed(arg.name)} is" if isinstance(arg, tree.Variable) else "this is of type"
            message = f"{what} {type_name(kinds)}, and {where} takes {type_name(column)}"
            code = "TL041" if isinstance(arg, tree.Variable) else "TL040"
            fix = _as_written(arg, column) if isinstance(arg, tree.Constant) else _conversion(kinds, column)
            self.diagnostics.add(code, message, statement.source, arg.span, fix=fix)

    def _check_comparison(self, literal: tree.Comparison, environment: Environment, rule: tree.Rule) -> None:
        left, right = (self._check_term(side, environment, rule) for side in (literal.left, literal.right))
        if literal.op in ("=", "!=") or not (left and right):
            return
        if not any(left & comparable and right & comparable for comparable in COMPARABLE):
            message = f"`{literal.op}` finds no order between {type_name(left)} and {type_name(right)}"
            self.diagnostics.add("TL042", message, rule.source, literal.span)

    def _check_aggregate(self, literal: tree.Aggregate, environment: Environment, rule: tree.Rule) -> None:
        shared = {name: kinds for name, kinds in environment.items() if name in tree.names_of(literal.body)}
        inside = self._clashes(literal.body, rule, shared)
        self._check_body(literal.body, inside, rule)
        self._check_term(literal.result, environment, rule)
        if literal.target is not None:
            kinds = self._check_term(literal.target, inside, rule)
            if kinds and not aggregate_type(literal.function, kinds):
                message = f"`{literal.function}` cannot work on {type_name(kinds)}"
                self.diagnostics.add("TL042", message, rule.source, literal.target.span)

    def _check_term(self, term: tree.Term, environment: Environment, statement: tree.Rule | tree.Fact) -> Type:
        """The type of a term; the innermost call that cannot have a value is reported."""
        kinds = type_of(term, environment)
        if not kinds and isinstance(term, tree.Call):
            types = [self._check_term(arg, environment, statement) for arg in term.args]
            if all(types):
                message = f"`{term.function}` cannot work on {' and '.join(type_name(t) for t in types)}"
                self.diagnostics.add("TL042", message, statement.source, term.span, fix=_fix_for_texts(term, types))
        return kinds

    def _column(self, atom: tree.Atom, position: int) -> Type:
        types = self.columns.get(atom.predicate, ())
        return types[position] if position < len(types) else ANY

    def _column_name(self, atom: tree.Atom, position: int) -> str:
        columns = self.relations[atom.predicate].columns
        name = self.shown(atom.predicate)
        return f"`{name}.{columns[position].name}`" if columns else f"`{name}`"


def _fix_for_texts(call: tree.Call, types: Sequence[Type]) -> str | None:
    """What to write where a text stands in an operation on numbers."""
    texts = [arg for arg, kinds in zip(call.args, types, strict=True) if kinds == {Kind.STRING}]
    if not texts or call.function not in ("+", "-", "*", "/", "mod"):
        return None
    shown = Printer().term(texts[0])
    number = f"`int({shown})` and `float({shown})` give the number that a text is"
    if call.function != "+":
        return number
    parts = [(Printer().term(arg), Kind.STRING in kinds) for arg, kinds in zip(call.args, types, strict=True)]
    joined = f"texts are joined by `cat({', '.join(part if is_text else f'string({part})' for part, is_text in parts)})`"
    return joined if all(is_text for _, is_text in parts) else f"{joined}; {number}"


def _as_written(constant: tree.Constant, column: Type) -> str | None:
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
