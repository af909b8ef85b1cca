"""Places of boxes: none upon another, and arrows from left to right."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidelog.report.layers import layout

SIZES = st.lists(st.tuples(st.floats(10, 200), st.floats(10, 90)), min_size=1, max_size=9)


@given(SIZES, st.data())
def test_boxes_keep_apart_and_arrows_run_forward(sizes: list[tuple[float, float]], data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, len(sizes) - 1), st.integers(0, len(sizes) - 1)).filter(lambda pair: pair[0] < pair[1])
    arrows = data.draw(st.lists(pairs, max_size=15, unique=True)) if len(sizes) > 1 else []
    placed = layout(sizes, arrows)
    boxes = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(placed.corners, sizes, strict=True)]
    for at, one in enumerate(boxes):
        assert one[0] >= 0
        assert one[1] >= 0
        assert one[2] <= placed.width + 1e-6
        assert one[3] <= placed.height + 1e-6
        for other in boxes[at + 1 :]:
            assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    for (source, target), path in zip(arrows, placed.paths, strict=True):
        assert path[0][0] == boxes[source][2]
        assert path[-1][0] == boxes[target][0]
        assert [x for x, _ in path] == sorted(x for x, _ in path)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] != pair[1]), max_size=15))
def test_cycles_have_an_end(arrows: list[tuple[int, int]]) -> None:
    assert len(layout([(50.0, 20.0)] * 6, arrows).corners) == 6


@given(SIZES, st.data())
def test_downward_is_the_same_turned(sizes: list[tuple[float, float]], data: st.DataObject) -> None:
    arrows = [(at, at + 1) for at in range(len(sizes) - 1)]
    across, down = layout(sizes, arrows), layout([(h, w) for w, h in sizes], arrows, widest=0.0)
    if down.is_downward:
        assert [(y, x) for x, y in down.corners] == across.corners
        assert [[(y, x) for x, y in path] for path in down.paths] == across.paths
        assert (down.height, down.width) == (across.width, across.height)
