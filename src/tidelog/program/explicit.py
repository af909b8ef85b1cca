"""Explicit facts from Python: tuples such as `("edge", "a", "b")`, checked against a program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tidelog.arguments import iterable, shown, wrong
from tidelog.errors import Diagnostics, TidelogError
from tidelog.functions.conform import conform
from tidelog.functions.signatures import ANY, type_name
from tidelog.program.program import GroundFact, Program
from tidelog.values import Value, from_python, is_text


def explicit_facts(
    program: Program, tuples: Iterable[tuple[object, ...]], name_of: Callable[[str], str] | None = None
) -> list[GroundFact]:
    """The facts, or one `TidelogError` with everything that is wrong with them.

    A relation that the program does not mention takes any fact; another one has its arity and its declared types.  `name_of`
    gives the relation that a name means; without it, that is a relation of the program, or one with a prefixed name.
    """
    diagnostics = Diagnostics()
    named = name_of or program.relation_name
    given = as_facts(tuples)
    facts = [fact for some in given if (fact := _fact(program, some, named, diagnostics)) is not None]
    diagnostics.raise_errors()
    return facts


def as_facts(given: Iterable[tuple[object, ...]]) -> Sequence[tuple[object, ...]]:
    """Facts as users give them, as a list; texts, and whatever cannot be iterated over, are refused."""
    if type(given) is not list and type(given) is not tuple:
        _refuse_text(given)
        return list(iterable(given, "a list of facts", _FACTS_FIX))
    if given and isinstance(given[0], str) and not any(isinstance(part, tuple | list) for part in given):
        _refuse_texts(given)
    return given


def _refuse_text(given: object) -> None:
    """Refuse a text, which can be iterated over, letter by letter."""
    if isinstance(given, str | bytes):
        raise wrong("a list of facts", given, _FACTS_FIX if isinstance(given, bytes) else _TEXT_FIX)


def _refuse_texts(given: Sequence[object]) -> None:
    """Refuse a fact in place of a list of facts, and texts in place of facts."""
    is_fact = len(given) > 1 and not any(isinstance(part, str) and "(" in part for part in given)
    raise wrong("a list of facts", given, f"put it into a list: `[{shown(tuple(given))}]`" if is_fact else _TEXT_FIX)


_TEXT_FIX = 'give tuples, `[("edge", "a", "b")]`; `kb.add_rules("edge(a, b).")` takes facts as texts'
_FACTS_FIX = 'give a list of tuples: `[("edge", "a", "b")]`'


def _fact(
    program: Program, given: tuple[object, ...], name_of: Callable[[str], str], diagnostics: Diagnostics
) -> GroundFact | None:
    match given:
        case (str(name), *arguments):
            name = name_of(name)
        case _:
            message = f"{shown(given)} is not a fact"
            diagnostics.add("TL072", message, fix='write a tuple of the relation and its arguments: `("edge", "a", "b")`')
            return None
    if not is_text(name):
        diagnostics.add("TL013", f"{shown(name)} cannot be the name of a relation", fix="let it be Unicode text")
        return None
    relation = program.relations.get(name)
    if relation is not None and len(arguments) != relation.arity:
        diagnostics.add(
            "TL020",
            f"{shown(given)} has {len(arguments)} argument{'s' * (len(arguments) != 1)}, and `{name}` has {relation.arity}",
            fix=f"its columns are {', '.join(relation.column_names)}" if relation.columns or relation.names else None,
        )
        return None
    values: list[Value] = []
    for at, argument in enumerate(arguments):
        try:
            value = from_python(argument)
        except TidelogError as error:
            diagnostics.extend(error.diagnostics)
            continue
        declared = ANY if relation is None else relation.declared_type(at)
        fitting = value if declared == ANY else conform(next(iter(declared)), value)
        if fitting is None:
            takes = f"`{name}` takes {type_name(declared)} there"
            diagnostics.add("TL040", f"argument {at + 1} of {shown(given)} is of type {value.kind}, and {takes}")
        else:
            values.append(fitting)
    return (name, tuple(values)) if len(values) == len(arguments) else None
