"""What the explainer asks an engine: whether facts hold, which facts match, which came first, and how closed relations connect.

Rows are tuples of *cells*.  A cell is the id of a value, as the engine stores it, or, in a binding, a value that no fact has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from tidelog.program.modules import Module
from tidelog.program.program import Program
from tidelog.values import Value

Cell = int | Value
Row = tuple[Cell, ...]
Key = tuple[str, Row]
"""A fact: the name of what holds it, and its row."""


class Access(Protocol):
    """The materialisation of one state."""

    program: Program

    def cell(self, value: Value) -> Cell:
        """The id of a value, or the value itself if nothing has it; nothing is added anywhere."""

    def value(self, cell: Cell) -> Value:
        """The value of a cell."""

    def holds(self, name: str, row: Row) -> bool:
        """Whether it is a fact."""

    def is_explicit(self, name: str, row: Row) -> bool:
        """Whether the user has given the fact, or the text of the program."""

    def can_be_given(self, name: str) -> bool:
        """Whether users insert facts of a relation: no rule derives it, or it has explicit facts anyway."""

    def matching(self, name: str, columns: tuple[int, ...], key: Row) -> Iterator[tuple[int, ...]]:
        """The facts with some cells in some columns."""

    def some(self, name: str, columns: tuple[int, ...], key: Row, most: int) -> Iterator[tuple[int, ...]]:
        """A few of these facts, which are asked for once; no index is made for them."""

    def likely(self, name: str, columns: tuple[int, ...]) -> float:
        """About how many facts have the same cells in some columns."""

    def polled(self) -> None:
        """Called now and then: looks at limits and Ctrl-C, and may raise."""

    # --- which facts came first ------------------------------------------------------------------------------------------

    def unit_of(self, name: str) -> int | None:
        """The unit that derives a relation; None if no rule does."""

    def came(self, name: str, row: Row) -> tuple[int, int, int] | None:
        """The number of a fact in its table and the times between which it came; None if nobody knows."""

    # --- closed relations ------------------------------------------------------------------------------------------------

    def module_of(self, name: str) -> Module | None:
        """The module that closes a relation, with the positions of its rules in the program."""

    def given(self, name: str) -> str:
        """The name of the external facts of a closed relation; of any other, its own."""

    def shown(self, name: str) -> str:
        """The relation that a name of external facts belongs to; of any other, its own."""

    def path(self, name: str, row: Row) -> Sequence[Key] | None:
        """For a fact of a closed relation: a shortest chain of external facts, and of edges, from one end to the other."""
