"""Matches the columns of a source with those of the relation: by name, by position, or as a given mapping says."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tidelog.arguments import shown, wrong
from tidelog.errors import did_you_mean, fail
from tidelog.files.raw import RawTable
from tidelog.program.relations import Relation
from tidelog.values import Kind, Value, from_python


@dataclass(frozen=True, slots=True)
class Matched:
    """The columns of the relation in order, and their positions in the source."""

    positions: tuple[int, ...]
    labels: tuple[str, ...]
    """The label of each in messages: its name, or its number counted from 1."""
    kinds: tuple[Kind | None, ...]
    """The declared kinds."""
    by_name: bool
    left_out: tuple[str, ...]
    """The columns of the source that the relation does not have."""


def match_columns(table: RawTable, name: str, relation: Relation | None) -> Matched:
    """Find the columns of the relation in the source, or raise an error that shows the columns of both."""
    width = len(table.columns)
    declared = None if relation is None or relation.columns is None else [column.name for column in relation.columns]
    kinds = declared_kinds(relation, width)
    if declared and table.names is not None and (positions := find_names(declared, table.names)) is not None:
        left_out = tuple(other for at, other in enumerate(table.names) if at not in positions)
        return Matched(positions, tuple(declared), kinds, True, left_out)
    if relation is not None and relation.names is not None and table.names is not None:
        kept = find_names(relation.names, table.names)  # names from an earlier source: the same ones, in another order
        if kept is not None and len(table.names) == relation.arity:
            return Matched(kept, relation.names, kinds, True, ())
    if declared and table.names is not None and has_some(declared, table.names):
        raise _partly_named(table, name, declared, table.names)
    arity = width if relation is None else relation.arity
    if width != arity or width == 0:
        raise _misfit(table, name, arity, declared)
    labels = declared or table.names or [str(at + 1) for at in range(width)]
    return Matched(tuple(range(width)), tuple(label or str(at + 1) for at, label in enumerate(labels)), kinds, False, ())


def declared_kinds(relation: Relation | None, width: int) -> tuple[Kind | None, ...]:
    """The declared kind of each column, None where anything goes."""
    if relation is None or relation.columns is None:
        return (None,) * (width if relation is None else relation.arity)
    return tuple(column.type if isinstance(column.type, Kind) else None for column in relation.columns)


def find_names(wanted: Sequence[str], names: Sequence[str]) -> tuple[int, ...] | None:
    """The positions of the wanted names, ignoring case; None if one is missing or there twice, or two share a position."""
    places = [_places(name, names) for name in wanted]
    found = tuple(some[0] for some in places if len(some) == 1)
    return found if len(set(found)) == len(wanted) else None


def has_some(wanted: Sequence[str], names: Sequence[str]) -> bool:
    """Whether some of the wanted names are there: then the others are missing by mistake, and positions mean nothing."""
    return any(_places(name, names) for name in wanted)


def _places(wanted: str, names: Sequence[str]) -> list[int]:
    """Where a name is: spelled like that, or else in other letters, capital or small."""
    exact = [at for at, name in enumerate(names) if name == wanted]
    return exact or [at for at, name in enumerate(names) if name.strip().casefold() == wanted.casefold()]


def default_values(
    defaults: Mapping[str | int, object] | None, matched: Matched, name: str, names: Sequence[str] | None
) -> dict[int, Value]:
    """The default of each column, by its position in the relation; keys are names or positions counted from 0."""
    found: dict[int, Value] = {}
    known = {label: at for at, label in enumerate(matched.labels)}
    if names is not None:
        known = {names[position]: at for at, position in enumerate(matched.positions)} | known
    for key, default in (defaults or {}).items():
        at = known.get(key) if isinstance(key, str) else key
        if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < len(matched.positions):
            fix = (
                did_you_mean(str(key), known)
                or f"the columns are {', '.join(matched.labels)}, or 0 to {len(matched.positions) - 1}"
            )
            raise fail("TL081", f"there is a default for the column {shown(key)}, which `{name}` does not have", fix=fix)
        found[at] = from_python(default)
    return found


def _partly_named(table: RawTable, name: str, declared: Sequence[str], names: Sequence[str]) -> Exception:
    """The error for a source that has the names of some columns only: to go by position would swap columns in silence."""
    there = _columns(len(names), names)
    if twice := [column for column in declared if len(_places(column, names)) > 1]:
        fix = f"give only one column of the source the name {twice[0]}"
        return fail("TL081", f"{table.source} has more than one column `{twice[0]}`: {there}", fix=fix)
    taken: set[int] = set()
    for missing in declared:
        free = [at for at in _places(missing, names) if at not in taken]
        if not free:
            break
        taken.update(free)
    fix = did_you_mean(missing, names) or f"name the columns as they are declared: {', '.join(declared)}"
    spare = [
        other for at, other in enumerate(names) if other.strip() and not any(at in _places(column, names) for column in declared)
    ]
    if spare:
        meant = next((other for other in spare if as_identifier(other).casefold() == missing.casefold()), spare[0])
        fix += f", or say which one is meant: `columns={{{quoted(meant)}: {quoted(missing)}}}`"
    if table.is_text:
        fix += "; if the first row is a fact and no header, say `header=False`"
    return fail("TL081", f"{table.source} has no column `{missing}` of `{name}`, but others of its names: {there}", fix=fix)


def _other_delimiter(table: RawTable, arity: int) -> str | None:
    """What divides the only cell of the first row into as many as the relation has columns."""
    if not table.is_text or len(table.columns) != 1 or arity == 1:
        return None
    first = table.names[0] if table.names is not None else str(next(iter(table.columns[0]), ""))
    return next((mark for mark in ";\t|," if first.count(mark) == arity - 1), None)


def _misfit(table: RawTable, name: str, arity: int, declared: Sequence[str] | None) -> Exception:
    there = _columns(len(table.columns), table.names)
    if arity == 0:
        return fail("TL081", f"`{name}` has no columns, and {table.source} has {there}", fix="write such a fact in the program")
    fix = f"give the file the columns of `{name}`, or change the relation"
    if (mark := _other_delimiter(table, arity)) is not None:
        fix = f"say `delimiter={mark!r}`: its cells have as many of these"
    elif declared and table.names is not None:
        there_already = {other.casefold() for other in table.names}
        hints = [did_you_mean(column, table.names) for column in declared if column.casefold() not in there_already]
        hint = next((f"; {hint}" for hint in hints if hint), "")
        mapping = _mapping(table.names, declared)
        fix = f"name the columns of the source as they are declared, or map them, `{mapping}`, or give it as many{hint}"
    elif declared and table.is_text:
        fix = "if the first line holds the names of the columns, say `header=True`; else give the file as many columns"
    return fail("TL081", f"{table.source} has {there}, and `{name}` has {_columns(arity, declared)}", fix=fix)


def as_identifier(text: str) -> str:
    """A text as the name of a column that a program can declare."""
    name = re.sub(r"\W+", "_", text.strip()).strip("_")
    return name if name.isidentifier() else f"c_{name}"


def quoted(text: str) -> str:
    """A text as a string of Python, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _mapping(names: Sequence[str], declared: Sequence[str]) -> str:
    """How a mapping of columns is written, by an example."""
    strange = [name for name in names if name not in declared]
    pairs = zip(strange or names, [column for column in declared if column not in names] or declared, strict=False)
    given, meant = next(iter(pairs))
    return f"columns={{{quoted(given)}: {quoted(meant)}, …}}"


