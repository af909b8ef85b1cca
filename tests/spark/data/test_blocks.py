"""Facts in blocks: packed, unpacked, and numbered in each of the ways."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidelog import KnowledgeBase
from tidelog.spark.data import spark_dictionary as terms
from tidelog.spark.data.blocks import Block, _looked_up, from_arrow, to_arrow
from tidelog.spark.kb import SparkKnowledgeBase
from tidelog.values import IRI

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FACTS = st.lists(st.tuples(*[st.sampled_from(["sa", "sb", "i1", "uhttp://é", "s"])] * 3), max_size=9)
NAMES = ["facts", "size", "keys", "places"]


def block_of(facts: list[tuple[str, ...]]) -> Block:
    return Block.of([pa.array([fact[at] for fact in facts], pa.string()) for at in range(3)])


def facts_of(block: Block) -> list[tuple[str, ...]]:
    return list(zip(*(column.to_pylist() for column in block.columns()), strict=True))


@given(facts=FACTS, chosen=st.lists(st.integers(0, 8)))
def test_there_and_back(facts: list[tuple[str, ...]], chosen: list[int]) -> None:
    block = block_of(facts)
    assert facts_of(block) == facts
    assert len(block.keys) == len({key for fact in facts for key in fact})
    (again,) = from_arrow([pa.RecordBatch.from_arrays(to_arrow(block), NAMES)], 3)
    assert facts_of(again) == facts
    places = [at for at in chosen if at < len(facts)]
    some = block.some(block.places[::2, places])
    assert facts_of(some) == [(facts[at][0], facts[at][2]) for at in places]
    assert set(some.keys.to_pylist()) == {key for fact in facts_of(some) for key in fact}


Row = tuple[int, int, int | None, bytes | None]


def _batch(rows: list[Row]) -> pa.RecordBatch:
    types = (pa.int64(), pa.int32(), pa.int32(), pa.binary())
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), types, strict=True)]
    return pa.RecordBatch.from_arrays(columns, ["block", "at", "id", "places"])


@given(many=st.lists(FACTS, min_size=1, max_size=3), random=st.randoms(), size=st.integers(1, 5))
def test_numbers_come_in_any_order(many: list[list[tuple[str, ...]]], random: Random, size: int) -> None:
    blocks = [block_of(facts) for facts in many]
    rows: list[Row] = [(at, place, 7 * place, None) for at, block in enumerate(blocks) for place in range(len(block.keys))]
    rows += [(at, len(block.keys), None, block.places.tobytes()) for at, block in enumerate(blocks)]
    random.shuffle(rows)
    batches = [_batch(rows[at : at + size]) for at in range(0, len(rows), size)]
    found = [tuple(row.values()) for batch in _looked_up(iter(batches), 3) for row in batch.to_pylist()]
    expected = [tuple(7 * np.array(column)) for block in blocks for column in block.places.T]
    assert sorted(found) == sorted(expected)


LINES = "".join(f'<http://a/{at % 7}> <http://a/p{at % 2}> "{at}" .\n' for at in range(40)) + (
    "<http://a/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://a/C> .\n" * 2
)
PROGRAM = """\
@relation triple(subject: any, predicate: any, object: any) .
both(X) :- <http://a/C>(X), <http://a/p1>(X, _), <http://a/p0>(X, _).
"""


@pytest.mark.parametrize(
    ("few", "placement"),
    [
        (2_000_000, "kernel"),
        pytest.param(2_000_000, "rounds", marks=pytest.mark.nightly),
        pytest.param(-1, "kernel", marks=pytest.mark.nightly),
        (-1, "rounds"),
    ],
)
def test_every_way_gives_the_same_facts(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, placement: str, few: int
) -> None:
    pytest.importorskip("pyoxigraph")
    (tmp_path / "a.nt").write_text(LINES, encoding="utf-8")
    monkeypatch.setattr(terms, "_FEW_TERMS", few)
    monkeypatch.setattr("tidelog.spark.data.exchange.TINY", -1)
    if few < 0:
        monkeypatch.setattr(terms, "_MOST_COLLECTED", -1)
    kb = KnowledgeBase(PROGRAM, engine="spark", spark=spark, placement=placement)
    assert isinstance(kb, SparkKnowledgeBase)
    kb.load_rdf(tmp_path / "a.nt")
    assert kb.count("triple") == 41
    assert kb.count("http://a/p0") == 20
    assert list(kb["both"]) == [(IRI("http://a/1"),)]
    assert len(set(kb["triple"])) == 41
    kb.close()
