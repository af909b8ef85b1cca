"""Units that are derived by keys, under updates, in the driver and by tasks: each kind of rule that hands a key on."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest
from tests.differential.checks import check_updates
from tests.differential.places import OpenPlace, on_spark
from tests.random_programs import History, RandomProgram
from tests.spark.on_executors import no_facts_in_the_driver
from tests.spark.test_engine import spark_kb

from tidelog import TidelogError
from tidelog.spark.maintenance.in_rounds import key_maintenance

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Rules = tuple[tuple[str, tuple[str, ...]], ...]
PATHS: Rules = (("path(X, Y)", ("edge(X, Y)",)), ("path(X, Z)", ("path(X, Y)", "edge(Y, Z)")))
RULES: dict[str, Rules] = {
    "paths, and explicit ones": PATHS,
    "backwards": (("path(X, Y)", ("edge(X, Y)",)), ("path(X, Z)", ("edge(X, Y)", "path(Y, Z)"))),
    "reachable, from a constant": (
        ("reach(1, X)", ("edge(3, X)",)),
        ("reach(S, X)", ("start(S)", "edge(S, X)")),
        ("reach(S, Y)", ("reach(S, X)", "edge(X, Y)")),
    ),
    "one key in all": (("at(K, X)", ("own(K, X)",)), ("at(K, Y)", ("at(K, X)", "link(K, X, Y)", "X != 2"))),
    "two relations, in turn": (
        ("odd(X, Y)", ("edge(X, Y)",)),
        ("even(Z, X)", ("odd(X, Y)", "edge(Y, Z)")),
        ("odd(X, Z)", ("even(Y, X)", "edge(Y, Z)")),
    ),
    "negation of lower ones": (
        ("path(X, Y)", ("edge(X, Y)", "not closed(Y)")),
        ("path(X, Z)", ("path(X, Y)", "edge(Y, Z)", "not closed(Z)", "not barred(X, _)")),
        ("end(X)", ("path(_, X)", "not edge(X, _)")),
    ),
    "several in one body": (
        ("path(X, Y)", ("edge(X, Y)", "go")),
        ("path(X, Z)", ("path(X, Y)", "edge(Y, W)", "edge(W, Z)", "path(X, W)")),
    ),
    "symmetric": (("near(X, Y)", ("edge(X, Y)",)), ("near(X, Y)", ("near(Y, X)",)), ("near(X, Z)", ("near(X, Y)", "near(Y, Z)"))),
    "a relation above": (*PATHS, ("many(X, N)", ("start(X)", "N = count { path(X, Y) }")), ("back(X)", ("path(X, X)",))),
}
SIZES = {
    "edge": 2,
    "start": 1,
    "own": 2,
    "link": 3,
    "closed": 1,
    "barred": 2,
    "go": 0,
    "path": 2,
    "reach": 2,
    "at": 2,
    "odd": 2,
    "near": 2,
}


def history_of(rules: Rules, seed: int) -> History:
    """A dozen facts, and updates that take and give some, explicit facts of derived relations among them."""
    dice = random.Random(seed)
    read = " ".join(part for head, body in rules for part in (head, *body))
    names = [name for name in SIZES if f"{name}(" in read or (name == "go" and "go" in read.split())]

    def fact() -> str:
        name = dice.choice([*names, *(["edge"] * 3 if "edge" in names else [])])
        values = [str(dice.randint(1, 5)) for _ in range(SIZES[name])]
        return f"{name}({', '.join(values)})" if values else name

    facts = tuple(dict.fromkeys(fact() for _ in range(12)))
    updates, held = [], list(facts)
    for _ in range(3):
        gone = tuple(dice.sample(held, min(len(held), dice.randint(0, 3))))
        new = tuple(dict.fromkeys(fact() for _ in range(dice.randint(0, 3))))
        held = [one for one in held if one not in gone] + [one for one in new if one not in held]
        updates.append((gone, new))
    return History(RandomProgram(rules, facts), tuple(updates), ())


EVERY_DAY = {
    ("paths, and explicit ones", True, False),
    ("paths, and explicit ones", False, True),
    ("two relations, in turn", False, False),
}
CASES = [
    pytest.param(*case, marks=() if case in EVERY_DAY else pytest.mark.nightly)
    for case in product(RULES, (True, False), (True, False))
]


@pytest.mark.parametrize(("name", "modules", "are_tasks"), CASES)
def test_all_facts_are_those_of_the_reference(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, name: str, modules: bool, are_tasks: bool
) -> None:
    if are_tasks:
        monkeypatch.setattr(key_maintenance, "_FEW_KEYS", -1)
    place = on_spark("spark-keys", no_facts_in_the_driver, placement="decomposed", modules=modules)
    check_updates(history_of(RULES[name], 0), OpenPlace(place, spark))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("name", RULES)
def test_more_histories(spark: SparkSession, name: str, seed: int) -> None:
    place = on_spark("spark-keys", placement="decomposed", modules=False)
    check_updates(history_of(RULES[name], seed), OpenPlace(place, spark))


def test_what_the_driver_keeps_follows_updates_and_rollbacks(spark: SparkSession) -> None:
    """It is read from Spark once, and again after an update that failed."""
    text = "edge(1, 2). edge(2, 3). edge(7, 8). path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z)."
    kb = spark_kb(text, spark, "decomposed", modules=False, limit_facts=12)
    assert kb.count("path") == 4
    change = kb.update(insert=[("edge", 3, 4)])
    assert change.stats.algorithm == "by keys: the facts of `path` are derived key by key"
    assert change.stats.counters.checked == 3, "1 and 2 lead to 3, and 7 does not"
    held = kb._maintained_engine().held
    before = held["path",].unit
    kb.update(delete=[("edge", 7, 8)])
    assert held["path",].unit is before
    with pytest.raises(TidelogError, match="TL070"):
        kb.update(insert=[("edge", 4, 1)])
    assert sorted(kb["path"]) == [(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
    kb.update(delete=[("edge", 2, 3)])
    assert sorted(kb["path"]) == [(1, 2), (3, 4)]
    assert held["path",].unit is not before
    kb.close()
