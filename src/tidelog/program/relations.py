"""The relations of a program (arity, columns, sources of facts), and every check on names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tidelog.errors import Diagnostics, did_you_mean
from tidelog.functions.signatures import AGGREGATES, ANY, FUNCTIONS, Type, is_reserved
from tidelog.functions.strings import regex_problem
from tidelog.source import Source, Span
from tidelog.syntax.tree import Atom, Call, Column, Constant, Declaration, Document, Fact, Port, Rule, Variable, atoms, calls
from tidelog.values import Kind

Shown = Callable[[str], str]
"""Prints the name of a relation with the program's prefixes."""


@dataclass(frozen=True, slots=True)
class Relation:
    """The properties of a relation that the program states."""

    name: str
    arity: int
    columns: tuple[Column, ...] | None = None
    """Names and types, if it is declared."""
    has_rules: bool = False
    has_facts: bool = False
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    names: tuple[str, ...] | None = None
    """The names that a source has given to the columns, where nothing declares them."""
    variables: tuple[str, ...] | None = None
    """The variables that stand in the heads of all of its rules, where these have the same ones."""

    @property
    def is_declared(self) -> bool:
        """Whether there is an `@relation` for it."""
        return self.columns is not None

    @property
    def is_defined(self) -> bool:
        """Whether the program declares it or has a source of its facts."""
        return self.is_declared or self.has_rules or self.has_facts or bool(self.inputs)

    @property
    def key(self) -> tuple[int, ...]:
        """The positions of the columns that are its key; none, if it has no key."""
        return tuple(at for at, column in enumerate(self.columns or ()) if column.is_key)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns: as declared, else as in the source of the facts, else as in heads of rules, else `c1`, …."""
        if self.columns:
            return [column.name for column in self.columns]
        return list(self.names or self.variables or (f"c{at + 1}" for at in range(self.arity)))

    def declared_type(self, position: int) -> Type:
        """The type that a column is declared with; `ANY` without a declaration."""
        if self.columns is None or position >= len(self.columns):
            return ANY
        kind = self.columns[position].type
        return frozenset({kind}) if isinstance(kind, Kind) else ANY


def head_variables(heads: Iterable[Atom]) -> tuple[str, ...] | None:
    """The variables of heads that are all alike: different variables, in each the same."""
    found: tuple[str, ...] | None = None
    for head in heads:
        names = tuple(arg.name for arg in head.args if isinstance(arg, Variable))
        if found is None and (len(names) < len(head.args) or len({name.casefold() for name in names}) < len(names)):
            return None
        if found is not None and names != found:
            return None
        found = names
    return found


def collect(document: Document, diagnostics: Diagnostics, shown: Shown) -> dict[str, Relation]:
    """All relations in the order of their first occurrence; a second arity or declaration is an error."""
    places: dict[str, tuple[int, Source, Span]] = {}
    declared: dict[str, Declaration] = {}
    heads: dict[str, list[Atom]] = {}
    facts = set[str]()
    ports: dict[str, dict[str, list[str]]] = {"input": {}, "output": {}}
    for statement in document.statements:
        again = isinstance(statement, Declaration) and statement.relation in declared
        for atom in () if again else mentions(statement):
            _check_arity(atom, statement.source, places, declared, diagnostics, shown)
        match statement:
            case Rule(head):
                heads.setdefault(head.predicate, []).append(head)
            case Fact(atom):
                facts.add(atom.predicate)
            case Declaration(relation):
                if relation in declared:
                    first = declared[relation]
                    message = f"`{shown(relation)}` is declared already, at {first.source.place(first.span)}"
                    diagnostics.add("TL021", message, statement.source, statement.span, fix="keep one of the two")
                declared.setdefault(relation, statement)
            case Port(direction, relation, path):
                ports[direction].setdefault(relation, []).append(path)
    for name in (*ports["input"], *ports["output"]):
        if name not in places:
            _check_unknown_port(name, document, places, diagnostics, shown)
    return {
        name: Relation(
            name,
            arity,
            declared[name].columns if name in declared and len(declared[name].columns) == arity else None,
            name in heads,
            name in facts,
            tuple(ports["input"].get(name, ())),
            tuple(ports["output"].get(name, ())),
            variables=head_variables(heads.get(name, ())),
        )
        for name, (arity, _, _) in places.items()
    }


def mentions(statement: object) -> Iterator[Atom]:
    """Every atom of a statement; a declaration counts as one."""
    match statement:
        case Rule(head, body):
            yield head
            for atom, _ in atoms(body):
                yield atom
        case Fact(atom):
            yield atom
        case Declaration(relation, columns, span):
            yield Atom(relation, tuple(Variable(column.name, column.span) for column in columns), span)


def _check_arity(
    atom: Atom,
    source: Source,
    places: dict[str, tuple[int, Source, Span]],
    declared: Mapping[str, Declaration],
    diagnostics: Diagnostics,
    shown: Shown,
) -> None:
    arity, first_source, first_span = places.setdefault(atom.predicate, (len(atom.args), source, atom.span))
    if arity != len(atom.args):
        here = "1 argument" if len(atom.args) == 1 else f"{len(atom.args)} arguments"
        message = f"`{shown(atom.predicate)}` has {here} here and {arity} at {first_source.place(first_span)}"
        fix = "a relation has one arity; use another name for one of the two"
        if atom.predicate in declared:
            names = ", ".join(column.name for column in declared[atom.predicate].columns)
            fix = f"its columns are {names}; write `_` for one that does not matter" if names else "it has no columns"
        diagnostics.add("TL020", message, source, atom.span, fix=fix)


def _check_unknown_port(
    name: str,
    document: Document,
    known: Iterable[str],
    diagnostics: Diagnostics,
    shown: Shown,
) -> None:
    for statement in document.statements:
        if isinstance(statement, Port) and statement.relation == name:
            message = f"@{statement.direction} names `{shown(name)}`, which the program does not mention"
            fix = did_you_mean(name, known) or f"declare it: `@relation {shown(name)}(…) .`"
            diagnostics.add("TL101", message, statement.source, statement.span, fix=fix, relation=name)


def check_declarations(document: Document, diagnostics: Diagnostics) -> None:
    """Check names, types and columns of `@relation`."""
    for statement in document.statements:
        if not isinstance(statement, Declaration):
            continue
        if is_reserved(statement.relation, len(statement.columns)):
            message = f"`{statement.relation}` is a function and cannot be the name of a relation"
            diagnostics.add("TL025", message, statement.source, statement.span, fix="give the relation another name")
        seen: set[str] = set()
        for column in statement.columns:
            if column.name in seen:
                message = f"the column `{column.name}` stands twice in `{statement.relation}`"
                diagnostics.add("TL027", message, statement.source, column.span, fix="give each column a name of its own")
            seen.add(column.name)
            if column.type is not None and not isinstance(column.type, Kind):
                fix = _SYNONYMS.get(column.type) or did_you_mean(column.type, [*Kind, "any"])
                fix = fix or "the types are " + ", ".join([*Kind, "any"])
                message = f"there is no type `{column.type}`"
                diagnostics.add("TL022", message, statement.source, column.type_span, fix=fix)


def check_names(document: Document, diagnostics: Diagnostics) -> None:
    """Report unknown functions, wrong numbers of arguments, and rules with the same name."""
    labels: dict[str, Rule] = {}
    relations = {atom.predicate for statement in document.statements for atom in mentions(statement)}
    for statement in document.statements:
        match statement:
            case Rule(head, body, name):
                literals = (head, *body)
                if name is not None and (first := labels.setdefault(name, statement)) is not statement:
                    message = f"another rule is named `{name}` already, at {first.source.place(first.span)}"
                    diagnostics.add("TL026", message, statement.source, statement.span, fix="give one of them another name")
            case Fact(atom):
                literals = (atom,)
            case _:
                continue
        for literal in literals:
            for call in calls(literal):
                _check_call(call, relations, statement.source, diagnostics)


def _check_call(call: Call, relations: set[str], source: Source, diagnostics: Diagnostics) -> None:
    function = FUNCTIONS.get(call.function)
    if function is None:
        if call.function in ("date", "timestamp"):
            message = f"`{call.function}` takes one quoted text"
            hint = "only constants are written so; there is no conversion from text"
            diagnostics.add("TL024", message, source, call.span, fix=hint)
            return
        fix = _OTHER_NAMES.get(call.function.lower()) or did_you_mean(call.function, FUNCTIONS) or _ALL_FUNCTIONS
        if call.function in AGGREGATES:
            fix = f"an aggregate has braces: `{call.function} {{ … }}`"
        if call.function in relations:
            fix = f"`{call.function}` is a relation; write it as a literal of its own"
        diagnostics.add("TL023", f"there is no function `{call.function}`", source, call.span, fix=fix)
    elif not function.takes(len(call.args)):
        message = f"`{call.function}` takes {function.arity}, not {len(call.args)}"
        diagnostics.add("TL024", message, source, call.span)
    elif call.function == "matches" and isinstance(pattern := call.args[1], Constant):
        text = pattern.value.content
        if isinstance(text, str) and (problem := regex_problem(text)) is not None:
            message, fix = f"not a regular expression in RE2's syntax: {problem}", "RE2 has no look-around and no back-references"
            diagnostics.add("TL028", message, source, pattern.span, fix=fix)


_ALL_FUNCTIONS = "the functions are " + ", ".join(sorted(name for name in FUNCTIONS if name.isidentifier() and name != "mod"))
_OTHER_NAMES = {
    "concat": "did you mean `cat`?",
    "str": "did you mean `string`?",
    "to_string": "did you mean `string`?",
    "strlen": "did you mean `length`?",
    "len": "did you mean `length`?",
    "size": "did you mean `length`?",
    "substring": "did you mean `substr`?",
    "startswith": "did you mean `starts_with`?",
    "endswith": "did you mean `ends_with`?",
    "regex": "did you mean `matches`?",
    "match": "did you mean `matches`?",
    "power": "did you mean `pow`?",
    "ceiling": "did you mean `ceil`?",
    "trunc": "did you mean `int`?",
    "mean": "an aggregate has braces: `avg { … }`",
    "average": "an aggregate has braces: `avg { … }`",
    "total": "an aggregate has braces: `sum { … }`",
    "like": "did you mean `contains`, `starts_with` or `matches`?",
}
_SYNONYMS = {
    "number": "did you mean `int`, or `float`?",
    "integer": "did you mean `int`?",
    "long": "did you mean `int`?",
    "double": "did you mean `float`?",
    "symbol": "did you mean `string`?",
    "str": "did you mean `string`?",
    "text": "did you mean `string`?",
    "boolean": "did you mean `bool`?",
    "datetime": "did you mean `timestamp`?",
    "uri": "did you mean `iri`?",
}
