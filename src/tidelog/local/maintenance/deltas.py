"""What an update has done to each relation so far: facts that came, facts that went; and rules that look at just these.

An update goes through the units in order. When a unit's turn comes, the relations below it are what they will be, and a
`Delta` says how each differs from what it was. `#plus R` and `#minus R` are tables of these facts, which rules can join like
any other; where nothing went, what came are the last rows of the relation itself, and no copy is needed.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from tidelog.core.arrays import Rows
from tidelog.core.rules import CoreRule, existential, rename_apart
from tidelog.local.closure.closure_diff import VirtualChange
from tidelog.local.storage.replacements import Replacement
from tidelog.local.storage.state import State
from tidelog.syntax.tree import Atom, Literal, Negation, Variable, names_of

NOTHING = np.empty((0, 2), np.int32)
_MUCH = 0.5
"""Of the rows that a join reads, so large a share that came is much."""


@dataclass(slots=True)
class Delta:
    """How a relation differs from what it was before the update."""

    inserted: Rows = field(default_factory=lambda: NOTHING)
    deleted: Rows = field(default_factory=lambda: NOTHING)
    begin: int | None = None
    """If nothing went: the number of the first row that came, in the relation's table."""
    virtual: VirtualChange | None = None
    """A virtual relation, before and after; which pairs came and went is found out when somebody asks."""
    replaced: Replacement | None = None
    """A relation that was made anew: the same for its rows."""

    @property
    def _later(self) -> VirtualChange | Replacement | None:
        return self.virtual if self.virtual is not None else self.replaced

    @property
    def gained(self) -> int:
        """How many stored rows came."""
        return len(self.inserted) if self.replaced is None else self.replaced.gained

    @property
    def lost(self) -> int:
        """How many stored rows went."""
        return len(self.deleted) if self.replaced is None else self.replaced.lost

    @property
    def has_gained(self) -> bool:
        """Whether something came, as far as one can tell without looking for it."""
        return len(self.inserted) > 0 if (later := self._later) is None else later.can_gain

    @property
    def has_lost(self) -> bool:
        """Whether something went, as far as one can tell without looking for it."""
        return len(self.deleted) > 0 if (later := self._later) is None else later.can_lose

    @property
    def is_mostly_new(self) -> bool:
        """Whether at least half of the rows that there are have come, as far as one can tell without looking for them."""
        return (later := self._later) is not None and later.is_mostly_new

    def inserted_rows(self) -> Rows:
        """The rows that are there now and were not before."""
        return self.inserted if (later := self._later) is None else later.inserted()

    def deleted_rows(self) -> Rows:
        """The rows that were there before and are not now."""
        return self.deleted if (later := self._later) is None else later.deleted()


