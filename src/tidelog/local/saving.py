"""What saving needs of a knowledge base in this process: its journal, its parts, and how they are put back.

`tidelog.durable` does the work; it is imported when something is saved or opened.
"""

from __future__ import annotations

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tidelog.core.schema import Schema
from tidelog.kb import KnowledgeBase
from tidelog.local.engine import LocalEngine

if TYPE_CHECKING:
    from tidelog.durable.journal import Journal, Refusal
    from tidelog.durable.saved import Saved


class SavableKnowledgeBase(KnowledgeBase):
    """A knowledge base that can be saved; `LocalKnowledgeBase` is one."""

    _started: LocalEngine | None = None
    _journal: Journal | Refusal | None = None
    """Where changes are recorded before they are acknowledged, if anywhere."""
    saved: Saved | None = None
    """The folder that it is saved in and open for writing."""

    @property
    def schema(self) -> Schema:
        """The program and all relations."""
        return self._schema

    @property
    def options(self) -> dict[str, Any]:
        """The options that a saved knowledge base has again when it is opened."""
        return {"algorithm": self._algorithm, "marking": self._marking, "modules": self._modules}

    def record_in(self, journal: Journal | Refusal, saved: Saved | None) -> None:
        """Record changes there from now on."""
        self._journal, self.saved = journal, saved

    def refuse_if_closed(self) -> None:
        """Raise an error if nothing may change any more."""
        if self._journal is not None and self.saved is None:
            self._journal.take()

    def restore(self, schema: Schema, engine: LocalEngine) -> None:
        """Take over a schema and an engine; nothing may have been read or changed before."""
        assert self._started is None, "restore comes first"
        self._schema, self._started = schema, engine

    def save(self, folder: str | PathLike[str], *, durability: str | None = None) -> None:
        """Save everything to a folder, and every change from now on; to the folder that it is saved in: compact that.

        If it is saved in another folder already, this writes a copy.
        """
        import_module("tidelog.durable.saved").save(self, Path(folder), durability)

    def close(self) -> None:
        """Close the folder, if there is one; changes are refused from now on."""
        import_module("tidelog.durable.saved").close(self)
