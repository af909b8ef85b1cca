"""Delete and rederive: Gupta, Mumick and Subrahmanian, "Maintaining Views Incrementally" (SIGMOD 1993), for one unit.

First everything goes that has lost a derivation, and everything derived from that; then what is still explicit, or derived by
some rule from what is left, comes back, with all that follows from it (`materialise`). No instance is used twice in the
first step (the inverse of semi-naive evaluation): facts that went in a round are still joined in it and leave their relation
at its end. Departures: what a lower relation lost is joined from a table of its own, since it has left already; where a
negated relation has changed, it is not asked in the first step, which may then delete too much, and never too little.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tidelog.local.core import CoreRule, Unit
from tidelog.local.deltas import Deltas, Rows
from tidelog.local.materialise import Evaluation, positive_atoms
from tidelog.local.state import State, Undo
from tidelog.local.tables import Table
from tidelog.syntax.tree import Atom


class DRed:
    """The deletions of one unit."""

    def __init__(self, unit: Unit, state: State, deltas: Deltas, evaluation: Evaluation, undo: Undo) -> None:
        self.unit, self.state, self.deltas, self.evaluation, self.undo = unit, state, deltas, evaluation, undo
        self.own = set(unit.relations)
        self.heads = {rule.head.predicate: self.state.table(rule.head.predicate).arity for rule in unit.rules}

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """Take away what does not follow any more, and perhaps more, which is then brought back; all that went, by relation.

        `seeds` are facts that are not explicit any more. When it returns, the relations hold what is left and, as their last
        rows, what came back in one step; what follows from that is for the caller to derive.
        """
        self.evaluation.mark(self.unit, {})
        gone = {name: self.state.helper(f"#gone {name}", arity) for name, arity in self.heads.items()}
        for name, rows in seeds.items():
            held = self.state.table(name)
            gone.setdefault(name, self.state.helper(f"#gone {name}", held.arity)).insert(rows[held.contains(rows)])
        self._overdelete(gone)
        self._rederive(gone)
        return {name: table for name, table in gone.items() if len(table)}

    # --- step 1 ----------------------------------------------------------------------------------------------------------

    def _overdelete(self, gone: dict[str, Table]) -> None:
        losing = [_if_held(variant) for rule in self.unit.rules for variant in self.deltas.losing(rule, self.own)]
        self.evaluation.apply_once(losing)
        uses = [
            (*self._at(rule, at, name), name) for rule in self.unit.rules for at, name in positive_atoms(rule) if name in gone
        ]
        left = dict.fromkeys(gone, 0)
        while True:
            new = {name for name, table in gone.items() if table.end > left[name]}
            if not new:
                return
            for name, table in gone.items():
                table.show_all(left[name])
            ends = {name: table.end for name, table in gone.items()}
            self.evaluation.apply_deltas([(rule, at) for rule, at, name in uses if name in new])
            for name in new:
                table = gone[name]
                going = table.rows[left[name] : ends[name]]
                self.undo.remove(self.state.table(name), going)
                self.state.table(name).show_all()
                left[name] = ends[name]

    def _at(self, rule: CoreRule, at: int, name: str) -> tuple[CoreRule, int]:
        """A rule with what went of a relation in the place of one of its atoms, and where that stands now."""
        atom = rule.body[at]
        assert isinstance(atom, Atom)
        before, after = (self.deltas.without_changed_negations(part) for part in (rule.body[:at], rule.body[at + 1 :]))
        return _if_held(replace(rule, body=(*before, Atom(f"#gone {name}", atom.args), *after))), len(before)

    # --- step 2 ----------------------------------------------------------------------------------------------------------

    def _rederive(self, gone: Mapping[str, Table]) -> None:
        """Bring back what is explicit, and what some rule derives from what is left."""
        for name, table in gone.items():
            if len(table) and name in self.state.explicit:
                rows = table.rows
                self.state.table(name).insert(rows[self.state.explicit[name].contains(rows)])
            table.show_all()
        asked = [
            replace(rule, body=(Atom(f"#gone {rule.head.predicate}", rule.head.args), *rule.body))
            for rule in self.unit.rules
            if len(gone[rule.head.predicate])
        ]
        self.evaluation.apply_once(asked)


def _if_held(rule: CoreRule) -> CoreRule:
    """A rule that lets its head go, if it is there."""
    head = rule.head
    return replace(rule, head=Atom(f"#gone {head.predicate}", head.args), body=(*rule.body, Atom(head.predicate, head.args)))
