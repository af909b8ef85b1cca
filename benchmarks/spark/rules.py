"""A rule that comes to, or goes from, a closure of millions of facts in rounds on Spark, with one step of a hundred.

What is measured is `kb.add_rules` or `kb.remove_rules`, and how many facts of the closure came and went by it; everything has
been derived before.  Compared with it is starting over: the same calls, asked to derive all that the rule reaches anew.
"""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Target, Workload
from benchmarks.spark import sessions
from benchmarks.spark.closure import ROUNDS, SIZES
from benchmarks.spark.updates import OVER, edges_and_some

RULES = """\
step(X, Y) :- edge(X, Y), not gone(X, Y).
path(X, Y) :- step(X, Y).
path(X, Z) :- path(X, Y), step(Y, Z).
"""
RULE = "step(X, Y) :- gone(X, Y)."


def _changing(name: str, algorithm: str, *, comes: bool) -> Contender:
    def load(inputs: Inputs, folder: Path) -> Evaluate:
        from tidelog import KnowledgeBase

        sessions.started()
        rules = RULES if comes else RULES + RULE
        kb = KnowledgeBase(rules, engine="spark", placement="rounds", algorithm=algorithm, modules=False)  # type: ignore[arg-type]
        for relation, table in inputs.items():
            pq.write_table(table, folder / f"{relation}.parquet")
            kb.load(relation, folder / f"{relation}.parquet")
        kb.count("path")

        def evaluate() -> int:
            change = kb.add_rules(RULE) if comes else kb.remove_rules(RULE)
            inserted, deleted = (len(facts.get("path", ())) for facts in (change.inserted, change.deleted))
            assert (inserted > 0, deleted > 0) == (comes, not comes)
            return kb.count("path")

        return evaluate

    return Contender(name, load)


def _workload(name: str, what: str, *, comes: bool) -> Workload:
    return Workload(
        name,
        f"A rule that {what} one step of a hundred of the closure on Spark, 10k nodes/100k edges",
        edges_and_some,
        SIZES,
        "nodes",
        tiny=60,
        contenders=(_changing(ROUNDS, "auto", comes=comes), _changing(OVER, "rematerialise", comes=comes)),
        targets=(Target(ROUNDS, 10_000, 1.0, OVER, measure="wall"),),
        plotted="wall",
        time_limit=1200.0,
    )


SPARK_RULE_COMES = _workload("spark_rule_comes", "comes and brings", comes=True)
SPARK_RULE_GOES = _workload("spark_rule_goes", "goes and takes", comes=False)