class Deltas:
    """The deltas of all relations that have changed."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.may_take_all = False
        """Whether instances of a rule that were there before may be found again, if that is cheaper."""
        self.of: dict[str, Delta] = {}
        self._told: dict[tuple[str, bool], str | None] = {}
        """The tables of what came and what went, as far as anybody has asked for them."""

    @classmethod
    def of_changed(cls, state: State, plus: Iterable[str], minus: Iterable[str]) -> Deltas:
        """Deltas of which nothing is known but which relations have gained and lost facts; for rules to be made from them."""
        deltas = cls(state)
        deltas.of = {name: Delta() for name in plus}
        deltas._told.update({(name, True): f"#plus {name}" for name in plus})
        deltas._told.update({(name, False): f"#minus {name}" for name in minus})
        return deltas

    def __contains__(self, name: str) -> bool:
        return name in self.of

    def grew(self, name: str, begin: int) -> None:
        """Rows were appended, and none went."""
        table = self.state.tables[name]
        if table.end > begin:
            inserted = table.appended_since(begin)
            self.of[name] = Delta(inserted, inserted[:0], begin)

    def changed(self, name: str, inserted: Rows, deleted: Rows) -> None:
        """Rows came and went."""
        if len(inserted) or len(deleted):
            self.of[name] = Delta(inserted=inserted, deleted=deleted)

    def made_anew(self, name: str, replacement: Replacement) -> None:
        """A relation was made anew."""
        if replacement.gained or replacement.lost:
            self.of[name] = Delta(replaced=replacement)

    def end(self) -> None:
        """The update is over: what is still to be worked out keeps what it needs for that."""
        for delta in self.of.values():
            if delta.replaced is not None:
                delta.replaced.end()

    def replace(self, name: str, delta: Delta) -> None:
        """Tell something else of a relation from now on."""
        self.of[name] = delta
        for inserted in (True, False):
            self._told.pop((name, inserted), None)

    def is_virtual(self, name: str) -> bool:
        """Whether a changed relation has no rows of its own."""
        return self.of[name].virtual is not None

    # --- as relations ----------------------------------------------------------------------------------------------------

    def plus(self, name: str) -> str | None:
        """The name of a table with the facts that came, if any did."""
        return self._as_table(name, inserted=True)

    def minus(self, name: str) -> str | None:
        """The name of a table with the facts that went, if any did."""
        return self._as_table(name, inserted=False)

    def _as_table(self, name: str, *, inserted: bool) -> str | None:
        key = name, inserted
        if key in self._told:
            return self._told[key]
        delta = self.of.get(name)
        if delta is None:
            return None
        rows, helper = delta.inserted_rows() if inserted else delta.deleted_rows(), None
        if len(rows):
            helper = f"#plus {name}" if inserted else f"#minus {name}"
            self.state.helper(helper, rows.shape[1], rows)
            self.state.filled.add(key)
        self._told[key] = helper
        return helper

    # --- as rules --------------------------------------------------------------------------------------------------------

    def losing(self, rule: CoreRule, own: set[str], *, is_gone: bool = False) -> Iterator[CoreRule]:
        """Rules that derive the heads of just those instances that the changes of lower relations have taken away.

        An instance may have lost several of its facts, and those are no longer in their relations; so each set of literals that
        have changed takes its turn, with all of its facts from what went, and the others from what has stayed.  If the rule
        itself is gone, so are all of its instances, those that have lost no fact among them.
        """
        changed = {at: lost for at in range(len(rule.body)) if (lost := self._lost(rule, at, own))}
        stayed = [self.stayed(literal, own) for literal in rule.body]
        for size in range(0 if is_gone else 1, len(changed) + 1):
            for chosen in combinations(changed, size):
                body = [part for at, kept in enumerate(stayed) for part in (changed[at] if at in chosen else kept)]
                yield self.variant(rule, ("losing", chosen, *map(len, stayed)), body)

    def _lost(self, rule: CoreRule, at: int, own: set[str]) -> tuple[Literal, ...]:
        """Literals that say of a literal that it held before the update and does not now; none if that cannot be."""
        literal = rule.body[at]
        if isinstance(literal, Atom) and literal.predicate not in own:
            gone = self.minus(literal.predicate)
            return () if gone is None else (Atom(gone, literal.args),)
        if not isinstance(literal, Negation) or (come := self.plus(literal.atom.predicate)) is None:
            return ()
        atom = literal.atom
        if not existential(atom, rule):
            return (Atom(come, atom.args),)
        # `not n(X, _)` held if all that there is now of X has come, and nothing of X went.
        gone = self.minus(atom.predicate)
        deleted = () if gone is None else (Negation(Atom(gone, atom.args)),)
        return rename_apart(Atom(come, atom.args), rule), Negation(_staying(rule, at, atom)), *deleted

    def stayed(self, literal: Literal, own: set[str]) -> tuple[Literal, ...]:
        """Literals that say of a literal that it held before the update and still does."""
        other = None
        if isinstance(literal, Atom) and literal.predicate not in own and (new := self.plus(literal.predicate)) is not None:
            other = Atom(new, literal.args)
        if isinstance(literal, Negation) and (lost := self.minus(literal.atom.predicate)) is not None:
            other = Atom(lost, literal.atom.args)
        return (literal,) if other is None else (literal, Negation(other))

    def staying(self, rules: Iterable[CoreRule]) -> Iterator[CoreRule]:
        """Rules for the keys of facts that were there before, where `losing` asks whether there were any."""
        for rule in rules:
            for at, literal in enumerate(rule.body):
                if isinstance(literal, Negation) and existential(literal.atom, rule):
                    atom = literal.atom
                    if (come := self.plus(atom.predicate)) is not None:
                        head = _staying(rule, at, atom)
                        self.state.helper(head.predicate, len(head.args))
                        body = (rename_apart(Atom(come, atom.args), rule), atom, Negation(Atom(come, atom.args)))
                        yield self.variant(rule, ("staying", at), body, head)

    def variant(self, rule: CoreRule, what: object, body: Iterable[Literal], head: Atom | None = None) -> CoreRule:
        """A rule with another body, and perhaps another head; the same object each time, so that its plan is found again."""
        key = (id(rule), what)
        known = self.state.variants.get(key)
        if known is None:
            made = replace(rule, head=head or rule.head, body=tuple(body))
            known = self.state.variants[key] = rule, made
        result: CoreRule = known[1]
        return result

    def gaining(self, rule: CoreRule, own: set[str]) -> Iterator[CoreRule]:
        """Rules that derive the heads of instances that a lower relation's change has brought.

        Where rows were only appended to a relation, a delta by range serves better, and is left to the caller (`ranges`).  A
        rule that is better applied to all rows (`takes_all`) is the only one, and serves for such relations, too.
        """
        if self.takes_all(rule, own):
            yield rule
            return
        for at, literal in enumerate(rule.body):
            if isinstance(literal, Negation) and (lost := self.minus(literal.atom.predicate)) is not None:
                gone = rename_apart(Atom(lost, literal.atom.args), rule)
                yield self.variant(rule, ("gaining", at), (gone, *rule.body))
            elif isinstance(literal, Atom) and literal.predicate in self.of and literal.predicate not in own:
                if self.of[literal.predicate].begin is None and (new := self.plus(literal.predicate)) is not None:
                    body = (*rule.body[:at], Atom(new, literal.args), *rule.body[at + 1 :])
                    yield self.variant(rule, ("gaining", at), body)

    def takes_all(self, rule: CoreRule, own: set[str]) -> bool:
        """Whether a rule is better applied to all rows, since so many of them came: then nobody looks for those that did.

        Where rows were appended to one relation, these are at hand; a join looks for what fits them in another, row by row
        and once for each relation, while all rows of one are joined with all of another by whole rows of bits.
        """
        if not self.may_take_all:
            return False
        names = [literal.predicate for literal in rule.body if isinstance(literal, Atom)]
        changed = [name for name in names if name in self.of and name not in own]
        if any(self.of[name].begin is None and self.of[name].is_mostly_new for name in changed):
            return True
        share = sum(self.of[name].gained / max(1, len(self.state.stored(name))) for name in changed)
        return len(names) > 1 and share >= _MUCH

    def ranges(self, names: Iterable[str], others: Container[str] = ()) -> dict[str, int]:
        """For changed relations to which rows were only appended, where those begin; without some others."""
        return {name: begin for name in names if (begin := self.of[name].begin) is not None and name not in others}


def _staying(rule: CoreRule, at: int, atom: Atom) -> Atom:
    """The variables that tie a negated atom to its rule, of facts that were there before the update and are now."""
    tied = names_of([atom]) - existential(atom, rule)
    return Atom(f"#staying {id(rule)} {at}", tuple(map(Variable, sorted(tied))))
