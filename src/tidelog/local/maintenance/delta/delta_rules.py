"""Delta rules: rules made from a unit's rules for exactly those instances that deltas of lower relations add or remove.

Inserted facts bring an instance of a positive atom and take away one of a negated atom; deleted facts do the opposite. Lower
relations have their new content already, so what was deleted from them is joined from `#minus R`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from tidelog.core.rules import CoreRule, existential, rename_apart
from tidelog.local.maintenance.delta.deltas import Deltas
from tidelog.local.maintenance.unit_runtime import UnitRuntime
from tidelog.syntax.tree import Atom, Literal, Negation, Variable, names_of

_MUCH = 0.5
"""If that share of the rows that a join reads is new, it is cheaper to join all of them."""


class DeltaRules:
    """Makes delta rules for a unit; rules that were made before are found again."""

    def __init__(self, runtime: UnitRuntime, deltas: Deltas) -> None:
        self._runtime, self._deltas = runtime, deltas
        self._own = set(runtime.unit.relations)

    # --- instances that are lost -----------------------------------------------------------------------------------------

    def lost(self, rule: CoreRule, *, is_removed: bool = False) -> Iterator[CoreRule]:
        """Rules that derive the heads of just those instances that deltas of lower relations have taken away.

        An instance may have lost several of its facts, and those are no longer in their relations; so there is a rule for each
        set of literals that have changed, with their facts from `#minus` and the others from what is unchanged.  If the rule
        itself was removed, all of its instances are lost, also those that have lost no fact.
        """
        changed = {at: lost for at in range(len(rule.body)) if (lost := self._lost(rule, at))}
        unchanged = [self.unchanged(literal) for literal in rule.body]
        for size in range(0 if is_removed else 1, len(changed) + 1):
            for chosen in combinations(changed, size):
                body = [part for at, kept in enumerate(unchanged) for part in (changed[at] if at in chosen else kept)]
                yield self._runtime.variant(rule, ("lost", chosen, *map(len, unchanged)), body)

    def _lost(self, rule: CoreRule, at: int) -> tuple[Literal, ...]:
        """Literals that say of a literal that it held before the update and does not now; none if that cannot be."""
        literal, deltas = rule.body[at], self._deltas
        if isinstance(literal, Atom) and literal.predicate not in self._own:
            minus = deltas.minus(literal.predicate)
            return () if minus is None else (Atom(minus, literal.args),)
        if not isinstance(literal, Negation) or (plus := deltas.plus(literal.atom.predicate)) is None:
            return ()
        atom = literal.atom
        if not existential(atom, rule):
            return (Atom(plus, atom.args),)
        # `not n(X, _)` held if all facts n(X, y) of now are inserted ones, and none was deleted.
        minus = deltas.minus(atom.predicate)
        deleted = () if minus is None else (Negation(Atom(minus, atom.args)),)
        return rename_apart(Atom(plus, atom.args), rule), Negation(self._keys("unchanged", rule, at, atom)), *deleted

    def unchanged(self, literal: Literal) -> tuple[Literal, ...]:
        """Literals that say of a literal that it held before the update and still does."""
        other = None
        if isinstance(literal, Atom) and literal.predicate not in self._own:
            if (plus := self._deltas.plus(literal.predicate)) is not None:
                other = Atom(plus, literal.args)
        elif isinstance(literal, Negation) and (minus := self._deltas.minus(literal.atom.predicate)) is not None:
            other = Atom(minus, literal.atom.args)
        return (literal,) if other is None else (literal, Negation(other))

    def unchanged_keys(self, rules: Iterable[CoreRule]) -> Iterator[CoreRule]:
        """Rules for the keys of facts that were there before, where `lost` asks whether there were any; empties their tables."""
        for rule in rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Negation) and existential(literal.atom, rule):
                    atom = literal.atom
                    if (plus := self._deltas.plus(atom.predicate)) is not None:
                        inserted, changed = Atom(plus, atom.args), self._keys("changed", rule, at, atom)
                        unchanged = self._keys("unchanged", rule, at, atom)
                        for keys, role in ((changed, "changed"), (unchanged, "unchanged")):
                            self._runtime.table(role, f"{rule.serial} {at}", len(keys.args))
                        yield self._runtime.variant(rule, ("changed", at), (rename_apart(inserted, rule),), changed)
                        # by key, for a key's inserted facts are looked through until one is found that is not among them
                        yield self._runtime.variant(rule, ("unchanged", at), (changed, atom, Negation(inserted)), unchanged)

    def _keys(self, role: str, rule: CoreRule, at: int, atom: Atom) -> Atom:
        """The variables that tie a negated atom to its rule: of all inserted facts, or of facts that are no inserted ones."""
        tied = names_of([atom]) - existential(atom, rule)
        return Atom(self._runtime.table_name(role, f"{rule.serial} {at}"), tuple(map(Variable, sorted(tied))))

    # --- instances that are gained ---------------------------------------------------------------------------------------

    def gained(self, rule: CoreRule) -> Iterator[CoreRule]:
        """Rules that derive the heads of instances that deltas of lower relations have brought.

        Where rows were only appended to a relation, a delta by range serves better, and is left to the caller
        (`Deltas.ranges`).  A rule that is better applied to all rows (`joins_all`) is the only one, and covers those, too.
        """
        if self.joins_all(rule):
            yield rule
            return
        deltas = self._deltas
        for at, literal in enumerate(rule.body):
            if isinstance(literal, Negation) and (minus := deltas.minus(literal.atom.predicate)) is not None:
                deleted = rename_apart(Atom(minus, literal.atom.args), rule)
                yield self._runtime.variant(rule, ("gained", at), (deleted, *rule.body))
            elif isinstance(literal, Atom) and literal.predicate in deltas and literal.predicate not in self._own:
                if deltas.of[literal.predicate].begin is None and (plus := deltas.plus(literal.predicate)) is not None:
                    body = (*rule.body[:at], Atom(plus, literal.args), *rule.body[at + 1 :])
                    yield self._runtime.variant(rule, ("gained", at), body)

    def joins_all(self, rule: CoreRule) -> bool:
        """Whether a rule is better applied to all rows, since so many of them are new: then nobody looks for those.

        Where rows were appended to one relation, these are at hand; a join looks for what fits them in another, row by row
        and once for each relation, while all rows of one are joined with all of another by whole rows of bits.
        """
        deltas = self._deltas
        if not deltas.may_join_all:
            return False
        names = [literal.predicate for literal in rule.body if isinstance(literal, Atom)]
        changed = [name for name in names if name in deltas and name not in self._own]
        if any(deltas.of[name].begin is None and deltas.of[name].is_mostly_new for name in changed):
            return True
        share = sum(deltas.of[name].gained / max(1, len(deltas.state.stored(name))) for name in changed)
        return len(names) > 1 and share >= _MUCH
