"""Semi-naive evaluation in DataFrame rounds, for what is too large for one process.

A round joins what was new in the round before with everything, drops what is known, and cuts the lineage, or the plan would
grow with every round. Whether candidates are known is asked the cheap way round: where they are few, they go to the facts,
not the facts to them, so that a late round with a handful of new facts costs one scan and no shuffle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as f

from tidelog.local.core import Calls, CoreRule, Folding, Unit
from tidelog.local.materialise import Round, is_seen
from tidelog.local.watch import Watch
from tidelog.spark.computing import calling, folding
from tidelog.spark.frames import FEW_ROWS, Relation, columns, schema
from tidelog.spark.keys import key_of
from tidelog.spark.rules import RuleFrames
from tidelog.spark.terms import SparkDictionary
from tidelog.syntax.tree import Atom
from tidelog.values import Value

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidelog.spark.lineage import Lineage

Delta = dict[str, "DataFrame"]


class Rounds:
    """Evaluates units over frames."""

    def __init__(
        self,
        spark: SparkSession,
        lineage: Lineage,
        terms: SparkDictionary,
        relations: dict[str, Relation],
        watch: Watch,
    ) -> None:
        self.spark, self.lineage, self.terms, self.relations, self.watch = spark, lineage, terms, relations, watch
        self.rules = RuleFrames(spark, self._number)
        self.done: list[Round] = []
        self.unit = 0

    def _number(self, value: Value) -> int:
        return self.terms.number([key_of(value)])[0]

    def evaluate(self, unit: Unit) -> None:
        """Derive all facts of a unit; its relations hold what the user gave, and nothing else."""
        if unit.stages:
            self._in_turn(unit)
            return
        new = self._specials(unit, None)
        self.watch.progress.round = 0
        new = _merged(new, self._apply([(rule, None, None) for rule in unit.rules]))
        self._saturate(unit, new)

    def _continue(self, unit: Unit, changed: Delta) -> None:
        new = self._specials(unit, changed)
        self.watch.progress.round = 0
        uses = [(rule, at, changed[name]) for rule in unit.rules for at, name in _atoms(rule) if name in changed]
        new = _merged(new, self._apply(uses))
        self._saturate(unit, new)

    def _in_turn(self, unit: Unit) -> None:
        """The stages of a unit, one after the other, until none has anything new to look at."""
        seen: list[dict[str, int]] = []
        for name in unit.relations:
            self.relations[name].merges = False
        for stage in unit.stages:
            seen.append({name: len(self.relations[name].pieces) for name in stage.uses})
            self.evaluate(stage)
        is_done = False
        while not is_done:
            is_done = True
            for at, stage in enumerate(unit.stages):
                outside = stage.uses - set(stage.relations)
                now = {name: len(self.relations[name].pieces) for name in outside}
                changed = {name: self._since(name, seen[at][name]) for name in outside if now[name] > seen[at][name]}
                if changed:
                    is_done = False
                    seen[at] = {**seen[at], **now}
                    self._continue(stage, changed)

    def _since(self, name: str, pieces: int) -> DataFrame:
        """The facts of the pieces that came last."""
        newer = self.relations[name].pieces[pieces:]
        result = newer[0]
        for piece in newer[1:]:
            result = result.union(piece)
        return result

    # --- rounds ----------------------------------------------------------------------------------------------------------

    def _saturate(self, unit: Unit, new: Delta) -> None:
        """Rounds until nothing is new."""
        number = 0
        while new:
            asked = {name: frame for name, frame in new.items() if name in unit.relations}
            uses = [(rule, at, asked[name]) for rule in unit.rules for at, name in _atoms(rule) if name in asked]
            calls = any(isinstance(special, Calls) and special.asked in asked for special in unit.specials.values())
            if not uses and not calls:
                return
            number += 1
            self.watch.progress.round = number
            self.watch.look()
            answered = self._specials(unit, asked) if calls else {}
            new = _merged(answered, self._apply(uses))

    def _apply(self, uses: Sequence[tuple[CoreRule, int | None, DataFrame | None]]) -> Delta:
        """Apply rules, each with a delta in the place of one atom; what is new, by relation."""
        candidates: dict[str, list[DataFrame]] = {}
        heads: dict[str, CoreRule] = {}
        for rule, at, delta in uses:
            if any(self.relations[name].count == 0 for _, name in _atoms(rule)):
                continue
            self.watch.progress.working_on = rule.shown

            def frame_of(place: int, name: str, at: int | None = at, delta: DataFrame | None = delta) -> DataFrame:
                if place == at and delta is not None:
                    return delta
                relation = self.relations[name]
                frame = relation.frame(self.spark)
                return f.broadcast(frame) if relation.count <= FEW_ROWS else frame

            derived = self.rules.evaluate(rule, frame_of, at)
            candidates.setdefault(rule.head.predicate, []).append(derived)
            heads[rule.head.predicate] = rule
        result: Delta = {}
        for name, frames in candidates.items():
            before = self.relations[name].count
            new = self._new_facts(name, frames)
            found = self.relations[name].count - before
            rule = heads[name]
            seen = found if is_seen(name) else 0
            self.done.append(Round(self.unit, rule.origin, self.watch.progress.round, found, seen, 0.0))
            if new is not None:
                result[name] = new
            self.watch.look()
        return result

    def _new_facts(self, name: str, frames: Sequence[DataFrame]) -> DataFrame | None:
        """Add those candidates to a relation that it does not have; they are returned, if there are any."""
        relation = self.relations[name]
        candidates = frames[0]
        for frame in frames[1:]:
            candidates = candidates.union(frame)
        keys = columns(relation.width)
        known = relation.frame(self.spark)
        is_small = 0 < relation.count <= FEW_ROWS
        candidates = candidates.distinct()
        if is_small:
            candidates = candidates.join(f.broadcast(known), keys, "left_anti")
        candidates, count = self.lineage.cut_and_count(candidates)
        if count and relation.count and not is_small:
            if count <= FEW_ROWS:
                met = known.join(f.broadcast(candidates), keys, "left_semi")
                fresh = candidates.join(f.broadcast(met), keys, "left_anti")
            else:
                fresh = candidates.join(known.hint("shuffle_hash"), keys, "left_anti")
            all_candidates = candidates
            candidates, count = self.lineage.cut_and_count(fresh)
            self.lineage.release(all_candidates)
        if not count:
            self.lineage.release(candidates)
            return None
        relation.add(candidates, count, self.lineage, self.spark)
        if is_seen(name):
            self.watch.progress.facts += count
        return candidates

    # --- specials --------------------------------------------------------------------------------------------------------

    def _specials(self, unit: Unit, changed: Delta | None) -> Delta:
        """Fill what functions and aggregates give: for everything, or for what has changed."""
        result: Delta = {}
        for name, special in unit.specials.items():
            match special:
                case Calls(function, asked) if self.relations[asked].count and (changed is None or asked in changed):
                    arguments = self.relations[asked].frame(self.spark) if changed is None else changed[asked]
                    new = self._call(name, function, arguments)
                case Folding(_, inner) if self.relations[inner].count and (changed is None or inner in changed):
                    bindings = self.relations[inner].frame(self.spark) if changed is None else changed[inner]
                    new = self._fold(name, special, bindings)
                case _:
                    continue
            if new is not None:
                result[name] = new
        return result

    def _call(self, name: str, function: str, arguments: DataFrame) -> DataFrame | None:
        width = self.relations[name].width - 1
        keys = self.terms.decode(arguments, width)
        fields = ", ".join(f"k{at} string" for at in range(width + 1))
        results = self.lineage.cut(keys.mapInArrow(calling(function, width), fields))
        self.terms.extend(results.select(f.col(f"k{width}").alias("key")))
        return self._new_facts(name, [self.terms.encode(results, width + 1)])

    def _fold(self, name: str, special: Folding, bindings: DataFrame) -> DataFrame | None:
        groups = columns(special.groups)
        if special.function == "count" or special.target is None:
            counted = bindings.groupBy(*groups).agg(f.count(f.lit(1)).alias("n"))
            if not groups:
                counted = counted.where("n > 0")
            results = counted.select(*groups, f.concat(f.lit("i"), f.col("n").cast("string")).alias("key"))
        else:
            known = self.terms.frame.select(f.col("id").alias(f"c{special.target}"), "key")
            known = f.broadcast(known) if self.terms.count <= FEW_ROWS else known.hint("shuffle_hash")
            targets = bindings.join(known, f"c{special.target}").select(*groups, "key")
            targets = targets.repartition(*groups).sortWithinPartitions(*groups) if groups else targets.coalesce(1)
            fields = f"{schema(special.groups)}, key string" if groups else "key string"
            results = targets.mapInArrow(folding(special.function, special.groups), fields)
        results = self.lineage.cut(results)
        self.terms.extend(results.select("key"))
        known = self.terms.frame.select("key", f.col("id").alias(f"c{special.groups}"))
        encoded = results.join(f.broadcast(known) if self.terms.count <= FEW_ROWS else known, "key")
        return self._new_facts(name, [encoded.select(*groups, f"c{special.groups}")])


def _merged(one: Delta, other: Delta) -> Delta:
    """Two deltas in one; a relation is filled by one of them only."""
    return {**one, **other}


def _atoms(rule: CoreRule) -> list[tuple[int, str]]:
    """The positions and names of a rule's positive atoms."""
    return [(at, literal.predicate) for at, literal in enumerate(rule.body) if isinstance(literal, Atom)]
