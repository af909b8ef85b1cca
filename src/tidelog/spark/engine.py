"""The Spark engine: evaluates a program component by component, each in the kernel of this process or on Spark."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tidelog.core.limits import LimitReachedError, Watch
from tidelog.core.rewriting import core_of
from tidelog.core.rules import Closure, Core, Unit, is_visible
from tidelog.core.statistics import Round, Statistics
from tidelog.local.engine import LocalEngine
from tidelog.program.hypergraph import Component
from tidelog.program.program import Program
from tidelog.spark.data.allowance import ALWAYS, Allowance
from tidelog.spark.data.exchange import BYTES_A_FACT, Exchange, Keys
from tidelog.spark.evaluation.placement import PlacedProgram, Placement, Where, choose
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.evaluation.rule_joins import constants, pivots
from tidelog.spark.evaluation.task_evaluation import TaskEvaluation
from tidelog.spark.maintenance.in_rounds.key_maintenance import HeldUnit
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.spark.session.users_session import described
from tidelog.syntax.tree import atoms

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.data.spark_dictionary import SparkDictionary
    from tidelog.spark.session.lineage import Lineage


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a program is evaluated and maintained."""

    budget: int
    """How many bytes the kernel may take in this process."""
    modules: bool = True
    algorithm: str = "auto"
    placement: str = "auto"
    """Where everything is evaluated, if that is forced."""


