"""What an update did: the facts that came and went, by relation, and what it took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Literal

from tidelog.facts import Facts
from tidelog.json_values import to_json
from tidelog.values import from_python, sort_key

Part = Literal["all", "explicit", "derived"]

_PARTS = 2
"""Explicit facts and derived ones."""


class FactsByRelation(Mapping[str, Facts]):
    """Facts by relation, only those relations that have any; worked out when somebody looks."""

    def __init__(self, compute: Callable[[Part], dict[str, Facts]], part: Part = "all") -> None:
        """`compute` gives the facts of each relation: all of them, or those that are explicit, or those that are not."""
        self._compute, self._part = compute, part
        self._found: dict[str, Facts] | None = None
        self._parts: dict[Part, FactsByRelation] = {}

    @property
    def explicit(self) -> FactsByRelation:
        """Those that the user gave, or took back."""
        return self._only("explicit")

    @property
    def derived(self) -> FactsByRelation:
        """Those that only rules derive, or derived."""
        return self._only("derived")

    def _only(self, part: Part) -> FactsByRelation:
        if part not in self._parts:
            self._parts[part] = FactsByRelation(self._compute, part)
        return self._parts[part]

    @property
    def total(self) -> int:
        """How many facts there are in all; if both parts are known already, nothing has to be worked out for it."""
        is_known = self._found is None and len(self._parts) == _PARTS
        return sum(len(facts) for part in (self._parts.values() if is_known else (self,)) for facts in part.values())

    @property
    def _facts(self) -> dict[str, Facts]:
        if self._found is None:
            self._found = {name: facts for name, facts in sorted(self._compute(self._part).items()) if facts}
        return self._found

    def __getitem__(self, relation: str) -> Facts:
        return self._facts[relation]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name}: {len(facts):,}" for name, facts in self.items()) + "}"


@dataclass(slots=True)
class Counters:
    """What maintenance did, as the papers count it: rule instances of each step, and facts."""

    suspected: int = 0
    """Instances that were lost, or used to propagate a deletion (deletion propagation; DRed's first step)."""
    affected: int = 0
    """Facts that these made suspect, each counted once, and not if it had been checked before."""
    checked: int = 0
    """Facts for which B/F looked for a proof."""
    backward: int = 0
    """Instances that B/F looked at in search of a proof."""
    forward: int = 0
    """Instances that proved a fact."""
    proved: int = 0
    """Facts that B/F proved."""
    overdeleted: int = 0
    """Facts that DRed took away, among them those that came back."""
    rederived: int = 0
    """Instances that brought facts back in one step (DRed's second step)."""
    inserted: int = 0
    """Instances that were used to derive what is new, or back (DRed's third step)."""
    explicit_marks: int = 0
    """Facts that the update deletes and looking ahead had marked, so that nobody had to find out what they take along."""
    implicit_marks: int = 0
    """Facts that these had brought, which were the first to be suspected, or went at once."""
    dropped_marks: int = 0
    """Marks, of both kinds, that were of no use."""

    @property
    def marks(self) -> int:
        """All marks that were used."""
        return self.explicit_marks + self.implicit_marks

    def add(self, other: Counters) -> None:
        """Count what another piece of work did, too."""
        self.suspected += other.suspected
        self.affected += other.affected
        self.checked += other.checked
        self.backward += other.backward
        self.forward += other.forward
        self.proved += other.proved
        self.overdeleted += other.overdeleted
        self.rederived += other.rederived
        self.inserted += other.inserted
        self.explicit_marks += other.explicit_marks
        self.implicit_marks += other.implicit_marks
        self.dropped_marks += other.dropped_marks


@dataclass(slots=True)  # to freeze this and `Change` would take a noticeable part of a small update
class ChangeStatistics:
    """What an update took."""

    algorithm: str
    """How it was done, and why: `semi-naive` if only new consequences were derived."""
    inserted: int = 0
    """Facts that were not explicit before and are now."""
    deleted: int = 0
    """Facts that were explicit before and are not now."""
    without_effect: int = 0
    """Insertions and upserts of facts that were explicit already, deletions of facts that were not."""
    derivations: int = 0
    """Rule instances of all steps."""
    rounds: int = 0
    undefined: int = 0
    """Results that are undefined, such as of a division by zero."""
    counters: Counters = field(default_factory=Counters)
    seconds: float = 0.0
    seconds_by_phase: Mapping[str, float] = field(default_factory=dict)
    """Of `deletion`, `insertion`, `aggregates`, `closures` and `starting over`, as far as there were any."""


Rules = tuple[str, ...]
"""A hyper-node: rules that depend on one another, or one by itself, by their names, or texts if they have none."""


@dataclass(frozen=True, slots=True)
class HyperNodeChange:
    """Hyper-nodes that have become others."""

    what: Literal["merged", "split", "created", "dropped"]
    before: tuple[Rules, ...]
    after: tuple[Rules, ...]


@dataclass(frozen=True, slots=True)
class HyperNodeVisit:
    """Rules whose turn came, with all others that derive the same relations."""

    rules: tuple[Rules, ...]
    """Their hyper-nodes."""
    relations: tuple[str, ...]
    """What they derive."""
    how: Literal["re-evaluated", "difference"]
    """Whether the rules are others than before, or all was derived anew; or whether they only received a difference."""
    seconds: float


class RuleChanges:
    """What a change of rules did to the program; worked out when somebody looks."""

    def __init__(
        self,
        added: Callable[[], Rules],
        removed: Callable[[], Rules],
        hyper_nodes: Callable[[], tuple[HyperNodeChange, ...]],
        visited: Callable[[], tuple[HyperNodeVisit, ...]],
    ) -> None:
        self._added, self._removed, self._hyper_nodes, self._visited = added, removed, hyper_nodes, visited

    @cached_property
    def added(self) -> Rules:
        """The rules that came, by their names or texts."""
        return self._added()

    @cached_property
    def removed(self) -> Rules:
        """The rules that went."""
        return self._removed()

    @cached_property
    def hyper_nodes(self) -> tuple[HyperNodeChange, ...]:
        """The hyper-nodes that were merged, split, created and dropped."""
        return self._hyper_nodes()

    @cached_property
    def visited(self) -> tuple[HyperNodeVisit, ...]:
        """The hyper-nodes whose turn came, in the order of evaluation."""
        return self._visited()

    def to_dict(self) -> dict[str, object]:
        """What JSON can say of it."""
        return {
            "added": self.added,
            "removed": self.removed,
            "hyper_nodes": [asdict(change) for change in self.hyper_nodes],
            "visited": [asdict(visit) for visit in self.visited],
        }

    def __repr__(self) -> str:
        told = [f"added={len(self.added)}", f"removed={len(self.removed)}"]
        told += [f"{what}={count}" for what, count in Counter(change.what for change in self.hyper_nodes).items()]
        return f"RuleChanges({', '.join(told)}, visited={len(self.visited)})"


@dataclass(slots=True)
class Change:
    """An update, done."""

    inserted: FactsByRelation
    """Facts that hold now and did not before, by relation; `inserted.explicit` and `inserted.derived` are its two parts."""
    deleted: FactsByRelation
    """Facts that held before and do not now."""
    stats: ChangeStatistics = field(default_factory=lambda: ChangeStatistics("none"))
    id: str | int | None = None
    """That of the update, if it came from a stream and has one."""
    rules: RuleChanges | None = None
    """What it did to the program, if rules came or went."""

    def to_dict(self) -> dict[str, object]:
        """What JSON can say of it: `id`, `inserted` and `deleted` by relation, in an order that is always the same, `stats`.

        If rules came or went, `rules` as well.
        """
        described: dict[str, object] = {
            "id": self.id,
            "inserted": {name: _in_json(facts) for name, facts in self.inserted.items()},
            "deleted": {name: _in_json(facts) for name, facts in self.deleted.items()},
            "stats": asdict(self.stats),
        }
        return described if self.rules is None else {**described, "rules": self.rules.to_dict()}

    def to_json(self) -> str:
        """The change as a line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __repr__(self) -> str:
        return f"Change(inserted={self.inserted!r}, deleted={self.deleted!r}, algorithm={self.stats.algorithm!r})"


def _in_json(facts: Facts) -> list[list[object]]:
    rows = sorted((tuple(map(from_python, fact)) for fact in facts), key=lambda row: tuple(map(sort_key, row)))
    return [[to_json(value.content) for value in row] for row in rows]
