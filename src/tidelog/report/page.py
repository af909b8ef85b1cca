"""What self-contained pages of results share: sections, tables, and their style."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from tidelog.report.svg import html_page


def whole_page(title: str, sections: Iterable[str]) -> str:
    """A whole page; what is in the sections is HTML."""
    body = "\n".join(sections)
    return html_page(escape(title), _STYLE, f"<main>\n{body}\n</main>")


def section(title: str, content: str) -> str:
    """A part of a page; the content is HTML."""
    return f"<section>\n<h2>{escape(title)}</h2>\n{content}\n</section>"


def tiles(shown: Iterable[tuple[str, str, str]]) -> str:
    """Large figures side by side, each with a label and a class: `good`, `bad` or none."""
    drawn = "".join(f'<div class="tile"><b class="{style}">{value}</b>{label}</div>' for value, label, style in shown)
    return f'<div class="tiles">{drawn}</div>'


class Pill(str):
    """A cell that is shown as a pill."""

    __slots__ = ()


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; columns whose heading starts with `#` hold numbers."""
    is_number = [name.startswith("#") for name in header]
    body = []
    for row in rows:
        cells = (
            f'<td class="number">{escape(cell)}</td>' if number else f"<td>{_cell(cell)}</td>"
            for cell, number in zip(row, is_number, strict=True)
        )
        body.append(f"<tr>{''.join(cells)}</tr>")
    if not body:
        return '<p class="none">none</p>'
    heads = "".join(
        f'<th class="number">{escape(name[1:])}</th>' if number else f"<th>{escape(name)}</th>"
        for name, number in zip(header, is_number, strict=True)
    )
    return f'<div class="wide"><table><thead><tr>{heads}</tr></thead><tbody>{"".join(body)}</tbody></table></div>'


def _cell(cell: str) -> str:
    return f'<span class="where">{escape(cell)}</span>' if isinstance(cell, Pill) else escape(cell)


_STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --ink: #1c2330; --soft: #5b6576; --line: #dfe3ea; --code: #f0f2f6;
  --s0: #2f6fb3; --s1: #2a9d78; --s2: #c4722a; --s3: #8a5bb5; --s4: #b8464f; --s5: #5f7d1f;
  --bad: #a3303a; --good: #1f7a55;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161d; --card: #1a2029; --ink: #e4e8ef; --soft: #98a3b5; --line: #2c3440; --code: #131922;
    --s0: #6aa6e8; --s1: #4fc79e; --s2: #e79a57; --s3: #b893e0; --s4: #e67d85; --s5: #a3c45a;
    --bad: #f08f97; --good: #66d3a6;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 28px 18px 60px; }
h1 { font-size: 1.6rem; margin: 0 0 4px; }
h2 { font-size: 1.1rem; margin: 0 0 12px; }
h3 { font-size: .95rem; margin: 18px 0 6px; font-weight: 600; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-top: 18px; }
.soft, .note, .none { color: var(--soft); }
.note, .none { font-size: .85rem; margin: 4px 0 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; margin-top: 18px; }
.tile { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.tile b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.bad { color: var(--bad); } .good { color: var(--good); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td { overflow-wrap: anywhere; min-width: 5em; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: 14px; overflow-x: auto; margin: 0; }
pre, code { font: 13px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg text { fill: var(--ink); dominant-baseline: middle; }
svg .value { fill: var(--soft); font-variant-numeric: tabular-nums; }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .axis { stroke: var(--line); }
.s0 { fill: var(--s0); } .s1 { fill: var(--s1); } .s2 { fill: var(--s2); }
.s3 { fill: var(--s3); } .s4 { fill: var(--s4); } .s5 { fill: var(--s5); }
.where { display: inline-block; border: 1px solid var(--line); border-radius: 99px; padding: 0 9px; font-size: .82rem;
  white-space: nowrap; }
@media print { body { background: none; } section, .tile { break-inside: avoid; } }
"""
