"""The Spark engine: component by component, each where it belongs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tidelog.core.limits import LimitReachedError, Watch
from tidelog.core.rewriting import core_of
from tidelog.core.rules import Closure, Core, Unit, is_visible
from tidelog.core.statistics import Round, Statistics
from tidelog.core.units import Structure
from tidelog.errors import TidelogError
from tidelog.local.evaluation.seminaive import Evaluation
from tidelog.local.kernel.build import announce_compilation
from tidelog.local.maintenance.cost_model import costs_of, rows_of
from tidelog.local.storage.state import State
from tidelog.local.storage.undo_log import UndoLog
from tidelog.program.hypergraph import Component
from tidelog.program.modules import ModuleKind
from tidelog.program.program import Program
from tidelog.spark.data.exchange import Exchange, Keys
from tidelog.spark.evaluation.closure import closed
from tidelog.spark.evaluation.placement import BYTES_A_FACT, Placement, Where, choose
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.spark.evaluation.rule_joins import constants, pivots
from tidelog.spark.maintenance.update_keys import UpdateKeys
from tidelog.syntax.tree import atoms

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidelog.spark.data.spark_dictionary import SparkDictionary
    from tidelog.spark.session.lineage import Lineage

_BYTES_AN_EDGE = 16
"""What an edge takes in a task that closes a graph."""


class SparkEngine:
    """A program and its facts on Spark."""

    def __init__(
        self,
        program: Program,
        spark: SparkSession,
        lineage: Lineage,
        *,
        modules: bool = True,
        placement: str = "auto",
        budget: int,
        rules: Sequence[int] | None = None,
        terms: SparkDictionary | None = None,
    ) -> None:
        """`rules` are the numbers of the program's rules, if some have come or gone; `terms`, a dictionary to use again."""
        self.program, self.spark, self.lineage = program, spark, lineage
        self.forced, self.budget, self.modules = placement, budget, modules
        kernel_core = core_of(program, modules=modules)
        if rules is not None:
            kernel_core.parts = {number: kernel_core.parts[at] for at, number in enumerate(rules) if at in kernel_core.parts}
        self.structure = Structure.of(kernel_core)
        self.frame_core = self.core_for_frames(program)
        self.state = State()
        self.state.prepare(kernel_core)
        self.exchange = Exchange(spark, lineage, self.state, pivots(self.frame_core), terms)
        self.placements: list[Placement] = []
        self.where: dict[str, Where] = {}
        """For relations of the program where they are evaluated."""
        self.given_up: dict[str, int] = {}
        """Where deletions on Spark were not worth it, and with how many lost facts."""
        self.derived_in_kernel: set[str] = set()
        self.derived_on_spark: set[str] = set()
        """Relations with rules, internal ones included, by where they were evaluated."""
        self.statistics = Statistics()
        self.has_derived = False
        """Whether everything that followed from some facts has been derived, even if more have come since."""
        self.waiting: dict[str, UpdateKeys] = {}
        """Facts that have come since."""

    def core_for_frames(self, program: Program) -> Core:
        """Rounds take a transitive relation for what it says, unless somebody asks for the ways of its own."""
        return core_of(program, modules=self.modules and self.forced != Where.ROUNDS, native=frozenset())

    @property
    def kernel_core(self) -> Core:
        """The program as the kernel evaluates it."""
        return self.structure.core

    def stored_name(self, relation: str) -> str:
        """Where facts that the user gives are kept."""
        return self.frame_core.stored_name(relation)

    def add(self, relation: str, keys: Keys, rows: int, arity: int) -> None:
        """Add explicit facts, given as keys; nothing is derived until somebody asks."""
        if self.has_derived:
            self.waiting.setdefault(relation, UpdateKeys(arity)).insert.append((keys, rows))
        else:
            self.exchange.add(self.stored_name(relation), keys, rows)

    @property
    def is_maintained(self) -> bool:
        """Whether everything that follows has been derived."""
        return self.has_derived and not self.waiting

    def arity(self, name: str) -> int:
        """The arity of a relation, internal ones included."""
        return self.kernel_core.arities.get(name, self.frame_core.arities.get(name, 0))

    # --- deriving --------------------------------------------------------------------------------------------------------

    def maintain(self, watch: Watch, follows: Callable[[Component], bool] = lambda _: False) -> None:
        """Derive everything, but for components that follow what has changed."""
        announce_compilation()
        watch.progress.units = len(self.program.graph.components)
        if self.forced not in ("auto", Where.KERNEL):
            self.exchange.terms.number(constants(self.frame_core))
        for component in self.program.graph.components:
            watch.progress.unit = component.number
            if component.predicates[0] in self.where:  # another engine has derived it, and this one will follow changes
                self.bring_inputs(component)
            elif not follows(component):
                self._evaluate(component, watch)
        self.has_derived = True

    def _evaluate(self, component: Component, watch: Watch) -> None:
        rules = [self.program.rules[at] for at in component.rules]
        inputs = {atom.predicate for rule in rules for atom, _ in atoms(rule.body)} - set(component.predicates)
        own = {self.stored_name(name) for name in component.predicates}
        size = sum(self.exchange.size(name) for name in (*inputs, *own))
        where, why = choose(self.forced, size, self.budget)
        closure = self._closure(component)
        if where is Where.KERNEL and self.forced == "auto" and not self._try_kernel(component, inputs, watch, why):
            where, why = Where.ROUNDS, "its facts outgrew the budget of the kernel"
        elif where is Where.KERNEL and self.forced != "auto":
            self._in_kernel(component, inputs, watch, why)
        if where is Where.KERNEL:
            return
        if closure is not None and self.forced != Where.ROUNDS:
            where, why = self._place_closure(closure, inputs, own, why)
        elif where is not Where.ROUNDS:
            where, why = Where.ROUNDS, f"{why}; no transitive relation, so in rounds"
        self._on_frames(component, inputs, watch, where, why)

    def where_of(self, relation: str) -> Where:
        """Where a relation of the program was evaluated."""
        return self.where[relation]

    def seconds_of(self, relation: str) -> float:
        """What it took to derive the component of a relation."""
        return max((placed.seconds for placed in self.placements if relation in placed.relations), default=0.0)

    def bring(self, relation: str, arity: int) -> bool:
        """Have explicit facts somewhere that nobody has asked for yet; whether they were."""
        stored, exchange = self.stored_name(relation), self.exchange
        if stored in exchange.in_kernel or stored in exchange.relations:
            return False
        where = self.where.get(relation) or choose(self.forced, exchange.size(stored), self.budget)[0]
        if where is Where.KERNEL:
            exchange.to_kernel(stored, arity)
        else:
            exchange.to_spark(stored, arity)
        return True

    def _closure(self, component: Component) -> Closure | None:
        """The closure that a component is, if it is one."""
        for unit in self.frame_units(component):
            for special in unit.operators.values():
                if isinstance(special, Closure):
                    return special
        return None

    def _place_closure(self, closure: Closure, inputs: set[str], own: set[str], why: str) -> tuple[Where, str]:
        edges = sum(self.exchange.size(name) for name in (*inputs, *own))
        is_symmetric = closure.module.kind is ModuleKind.SYMMETRIC_TRANSITIVE
        if is_symmetric and (self.forced == Where.COMPONENTS or edges * _BYTES_AN_EDGE > self.budget):
            return Where.COMPONENTS, f"{why}; connected components by stars"
        return Where.DECOMPOSED, f"{why}; each task closes its share of left ends"

    def frame_units(self, component: Component) -> list[Unit]:
        """The units of a component as they are evaluated on Spark."""
        return [unit for unit in self.frame_core.units if unit.owner in component.predicates]

    def kernel_units(self, component: Component) -> list[Unit]:
        """The units of a component as the kernel evaluates them."""
        units = self.structure.units
        numbers = [number for number, unit in units.items() if unit.owner in component.predicates]
        return [units[number] for number in sorted(numbers, key=self.structure.order.__getitem__)]

    # --- rules that come and go ------------------------------------------------------------------------------------------

    def take_over(self, component: Component, placed: Placement) -> None:
        """Have a component's relations from another engine, which has derived them."""
        self.derived_on_spark |= {name for unit in self.frame_units(component) for name in unit.relations}
        self.where.update(dict.fromkeys(component.predicates, placed.where))
        self.placements.append(placed)

    @property
    def is_in_kernel(self) -> bool:
        """Whether all relations are in the kernel, and nowhere else."""
        return all(where is Where.KERNEL for where in self.where.values()) and not self.exchange.relations

    @property
    def has_outgrown(self) -> bool:
        """Whether something in the kernel has become so large that it would be placed elsewhere now."""
        tables, allowed = self.state.tables, 2 * (self.budget // BYTES_A_FACT)  # what is read there, and what is derived
        if self.forced != "auto" or sum(map(len, tables.values())) <= allowed:
            return False
        read = ({*unit.relations, *unit.uses} for unit in self.structure.units.values() if self.where[unit.owner] is Where.KERNEL)
        return any(sum(len(tables[name]) for name in names if name in tables and is_visible(name)) > allowed for names in read)

    def note_kernel(self) -> None:
        """Know which relations the kernel has."""
        names = (self.kernel_core.arities.keys() - self.exchange.read.keys()) | self.exchange.in_kernel
        self.exchange.in_kernel = {name for name in names if name in self.state.tables or name in self.state.virtual}

    # --- in the kernel ---------------------------------------------------------------------------------------------------

    def _try_kernel(self, component: Component, inputs: set[str], watch: Watch, why: str) -> bool:
        """Evaluate in the kernel as long as its budget lasts; whether it did."""
        allowed = self.budget // BYTES_A_FACT
        limits = watch.limits
        if limits.facts is None or limits.facts > watch.progress.facts + allowed:
            watch.limits = replace(limits, facts=watch.progress.facts + allowed)
        undo, facts = UndoLog(self.state), watch.progress.facts
        before = set(self.exchange.in_kernel)
        try:
            self._in_kernel(component, inputs, watch, why)
        except TidelogError as error:
            undo.rollback()
            self.exchange.in_kernel = before
            is_own_limit = limits.facts is None or watch.progress.facts <= limits.facts
            watch.progress.facts = facts
            if is_own_limit and isinstance(error, LimitReachedError) and error.option == "facts":
                return False
            raise
        finally:
            watch.limits = limits
        return True

    def _in_kernel(self, component: Component, inputs: set[str], watch: Watch, why: str) -> None:
        started = time.perf_counter()
        for name in (*inputs, *(self.kernel_core.stored_name(name) for name in component.predicates)):
            self.exchange.to_kernel(name, self.arity(name))
        statistics = Statistics()
        evaluation = Evaluation(self.state, watch, statistics)
        with watch.deferring_interrupts():
            for unit in self.kernel_units(component):
                for name in unit.relations:
                    if name not in unit.operators and len(self.state.tables[name]):
                        self.state.explicit_table(name).insert(self.state.tables[name].rows)
                spent = time.thread_time()
                evaluation.from_scratch(unit)
                costs_of(unit, self.state).derived(time.thread_time() - spent, rows_of(unit, self.state))
        self.exchange.in_kernel |= {*component.predicates}
        self.derived_in_kernel |= {name for unit in self.kernel_units(component) for name in unit.relations}
        self.statistics.undefined += statistics.undefined
        self._note(component, Where.KERNEL, why, statistics.rounds, started)

    # --- on Spark --------------------------------------------------------------------------------------------------------

    def _on_frames(self, component: Component, inputs: set[str], watch: Watch, where: Where, why: str) -> None:
        started = time.perf_counter()
        for name in inputs:
            self.exchange.to_spark(name, self.arity(name))
        units = self.frame_units(component)
        for name in {name for unit in units for name in unit.relations}:
            self.exchange.to_spark(name, self.frame_core.arities[name])
        self.bring_inputs(component)
        rounds = Rounds(self.spark, self.lineage, self.exchange.terms, self.exchange.relations, watch)
        for unit in units:
            closures = [(name, s) for name, s in unit.operators.items() if isinstance(s, Closure)]
            for name in unit.relations:
                if self.exchange.relations[name].count:
                    self.exchange.explicit[name] = self.exchange.relations[name].copy()
            explicit = self.exchange.explicit.values()
            self.lineage.protect(piece for held in explicit for piece, _ in held.pieces)  # they may become one there, not here
            self.derived_on_spark |= {*unit.relations}
            for name, special in closures:
                self.close_relation(name, special, where)
            if not closures:
                rounds.evaluate(unit)
        self._note(component, where, why, rounds.done, started)

    def bring_inputs(self, component: Component) -> None:
        """Have all that a component reads on Spark."""
        for name in {name for unit in self.frame_units(component) for name in unit.uses}:
            self.exchange.to_spark(name, self.frame_core.arities[name])

    def close_relation(self, name: str, special: Closure, where: Where) -> None:
        """Fill a transitive relation."""
        relations, edge = self.exchange.relations, special.module.edge
        steps = relations[edge].frame(self.spark) if edge is not None else None
        frame = closed(
            special.module, relations[special.given].frame(self.spark), steps, self.lineage, by_stars=where is Where.COMPONENTS
        )
        piece, count = self.lineage.cut_and_count(frame)
        relations[name].add(piece, count, self.lineage)

    def _note(self, component: Component, where: Where, why: str, rounds: list[Round], started: float) -> None:
        by_round: dict[int, int] = {}
        for r in rounds:
            by_round[r.number] = by_round.get(r.number, 0) + r.new_facts
        history = [by_round[number] for number in sorted(by_round)]
        facts = sum(self.exchange.size(name) for name in component.predicates)
        last = max(by_round, default=0)
        seconds = time.perf_counter() - started
        self.where.update(dict.fromkeys(component.predicates, where))
        self.placements.append(Placement(component.predicates, where, why, last, seconds, facts, history))
        self.statistics.add(rounds)
