"""Evaluation by tasks of the kernel: which units are split by a key, and the closures of graphs, with where and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tidelog.core.keys import key_of
from tidelog.core.rules import Closure, Unit
from tidelog.program.modules import ModuleKind
from tidelog.spark.data.exchange import BYTES_A_FACT, Exchange
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.evaluation.closure import connected_pairs
from tidelog.spark.evaluation.key_split import Split, split
from tidelog.spark.evaluation.key_tasks import KeyTasks
from tidelog.spark.evaluation.placement import Where
from tidelog.spark.evaluation.rounds import Rounds

_BYTES_AN_EDGE = 16
"""What an edge takes in a task that closes a graph."""


class TaskEvaluation:
    """Evaluates units of one engine in tasks."""

    def __init__(self, exchange: Exchange, forced: str, budget: int, arities: Callable[[], Mapping[str, int]]) -> None:
        """`arities` gives those of the rules that the engine has at the time."""
        self.exchange, self.forced, self.budget, self._arities = exchange, forced, budget, arities
        self.tasks = KeyTasks(exchange.spark, exchange.lineage)

    def keyed(self, unit: Unit) -> Split | None:
        """How a unit is split by keys, if it can be."""
        if self.forced == Where.ROUNDS:
            return None
        return split(unit, self._arities(), lambda value: self.exchange.terms.number([key_of(value)])[0])

    def derives(self, units: Iterable[Unit]) -> bool:
        """Whether tasks can derive any of some units."""
        return any(True for _ in self._recursive(units))

    def _recursive(self, units: Iterable[Unit]) -> Iterator[Split]:
        for unit in units:
            if (how := self.keyed(unit)) is not None and how.is_recursive:
                yield how

    def place_units(self, units: Iterable[Unit], why: str) -> tuple[Where, str]:
        """Where a component with units that hand a key on is evaluated: what each task needs whole must fit into it."""
        whole = {name for how in self._recursive(units) for name, key in how.inputs.items() if key is None}
        size = sum(self.exchange.size(name) for name in whole) * BYTES_A_FACT
        if self.forced == "auto" and size > self.budget:
            return Where.ROUNDS, f"{why}; and each task would need {size:,} bytes of other relations"
        return Where.DECOMPOSED, f"{why}; each task derives the facts of its keys"

    def place_closure(self, closure: Closure, read: Iterable[str], why: str) -> tuple[Where, str]:
        """Where a transitive relation is closed."""
        edges = sum(self.exchange.size(name) for name in read)
        is_symmetric = closure.module.kind is ModuleKind.SYMMETRIC_TRANSITIVE
        if is_symmetric and (self.forced == Where.COMPONENTS or edges * _BYTES_AN_EDGE > self.budget):
            return Where.COMPONENTS, f"{why}; connected components by stars"
        return Where.DECOMPOSED, f"{why}; each task closes its share of ends"

    def derive(self, unit: Unit, rounds: Rounds, where: Where) -> None:
        """Derive a unit of rules on Spark; its relations hold what the user gave, and nothing else."""
        how = self.keyed(unit) if where is Where.DECOMPOSED else None
        if how is None or not how.is_recursive:
            rounds.evaluate(unit)
            return
        relations, given = self.exchange.relations, dict[str, FrameRelation]()
        for name in unit.relations:
            if relations[name].count:
                given[name] = relations[name]
                relations[name] = FrameRelation(given[name].width, given[name].by)
        progress, limit = rounds.watch.progress, rounds.watch.limits.facts
        most = None if limit is None else limit - progress.facts
        self.tasks.derive(how, relations, given, most)
        progress.facts += sum(relations[name].count for name in unit.relations)
        rounds.watch.poll()

    def close_relation(self, name: str, closure: Closure, where: Where) -> None:
        """Derive a transitive relation from its explicit pairs and steps."""
        exchange, edge = self.exchange, closure.module.edge
        relations, lineage = exchange.relations, exchange.lineage
        steps = relations[edge].frame(exchange.spark) if edge is not None else None
        given = relations[closure.given].frame(exchange.spark)
        if where is Where.COMPONENTS:
            frame = connected_pairs(given, lineage, is_irreflexive=closure.module.is_irreflexive)
            relations[name].add(*lineage.cut_and_count(frame), lineage)
            return
        frame = self.tasks.close(closure.module, given, steps)
        relations[name].add(*lineage.to_files(frame), lineage)
