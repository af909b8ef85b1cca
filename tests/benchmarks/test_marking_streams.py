"""The streams of the marking benchmarks: what they delete is there, what they insert is not, and the paper's marks come out."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

import pytest
from benchmarks.harness.workload import NotAvailable
from benchmarks.marking.section import _TABLE_1
from benchmarks.marking.streams import SEEDS, Stream, drawn, generated
from benchmarks.workloads.lubm import corpus

try:
    corpus()
except NotAvailable as reason:
    pytest.skip(str(reason), allow_module_level=True)


def _edges(stream: Stream) -> list[tuple[set[tuple[object, ...]], set[tuple[object, ...]]]]:
    return [({*map(tuple, update["delete"])}, {*map(tuple, update["insert"])}) for update in stream.updates]


@pytest.mark.parametrize("make", [drawn, generated])
@pytest.mark.parametrize("name", ["trans", "seq"])
def test_updates_fit_what_is_there(make: Callable[[str, int, int], Stream], name: str) -> None:
    held: set[tuple[object, ...]] = set()
    for gone, new in _edges(make(name, 30, 0)):
        assert gone <= held
        assert not new & held
        held = held - gone | new


@pytest.mark.parametrize("size", _TABLE_1)
def test_streams_as_published_have_the_explicit_marks_of_the_paper(size: int) -> None:
    """What all updates from the third on delete, on average over the seeds, within 3 %."""
    found = fmean(sum(len(gone) for gone, _ in _edges(drawn("trans", size, seed))[2:]) for seed in SEEDS)
    assert found == pytest.approx(_TABLE_1[size][2], rel=0.03)
