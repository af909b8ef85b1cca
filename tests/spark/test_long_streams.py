"""Many micro-batches: plans, what Spark keeps, the memory of its driver and the files of the state stay as large as they were."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.on_executors import nothing_in_the_driver
from tests.spark.test_long_runs import memory_of, noting_what_is_cut
from tests.spark.test_streaming import check_result, prepare, put, random_updates

from tidelog.pipeline.report.terminal import Terminal
from tidelog.pipeline.streaming.streaming_job import StreamingJob

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ON_EXECUTORS = "rounds on executors"


def check_all_is_flat(spark: SparkSession, folder: Path, placement: str, batches: int, first: int) -> None:
    """Work off updates one by one; nothing in the later batches is much above what there was up to the batch `first`."""
    is_large = placement == ON_EXECUTORS
    job = prepare(folder, updates=1, every=5, placement="rounds" if is_large else placement)
    updates = random_updates(batches, 11)
    put(folder, updates)
    done = 0
    plans: dict[int, int] = {}
    memory: dict[int, tuple[int, int]] = {}
    files: dict[int, int] = {}

    def show(number: int, _change: Any, _waiting: int) -> None:
        nonlocal done
        done = number
        files[number] = len(list((folder / "out/state").rglob("*.parquet")))
        if number in (first, batches):
            memory[number] = memory_of(spark)

    def note(frame: DataFrame) -> None:
        plans[done] = max(len(frame._jdf.queryExecution().toString()), plans.get(done, 0))

    def growth(what: dict[int, int]) -> float:
        before = max(size for number, size in what.items() if number <= first)
        return max(size for number, size in what.items() if number > first) / before

    with nothing_in_the_driver() if is_large else nullcontext(), noting_what_is_cut(note):
        streaming = StreamingJob(job, Terminal(is_quiet=True), lambda: False, spark)
        streaming.begin()
        assert streaming.follow(show, once=True).updates == batches
        streaming.close()
    assert growth({number: heap for number, (_, heap) in memory.items()}) < 1.5
    assert growth({number: 1 + blocks for number, (blocks, _) in memory.items()}) < 1.7
    assert growth(files) < 1.5
    if is_large:
        assert len(plans) > batches // 2, "there are plans"
        assert growth(plans) < 1.5
    check_result(folder, updates)


@pytest.mark.nightly
@pytest.mark.parametrize("placement", ["auto", "rounds", ON_EXECUTORS])
def test_two_hundred_batches(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    check_all_is_flat(spark, tmp_path, placement, 200, 60)
