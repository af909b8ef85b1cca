"""Tables as HTML."""

from __future__ import annotations

from tidelog.display.html import code, table, text


def test_a_table_has_a_caption_columns_rows_and_lines_below() -> None:
    shown = table("two facts", ("a", "b"), [(1, "x"), (2, "y")], ["... and more"])
    assert shown == (
        "<table><caption>two facts</caption><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td>1</td><td>x</td></tr><tr><td>2</td><td>y</td></tr></tbody></table><p>... and more</p>"
    )


def test_whatever_is_given_is_escaped_everywhere() -> None:
    odd = "<b>&\"'"
    shown = table(odd, [odd], [[odd]], [odd]) + code([odd, odd]) + text(odd)
    assert "<b>" not in shown
    assert shown.count("&lt;b&gt;&amp;&quot;&#x27;") == 7


def test_lines_of_a_program_stay_lines() -> None:
    assert code(["p(1).", "q(X) :- p(X)."]) == "<pre>p(1).\nq(X) :- p(X).</pre>"
