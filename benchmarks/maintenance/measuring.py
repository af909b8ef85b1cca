"""Deletes and re-inserts facts through the public interface, and measures each step."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.harness.workload import Inputs, NotAvailable
from tidelog.changes import Counters
from tidelog.errors import TidelogError

if TYPE_CHECKING:
    from tidelog import KnowledgeBase
    from tidelog.changes import Change

FRESH = "from scratch"
"""A new knowledge base of what is left: the evaluation alone, from loaded facts."""
DELETE, INSERT = "delete", "re-insert"
COMPARED = 3
"""So many rounds there are at least, and the numbers of facts are compared after each."""
COUNTERS = ("checked", "backward", "forward", "suspected", "overdeleted", "rederived", "inserted")
"""Those of the tables of the papers."""
_ENOUGH = 2.0
"""CPU seconds after which there are no more rounds."""

Fact = tuple[Any, ...]


@dataclass(frozen=True)
class Figures:
    """What one step took: the median of its rounds."""

    cpu: float
    first: float
    """CPU seconds of the first round, which also makes plans and indexes."""
    instances: float
    """Rule instances that were looked at."""
    facts: int
    """How many facts hold afterwards, summed over the first rounds."""
    requested: float = 0.0
    """CPU seconds of counting all facts afterwards: what an update leaves for later would show here."""
    loading: float = 0.0
    """CPU seconds of reading the rules and loading the facts, of `from scratch` only; `cpu` is without it."""
    worst: float = 0.0
    """CPU seconds of the round that took longest, the first one left out if there are others."""
    went: float = 0.0
    """By how many facts there were fewer afterwards, or more; this and all that follow are means over the rounds."""
    checked: float = 0.0
    backward: float = 0.0
    forward: float = 0.0
    suspected: float = 0.0
    overdeleted: float = 0.0
    rederived: float = 0.0
    inserted: float = 0.0
    choice: str = ""
    """The algorithm that the last round says it used, and why."""


Steps = dict[str, Figures]


def chosen(inputs: Inputs, size: int, rounds: int, seed: int = 7) -> list[list[Fact]]:
    """For each round, so many random facts of all relations together."""
    random = np.random.default_rng(seed)
    count = sum(table.num_rows for table in inputs.values())
    return [facts_at(inputs, random.choice(count, size, replace=False)) for _ in range(rounds)]


def nested(inputs: Inputs, size: int, rounds: int) -> list[list[Fact]]:
    """The same, and the facts of a round are among those of the same round with a larger size."""
    count = sum(table.num_rows for table in inputs.values())
    return [facts_at(inputs, np.random.default_rng(at).permutation(count)[:size]) for at in range(rounds)]


def facts_at(inputs: Inputs, places: npt.NDArray[np.int64]) -> list[Fact]:
    """The facts at some places, if the rows of all tables are numbered one after the other."""
    facts: list[Fact] = []
    end = 0
    for name, table in inputs.items():
        start, end = end, end + table.num_rows
        own = places[(places >= start) & (places < end)] - start
        columns = [column.to_pylist() for column in table.take(pa.array(own)).columns]
        facts += [(name, *row) for row in zip(*columns, strict=True)]
    return facts


def knowledge_base(rules: str, algorithm: str, *, modules: bool, limit: float | None = None) -> KnowledgeBase:
    """An empty one; an algorithm that is not there yet is not available."""
    from tidelog import KnowledgeBase as Engine
    from tidelog.errors import TidelogError

    try:
        return Engine(rules, algorithm=algorithm, modules=modules, limit_seconds=limit)  # type: ignore[arg-type]
    except TidelogError as error:
        if {problem.code for problem in error.diagnostics} != {"TL074"}:
            raise
        raise NotAvailable(error.diagnostics[0].message) from error


def loaded(
    rules: str, inputs: Inputs, algorithm: str, *, modules: bool, limit: float | None = None
) -> tuple[KnowledgeBase, float, float]:
    """With all facts, evaluated; and CPU seconds of loading and of evaluating.  No update may take longer than the limit."""
    start = time.process_time()
    kb = knowledge_base(rules, algorithm, modules=modules, limit=limit)
    for relation, table in inputs.items():
        kb.load(relation, table)
    ready = time.process_time()
    count(kb)
    return kb, ready - start, time.process_time() - ready


def count(kb: KnowledgeBase) -> int:
    """How many facts hold."""
    return sum(kb.count(relation) for relation in kb.relations)


class Rounds:
    """The measurements of one step, round by round."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.requested: list[float] = []
        self.instances: list[int] = []
        self.facts: list[int] = []
        self.went: list[int] = []
        self.counters = Counters()
        self.choice = ""

    def measure(self, update: Callable[[], Change], kb: KnowledgeBase) -> float:
        """Do it; returns its CPU seconds."""
        start = time.process_time()
        change = update()
        seconds = time.process_time() - start
        counters = change.stats.counters
        examined = counters.suspected + counters.backward + counters.forward + counters.rederived + counters.inserted
        self.seconds.append(seconds)
        self.instances.append(examined)
        start = time.process_time()
        self.facts.append(count(kb))
        self.requested.append(time.process_time() - start)
        self.counters.add(counters)
        self.choice = change.stats.algorithm
        return seconds

    def figures(self) -> Figures:
        """All rounds together."""
        return Figures(
            statistics.median(self.seconds),
            self.seconds[0],
            statistics.median(self.instances),
            sum(self.facts[:COMPARED]),
            statistics.median(self.requested),
            0.0,
            max(self.seconds[1:] or self.seconds),
            statistics.fmean(self.went) if self.went else 0.0,
            choice=self.choice,
            **{name: getattr(self.counters, name) / len(self.seconds) for name in COUNTERS},
        )


