"""What an update asks for: facts as users give them, all checked before anything happens, then made into rows of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tidelog.errors import Diagnostics
from tidelog.local.encoded_facts import EncodedFacts, Fact, FactReader
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.transaction import EncodedUpdate
from tidelog.program.explicit import explicit_facts
from tidelog.program.program import GroundFact, Program
from tidelog.program.relations import Relation


class UpdateReader:
    """Reads what updates ask of a knowledge base."""

    def __init__(
        self,
        terms: Dictionary,
        program: Callable[[], Program],
        loaded: Callable[[], Mapping[str, Relation]],
        key_of: Callable[[str], tuple[int, ...]],
    ) -> None:
        """`loaded` are relations that the program does not mention; `key_of` knows the keys of relations, or raises."""
        self._terms, self._program, self._loaded, self._key_of = terms, program, loaded, key_of
        self._reader = FactReader(terms, self._relation, self._checked)

    def read(self, insert: Iterable[Fact], delete: Iterable[Fact], upsert: Iterable[Fact]) -> Callable[[], EncodedUpdate]:
        """Check what an update asks for, all of it before anything happens; what is returned gives it as rows."""
        inserted, deleted = self._reader.read(insert), self._reader.read(delete)
        facts = upsert if isinstance(upsert, tuple | list) else list(upsert)
        upserted = self._reader.read(facts) if facts else None
        if upserted is not None:
            for name in {str(fact[0]) for fact in facts}:
                self._key_of(name)

        def given() -> EncodedUpdate:
            if upserted is None:
                return EncodedUpdate(deleted.rows(), inserted.rows(), {}, {}, len(self._loaded()))
            rows = upserted.rows()
            keys = {name: self._key_of(name) for name in rows}
            if any(not _are_different(rows[name][:, key]) for name, key in keys.items()):  # then their order matters
                rows = self.rows_of(self._last_upserts(self._checked(facts)))
            return EncodedUpdate(deleted.rows(), inserted.rows(), rows, keys, len(self._loaded()))

        return given

    def rows_of(self, facts: Iterable[GroundFact]) -> dict[str, Any]:
        """Facts that have been checked, by relation, as rows."""
        return EncodedFacts(self._terms, {}, facts).rows()

    def forget_columns(self) -> None:
        """A relation may not be known any more."""
        self._reader.forget_columns()

    def _relation(self, name: str) -> Relation | None:
        return self._program().relations.get(name) or self._loaded().get(name)

    def _checked(self, facts: Iterable[Fact]) -> list[GroundFact]:
        program = self._program()
        checked = explicit_facts(program, facts)
        arities = {name: relation.arity for name, relation in self._loaded().items()}
        diagnostics = Diagnostics()
        for name, values in checked:
            if name.startswith("#") or not name:
                diagnostics.add("TL013", f"`{name}` cannot be the name of a relation", fix="let it begin with a letter")
            if arities.setdefault(name, len(values)) != len(values) and name not in program.relations:
                diagnostics.add("TL020", f"`{name}` has {arities[name]} arguments, and a fact has {len(values)}")
        diagnostics.raise_errors()
        return checked

    def _last_upserts(self, facts: Iterable[GroundFact]) -> Iterable[GroundFact]:
        """Of several upserts with one key, the last; or an error, if a relation has no key."""
        last: dict[object, GroundFact] = {}
        for name, values in facts:
            last[name, tuple(values[at] for at in self._key_of(name))] = name, values
        return last.values()


def _are_different(rows: Any) -> bool:
    """Whether no row is there twice."""
    return len(rows) < 2 or len(set(map(tuple, rows.tolist()))) == len(rows)
