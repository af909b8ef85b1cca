"""Semi-naive evaluation in DataFrame rounds, for what is too large for one process.

A round joins what was new in the round before with everything, drops what is known (`novelty`), and cuts the lineage, or the
plan would grow with every round. What starts from a handful of facts is decided by the driver, which also computes functions
and aggregates of a handful, so that late rounds cost a scan at most; and where the driver holds all that a rule reads, or can
look up what a handful of new facts meets (`sorted_copies`), it joins by itself (`small_joins`), without a job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as f

from tidelog.core.arrays import Int32s
from tidelog.core.keys import key_of
from tidelog.core.limits import Watch
from tidelog.core.rules import Aggregation, CoreRule, FunctionCalls, Unit, is_visible
from tidelog.core.statistics import Round
from tidelog.spark.data.frames import DRIVER_ROWS, FEW_ROWS, FrameRelation
from tidelog.spark.data.matrices import columns, frame_of_rows, rows_of_table, schema
from tidelog.spark.data.novelty import TINY, Novelty, facts_with
from tidelog.spark.data.spark_dictionary import SparkDictionary
from tidelog.spark.evaluation.operators import Batches, calling, folding
from tidelog.spark.evaluation.rule_joins import RuleFrames, Side
from tidelog.spark.evaluation.small_joins import SmallJoins, TooMuchError
from tidelog.syntax.tree import Atom, Literal, Negation
from tidelog.values import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.data.sets import Sets
    from tidelog.spark.session.lineage import Lineage

_WORTH_SORTING = 10_000
"""Of fewer facts, a hash table stands in the caches of a processor anyway."""
Deltas = dict[str, FrameRelation]
"""New facts, by relation."""
RelationAt = Callable[[int, str], FrameRelation]
"""What the atom at a position of a body sees, given its relation."""
Use = tuple[CoreRule, int | None, FrameRelation | None]
"""A rule, with new facts in the place of one of its atoms, or with all."""


class Rounds:
    """Evaluates units over frames."""

    def __init__(
        self,
        spark: SparkSession,
        lineage: Lineage,
        terms: SparkDictionary,
        relations: dict[str, FrameRelation],
        watch: Watch,
    ) -> None:
        self.spark, self.lineage, self.terms, self.relations, self.watch = spark, lineage, terms, relations, watch
        self.rules, self.small = RuleFrames(spark, self._number), SmallJoins(self._number)
        self.novelty = Novelty(spark, lineage)
        self.done: list[Round] = []
        self.recorded: dict[str, list[FrameRelation]] | None = None
        """All new facts by relation, while they are recorded."""
        self.unit = 0

    def _number(self, value: Value) -> int:
        return self.terms.number([key_of(value)])[0]

    def evaluate(self, unit: Unit) -> None:
        """Derive all facts of a unit; its relations hold what the user gave, and nothing else."""
        if unit.stages:
            self._in_turn(unit)
            return
        new = self.operators(unit, None)
        self.watch.progress.round = 0
        new = {**new, **self._apply([(rule, None, None) for rule in unit.rules])}
        self.saturate(unit, new)

    def _continue(self, unit: Unit, changed: Deltas) -> None:
        new = self.operators(unit, changed)
        self.watch.progress.round = 0
        uses = [(rule, at, changed[name]) for rule in unit.rules for at, name in _atoms(rule) if name in changed]
        new = {**new, **self._apply(uses)}
        self.saturate(unit, new)

    def _in_turn(self, unit: Unit) -> None:
        """The stages of a unit, one after the other, until none has a delta to read."""
        seen: list[dict[str, tuple[int, int]]] = []
        for name in unit.relations:
            self.relations[name].merges = False
        for stage in unit.stages:
            seen.append({name: self.relations[name].mark() for name in stage.uses})
            self.evaluate(stage)
        is_done = False
        while not is_done:
            is_done = True
            for at, stage in enumerate(unit.stages):
                outside = stage.uses - set(stage.relations)
                now = {name: self.relations[name].mark() for name in outside}
                changed = {name: self.relations[name].since(seen[at][name]) for name in outside if now[name] != seen[at][name]}
                if changed:
                    is_done = False
                    seen[at] = {**seen[at], **now}
                    self._continue(stage, changed)
        for name in unit.relations:
            self.relations[name].merges = True

    # --- rounds ----------------------------------------------------------------------------------------------------------

    def saturate(self, unit: Unit, new: Deltas) -> None:
        """Rounds until nothing is new."""
        number = 0
        while new:
            requested = {name: delta for name, delta in new.items() if name in unit.relations}
            uses = [(rule, at, requested[name]) for rule in unit.rules for at, name in _atoms(rule) if name in requested]
            calls = any(
                isinstance(special, FunctionCalls) and special.requested in requested for special in unit.operators.values()
            )
            if not uses and not calls:
                return
            number += 1
            self.watch.progress.round = number
            self.watch.poll()
            answered = self.operators(unit, requested) if calls else {}
            new = {**answered, **self._apply(uses)}

    def _apply(self, uses: Sequence[Use]) -> Deltas:
        """Apply rules, each with a delta in the place of one atom; what is new, by relation."""
        by_head: dict[str, list[Use]] = {}
        for rule, at, delta in uses:
            if all(self.relations[name].count for _, name in _atoms(rule)):
                by_head.setdefault(rule.head.predicate, []).append((rule, at, delta))
        result: Deltas = {}
        candidates = {name: ([self.derived(*use)[0] for use in uses], self._start(uses)) for name, uses in by_head.items()}
        for name, (found, start) in candidates.items():
            before = self.relations[name].count
            new = self.added(name, found, start)
            count = self.relations[name].count - before
            origin = by_head[name][-1][0].origin
            self.done.append(Round(self.unit, origin, self.watch.progress.round, count, count if is_visible(name) else 0, 0.0))
            if new is not None:
                result[name] = new
            self.watch.poll()
        return result

    def _start(self, uses: Sequence[Use]) -> int:
        """How many facts some uses of rules start from: the deltas, or the largest relation of a body."""
        return sum(
            delta.count if delta is not None else max((self.relations[name].count for _, name in _atoms(rule)), default=1)
            for rule, _, delta in uses
        )

    def derived(
        self, rule: CoreRule, at: int | None = None, delta: FrameRelation | None = None
    ) -> tuple[DataFrame | Int32s, int]:
        """What a rule derives: rows, if the driver holds all that it reads; and how many facts it starts from."""
        self.watch.progress.working_on = rule.shown

        def relation_at(place: int, name: str) -> FrameRelation:
            return delta if place == at and delta is not None else self.relations[name]

        start = self._start([(rule, at, delta)])
        return self.joined(rule, relation_at, at, start), start

    def joined(self, rule: CoreRule, relation_at: RelationAt, first: int | None, start: int) -> DataFrame | Int32s:
        """What a rule derives from the relations that its literals see, starting from so many facts."""
        read = {at: relation_at(at, atom.predicate) for at, literal in enumerate(rule.body) if (atom := _atom_of(literal))}
        if not all(read[at].count for at, _ in _atoms(rule)):
            return np.empty((0, max(1, len(rule.head.args))), np.int32)
        held = {at: relation.rows_in_driver for at, relation in read.items()}
        few = held.get(first) if first is not None else None
        if (few is not None and len(few) <= DRIVER_ROWS) or (start <= DRIVER_ROWS and all(held[at] is not None for at in held)):

            def rows_of(at: int, bound: Mapping[int, Int32s]) -> Int32s | None:
                return rows if (rows := held[at]) is not None else facts_with(read[at], bound, self.lineage)

            try:
                return self.small.evaluate(rule, rows_of, {at: read[at].count for at in read}, first)
            except TooMuchError:
                pass  # a few facts with very many combinations: that is what Spark is for

        def side(place: int, _name: str) -> Side:
            relation = read[place]
            is_asked_often = place != first and _WORTH_SORTING < relation.count <= min(FEW_ROWS, start // 2)
            in_order = partial(relation.sorted_frame, lineage=self.lineage, spark=self.spark) if is_asked_often else None
            return Side(relation.frame(self.spark), relation.count, in_order)

        return self.rules.evaluate(rule, side, first, is_tiny=start <= TINY)

    def added(self, name: str, found: Sequence[DataFrame | Int32s], start: int) -> FrameRelation | None:
        """Add candidates to a relation; what is new of them."""
        rows = [some for some in found if isinstance(some, np.ndarray)]
        if len(rows) == len(found):
            return self._add(name, lambda: self.novelty.add_rows(self.relations[name], np.concatenate(rows)))
        frames = [frame_of_rows(self.spark, some) if isinstance(some, np.ndarray) else some for some in found]
        return self._add(name, lambda: self.novelty.add(self.relations[name], frames, start))

    def add_new(self, name: str, facts: FrameRelation, sets: Sets) -> None:
        """Add facts that a relation is known not to have."""
        sets.add(self.relations[name], facts)
        self._add(name, lambda: facts)

    def _add(self, name: str, add: Callable[[], FrameRelation | None]) -> FrameRelation | None:
        new = add()
        if new is not None and is_visible(name):
            self.watch.progress.facts += new.count
        if new is not None and self.recorded is not None:
            self.recorded.setdefault(name, []).append(new)
        return new

    # --- specials --------------------------------------------------------------------------------------------------------

    def operators(self, unit: Unit, changed: Deltas | None) -> Deltas:
        """Fill what functions and aggregates give: for everything, or for what has changed."""
        result: Deltas = {}
        for name, special in unit.operators.items():
            if not isinstance(special, FunctionCalls | Aggregation):
                continue
            source = special.requested if isinstance(special, FunctionCalls) else special.inner
            if not self.relations[source].count or (changed is not None and source not in changed):
                continue
            given = self.relations[source] if changed is None else changed[source]
            new = self._call(name, special, given) if isinstance(special, FunctionCalls) else self.fold(name, special, given)
            if new is not None:
                result[name] = new
        return result

    def _call(self, name: str, special: FunctionCalls, arguments: FrameRelation) -> FrameRelation | None:
        width = self.relations[name].width - 1
        function = calling(special.function, width)
        if arguments.count <= DRIVER_ROWS and self.terms.knows_all:
            keys = self.terms.decode_rows(self._rows(arguments)[:, :width])
            return self._by_driver(name, function, pa.table({f"k{at}": column for at, column in enumerate(keys)}), 0)
        fields = ", ".join(f"k{at} string" for at in range(width + 1))
        results = self.lineage.cut(self.terms.decode(arguments.frame(self.spark), width).mapInArrow(function, fields))
        self.terms.extend(results.select(f.col(f"k{width}").alias("key")), arguments.count)
        encoded = self.terms.encode(results, width + 1)
        return self._add(name, lambda: self.novelty.add(self.relations[name], [encoded], arguments.count))

    def fold(self, name: str, special: Aggregation, bindings: FrameRelation) -> FrameRelation | None:
        """Add the results of an aggregate over whole groups."""
        groups = columns(special.groups)
        function = folding(special.function, special.groups)
        if bindings.count <= DRIVER_ROWS and self.terms.knows_all and (special.function == "count" or special.target is None):
            of_groups, counts = np.unique(self._rows(bindings)[:, : special.groups], axis=0, return_counts=True)
            numbers = self.terms.number([f"i{count}" for count in counts.tolist()])
            found = np.column_stack([of_groups, np.array(numbers, np.int32)])
            return self._add(name, lambda: self.novelty.add_rows(self.relations[name], found))
        if bindings.count <= DRIVER_ROWS and self.terms.knows_all and special.target is not None:
            rows = self._rows(bindings)
            rows = rows[np.lexsort(rows[:, : special.groups].T)] if groups else rows
            named = {column: rows[:, at] for at, column in enumerate(groups)}
            return self._by_driver(
                name, function, pa.table({**named, "key": self.terms.decode_rows(rows)[special.target]}), len(groups)
            )
        if special.function == "count" or special.target is None:
            counted = bindings.frame(self.spark).groupBy(*groups).agg(f.count(f.lit(1)).alias("n"))
            if not groups:
                counted = counted.where("n > 0")
            results = counted.select(*groups, f.concat(f.lit("i"), f.col("n").cast("string")).alias("key"))
        else:
            known = self.terms.frame.select(f.col("id").alias(f"c{special.target}"), "key")
            known = f.broadcast(known) if self.terms.is_few else known.hint("shuffle_hash")
            targets = bindings.frame(self.spark).join(known, f"c{special.target}").select(*groups, "key")
            targets = targets.repartition(*groups).sortWithinPartitions(*groups) if groups else targets.coalesce(1)
            fields = f"{schema(special.groups)}, key string" if groups else "key string"
            results = targets.mapInArrow(function, fields)
        results = self.lineage.cut(results)
        self.terms.extend(results.select("key"), bindings.count)
        known = self.terms.frame.select("key", f.col("id").alias(f"c{special.groups}"))
        encoded = results.join(f.broadcast(known) if self.terms.is_few else known, "key")
        encoded = encoded.select(*groups, f"c{special.groups}")
        return self._add(name, lambda: self.novelty.add(self.relations[name], [encoded], bindings.count))

    def _rows(self, relation: FrameRelation) -> Int32s:
        """All facts of a small relation."""
        held = relation.rows_in_driver
        return held if held is not None else rows_of_table(relation.frame(self.spark).toArrow())

    def _by_driver(
        self, name: str, function: Callable[[Batches], Batches], given: pa.Table, numbers: int
    ) -> FrameRelation | None:
        """Compute what workers would, here; of the results, so many columns are numbers and the others keys."""
        batches = list(function(iter(given.combine_chunks().to_batches())))
        width = self.relations[name].width
        rows = np.empty((sum(batch.num_rows for batch in batches), width), np.int32)
        for at in range(width):
            column = [value for batch in batches for value in batch.column(at).to_pylist()]
            rows[:, at] = column if at < numbers else self.terms.number(column)
        return self._add(name, lambda: self.novelty.add_rows(self.relations[name], rows))


def _atom_of(literal: Literal) -> Atom | None:
    """The atom of a literal, negated or not."""
    return literal if isinstance(literal, Atom) else literal.atom if isinstance(literal, Negation) else None


def _atoms(rule: CoreRule) -> list[tuple[int, str]]:
    """The positions and names of a rule's positive atoms."""
    return [(at, literal.predicate) for at, literal in enumerate(rule.body) if isinstance(literal, Atom)]


def seeing(place: int, there: FrameRelation, elsewhere: Mapping[str, FrameRelation]) -> RelationAt:
    """One atom sees a set, the others see relations by their names."""
    return lambda at, name: there if at == place else elsewhere[name]
