"""Texts in columns of dates, timestamps, IRIs or literals: JSON has no such types, so a stream may write them as texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from tidelog.program.relations import Relation
from tidelog.streams.update import FactTuple, Update
from tidelog.values import Kind, Value, parse_date, parse_timestamp

_AS_TEXT = (Kind.DATE, Kind.TIMESTAMP, Kind.IRI, Kind.LITERAL)


def fitting(relations: Mapping[str, Relation]) -> Callable[[Update], Update]:
    """A function that converts texts of updates to the declared types of their columns; one that does not fit stays a text."""
    readers: dict[str, dict[int, Callable[[str], Value | None]]] = {}
    for name, relation in relations.items():
        kinds = {at: column.type for at, column in enumerate(relation.columns or ()) if column.type in _AS_TEXT}
        if kinds:
            readers[name] = {at + 1: _reader(Kind(kind)) for at, kind in kinds.items() if kind is not None}

    def fit(fact: FactTuple) -> FactTuple:
        columns = readers.get(str(fact[0])) if fact else None
        if columns is None:
            return fact
        return tuple(
            (columns[at](part) or part) if at in columns and isinstance(part, str) else part for at, part in enumerate(fact)
        )

    def fit_update(update: Update) -> Update:
        if readers.keys().isdisjoint(str(fact[0]) for fact in (*update.delete, *update.insert, *update.upsert) if fact):
            return update
        return replace(
            update,
            delete=tuple(map(fit, update.delete)),
            insert=tuple(map(fit, update.insert)),
            upsert=tuple(map(fit, update.upsert)),
        )

    return fit_update if readers else lambda update: update


def _reader(kind: Kind) -> Callable[[str], Value | None]:
    if kind is Kind.DATE:
        return parse_date
    if kind is Kind.TIMESTAMP:
        return lambda text: parse_timestamp(text.replace(" ", "T", 1))

    def read(text: str) -> Value | None:
        from tidelog.files.objects import value_of

        return value_of(text, kind)

    return read
