"""Plots: within their frame, escaped, and readable whatever the values are."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tidelog.report.plots import Bar, bars, columns, is_logarithmic


@pytest.mark.parametrize("values", [[0], [1], [0, 0], [1, 10**9], list(range(1000))])
def test_plots_stay_within_their_frame(values: list[int]) -> None:
    for svg in (
        bars([Bar(f"b{v}", v, f"{v:,}") for v in values], "t"),
        columns([(at, float(v)) for at, v in enumerate(values, 1)], "t", unit="facts"),
    ):
        ElementTree.fromstring(svg[: svg.index("</svg>") + len("</svg>")])  # well-formed
        frame = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
        assert frame is not None
        for rect in re.finditer(r'<rect x="([\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg):
            x, y, width, height = map(float, rect.groups())
            assert 0 <= x <= x + width <= int(frame[1])
            assert 0 <= y <= y + height <= int(frame[2])


def test_far_apart_values_have_a_logarithmic_scale() -> None:
    assert "logarithmic" in bars([Bar("a", 1, "1"), Bar("b", 10_000, "10,000")], "t")
    assert "logarithmic" not in bars([Bar("a", 1, "1"), Bar("b", 100, "100")], "t")


def test_labels_are_escaped_and_long_ones_are_cut() -> None:
    svg = bars([Bar("<b>" + "x" * 50, 1, "<1>")], "a & b")
    assert "<b>" not in svg
    assert "&lt;b&gt;" + "x" * 32 + "…" in svg
    assert "&lt;1&gt;" in svg
    assert 'aria-label="a &amp; b"' in svg


def test_many_values_are_added_up_in_groups() -> None:
    svg = columns([(number, 1.0) for number in range(1, 1001)], "t", unit="facts")
    assert svg.count("<rect") == 200
    assert "<title>rounds 1 to 5: 5 facts</title>" in svg


def test_nothing_to_show() -> None:
    assert bars([], "t") == columns([], "t", unit="facts") == '<p class="none">nothing to show</p>'


def test_zeros_need_no_logarithm() -> None:
    assert not is_logarithmic([0, 0])
    assert not is_logarithmic([0, 999])
    assert is_logarithmic([0, 1, 1000])
