"""Facts as text, in the language itself, in an order that is the same every time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tidelog.errors import did_you_mean, fail
from tidelog.program.program import Program
from tidelog.syntax.tree import Atom, Constant
from tidelog.values import Value, sort_key


def show_facts(
    program: Program,
    facts: Mapping[str, set[tuple[Value, ...]]],
    relations: Sequence[str] | None = None,
) -> Iterator[str]:
    """The facts of the given relations; without any, of those with an @output, else of all that are derived, else of all."""
    chosen = [_known(name, program) for name in relations or ()]
    chosen = chosen or [name for name, relation in program.relations.items() if relation.outputs]
    chosen = chosen or [name for name, relation in program.relations.items() if relation.has_rules]
    chosen = chosen or list(program.relations)
    for name in chosen:
        rows = sorted(facts[name], key=lambda row: [sort_key(value) for value in row])
        shown = program.printer.predicate(name)
        yield f"% {shown}: {len(rows)} fact{'' if len(rows) == 1 else 's'}"
        for row in rows:
            yield program.printer.literal(Atom(name, tuple(Constant(value) for value in row))) + "."


def _known(name: str, program: Program) -> str:
    """The relation of that name, which may be written with a prefix."""
    for candidate in program.relations:
        if name in (candidate, f"<{candidate}>", program.printer.predicate(candidate)):
            return candidate
    raise fail("TL073", f"the program has no relation `{name}`", fix=did_you_mean(name, program.relations))
