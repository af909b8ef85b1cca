"""Deletions in one unit: what has lost a derivation is suspected; what an algorithm lets go makes others suspect.

The loop is the same for all algorithms. Facts that went in a round are still joined in it, and leave their relations at its
end, so that no rule instance is used in two rounds (the inverse of semi-naive evaluation). What a lower relation has lost is
joined from a table of its own, since it has left already (`Deltas.losing`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from tidelog.changes import Counters
from tidelog.local.core import CoreRule, Unit
from tidelog.local.deltas import Deltas, Rows
from tidelog.local.materialise import Evaluation, positive_atoms
from tidelog.local.state import State, Undo
from tidelog.local.tables import Table
from tidelog.syntax.tree import Atom


class Deletion(ABC):
    """The deletions of one unit in one update."""

    def __init__(self, unit: Unit, state: State, deltas: Deltas, evaluation: Evaluation, undo: Undo) -> None:
        self.unit, self.state, self.deltas, self.evaluation, self.undo = unit, state, deltas, evaluation, undo
        self.own = set(unit.relations)
        self.counters = Counters()
        heads = dict.fromkeys(rule.head.predicate for rule in unit.rules)
        self.gone = {name: state.helper(f"#gone {name}", state.table(name).arity) for name in heads}
        """What went, by relation."""
        self.suspects = {name: self._suspects_of(name) for name in heads}

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """Take away what does not follow any more; all that went, by relation, of which some may be back.

        `seeds` are facts that are not explicit any more.  What follows from facts that are back is for the caller to derive.
        """
        self.evaluation.mark(self.unit, {})
        before = self.evaluation.statistics.derivations
        for name, rows in seeds.items():
            self.suspects[name].insert(rows[self.state.table(name).contains(rows)])
        self.evaluation.apply_once(staying := list(self.deltas.staying(self.unit.rules)))
        for rule in staying:
            self.state.table(rule.head.predicate).show_all()
        losing = [self._suspecting(variant, rule) for rule in self.unit.rules for variant in self.deltas.losing(rule, self.own)]
        self.evaluation.apply_once(losing)
        uses = [
            (*self._at(rule, at, name), name)
            for rule in self.unit.rules
            for at, name in positive_atoms(rule)
            if name in self.gone
        ]
        left = dict.fromkeys(self.gone, 0)
        while True:
            self.examine()
            new = [name for name, table in self.gone.items() if table.end > left[name]]
            if not new:
                break
            for name, table in self.gone.items():
                table.show_all(left[name])
            ends = {name: table.end for name, table in self.gone.items()}
            self.evaluation.apply_deltas([(rule, at) for rule, at, name in uses if name in new])
            for name in new:
                self.undo.remove(self.state.table(name), self.gone[name].rows[left[name] : ends[name]])
                self.state.table(name).show_all()
                left[name] = ends[name]
        between = self.evaluation.statistics.derivations
        self.finish()
        self.counters.suspected = between - before
        self.counters.rederived = self.evaluation.statistics.derivations - between
        return {name: table for name, table in self.gone.items() if len(table)}

    # --- what algorithms do each in their own way ------------------------------------------------------------------------

    @abstractmethod
    def _suspects_of(self, name: str) -> Table:
        """The table of suspects of a relation, empty."""

    @abstractmethod
    def examine(self) -> None:
        """Let some suspects go."""

    @abstractmethod
    def finish(self) -> None:
        """Bring back what went too early."""

    # --- rules -----------------------------------------------------------------------------------------------------------

    suspects_name = "#suspect"

    def _suspecting(self, rule: CoreRule, _origin: CoreRule) -> CoreRule:
        """A rule, made from another one, that suspects its head, if it is there."""
        head = Atom(f"{self.suspects_name} {rule.head.predicate}", rule.head.args)
        return self.deltas.variant(rule, self.suspects_name, (*rule.body, rule.head), head)

    def _at(self, rule: CoreRule, at: int, name: str) -> tuple[CoreRule, int]:
        """A rule with what went of a relation in the place of one of its atoms, and where that stands now."""
        atom, stayed = rule.body[at], [self.deltas.stayed(literal, self.own) for literal in rule.body]
        assert isinstance(atom, Atom)
        stayed[at] = (Atom(f"#gone {name}", atom.args),)
        body = [literal for kept in stayed for literal in kept]
        variant = self.deltas.variant(rule, ("gone", at, *map(len, stayed)), body)
        return self._suspecting(variant, rule), sum(map(len, stayed[:at]))
