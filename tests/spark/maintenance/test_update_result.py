"""What users see of an update on Spark: the algorithms that took part, and seconds of several places."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from tidelog.changes import Counters
from tidelog.core.statistics import Round, Statistics
from tidelog.spark.maintenance.update_result import UpdateResult, _explicit_rows, _summed, described


def test_algorithms_and_why() -> None:
    assert described({}) == "semi-naive"
    assert described({"bf": "few facts have gone", "modules": "it is transitive"}) == (
        "bf: few facts have gone; modules: it is transitive"
    )


def test_seconds_of_several_places() -> None:
    assert _summed({"deletion": 1.0}, {"insertion": 2.0, "deletion": 3.0}, {}) == {"deletion": 4.0, "insertion": 2.0}


def test_counts_of_the_kernel_and_of_spark_are_one() -> None:
    update: Any = SimpleNamespace(
        chosen={"bf": "as asked for"},
        counts=SimpleNamespace(inserted=1, deleted=2, without_effect=3),
        in_kernel=SimpleNamespace(
            added=10, removed=20, without_effect=30, seconds={"deletion": 1.0}, statistics=Statistics(undefined=4)
        ),
        done=[Round(0, 0, 2, 5, 1, 0.0), Round(0, 1, 7, 6, 1, 0.0)],
        counters=Counters(backward=100, forward=1000),
        frames=SimpleNamespace(seconds={"deletion": 0.5}),
        changed=list,
    )
    nothing: Any = None
    stats = UpdateResult(update, {}, 5, 1.5).change(nothing).stats
    assert (stats.inserted, stats.deleted, stats.without_effect) == (11, 22, 38)
    assert (stats.derivations, stats.rounds, stats.undefined) == (1111, 7, 4)
    assert stats.seconds_by_phase == {"deletion": 1.5}
    assert stats.algorithm == "bf: as asked for"


def test_facts_that_are_deleted_and_inserted_are_no_change() -> None:
    given = {True: np.array([[1, 1], [2, 2]], np.int32), False: np.array([[2, 2], [3, 3]], np.int32)}
    changes: Any = SimpleNamespace(given=lambda _name, inserted: given[inserted])
    assert _explicit_rows(changes, "path", inserted=True).tolist() == [[1, 1]]
    assert _explicit_rows(changes, "path", inserted=False).tolist() == [[3, 3]]
