"""The request of an update on Spark, as keys: tuples, or data frames and files by relation, checked before anything changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tidelog.core.arrays import Rows
from tidelog.core.keys import key_of
from tidelog.core.schema import Schema
from tidelog.errors import Diagnostics
from tidelog.facts import Facts
from tidelog.local.engine import EncodedUpdate
from tidelog.program.explicit import explicit_facts
from tidelog.program.program import GroundFact
from tidelog.spark.data.exchange import Keys

if TYPE_CHECKING:
    from tidelog.spark.ingest import Ingested

Given = Iterable[tuple[object, ...]] | Mapping[str, object] | Facts
"""Tuples such as `("edge", "a", "b")`; or, by relation, whatever `load` takes; or the facts of a relation."""


@dataclass(slots=True)
class UpdateKeys:
    """What an update requests for the explicit facts of a relation: keys, with their numbers of rows."""

    arity: int
    delete: list[tuple[Keys, int]] = field(default_factory=list)
    insert: list[tuple[Keys, int]] = field(default_factory=list)
    upsert: list[tuple[Keys, int]] = field(default_factory=list)
    key: tuple[int, ...] = ()
    """The columns by which upserts replace."""


def read_update(parts: Mapping[str, Given], schema: Schema, read: Callable[[str, object], Ingested]) -> dict[str, UpdateKeys]:
    """What the parts `delete`, `insert` and `upsert` of an update request, by relation; all errors are raised at once."""
    result: dict[str, UpdateKeys] = {}
    arities: dict[str, int] = {}
    diagnostics = Diagnostics()

    def note(part: str, name: str, arity: int, keys: Keys, rows: int) -> None:
        expected = relation.arity if (relation := schema.relation(name)) is not None else arities.setdefault(name, arity)
        if name.startswith("#") or not name:
            diagnostics.add("TL013", f"`{name}` cannot be the name of a relation", fix="let it begin with a letter")
        elif expected != arity:
            diagnostics.add("TL020", f"`{name}` has {expected} arguments, and a fact has {arity}")
        else:
            getattr(result.setdefault(name, UpdateKeys(arity)), part).append((keys, rows))

    for part, asked in parts.items():
        given = {asked.name: asked} if isinstance(asked, Facts) else asked
        if isinstance(given, Mapping):
            for called, source in given.items():
                name = schema.name_of(called)
                if isinstance(source, Facts | list | tuple):
                    tuples = [(name, *row) for row in source]
                    for (_, arity), facts in _by_relation(explicit_facts(schema.program, tuples, schema.name_of)).items():
                        kept = _last_of_each_key(facts, schema.key_of(name)) if part == "upsert" else facts
                        note(part, name, arity, keys_table(kept, arity), len(kept))
                    continue
                found = read(name, source)
                arity = relation.arity if (relation := schema.relation(name)) is not None else found.width
                note(part, name, arity, found.kept, found.rows)
        else:
            for (name, arity), facts in _by_relation(explicit_facts(schema.program, given, schema.name_of)).items():
                if part == "upsert":
                    facts = _last_of_each_key(facts, schema.key_of(name))  # noqa: PLW2901
                note(part, name, arity, keys_table(facts, arity), len(facts))
    diagnostics.raise_errors()
    for name, keys in result.items():
        if keys.upsert:
            keys.key = schema.key_of(name)
    return result


def merged(one: Mapping[str, UpdateKeys], other: Mapping[str, UpdateKeys]) -> dict[str, UpdateKeys]:
    """Two requests as one."""
    result = dict(one)
    for name, given in other.items():
        mine = result.get(name, UpdateKeys(given.arity))
        result[name] = UpdateKeys(
            given.arity, mine.delete + given.delete, mine.insert + given.insert, mine.upsert + given.upsert, mine.key or given.key
        )
    return result


def _by_relation(facts: Iterable[GroundFact]) -> dict[tuple[str, int], list[Sequence[Any]]]:
    result: dict[tuple[str, int], dict[Any, None]] = {}
    for name, values in facts:
        result.setdefault((name, len(values)), {})[tuple(values)] = None
    return {name: list(rows) for name, rows in result.items()}


def _last_of_each_key(facts: Iterable[Sequence[Any]], key: Sequence[int]) -> list[Sequence[Any]]:
    """Of several facts with one key, the last."""
    return list({tuple(values[at] for at in key): values for values in facts}.values())


def keys_table(facts: Sequence[Sequence[Any]], arity: int) -> pa.Table:
    """Facts of values as keys."""
    columns = {f"k{at}": pa.array([key_of(values[at]) for values in facts], pa.string()) for at in range(arity)}
    return pa.table(columns or {"k0": pa.array(["i0"] * len(facts), pa.string())})


def encoded_update(rows_of: Callable[[Keys, int], Rows], given: Mapping[str, UpdateKeys], relations: int = 0) -> EncodedUpdate:
    """A request as rows of the kernel, each once; so many relations are known that the program does not mention."""

    def rows(part: str) -> dict[str, Rows]:
        found = ((name, facts.arity, getattr(facts, part)) for name, facts in given.items())
        return {name: _distinct([rows_of(keys, arity) for keys, _ in some]) for name, arity, some in found if some}

    keys = {name: facts.key for name, facts in given.items() if facts.upsert}
    return EncodedUpdate(rows("delete"), rows("insert"), rows("upsert"), keys, relations)


def _distinct(parts: list[Rows]) -> Rows:
    rows = np.concatenate(parts)
    return np.unique(rows, axis=0) if rows.shape[1] else rows[:1]
