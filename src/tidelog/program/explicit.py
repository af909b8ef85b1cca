"""Explicit facts from Python: tuples such as `("edge", "a", "b")`, checked against a program."""

from __future__ import annotations

from collections.abc import Iterable

from tidelog.errors import Diagnostics, TidelogError
from tidelog.functions.conform import conform
from tidelog.functions.signatures import ANY, type_name
from tidelog.program.program import GroundFact, Program
from tidelog.values import Value, from_python, shortly


def explicit_facts(program: Program, tuples: Iterable[tuple[object, ...]]) -> list[GroundFact]:
    """The facts, or one `TidelogError` with everything that is wrong with them.

    A relation that the program does not mention takes any fact; another one has its arity and its declared types.
    """
    diagnostics = Diagnostics()
    facts = [fact for given in tuples if (fact := _fact(program, given, diagnostics)) is not None]
    diagnostics.raise_errors()
    return facts


def _fact(program: Program, given: tuple[object, ...], diagnostics: Diagnostics) -> GroundFact | None:
    match given:
        case (str(name), *arguments):
            pass
        case _:
            message = f"{shortly(given)} is not a fact"
            diagnostics.add("TL072", message, fix='write a tuple of the relation and its arguments: `("edge", "a", "b")`')
            return None
    relation = program.relations.get(name)
    if relation is not None and len(arguments) != relation.arity:
        diagnostics.add("TL020", f"{shortly(given)} has {len(arguments)} arguments, and `{name}` has {relation.arity}")
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
            message = (
                f"argument {at + 1} of {shortly(given)} is of type {value.kind}, and `{name}` takes {type_name(declared)} there"
            )
            diagnostics.add("TL040", message)
        else:
            values.append(fitting)
    return (name, tuple(values)) if len(values) == len(arguments) else None
