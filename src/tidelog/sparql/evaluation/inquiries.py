"""What evaluation needs of an engine: `local.sharing.inquiry` has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.core.rules import CoreRule


class Inquiry(Protocol):
    """Questions about one state."""

    watch: Watch

    @property
    def terms(self) -> Any:
        """The dictionary: values by their ids."""

    def size(self, relation: str) -> int:
        """About how many facts a relation has."""

    def holds_other_subjects(self, relation: str, columns: int) -> bool:
        """Whether one of the first columns of a relation has anything but IRIs."""

    def rows(self, relation: str) -> Rows:
        """All facts of a relation."""

    def answer(self, rules: Sequence[CoreRule], arity: int) -> Rows:
        """The facts that some rules derive, each once; their head is `answer_name(arity)`."""

    def give(self, rows: Rows) -> str:
        """The relation that has some different rows, until others of the same width are given."""

    def derive(self, arities: dict[str, int], rules: Sequence[CoreRule]) -> None:
        """Fill new temporary relations with what follows from rules."""

    def new_name(self) -> str:
        """A name for a temporary relation."""

    def ask(self, needed: int) -> None:
        """Raise an error if so many bytes more are too many, or if it has taken too long."""


def answer_name(arity: int) -> str:
    """The head of rules that answer a question, with so many columns."""
    return f"#sparql answer {arity}"


def given_name(width: int) -> str:
    """The relation of rows that a question brings with it, with so many columns."""
    return f"#sparql given {width}"
