"""Modules beside other rules of one unit: they exchange their deltas until both have reached the fixpoint.

After Hu, Motik and Horrocks, "Modular Materialisation of Datalog Programs" (AAAI 2019), Algorithm 1: a closed relation R is a
module, and all other rules of its component are another one.  When those have nothing new to join, each module takes in the
external facts that they have derived (Add), and the pairs that it has gained (Diff) are a delta of these rules.  Departures: the
other rules reach their fixpoint before a module has its turn; and where most pairs of R are new, rules join all of R, which is
walked without listing its pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tidelog.core.limits import Watch
from tidelog.core.rules import Closure, CoreRule, Unit, positive_atoms
from tidelog.local.closure.changes import change_of
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.closure.incremental import EdgeDelta, next_version
from tidelog.local.planning.plan_cache import PlanCache
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom


class ModuleTurns:
    """The closed relations of a unit that its other rules recur through, in one evaluation."""

    def __init__(
        self,
        unit: Unit,
        state: State,
        watch: Watch,
        apply_once: Callable[[Sequence[CoreRule]], None],
        plans: PlanCache,
        before: Mapping[str, int],
    ) -> None:
        """`before` says where external facts begin that a relation has not been closed over."""
        self._unit, self._state, self._watch, self._apply_once, self._plans = unit, state, watch, apply_once, plans
        tables = state.tables
        self._upto = {name: before.get(closure.given, tables[closure.given].end) for name, closure in unit.modules.items()}

    def take(self) -> bool:
        """Let each module take in new external facts, and apply the other rules to what it has gained; whether any had some."""
        turns = [self._take(name, closure) for name, closure in self._unit.modules.items()]
        return any(turns)

    def _take(self, name: str, closure: Closure) -> bool:
        given = self._state.tables[closure.given]
        rows = given.appended_since(self._upto[name])
        if not len(rows):
            return False
        self._upto[name] = given.end
        change = follow(name, closure, EdgeDelta(rows, rows[:0]), self._state, self._watch)
        readers = [(rule, at) for rule in self._unit.rules for at, read in positive_atoms(rule) if read == name]
        if not change.can_gain:
            return True
        if change.is_mostly_new:
            self._apply_once(list({rule.serial: rule for rule, _ in readers}.values()))
        else:
            helper = f"#new {name}"
            self._state.helper(helper, 2, change.inserted())
            self._apply_once([self._joining(helper, rule, at) for rule, at in readers])
        return True

    def _joining(self, helper: str, rule: CoreRule, at: int) -> CoreRule:
        """A rule that joins the new pairs of a module in the place of one of its atoms."""
        literal = rule.body[at]
        assert isinstance(literal, Atom)
        body = (*rule.body[:at], Atom(helper, literal.args), *rule.body[at + 1 :])
        return self._plans.variant(rule, ("new", at), body)


def follow(name: str, closure: Closure, external: EdgeDelta, state: State, watch: Watch) -> VirtualChange:
    """Bring a closed relation up to date with a delta of its external facts."""
    before, given = state.virtual[name], state.tables[closure.given]
    watch.progress.working_on = name
    if before.make_room():
        state.set_virtual(name, before)
    after = next_version(before, external, None, lambda: (given.rows, None), watch.poll)
    state.set_virtual(name, after)
    return change_of(before, after, external)
