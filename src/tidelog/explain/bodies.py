"""Rules whose head is known: all instances, or the first ones, from the head down."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tidelog.explain.access import Access, Cell, Row
from tidelog.explain.joins import Budget, Cells, Join
from tidelog.program.checks.scope import schedule
from tidelog.program.lowering import lower
from tidelog.syntax.tree import Atom, Constant, Rule, Variable, names_of


class Body:
    """A rule, or the body of an aggregate, for an engine: `instances` gives its instances."""

    def __init__(self, rule: Rule, at: int, access: Access) -> None:
        """`at` is the position of the rule in the program."""
        self.rule, self.at, self.access = lower(rule), at, access
        order = schedule(self.rule.body, self.rule.head.args)
        self.join = Join(access, order.steps, names_of(self.rule.head.args), names_of(self.rule.head.args))
        self.atoms = tuple(literal for literal in self.rule.body if isinstance(literal, Atom))

    def bind(self, row: Row) -> Cells | None:
        """The cells of the variables for a head; None if it cannot be that row."""
        cells: Cells = [0] * len(self.join.slots)
        bound: set[str] = set()
        for arg, cell in zip(self.rule.head.args, row, strict=True):
            if isinstance(arg, Constant):
                if self.access.cell(arg.value) != cell:
                    return None
            elif isinstance(arg, Variable):
                slot = self.join.slots[arg.name]
                if arg.name in bound and cells[slot] != cell:
                    return None
                bound.add(arg.name)
                cells[slot] = cell
        return cells

    def instances(self, row: Row, budget: Budget) -> Iterator[Cells]:
        """All instances that derive a row; the list is the same each time."""
        cells = self.bind(row)
        if cells is not None:
            yield from self.join.solutions(cells, budget)

    def row_of(self, atom: Atom, cells: Sequence[Cell]) -> Row:
        """The fact that an atom of the body is in an instance."""
        return tuple(self.join.cell_of(arg, cells) for arg in atom.args)
