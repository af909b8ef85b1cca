"""What an update would change: it runs in a transaction that is rolled back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tidelog.arguments import texts_of_rules
from tidelog.core.limits import Watch
from tidelog.core.schema import Schema
from tidelog.local.engine import LocalEngine, Transaction, UpdateResult
from tidelog.local.given_facts import Given
from tidelog.local.update_reader import UpdateReader, with_facts
from tidelog.program.changes.rule_changes import NO_CHANGE, RuleChange
from tidelog.values import Value

if TYPE_CHECKING:
    from tidelog.local.lookahead.look_ahead import LookAhead

_Found = TypeVar("_Found")


class Supposing(Protocol):
    """What is needed of a knowledge base; its lock is held meanwhile."""

    _schema: Schema
    _ahead: LookAhead | None

    @property
    def _update_reader(self) -> UpdateReader: ...

    def _maintained(self) -> LocalEngine: ...

    def _watch(self) -> Watch: ...

    def _collect_terms(self) -> None: ...

    def _planned(self, remove_rules: Any, add_rules: Any) -> RuleChange: ...

    def _change_rules(self, transaction: Transaction, planned: RuleChange) -> Schema: ...


@dataclass(frozen=True, slots=True)
class Supposed:
    """The state after an update, as long as it lasts, and what the update has changed, which stays."""

    engine: LocalEngine
    schema: Schema
    planned: RuleChange
    result: UpdateResult
    seconds: float


def supposing(
    kb: Supposing,
    facts: tuple[Given, Given, Given],
    planned: RuleChange,
    use: Callable[[Supposed], _Found],
) -> _Found:
    """What `use` finds in the state after an update, which is undone then.

    `facts` are those to insert, to delete and to upsert, and `planned` is what happens to rules.
    """
    started = perf_counter()
    kb._collect_terms()
    if kb._ahead is not None:
        kb._ahead.forget()
    engine = kb._maintained()
    with engine.begin(kb._watch()) as transaction:  # which nobody commits
        schema = kb._change_rules(transaction, planned)
        insert, delete = with_facts(planned, *facts[:2])
        encoded = kb._update_reader.read(schema, insert, delete, facts[2]).encode()
        for name, rows in encoded.added():
            if name not in schema.program.relations:
                schema = schema.knowing(name, rows.shape[1])
        transaction.run(encoded)
        return use(Supposed(engine, schema, planned, transaction.preview(), perf_counter() - started))


def rules_of(kb: Supposing, remove_rules: str | Iterable[str], add_rules: str | Iterable[str]) -> RuleChange:
    """The change that removes and adds rules, by their texts."""
    removed, added = texts_of_rules(remove_rules), texts_of_rules(add_rules)
    return kb._planned(removed, added) if removed or added else NO_CHANGE


def would_hold(kb: Supposing, inserted: Given, relation: str, values: tuple[Value, ...]) -> bool:
    """Whether a fact would hold if others were inserted."""

    def holds(supposed: Supposed) -> bool:
        ids, held = supposed.engine.dictionary.find(list(values)), supposed.engine.stored(relation)
        return ids is not None and held is not None and bool(held.contains(ids.reshape(1, -1))[0])

    return supposing(kb, (inserted, (), ()), NO_CHANGE, holds)
