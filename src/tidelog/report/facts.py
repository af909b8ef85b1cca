"""Facts as text, in the language itself, in an order that is the same every time; answers as tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from tidelog.errors import did_you_mean, fail
from tidelog.facts import Facts, aligned
from tidelog.files.text.json_values import to_json
from tidelog.program.program import Program
from tidelog.syntax.tree import Atom, Constant
from tidelog.values import from_python, sort_key, text_of

if TYPE_CHECKING:
    from tidelog.kb import KnowledgeBase


def chosen_relations(program: Program, named: Sequence[str] | None) -> list[str]:
    """The named relations; without any, those with an @output, else all that are derived, else all."""
    chosen = [_known(name, program) for name in named or ()]
    chosen = chosen or [name for name, relation in program.relations.items() if relation.outputs]
    chosen = chosen or [name for name, relation in program.relations.items() if relation.has_rules]
    return chosen or list(program.relations)


def show_facts(kb: KnowledgeBase, relations: Sequence[str]) -> Iterator[str]:
    """The facts of some relations, one a line, as they could stand in a program."""
    printer = kb.program.printer
    for name in relations:
        rows = [tuple(from_python(value) for value in fact) for fact in kb[name]]
        rows.sort(key=lambda row: [sort_key(value) for value in row])
        yield f"% {printer.predicate(name)}: {len(rows):,} fact{'' if len(rows) == 1 else 's'}"
        for row in rows:
            yield printer.literal(Atom(name, tuple(Constant(value) for value in row))) + "."


def show_answers(answers: Facts, program: Program, form: str) -> Iterator[str]:
    """Answers to a query: a table for people, or CSV, TSV or JSON Lines; whether it holds, if it has no variables."""
    if not answers.columns:
        yield "true" if answers else "false"
        return
    rows = sorted(answers, key=lambda fact: [sort_key(from_python(value)) for value in fact])
    if form == "jsonl":
        for row in rows:
            yield json.dumps(
                {name: _as_json(value) for name, value in zip(answers.columns, row, strict=True)}, ensure_ascii=False
            )
    elif form == "table":
        shown = [tuple(program.printer.value(from_python(value)) for value in row) for row in rows]
        widths = [max(map(len, cells)) for cells in zip(answers.columns, *shown, strict=True)]
        yield from aligned((answers.columns, tuple("-" * width for width in widths), *shown))
        yield f"{len(rows):,} answer{'' if len(rows) == 1 else 's'}"
    else:
        text = io.StringIO()
        writer = csv.writer(text, delimiter="," if form == "csv" else "\t", lineterminator="\n")
        writer.writerow(answers.columns)
        writer.writerows([text_of(from_python(value)) for value in row] for row in rows)
        yield from text.getvalue().splitlines()


def _as_json(value: Any) -> object:
    """A value as in update streams, but for dates and timestamps, which are texts."""
    return text_of(from_python(value)) if isinstance(value, date) else to_json(value)


def _known(name: str, program: Program) -> str:
    """The relation of that name, which may be written with a prefix."""
    for candidate in program.relations:
        if name in (candidate, f"<{candidate}>", program.printer.predicate(candidate)):
            return candidate
    raise fail("TL073", f"the program has no relation `{name}`", fix=did_you_mean(name, program.relations))
