"""Where units that hand a key on, and transitive relations, are evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.local_engine import held, program
from tests.spark.test_engine import check_program, spark_kb

from tidelog.reference import materialise
from tidelog.spark.evaluation.task_evaluation import TaskEvaluation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EDGES = "".join(f"edge({at}, {at + 1})." for at in range(30))
RULES = """
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z), X != 3.
both(X, Z) :- both(X, Y), both(Y, Z).
both(X, Y) :- edge(X, Y), edge(Y, X).
end(X) :- path(_, X), not edge(X, _).
"""


def test_rules_that_hand_a_key_on_are_derived_by_tasks(spark: SparkSession) -> None:
    kb = check_program(EDGES + RULES, spark, "decomposed")
    found = {placed.relations: (str(placed.where), placed.why) for placed in kb.placements}
    assert isinstance(kb._started_engine.by_tasks, TaskEvaluation)
    assert found["path",] == ("decomposed", "as asked for; each task derives the facts of its keys")
    assert found["both",] == ("decomposed", "as asked for; each task closes its share of ends")
    assert found["end",] == ("rounds", "as asked for; rules hand no key on, so in rounds")


@pytest.mark.parametrize(("budget", "where"), [(64 * 45, "decomposed"), (64 * 25, "rounds")])
def test_what_each_task_needs_must_fit(spark: SparkSession, budget: int, where: str) -> None:
    """The budget is for the edges and the paths together, in the kernel, and for the edges alone, in a task."""
    text = EDGES + RULES.partition("both")[0]
    kb = spark_kb(text, spark, "auto", memory_budget=budget)
    assert held(kb) == materialise(program(text))
    assert [str(placed.where) for placed in kb.placements if placed.relations == ("path",)] == [where]
    kb.close()