class SparkEngine:
    """A program and its facts on Spark."""

    def __init__(
        self,
        program: Program,
        spark: SparkSession,
        lineage: Lineage,
        options: EngineOptions,
        *,
        rules: Sequence[int] | None = None,
        terms: SparkDictionary | None = None,
    ) -> None:
        """`rules` are the numbers of the program's rules, if rules have changed; `terms` is a dictionary to share."""
        self.spark, self.lineage = spark, lineage
        self.forced, self.budget, self.modules = options.placement, options.budget, options.modules
        self.algorithm = options.algorithm
        self.local = LocalEngine(program, modules=options.modules, only_whole=True, algorithm=options.algorithm, rules=rules)
        self.placed = PlacedProgram(program, self.core_for_frames(program))
        self.allowance = Allowance(options.budget)
        self.allowance.note("units", lambda: sum(held.nbytes for held in self.held.values()))
        self.exchange = Exchange(spark, lineage, self.local, pivots(self.placed.frame_core), terms, self.allowance)
        self.by_tasks = TaskEvaluation(self.exchange, options.placement, options.budget, lambda: self.frame_core.arities)
        self.too_expensive: dict[str, int] = {}
        """By owner of a unit on Spark: how many deletions were last too expensive to maintain."""
        self.held: dict[tuple[str, ...], HeldUnit] = {}
        """What the driver keeps of units that are maintained by keys."""
        self.statistics = Statistics()
        self.has_derived = False
        """Whether everything that follows from some explicit facts has been derived, even if more were added since."""
        self.waiting: dict[str, UpdateKeys] = {}
        """Explicit facts that were added since."""

    def core_for_frames(self, program: Program) -> Core:
        """The program as Spark evaluates it: where rounds are forced, transitive relations have rules like any other."""
        modules = self.modules and self.forced != Where.ROUNDS
        return core_of(program, modules=modules, only_whole=True, native=frozenset())

    @property
    def program(self) -> Program:
        """The checked rules."""
        return self.placed.program

    @property
    def frame_core(self) -> Core:
        """The program as Spark evaluates it."""
        return self.placed.frame_core

    @property
    def kernel_core(self) -> Core:
        """The program as the kernel evaluates it."""
        return self.local.core

    def stored_name(self, relation: str) -> str:
        """The relation that stores the explicit facts of a relation."""
        return self.frame_core.stored_name(relation)

    def add(self, relation: str, keys: Keys, rows: int, arity: int) -> None:
        """Add explicit facts, given as keys; nothing is derived until facts are read."""
        if self.has_derived:
            self.waiting.setdefault(relation, UpdateKeys(arity)).insert.append((keys, rows))
        else:
            self.exchange.add(self.stored_name(relation), keys, rows)

    @property
    def is_maintained(self) -> bool:
        """Whether everything that follows has been derived."""
        return self.has_derived and not self.waiting

    @property
    def room(self) -> int:
        """How many bytes the driver may keep of units that are maintained by keys."""
        return self.allowance.room_beside("units")

    def visible_count(self) -> int:
        """How many facts that users see are stored; as in the local engine, pairs of virtual relations are not."""
        only_on_spark = self.exchange.relations.keys() - self.exchange.in_kernel
        return self.local.visible_count() + sum(self.exchange.size(name) for name in only_on_spark if is_visible(name))

    def arity(self, name: str) -> int:
        """The arity of a relation, internal ones included."""
        return self.kernel_core.arities.get(name, self.frame_core.arities.get(name, 0))

    # --- evaluation ------------------------------------------------------------------------------------------------------

    def evaluate(self, watch: Watch, maintain: Callable[[Component], bool] = lambda _: False) -> None:
        """Derive everything, but for components that another engine has derived, or that `maintain` maintains."""
        watch.progress.units = len(self.program.graph.components)
        if self.forced not in ("auto", Where.KERNEL):
            self.exchange.terms.number(constants(self.frame_core))
        for component in self.program.graph.components:
            watch.progress.unit = component.number
            if component.predicates[0] in self.placed.where:  # reused; updates will read its inputs
                self.inputs_to_spark(component)
            elif not maintain(component):
                with described(self.spark, ", ".join(component.predicates)):
                    self._evaluate(component, watch)
        self.has_derived = self.local.has_derived = True

    def _evaluate(self, component: Component, watch: Watch) -> None:
        rules = [self.program.rules[at] for at in component.rules]
        inputs = {atom.predicate for rule in rules for atom, _ in atoms(rule.body)} - set(component.predicates)
        own = {self.stored_name(name) for name in component.predicates}
        exchange, names = self.exchange, (*inputs, *own)
        facts, needed = (sum(map(measure, names)) for measure in (exchange.size, exchange.needed))
        where, why = choose(self.forced, facts, needed, self.allowance.room)
        closure = self._closure(component)
        if where is Where.KERNEL and self.forced == "auto" and not self._try_kernel(component, inputs, watch, why):
            where, why = Where.ROUNDS, "its facts outgrew the memory budget of the kernel"
        elif where is Where.KERNEL and self.forced != "auto":
            self._in_kernel(component, inputs, watch, why)
        if where is Where.KERNEL:
            return
        if closure is not None and self.forced != Where.ROUNDS:
            where, why = self.by_tasks.place_closure(closure, {*inputs, *own}, why)
        elif self.forced in ("auto", Where.DECOMPOSED) and self.by_tasks.derives(units := self.frame_units(component)):
            where, why = self.by_tasks.place_units(units, why)
        elif where is not Where.ROUNDS:
            where, why = Where.ROUNDS, f"{why}; rules hand no key on, so in rounds"
        self._on_frames(component, inputs, watch, where, why)

    def where_of(self, relation: str) -> Where:
        """Where a relation of the program was evaluated."""
        return self.placed.where[relation]

    def seconds_of(self, relation: str) -> float:
        """How long it took to derive the component of a relation."""
        return max((placed.seconds for placed in self.placed.placements if relation in placed.relations), default=0.0)

    def ensure_stored(self, relation: str, arity: int) -> bool:
        """Store explicit facts that no rule has read yet in the kernel or on Spark; whether that was to do."""
        stored, exchange = self.stored_name(relation), self.exchange
        if stored in exchange.in_kernel or stored in exchange.relations:
            return False
        where = self.placed.where.get(relation)
        where = where or choose(self.forced, exchange.size(stored), exchange.needed(stored), self.allowance.room)[0]
        if where is Where.KERNEL:
            exchange.to_kernel(stored, arity)
        else:
            exchange.to_spark(stored, arity)
        return True

    def _closure(self, component: Component) -> Closure | None:
        """The closure that a component is, if it is one."""
        for unit in self.frame_units(component):
            for operator in unit.operators.values():
                if isinstance(operator, Closure):
                    return operator
        return None

    def frame_units(self, component: Component) -> list[Unit]:
        """The units of a component as they are evaluated on Spark."""
        return [unit for unit in self.frame_core.units if unit.owner in component.predicates]

    def kernel_units(self, component: Component) -> dict[int, Unit]:
        """The units of a component as the kernel evaluates them, by their numbers and in their order."""
        structure = self.local.structure
        numbers = [number for number, unit in structure.units.items() if unit.owner in component.predicates]
        return {number: structure.units[number] for number in sorted(numbers, key=structure.order.__getitem__)}

    # --- other rules -----------------------------------------------------------------------------------------------------

    def install(self, placed: PlacedProgram) -> None:
        """Evaluate these rules from now on."""
        self.placed = placed
        self.exchange.pivots = pivots(placed.frame_core)

    def reuse(self, component: Component, placement: Placement) -> None:
        """Take a component for derived, since its relations were copied from another engine."""
        self.placed.place(placement, on_spark=(name for unit in self.frame_units(component) for name in unit.relations))

    @property
    def is_in_kernel(self) -> bool:
        """Whether all relations are in the kernel, and nowhere else."""
        return all(where is Where.KERNEL for where in self.placed.where.values()) and not self.exchange.relations

    @property
    def exceeds_budget(self) -> bool:
        """Whether a unit in the kernel has become so large that it would be placed on Spark now."""
        allowed = 2 * (self.budget // BYTES_A_FACT)  # for what it reads, and for what it derives
        if self.forced != "auto":
            return False
        if self.allowance.in_use > self.budget and self.is_in_kernel:
            return True
        if sum((sizes := self.local.stored_sizes()).values()) <= allowed:
            return False
        in_kernel = (unit for unit in self.local.structure.units.values() if self.where_of(unit.owner) is Where.KERNEL)
        read = ({*unit.relations, *unit.uses} for unit in in_kernel)
        return any(sum(sizes.get(name, 0) for name in names if is_visible(name)) > allowed for names in read)

    def update_kernel_relations(self) -> None:
        """Note which relations the kernel holds, after the local engine has added or dropped some."""
        names = (self.kernel_core.arities.keys() - self.exchange.ingested.keys()) | self.exchange.in_kernel
        self.exchange.in_kernel = {name for name in names if self.local.stored(name) is not None}

    # --- in the kernel ---------------------------------------------------------------------------------------------------

    def _try_kernel(self, component: Component, inputs: set[str], watch: Watch, why: str) -> bool:
        """Evaluate in the kernel as long as its memory budget lasts; whether it did."""
        allowed = self.budget // BYTES_A_FACT
        limits, facts = watch.limits, watch.progress.facts
        if limits.facts is None or limits.facts > facts + allowed:
            watch.limits = replace(limits, facts=facts + allowed)
        memory = self.allowance.room_beside("kernel") + ALWAYS
        if limits.memory is None or limits.memory > memory:
            watch.limits = replace(watch.limits, memory=memory)
        try:
            self._in_kernel(component, inputs, watch, why)
        except LimitReachedError as error:
            is_own_limit = limits.facts is None or watch.progress.facts <= limits.facts
            watch.progress.facts = facts
            if is_own_limit and error.option == "facts":
                return False
            if error.option == "memory" and watch.limits.memory != limits.memory:
                return False
            raise
        finally:
            watch.limits = limits
        return True

    def _in_kernel(self, component: Component, inputs: set[str], watch: Watch, why: str) -> None:
        started, before = time.perf_counter(), set(self.exchange.in_kernel)
        units, transaction = self.kernel_units(component), self.local.begin(watch)
        try:
            for name in (*inputs, *(self.kernel_core.stored_name(name) for name in component.predicates)):
                self.exchange.to_kernel(name, self.arity(name))
            with watch.deferring_interrupts():
                transaction.materialise(units)
                statistics = transaction.commit().statistics
                self.exchange.in_kernel |= {*component.predicates}
                self.statistics.undefined += statistics.undefined
                derived = {name for unit in units.values() for name in unit.relations}
                self.placed.place(self._placement(component, Where.KERNEL, why, statistics.rounds, started), in_kernel=derived)
        except BaseException:
            if transaction.is_open:
                transaction.rollback()
                self.exchange.in_kernel = before
            raise

    # --- on Spark --------------------------------------------------------------------------------------------------------

    def _on_frames(self, component: Component, inputs: set[str], watch: Watch, where: Where, why: str) -> None:
        started = time.perf_counter()
        for name in inputs:
            self.exchange.to_spark(name, self.arity(name))
        units = self.frame_units(component)
        for name in {name for unit in units for name in unit.relations}:
            self.exchange.to_spark(name, self.frame_core.arities[name])
        self.inputs_to_spark(component)
        rounds = Rounds(self.spark, self.lineage, self.exchange.terms, self.exchange.relations, watch)
        for unit in units:
            closures = [(name, operator) for name, operator in unit.operators.items() if isinstance(operator, Closure)]
            for name in unit.relations:
                if self.exchange.relations[name].count:
                    self.exchange.explicit[name] = self.exchange.relations[name].copy()
            explicit = self.exchange.explicit.values()
            # A derived relation that merges its segments must not release those that the explicit copy still reads.
            self.lineage.protect(segment for facts in explicit for segment, _ in facts.segments)
            for name, operator in closures:
                self.by_tasks.close_relation(name, operator, where)
            if not closures:
                self.by_tasks.derive(unit, rounds, where)
        derived = {name for unit in units for name in unit.relations}
        self.placed.place(self._placement(component, where, why, rounds.done, started), on_spark=derived)

    def inputs_to_spark(self, component: Component) -> None:
        """Copy all that a component reads to Spark."""
        for name in {name for unit in self.frame_units(component) for name in unit.uses}:
            self.exchange.to_spark(name, self.frame_core.arities[name])

    def _placement(self, component: Component, where: Where, why: str, rounds: list[Round], started: float) -> Placement:
        by_round: dict[int, int] = {}
        for r in rounds:
            by_round[r.number] = by_round.get(r.number, 0) + r.new_facts
        history = [by_round[number] for number in sorted(by_round)]
        facts = sum(self.exchange.size(name) for name in component.predicates)
        self.statistics.add(rounds)
        seconds = time.perf_counter() - started
        return Placement(component.predicates, where, why, max(by_round, default=0), seconds, facts, history)
