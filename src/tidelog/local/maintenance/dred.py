"""Delete and rederive: Gupta, Mumick and Subrahmanian, "Maintaining Views Incrementally" (SIGMOD 1993), for one unit.

Every suspect goes at once (`deletion`), and so everything that was derived from it; then what is still explicit, or derived by
some rule from what is left, comes back, with all that follows from it (`materialise`).
"""

from __future__ import annotations

from collections.abc import Mapping

from tidelog.core.arrays import Rows
from tidelog.local.maintenance.deletion import Deletion
from tidelog.local.storage.tables import Table
from tidelog.syntax.tree import Atom


class DRed(Deletion):
    """Delete everything that may have to go, then bring back what need not."""

    def delete(self, seeds: Mapping[str, Rows]) -> dict[str, Table]:
        """As any deletion; no suspect has been examined yet."""
        self._examined = dict.fromkeys(self.suspects, 0)
        return super().delete(seeds)

    def examine(self) -> bool:
        """Let all suspects go."""
        new = [name for name, table in self.suspects.items() if table.end > self._examined[name]]
        for name in new:
            self.gone[name].insert(self.suspects[name].appended_since(self._examined[name]))
            self._examined[name] = self.suspects[name].end
        return bool(new)

    def finish(self) -> None:
        """Bring back what is explicit, and what some rule derives from what is left."""
        self.counters.overdeleted = sum(map(len, self.gone.values()))
        self.counters.affected = self.counters.overdeleted - self.first_suspects
        for name, table in self.gone.items():
            if len(table) and name in self.state.explicit:
                rows = table.rows
                self.state.table(name).insert(rows[self.state.explicit[name].contains(rows)])
            table.mark_delta()
        requested = [
            self.deltas.variant(rule, "back", (Atom(f"#gone {rule.head.predicate}", rule.head.args), *rule.body))
            for rule in self.unit.rules
            if len(self.gone[rule.head.predicate])
        ]
        self.evaluation.apply_once(requested)
