"""Which columns of a source are meant, when the user says so: from the names of the source to those of the relation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tidelog.errors import did_you_mean, fail
from tidelog.files.raw import RawTable
from tidelog.program.relations import Relation


def mapped(
    table: RawTable, columns: Mapping[str, str] | None, name: str, relation: Relation | None
) -> tuple[RawTable, list[int]]:
    """The table with the relation's columns only, under their names; and where these are in the source.

    A source without names has the columns c1, c2, … A column of the relation that is not mapped is found by its name.
    """
    if not columns:
        return table, list(range(len(table.columns)))
    names = table.names or tuple(f"c{number}" for number in range(1, len(table.columns) + 1))
    for given, meant in columns.items():
        if given not in names:
            fix = did_you_mean(given, names) or f"its columns are {', '.join(names)}"
            raise fail("TL081", f"{table.source} has no column `{given}`, which is to be `{meant}` of `{name}`", fix=fix)
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


def wanted_names(columns: Mapping[str, str], relation: Relation | None) -> list[str]:
    """The names of the relation's columns: those declared, or c1, c2, …; of an unknown relation those that are mapped."""
    if relation is None:
        return list(columns.values())
    if relation.columns is not None:
        return [column.name for column in relation.columns]
    return [f"c{number}" for number in range(1, relation.arity + 1)]
