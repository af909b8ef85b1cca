"""What ingesting gives; the step to it runs on Spark in tests/spark/ingest/test_reading.py."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tests.files.relations import declared

from tidelog.errors import TidelogError
from tidelog.files.raw import RawTable
from tidelog.program.relations import Relation
from tidelog.spark.ingest.ingested import Ingested, Target
from tidelog.spark.ingest.rejects import Rejects
from tidelog.values import Kind


def test_columns_of_keys_are_counted() -> None:
    frame: Any = SimpleNamespace(columns=["k0", "k1", "reject"])
    assert Ingested("edge", frame, "", 3, 0).width == 2


def test_facts_in_blocks_are_kept_so() -> None:
    frame: Any = SimpleNamespace(columns=["k0"])
    blocks: Any = object()
    without, with_blocks = Ingested("edge", frame, "", 3, 0), Ingested("edge", frame, "", 3, 0, blocks=blocks)
    assert (without.kept, with_blocks.kept) == (frame, blocks)


TABLE = RawTable("a.csv", "csv", ("x", "y", "z"), (["1"], ["2"], ["3"]), 1, lambda _: [])


def target(relation: Relation | None, columns: dict[str, str] | None = None) -> Target:
    spark: Any = SimpleNamespace(createDataFrame=lambda _rows, schema: SimpleNamespace(columns=schema.split(", ")))
    nothing: Any = None
    return Target(spark, "edge", relation, columns or {}, {}, Rejects("", 0), nothing)


def test_kinds_are_declared_or_found() -> None:
    _, plan = target(None).plan(TABLE, [Kind.INT, None, Kind.STRING], [False, True, False])
    assert plan.kinds == (Kind.INT, None, Kind.STRING)
    chosen, plan = target(declared(z=Kind.STRING, x=Kind.FLOAT)).plan(TABLE, [Kind.INT] * 3)
    assert plan.kinds == (Kind.STRING, Kind.FLOAT), "what is declared counts"
    assert plan.matched.positions == (2, 0), "places in the source"
    assert chosen.names == TABLE.names


def test_positions_are_those_of_the_source_though_columns_are_mapped() -> None:
    chosen, plan = target(None, {"z": "to", "x": "from"}).plan(TABLE, [Kind.INT, Kind.BOOL, Kind.STRING])
    assert set(chosen.names or ()) == {"to", "from"}
    assert plan.matched.positions == (2, 0)
    assert plan.kinds == (Kind.STRING, Kind.INT)


def test_no_rows_for_a_known_relation() -> None:
    found = target(declared(a=Kind.INT, b=Kind.STRING)).nothing(TABLE)
    assert (found.rows, found.rejected, found.width, found.kinds) == (0, 0, 2, (Kind.INT, Kind.STRING))
    assert found.description.startswith("edge: no rows from a.csv")


def test_no_rows_for_an_unknown_relation() -> None:
    with pytest.raises(TidelogError, match=r"TL081.*nothing else says how many columns `edge` has"):
        target(None).nothing(TABLE)
