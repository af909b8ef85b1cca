"""Pages of results: whole, escaped, and with nothing from outside."""

from __future__ import annotations

from tests.pipeline.report.test_html import NASTY, checked

from tidelog.report.page import Pill, section, table, tiles, whole_page


def test_everything_is_escaped() -> None:
    parts = section(NASTY, table(("a", "#b"), [(NASTY, NASTY), (Pill(NASTY), "1")])), tiles([("1", "one", "good")])
    page = whole_page(NASTY, parts)
    checked(page)
    assert "<script>alert" not in page
    assert page.count('class="number"') == 3
    assert 'class="where"' in page


def test_a_table_without_rows_says_so() -> None:
    assert table(("a",), []) == '<p class="none">none</p>'
