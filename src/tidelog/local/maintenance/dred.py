"""DRed, delete and rederive: Gupta, Mumick and Subrahmanian, "Maintaining Views Incrementally" (SIGMOD 1993), for one unit.

Over-deletion: every suspect is deleted at once, and so everything that was derived from it (`deletion`). Rederivation: what is
still explicit, or derived by some rule from what is left, comes back, with all that follows from it (`evaluation.seminaive`).

Where rules recur through closed relations (`evaluation.module_turns`), the modules take part as in Hu, Motik and Horrocks,
"Modular Materialisation of Datalog Programs" (AAAI 2019): Del over-deletes the pairs whose paths may lead through over-deleted
external facts. What is explicit, or derived by a rule that is not recursive, stays; their non-recursive counters are for that.
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.core.arrays import Rows
from tidelog.core.limits import TooExpensiveError
from tidelog.core.rules import Closure, positive_atoms
from tidelog.local.closure.changes import paths_through
from tidelog.local.closure.incremental import EdgeDelta
from tidelog.local.evaluation.module_turns import follow
from tidelog.local.maintenance.deletion import OverDeletion
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom

_PAIRS, _PAIRS_A_ROW = 1 << 16, 4
"""So many pairs of closed relations are over-deleted at most, and so many more for each row of the unit."""


class DRed(OverDeletion):
    """Delete everything that may have to go, then rederive what need not."""

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """As any deletion; no suspect has been deleted yet."""
        self._seen = dict.fromkeys(self.suspects, 0)
        return super().delete(seeds)

    def overdelete(self) -> bool:
        """Delete all suspects."""
        new = [name for name, table in self.suspects.items() if table.end > self._seen[name]]
        for name in new:
            self.deleted[name].insert(self.suspects[name].appended_since(self._seen[name]))
            self._seen[name] = self.suspects[name].end
        return bool(new)

    def rederive(self) -> None:
        """Bring back what is explicit, and what some rule derives from what is left."""
        self.counters.overdeleted = sum(map(len, self.deleted.values()))
        self.counters.affected = self.counters.overdeleted - self.first_suspects
        for name, table in self.deleted.items():
            if len(table) and name in self.state.explicit:
                rows = table.rows
                self.state.table(name).insert(rows[self.state.explicit[name].contains(rows)])
            table.mark_delta()
        deleted = self.runtime.table_name
        rederiving = [
            self.runtime.variant(rule, "rederiving", (Atom(deleted("deleted", rule.head.predicate), rule.head.args), *rule.body))
            for rule in self.unit.rules
            if len(self.deleted[rule.head.predicate])
        ]
        self.evaluation.apply_once(rederiving)


class ModularDRed(DRed):
    """DRed of a unit whose rules recur through closed relations."""

    roles = ("deleted", "suspect", "standing")

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """As any deletion; of the closed relations, the caller compares versions."""
        self._pairs_left = _PAIRS + _PAIRS_A_ROW * self.runtime.row_count()
        own = set(self.unit.relations)
        self._plain_rules = [rule for rule in self.unit.rules if own.isdisjoint(name for _, name in positive_atoms(rule))]
        return {name: table for name, table in super().delete(seeds).items() if name not in self.unit.modules}

    def overdelete(self) -> bool:
        """Delete suspects that do not stand by themselves, and what closed relations have through them."""
        new = [name for name, table in self.suspects.items() if table.end > self._seen[name]]
        self._let_stand(new)
        found = False
        for name in new:
            rows = self.suspects[name].appended_since(self._seen[name])
            rows = rows[~self.helpers["standing"][name].contains(rows)]
            self._seen[name] = self.suspects[name].end
            self.deleted[name].insert(rows)
            found = found or len(rows) > 0
        for name, closure in self.unit.modules.items():
            self._overdelete_pairs(name, closure)
        return found

    def _let_stand(self, names: list[str]) -> None:
        """Find suspects that are explicit, or derived by a rule that is not recursive."""
        standing, explicit = self.helpers["standing"], self.state.explicit
        for name in names:
            self.suspects[name].mark_delta(self._seen[name])
            if name in explicit:
                rows = self.suspects[name].appended_since(self._seen[name])
                standing[name].insert(rows[explicit[name].contains(rows)])
        helper = self.runtime.table_name
        for rule in self._plain_rules:
            if (name := rule.head.predicate) in names:
                body = (Atom(helper("suspect", name), rule.head.args), *rule.body)
                variant = self.runtime.variant(rule, "standing", body, Atom(helper("standing", name), rule.head.args))
                self.evaluation.apply_deltas([(variant, 0)])

    def _overdelete_pairs(self, name: str, closure: Closure) -> None:
        """Del: over-delete the pairs that depend on external facts that were just over-deleted."""
        external, pairs = self.deleted[closure.given], self.deleted[name]
        rows = external.appended_since(self.left[closure.given])
        found = paths_through(self.state.virtual[name], rows, self._pairs_left)
        if found is None:
            raise TooExpensiveError(f"too many pairs of `{name}` depended on what has gone")
        self._pairs_left -= len(found)
        pairs.insert(found)

    def rederive(self) -> None:
        """Close what is left of external facts, then bring back what follows from it."""
        for name, closure in self.unit.modules.items():
            gone = self.deleted[closure.given].rows
            if len(gone):
                follow(name, closure, EdgeDelta(gone[:0], gone), self.state, self.evaluation.watch)
        super().rederive()
