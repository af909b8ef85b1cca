"""DRed, delete and rederive: Gupta, Mumick and Subrahmanian, "Maintaining Views Incrementally" (SIGMOD 1993), for one unit.

Over-deletion: every suspect is deleted at once, and so everything that was derived from it (`deletion`). Rederivation: what is
still explicit, or derived by some rule from what is left, comes back, with all that follows from it (`evaluation.seminaive`).
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.core.arrays import Rows
from tidelog.local.maintenance.deletion import OverDeletion
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom


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
