"""Queries: answered in the kernel if all relations of the query are there, else in rounds on Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidelog.core.limits import Watch
from tidelog.core.rewriting import core_of_rule
from tidelog.facts import Facts
from tidelog.program.queries import ANSWER, Query
from tidelog.spark.data.frames import FrameRelation
from tidelog.spark.data.matrices import width_of
from tidelog.spark.data.spark_facts import SparkFacts
from tidelog.spark.evaluation.rounds import Rounds
from tidelog.syntax.tree import Atom, Rule, Variable, atoms

if TYPE_CHECKING:
    from tidelog.spark.engine import SparkEngine


def answered(engine: SparkEngine, text: str, query: Query, watch: Watch) -> Facts:
    """The answers to a query."""
    exchange, used = engine.exchange, {atom.predicate for atom, _ in atoms(query.body)}
    if used <= exchange.in_kernel:
        rows = engine.local.query(query.body, query.names, watch)
        return Facts(text, query.names, rows, engine.local.dictionary, noun="answer")
    head = Atom(ANSWER, tuple(Variable(name) for name in query.names))
    arities = {**engine.frame_core.arities, ANSWER: len(query.names)}
    core = core_of_rule(Rule(head, query.body), arities, "#query ", native=frozenset())
    relations = {name: exchange.to_spark(name, arities[name]) for name in used}
    for name in core.arities:
        if name not in arities or name == ANSWER:
            relations[name] = FrameRelation(width_of(core.arities[name]))
    rounds = Rounds(engine.spark, engine.lineage, exchange.terms, relations, watch)
    for unit in core.units:
        rounds.evaluate(unit)
    found = relations[ANSWER]
    frame = found.frame(engine.spark)
    return SparkFacts(text, query.names, lambda: frame, exchange.terms, found.count, noun="answer", held=found.rows_in_driver)