def maintained(
    rules: str,
    inputs: Inputs,
    rounds: Sequence[list[Fact]],
    contender: str,
    *,
    modules: bool = True,
    limit: float | None = None,
) -> Steps:
    """Delete and re-insert the facts of each round; not available where the first update takes longer than the limit."""
    if contender == FRESH:
        return from_scratch(rules, inputs, rounds, modules=modules)
    kb, _, _ = loaded(rules, inputs, contender, modules=modules, limit=limit)
    deletions, insertions = Rounds(), Rounds()
    before = count(kb)
    for facts in rounds:
        try:
            deletions.measure(lambda facts=facts: kb.update(delete=facts), kb)  # type: ignore[misc]
            insertions.measure(lambda facts=facts: kb.update(insert=facts), kb)  # type: ignore[misc]
        except TidelogError as error:
            if not insertions.seconds:
                raise NotAvailable(error.diagnostics[0].message) from error
            break
        for step in (deletions, insertions):
            step.went.append(before - deletions.facts[-1])
        if len(deletions.seconds) >= COMPARED and sum(deletions.seconds) + sum(insertions.seconds) > _ENOUGH:
            break
    return {DELETE: deletions.figures(), INSERT: insertions.figures()}


def from_scratch(rules: str, inputs: Inputs, rounds: Sequence[list[Fact]], *, modules: bool) -> Steps:
    """What is left after each round, and everything, evaluated in a new knowledge base each time."""
    steps = {}
    for step in (DELETE, INSERT):
        evaluating, loading, facts = [], [], 0
        for gone in rounds[:COMPARED]:
            kb, load, evaluate = loaded(rules, without(inputs, gone) if step == DELETE else inputs, "auto", modules=modules)
            evaluating.append(evaluate)
            loading.append(load)
            facts += count(kb)
        steps[step] = Figures(statistics.median(evaluating), evaluating[0], 0, facts, loading=statistics.median(loading))
    return steps


def without(inputs: Inputs, gone: Sequence[Fact]) -> Mapping[str, pa.Table]:
    """The tables without some facts."""
    missing: dict[str, set[Fact]] = {}
    for name, *row in gone:
        missing.setdefault(name, set()).add(tuple(row))
    return {name: _without_rows(table, missing[name]) if name in missing else table for name, table in inputs.items()}


def _without_rows(table: pa.Table, missing: set[Fact]) -> pa.Table:
    """Only rows that begin like a missing one are looked at in Python."""
    first = pa.array([row[0] for row in missing], table.column(0).type)
    keep = pc.invert(pc.is_in(table.column(0), value_set=first)).to_numpy().copy()
    places = np.flatnonzero(~keep)
    rows = zip(*table.take(pa.array(places)).to_pydict().values(), strict=True)
    keep[places] = [row not in missing for row in rows]
    return table.filter(pa.array(keep))
