"""A run as one self-contained HTML page with plots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby

from tidelog.pipeline.report.outcome import Outcome, StreamHistory, shown_size
from tidelog.pipeline.report.plots import Bar, bars, columns
from tidelog.report.svg import html_page

_COLOURS = 6
_MOST_RELATIONS = 60
_MOST_ROUND_PLOTS = 8
_UPDATES_SHOWN = 50
_STAGES = {"read": "reading sources", "derive": "deriving", "write": "writing sinks", "updates": "applying updates"}


def page(outcome: Outcome) -> str:
    """The whole page."""
    title = escape(f"{outcome.job}, run {outcome.run_id}")
    parts = (
        _head(outcome),
        *([_section("Updates since the job was started", _stream(outcome.stream))] if outcome.stream is not None else []),
        _section("Facts of each relation", _facts(outcome)),
        _section("Time", _times(outcome)),
        _section("Placements", _placements(outcome)),
        _section("Rounds", _rounds(outcome)),
        _section("Rejected rows", _rejected(outcome)),
        _section("Sources", _sources(outcome)),
        _section("Sinks", _sinks(outcome)),
        _section("Settings", _settings(outcome)),
        _section(f"Program {outcome.program_name}", f"<pre>{escape(outcome.program_text)}</pre>"),
    )
    body = "\n".join(parts)
    return html_page(title, _STYLE, f"<main>\n{body}\n</main>")


def _head(outcome: Outcome) -> str:
    derived = sum(count for name, count in outcome.counts.items() if name in outcome.derived)
    stream = outcome.stream
    tiles = (
        [
            (f"{stream.in_all:,}", "updates in all", ""),
            (f"{derived:,}", "facts of derived relations", ""),
            (f"{stream.broken:,}", "broken updates", "bad" if stream.broken else "good"),
            (f"{outcome.rejected:,}", "rejected rows", "bad" if outcome.rejected else "good"),
        ]
        if stream is not None
        else [
            (f"{sum(entry.rows for entry in outcome.inputs):,}", "rows read", ""),
            (f"{derived:,}", "facts of derived relations", ""),
            (f"{outcome.seconds:.1f} s", "from start to publication", ""),
            (f"{outcome.rejected:,}", "rejected rows", "bad" if outcome.rejected else "good"),
        ]
    )
    shown = "".join(f'<div class="tile"><b class="{style}">{value}</b>{label}</div>' for value, label, style in tiles)
    when = f"{outcome.started:%Y-%m-%d %H:%M:%S} UTC"
    return (
        f"<h1>{escape(outcome.job)}</h1>\n"
        f'<div class="soft">run {escape(outcome.run_id)}, {when}, engine {escape(outcome.engine)}</div>\n'
        f'<div class="tiles">{shown}</div>'
    )


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n{content}\n</section>"


def _stream(history: StreamHistory) -> str:
    if not history.updates:
        return '<p class="none">no update yet</p>'
    recent = list(history.recent)
    shown = (
        f'<p class="soft">{history.updates:,} updates, {history.facts_in:,} facts in, {history.facts_out:,} out, '
        f"{history.seconds:.2f} s</p>"
    )
    for title, values, series in (
        ("facts inserted", [(one.number, float(one.facts_in)) for one in recent], 1),
        ("facts deleted", [(one.number, float(one.facts_out)) for one in recent], 0),
    ):
        shown += f"<h3>{title}, by update</h3>" + columns(
            values, f"{title}, by update", unit="facts", noun="update", series=series
        )
    phases = [Bar(name, seconds, f"{seconds:.3f} s") for name, seconds in history.phases.items()]
    if phases:
        shown += "<h3>Phases</h3>" + bars(phases, "time of each phase, all updates together", may_be_logarithmic=False)
    rows = [
        (f"{s.number:,}", s.name, f"{s.facts_in:,}", f"{s.facts_out:,}", f"{s.seconds * 1e3:.1f}", s.algorithm)
        for s in reversed(recent[-_UPDATES_SHOWN:])
    ]
    which = f"The last {len(rows)}" if len(rows) < history.updates else "All"
    heads = ("#update", "id", "#facts in", "#facts out", "#ms", "algorithm")
    return shown + f"<h3>{which}, newest first</h3>" + _table(heads, rows)


def _facts(outcome: Outcome) -> str:
    ranked = sorted(outcome.counts.items(), key=lambda entry: (-entry[1], entry[0]))
    items = [Bar(name, count, f"{count:,}", int(name in outcome.derived)) for name, count in ranked[:_MOST_RELATIONS]]
    more = len(ranked) - len(items)
    note = f'<p class="note">and {more:,} relations with fewer facts</p>' if more > 0 else ""
    legend = '<p class="note">blue: given, green: derived by rules</p>'
    return bars(items, "facts of each relation") + legend + note


def _times(outcome: Outcome) -> str:
    stages = [Bar(_STAGES.get(name, name), s, f"{s:.2f} s") for name, s in outcome.stages.items()]
    slowest = sorted(outcome.placements, key=lambda p: -p.seconds)[:12]
    parts = [Bar(", ".join(p.relations), p.seconds, f"{p.seconds:.2f} s", 1) for p in slowest if p.seconds > 0]
    html = bars(stages, "time of each stage", may_be_logarithmic=False)
    if parts:
        html += "<h3>Deriving, by hyper-node</h3>" + bars(parts, "time of each hyper-node", may_be_logarithmic=False)
    return html


def _placements(outcome: Outcome) -> str:
    rows = [
        (", ".join(p.relations), _Where(p.where), p.why, f"{p.rounds:,}", f"{p.facts:,}", f"{p.seconds:.2f}")
        for p in outcome.placements
    ]
    return _table(("relations", "where", "why", "#rounds", "#facts", "#seconds"), rows)


def _rounds(outcome: Outcome) -> str:
    plots = []
    for at, group in groupby(sorted(outcome.rounds, key=lambda r: (r.placement, r.number)), key=lambda r: r.placement):
        values = [(r.number, float(r.new_facts)) for r in group]
        if len(values) > 1 and at < len(outcome.placements):
            plots.append((len(values), ", ".join(outcome.placements[at].relations), values))
    if not plots:
        return '<p class="none">no recursion took more than one round</p>'
    longest = sorted(plots, key=lambda plot: -plot[0])[:_MOST_ROUND_PLOTS]
    shown = "".join(
        f"<h3>{escape(name)}: new facts of each round</h3>"
        + columns(values, f"new facts of each round of {name}", unit="new facts", series=at % _COLOURS)
        for at, (_, name, values) in enumerate(longest)
    )
    more = len(plots) - len(longest)
    return shown + (f'<p class="note">and {more:,} hyper-nodes with fewer rounds</p>' if more > 0 else "")


def _rejected(outcome: Outcome) -> str:
    if not outcome.rejected:
        return '<p class="none">every row of every source was a fact of its relation</p>'
    rows = [(row.relation, row.place, row.record, row.reason) for row in outcome.rejected_rows]
    shown = f"the first {len(rows):,} of {outcome.rejected:,}" if len(rows) < outcome.rejected else f"all {outcome.rejected:,}"
    where = f"; every one is in {escape(outcome.rejects_folder)}" if outcome.rejects_folder else ""
    return f'<p class="soft">{shown}{where}</p>' + _table(("relation", "place", "record", "reason"), rows)


def _sources(outcome: Outcome) -> str:
    rows = [
        (
            entry.origin,
            ", ".join(entry.relations),
            _with_options(entry.format, entry.options),
            f"{entry.rows:,}",
            f"{entry.rejected:,}",
            shown_size(entry.size),
            f"{entry.modified:%Y-%m-%d %H:%M}" if entry.modified else "",
            f"{entry.seconds:.2f}",
        )
        for entry in outcome.inputs
    ]
    return _table(("source", "relations", "format", "#rows", "#rejected", "#size", "changed (UTC)", "#seconds"), rows)


def _sinks(outcome: Outcome) -> str:
    rows = [
        (o.relation, o.target, _with_options(o.format, o.options), f"{o.facts:,}", o.version or "", f"{o.seconds:.2f}")
        for o in outcome.outputs
    ]
    return _table(("relation", "target", "format", "#facts", "version", "#seconds"), rows)


def _settings(outcome: Outcome) -> str:
    rows = [(key, str(value)) for key, value in _flat(outcome.settings)]
    return _table(("setting", "value"), [*rows, *((f"version of {name}", version) for name, version in outcome.versions.items())])


def _flat(settings: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif value is not None:
            yield prefix + key, value


def _with_options(form: str, options: dict[str, str]) -> str:
    return form if not options else f"{form} ({', '.join(f'{key} = {value}' for key, value in options.items())})"


class _Where(str):
    """A cell that is shown as a pill."""

    __slots__ = ()


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
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
    return f'<span class="where">{escape(cell)}</span>' if isinstance(cell, _Where) else escape(cell)


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
.where { display: inline-block; border: 1px solid var(--line); border-radius: 99px; padding: 0 9px; font-size: .82rem; }
@media print { body { background: none; } section, .tile { break-inside: avoid; } }
"""