def _columns(count: int, names: Sequence[str] | None) -> str:
    counted = "no columns" if count == 0 else "1 column" if count == 1 else f"{count} columns"
    return f"{counted} ({', '.join(names)})" if names else counted


def mapped(
    table: RawTable,
    columns: Mapping[str, str] | None,
    name: str,
    relation: Relation | None,
    role: str = "which is to be `{column}` of `{relation}`",
) -> tuple[RawTable, list[int]]:
    """The table with the relation's columns only, under their names; and where these are in the source.

    `columns` is a mapping from names of the source, or c1, c2, … if it has none, to names of the relation. A column of the
    relation that is not mapped is found by its name. `role` says in messages what a missing column is for.
    """
    if not columns:
        return table, list(range(len(table.columns)))
    names = table.names or tuple(f"c{number}" for number in range(1, len(table.columns) + 1))
    for given, meant in columns.items():
        if given not in names:
            fix = did_you_mean(given, names) or f"its columns are {', '.join(names)}"
            if meant in names:
                there = {of_source: of_relation for of_relation, of_source in columns.items() if of_source in names}
                turned = ", ".join(f"{quoted(one)}: {quoted(other)}" for one, other in there.items())
                fix = f"the names of the source come first: `columns={{{turned}}}`"
            said = role.format(column=meant, relation=name)
            raise fail("TL081", f"{table.source} has no column `{given}`, {said}", fix=fix)
    place = {meant: names.index(given) for given, meant in columns.items()}
    wanted = wanted_names(columns, relation)
    for column in wanted:
        if column not in place and column in names and column not in columns:
            place[column] = names.index(column)
    if missing := [column for column in wanted if column not in place]:
        fix = f"map one of {', '.join(names)} to it"
        raise fail("TL081", f"{table.source} has no column for `{missing[0]}` of `{name}`", fix=fix)
    if strange := [meant for meant in columns.values() if meant not in wanted]:
        fix = did_you_mean(strange[0], wanted) or f"its columns are {', '.join(wanted)}"
        raise fail("TL081", f"`{name}` has no column `{strange[0]}`", fix=fix)
    positions = [place[column] for column in wanted]
    return replace(table, names=tuple(wanted), columns=tuple(table.columns[at] for at in positions)), positions


def check_mapping(columns: object) -> None:
    """Refuse anything but a mapping from names, or positions, to names."""
    if columns is None:
        return
    fix = 'give names of the source, or positions, and those of the relation: `{"from": "src", "to": "dst"}`'
    if not isinstance(columns, Mapping):
        raise wrong("a value of columns", columns, fix)
    for given, meant in columns.items():
        if not isinstance(given, str | int) or isinstance(given, bool) or not isinstance(meant, str):
            raise wrong("an entry of columns", (given, meant), fix)


def by_name(columns: Mapping[str | int, str] | None, table: RawTable) -> Mapping[str, str] | None:
    """A mapping from names of the source, in place of positions."""
    if not columns:
        return None
    names = table.names or tuple(f"c{number}" for number in range(1, len(table.columns) + 1))
    found: dict[str, str] = {}
    for given, meant in columns.items():
        if isinstance(given, int) and not 0 <= given < len(names):
            fix = f"its columns are 0 to {len(names) - 1}"
            raise fail("TL081", f"{table.source} has no column {given}, which is to be `{meant}`", fix=fix)
        found[names[given] if isinstance(given, int) else given] = meant
    return found


def wanted_names(columns: Mapping[str, str], relation: Relation | None) -> list[str]:
    """The names of the relation's columns: those declared, or c1, c2, …; where nothing declares them, those that are mapped."""
    if relation is None or (relation.columns is None and not set(columns.values()) <= set(relation.column_names)):
        return list(columns.values())
    return relation.column_names
