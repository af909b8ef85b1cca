"""What saving needs of a knowledge base in this process: its journal, its parts, and how they are put back.

`tidelog.durable` does the work; it is imported when something is saved or opened.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tidelog.changes import Change, ChangeStatistics, FactsByRelation, LoadReport, Part, RuleChanges
from tidelog.core.arrays import last_of_each_key
from tidelog.core.schema import Schema
from tidelog.facts import Facts
from tidelog.local.engine import LocalEngine
from tidelog.local.equality.telling import telling, untold
from tidelog.local.given_facts import encoded_columns
from tidelog.local.readable import ReadableKnowledgeBase
from tidelog.local.sharing.snapshot import shown
from tidelog.program.same_as import REPRESENTATIVE
from tidelog.surface.logs import log_loads

if TYPE_CHECKING:
    import pyarrow as pa

    from tidelog.files.columns import MixedColumn, TypedColumn
    from tidelog.local.maintenance.update_context import UpdateResult
    from tidelog.local.transaction import Transaction

Given = tuple[Sequence[Any], Sequence[Any], Sequence[Any], Sequence[str], Sequence[str]]
"""The facts to insert, to delete and to upsert, and the rules to remove and to add."""


class Recorder(Protocol):
    """Records changes before they are acknowledged (`durable.journal`)."""

    def take(
        self,
        insert: Iterable[Any] = (),
        delete: Iterable[Any] = (),
        upsert: Iterable[Any] = (),
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> Given:
        """A change arrives; its parts, as lists."""

    def record(self) -> None:
        """Write the update that was taken, as the last step before it is committed."""

    def record_load(
        self,
        relation: str,
        columns: Sequence[TypedColumn | MixedColumn],
        rows: int,
        *,
        upsert: bool,
        names: tuple[str, ...] | None = None,
    ) -> None:
        """Write a bulk load."""

    def record_triples(self, columns: Sequence[pa.Array], how: Mapping[str, object]) -> None:
        """Write a bulk load of RDF: its keys, and what triples become."""

    def retract(self) -> None:
        """Remove what was written of a change that is not committed."""


class SavableKnowledgeBase(ReadableKnowledgeBase):
    """A knowledge base that can be saved; `LocalKnowledgeBase` is one."""

    _journal: Recorder | None = None
    """Where changes are recorded before they are acknowledged, if anywhere."""
    saved: Any = None
    """`durable.saved.Saved`: the folder that it is saved in and open for writing."""

    @property
    def schema(self) -> Schema:
        """The program and all relations."""
        return self._schema

    @property
    def engine(self) -> LocalEngine:
        """The engine, started if need be."""
        return self._engine

    def derive(self) -> None:
        """Derive everything that follows."""
        self._maintained()

    @property
    def options(self) -> dict[str, Any]:
        """The options that a saved knowledge base has again when it is opened."""
        kept = {"algorithm": self._algorithm, "marking": self._marking, "modules": self._modules}
        kept |= {"strict": True} if self._schema.is_strict else {}
        return kept | ({"starting_over": self._starting_over} if self._starting_over != "allow" else {})

    def record_in(self, journal: Recorder, saved: Any) -> None:
        """Record changes there from now on."""
        self._journal, self.saved = journal, saved

    def refuse_if_closed(self) -> None:
        """Raise an error if nothing may change any more."""
        if self._journal is not None and self.saved is None:
            self._journal.take()

    def restore(self, schema: Schema, engine: LocalEngine) -> None:
        """Take over a schema and an engine; nothing may have been read or changed before."""
        assert self._started is None, "restore comes first"
        self._schema, self._started = replace(schema, is_strict=self._schema.is_strict), engine

    def load_columns(
        self,
        relation: str,
        columns: Sequence[TypedColumn | MixedColumn],
        count: int,
        description: str = "",
        *,
        upsert: bool,
        names: tuple[str, ...] | None = None,
    ) -> LoadReport:
        """Add the facts of so many rows, from a source that is described, and that has these names for the columns."""
        if self._journal is not None:
            self._journal.take()
        key = self._schema.key_of(relation) if upsert else ()
        self._tell({relation: len(columns)})
        schema = self._schema.knowing(relation, len(columns)).naming(relation, names)
        engine, watch = self.engine, self._watch()
        if (key and engine.has_derived) or self._is_heard:
            self.derive()  # facts that were added since then are not in their relations yet, and could not be replaced
        with engine.begin(watch) as transaction:
            rows = encoded_columns(engine.state.terms, columns, count)
            watch.poll()
            replaced = 0
            if key:
                rows = last_of_each_key(rows, key)
                replaced = engine.remove(relation, engine.rows_with_key(relation, key, rows))
            report = LoadReport(relation, count, engine.add(relation, rows), description, replaced=replaced)
            if self._journal is not None:
                write = partial(self._journal.record_load, relation, columns, count, upsert=upsert, names=names)
                transaction.record(write, self._journal.retract)
            self._commit_load(transaction, schema, [report])
        return report

    @property
    def _has_same_as(self) -> bool:
        """Whether individuals that are the same are one (`program.same_as`)."""
        return REPRESENTATIVE in self._schema.program.relations

    def _tell(self, arities: Mapping[str, int]) -> None:
        """With `same_as`: have the rules for relations that are going to have facts for the first time."""
        if not untold(self._schema, arities):
            return
        with self.engine.begin(self._watch()) as transaction:
            schema = self._telling(transaction, self._schema, arities)
            transaction.commit((), partial(self._take_over, schema, self.loads))

    def _telling(self, transaction: Transaction, schema: Schema, arities: Mapping[str, int]) -> Schema:
        """The same in a transaction that does not change rules otherwise; the schema that it leaves."""
        told = telling(schema, arities, transaction.change_rules, self.engine.has_explicit)
        if told is not schema and self.engine.has_derived:
            transaction.maintain()
            transaction.go_on()
        return told

    def _commit_load(self, transaction: Transaction, schema: Schema, reports: list[LoadReport]) -> None:
        """What a load has read is there from now on; what follows is derived later, unless somebody is to be told of it."""
        before, is_heard = self._schema, self._is_heard and self.engine.has_derived
        if is_heard:
            transaction.maintain()
        result = transaction.commit((), partial(self._take_over, schema, [*self.loads, *reports]))
        if is_heard:
            self._note(result, before, schema)
        log_loads(reports)

    def _note(self, result: UpdateResult, before: Schema, after: Schema, update_id: str | int | None = None) -> None:
        """Note what an update has changed, for those who are told of it."""
        difference, terms = result.difference, self.engine.state.terms  # later the engine may have another dictionary

        def find(name: str) -> tuple[Facts, Facts] | None:
            known = after.relation(name) or before.relation(name)
            if known is None or name not in set(difference):
                return None
            inserted, deleted = (
                shown(known, difference.rows(name, "all", inserted=inserted), terms) for inserted in (True, False)
            )
            return inserted, deleted

        if self._subscribers is not None:
            self._subscribers.note(find, update_id)

    def _change_of(
        self, result: UpdateResult, before: Schema, after: Schema, statistics: ChangeStatistics, rules: RuleChanges | None
    ) -> Change:
        """What an update has done, for the one who asked for it."""
        difference, terms = result.difference, self._engine.state.terms  # later the engine may have another dictionary

        def facts(part: Part, *, inserted: bool) -> dict[str, Facts]:
            known = {name: after.relation(name) or before.program.relations[name] for name in difference}
            return {name: shown(known[name], difference.rows(name, part, inserted=inserted), terms) for name in known}

        return Change(
            FactsByRelation(lambda part: facts(part, inserted=True), name_of=after.name_of, relations=after.relations),
            FactsByRelation(lambda part: facts(part, inserted=False), name_of=after.name_of, relations=after.relations),
            statistics,
            rules=rules,
        )

    def _take_over(self, schema: Schema, loads: list[LoadReport]) -> None:
        """What an update leaves to the knowledge base; it may be called twice."""
        self._schema, self.loads = schema, loads

    def save(self, folder: str | PathLike[str], *, durability: str | None = None) -> None:
        """Save everything to a folder, and every change from now on; to the folder that it is saved in: compact that.

        If it is saved in another folder already, this writes a copy.
        """
        with self._sharing:
            import_module("tidelog.durable.saved").save(self, Path(folder), durability)

    def close(self) -> None:
        """Close the folder, if there is one; changes are refused from now on."""
        with self._sharing:
            import_module("tidelog.durable.saved").close(self)
