"""The result of an update: the facts that it inserted and deleted, by relation, and what it cost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from tidelog.arguments import wrong
from tidelog.display.html import table
from tidelog.errors import did_you_mean, fail
from tidelog.facts import Facts, Result, rows_in_json

if TYPE_CHECKING:
    from tidelog.explain.changed.answer import ChangedFact
    from tidelog.program.relations import Relation

Part = Literal["all", "explicit", "derived"]


class FactsByRelation(Result, Mapping[str, Facts]):
    """Facts by relation, computed on first use; those of a relation that has not changed are empty, and it is not listed."""

    def __init__(
        self,
        compute: Callable[[Part], dict[str, Facts]],
        part: Part = "all",
        name_of: Callable[[str], str] = str,
        relations: Callable[[], Mapping[str, Relation]] = dict,
    ) -> None:
        """`compute` gives the facts of each relation: all, the explicit ones, or the derived ones; `name_of` expands prefixes.

        `relations` are those that there are, whether they have changed or not.
        """
        self._compute, self._part, self.name_of, self.relations = compute, part, name_of, relations
        self._found: dict[str, Facts] | None = None
        self._parts: dict[Part, FactsByRelation] = {}

    @property
    def explicit(self) -> FactsByRelation:
        """Those that the update itself inserted or deleted."""
        return self._only("explicit")

    @property
    def derived(self) -> FactsByRelation:
        """Those that rules derive, or derived."""
        return self._only("derived")

    def _only(self, part: Part) -> FactsByRelation:
        if part not in self._parts:
            self._parts[part] = FactsByRelation(self._compute, part, self.name_of, self.relations)
        return self._parts[part]

    @property
    def total(self) -> int:
        """How many facts there are in all; if both parts are known already, nothing is computed."""
        is_known = self._found is None and {*self._parts} >= {"explicit", "derived"}
        return sum(len(facts) for part in (self._parts.values() if is_known else (self,)) for facts in part.values())

    @property
    def _facts(self) -> dict[str, Facts]:
        if self._found is None:
            self._found = {name: facts for name, facts in sorted(self._compute(self._part).items()) if facts}
        return self._found

    def __getitem__(self, relation: str) -> Facts:
        found = self._facts
        if not isinstance(relation, str):
            raise wrong("the name of a relation", relation, 'give a string: `"edge"`')
        if relation in found:
            return found[relation]
        if (name := self.name_of(relation)) in found:
            return found[name]
        known = self.relations()
        if name not in known:
            raise fail("TL073", f"there is no relation `{relation}`", fix=did_you_mean(name, known))
        return Facts.none_of(known[name])

    def __contains__(self, relation: object) -> bool:
        """Whether facts of a relation have changed."""
        return isinstance(relation, str) and (relation in self._facts or self.name_of(relation) in self._facts)

    def get(self, relation: str, default: Any = None) -> Any:
        """The facts of a relation that has changed; of another one, the default."""
        if relation not in self:  # `self[relation]` is empty then
            return default
        return self[relation]

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name}: {len(facts):,}" for name, facts in self.items()) + "}"

    def _repr_html_(self) -> str:
        return "".join(facts._repr_html_() for facts in self.values()) or "<p>no facts</p>"


@dataclass(slots=True)
class Counters:
    """The work of maintenance, as the papers count it: rule instances of each step, and facts."""

    suspected: int = 0
    """Instances that a deletion invalidated (deletion propagation of B/F; DRed's over-deletion)."""
    affected: int = 0
    """Facts that these instances derived, each counted once, and not if it had been checked before."""
    checked: int = 0
    """Facts that B/F checked (its set C)."""
    backward: int = 0
    """Instances of backward chaining."""
    forward: int = 0
    """Instances of forward proving."""
    proved: int = 0
    """Facts that B/F proved (its set P)."""
    overdeleted: int = 0
    """Facts that DRed over-deleted, those that were rederived among them."""
    rederived: int = 0
    """Instances of one-step rederivation (DRed's second step)."""
    inserted: int = 0
    """Instances of semi-naive insertion (DRed's third step)."""
    explicit_marks: int = 0
    """Deleted facts that had been marked ahead, so that their consequences were known."""
    implicit_marks: int = 0
    """Facts derived from these, which were the first to be checked, or deleted at once."""
    dropped_marks: int = 0
    """Marks of both kinds that were not used."""

    @property
    def marks(self) -> int:
        """All marks that were used."""
        return self.explicit_marks + self.implicit_marks

    def add(self, other: Counters) -> None:
        """Add other counters."""
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


@dataclass(slots=True)
class DeletionCost:
    """What the deletions of one unit were expected to take, and took."""

    unit: tuple[str, ...]
    """The relations of the unit; names with `#` are those of the core form."""
    algorithm: str
    """`ranked`, `bf`, `dred`, `counting`, or `rematerialise` if all was derived anew from the start."""
    why: str
    lost: int
    """How many facts had gone before it began."""
    expected: float
    """In seconds, by what lost facts took before; 0 if nothing is known yet."""
    anew: float
    """What it was expected to take to derive the unit anew; 0 if so few facts had gone that nobody asked, or nobody knows."""
    seconds: float
    """What it took; if it gave up, until then."""
    gave_up: bool = False
    """Whether it took too long, so that the unit was derived anew after all."""


@dataclass(slots=True)  # to freeze this and `Change` would take a noticeable part of a small update
class ChangeStatistics:
    """What an update cost."""

    algorithm: str
    """The algorithm, and why: `semi-naive` if facts were only inserted."""
    inserted: int = 0
    """Facts that became explicit."""
    deleted: int = 0
    """Facts that are no longer explicit."""
    without_effect: int = 0
    """Insertions and upserts of facts that were explicit already, deletions of facts that were not."""
    derivations: int = 0
    """Rule instances of all steps."""
    rounds: int = 0
    undefined: int = 0
    """Undefined results, such as those of a division by zero."""
    counters: Counters = field(default_factory=Counters)
    seconds: float = 0.0
    seconds_by_phase: Mapping[str, float] = field(default_factory=dict)
    """Of `deletion`, `insertion`, `aggregates`, `closures` and `starting over`, as far as there were any."""
    deletions: Sequence[DeletionCost] = ()
    """For each unit that has lost facts, what that was expected to take, and took."""

    def _repr_html_(self) -> str:
        numbers = ("inserted", "deleted", "without_effect", "derivations", "rounds", "undefined")
        rows = [(name.replace("_", " "), f"{getattr(self, name):,}") for name in numbers]
        rows += [(f"counter {name.replace('_', ' ')}", f"{count:,}") for name, count in asdict(self.counters).items() if count]
        rows += [(name, f"{seconds * 1000:,.3f} ms") for name, seconds in {"all": self.seconds, **self.seconds_by_phase}.items()]
        return table(self.algorithm, ("", ""), rows)


Rules = tuple[str, ...]
"""A hyper-node: rules that depend on one another, or one by itself, by their names, or texts if they have none."""


@dataclass(frozen=True, slots=True)
class HyperNodeChange:
    """Hyper-nodes that were merged, split, created or dropped."""

    what: Literal["merged", "split", "created", "dropped"]
    before: tuple[Rules, ...]
    after: tuple[Rules, ...]


@dataclass(frozen=True, slots=True)
class HyperNodeVisit:
    """A unit that a change of rules reached: the rules that derive the same relations."""

    rules: tuple[Rules, ...]
    """Their hyper-nodes."""
    relations: tuple[str, ...]
    """The relations that they derive."""
    how: Literal["re-evaluated", "difference"]
    """`re-evaluated` if the rules have changed or all facts were derived anew; `difference` if they only received a delta."""
    seconds: float


class RuleChanges:
    """What a change of rules did to the program; computed on first use."""

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
        """The rules that were added, by their names or texts."""
        return self._added()

    @cached_property
    def removed(self) -> Rules:
        """The rules that were removed."""
        return self._removed()

    @cached_property
    def hyper_nodes(self) -> tuple[HyperNodeChange, ...]:
        """The hyper-nodes that were merged, split, created and dropped."""
        return self._hyper_nodes()

    @cached_property
    def visited(self) -> tuple[HyperNodeVisit, ...]:
        """The hyper-nodes that the change reached, in the order of evaluation."""
        return self._visited()

    def to_dict(self) -> dict[str, object]:
        """The rule changes as JSON."""
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
    """The result of an update."""

    inserted: FactsByRelation
    """New facts, by relation; `inserted.explicit` and `inserted.derived` are its two parts."""
    deleted: FactsByRelation
    """Facts that no longer hold, by relation, with the same two parts."""
    stats: ChangeStatistics = field(default_factory=lambda: ChangeStatistics("none"))
    id: str | int | None = None
    """The id of the update, if it came from a stream and has one."""
    rules: RuleChanges | None = None
    """What it did to the program, if it added or removed rules."""
    explainer: Callable[[Change, object], ChangedFact] | None = field(default=None, repr=False, compare=False)

    def explain(self, fact: str | tuple[object, ...]) -> ChangedFact:
        """Why a fact came, went or stayed with this change; to be asked before the next one."""
        if self.explainer is None:
            raise fail("TL099", "this change was not made, or by an engine that explains none", fix="update, and ask its change")
        return self.explainer(self, fact)

    def to_dict(self) -> dict[str, object]:
        """The change as JSON: `id`, `inserted` and `deleted` by relation, facts sorted, `stats`; with rule changes, `rules`."""
        described: dict[str, object] = {
            "id": self.id,
            "inserted": {name: rows_in_json(facts) for name, facts in self.inserted.items()},
            "deleted": {name: rows_in_json(facts) for name, facts in self.deleted.items()},
            "stats": asdict(self.stats),
        }
        return described if self.rules is None else {**described, "rules": self.rules.to_dict()}

    def to_json(self) -> str:
        """The change as a line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __bool__(self) -> bool:
        """Whether a fact holds now that did not before, or the other way round, or rules have changed."""
        return bool(self.inserted) or bool(self.deleted) or self.rules is not None

    def _repr_html_(self) -> str:
        rows = []
        for name in sorted({*self.inserted, *self.deleted}):
            counts = (len(facts) if (facts := side.get(name)) is not None else 0 for side in (self.inserted, self.deleted))
            rows.append((name, *(f"{count:,}" for count in counts)))
        said = [f"{self.stats.algorithm}; {self.stats.seconds * 1000:,.3f} ms"]
        caption = "change" if self.id is None else f"change {self.id}"
        return table(caption, ("relation", "inserted", "deleted"), rows, [*said, *([repr(self.rules)] if self.rules else [])])

    def __repr__(self) -> str:
        return f"Change(inserted={self.inserted!r}, deleted={self.deleted!r}, algorithm={self.stats.algorithm!r})"


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What one call of `load` has read."""

    relation: str
    rows: int
    new_facts: int
    """How many of the rows were not explicit facts before."""
    description: str
    rejected: int = 0
    """Rows that do not fit the relation; the local engine loads nothing if there is one."""
    replaced: int = 0
    """Explicit facts that rows with the same key replaced, with `upsert=True`."""

    def __repr__(self) -> str:
        return self.description
