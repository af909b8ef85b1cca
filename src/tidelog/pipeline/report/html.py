"""A run as one self-contained HTML page with plots."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby

from tidelog.pipeline.report.outcome import Outcome, StreamHistory, shown_size
from tidelog.report.page import Pill, section, table, tiles, whole_page
from tidelog.report.plots import Bar, bars, columns

_COLOURS = 6
_MOST_RELATIONS = 60
_MOST_ROUND_PLOTS = 8
_UPDATES_SHOWN = 50
_STAGES = {
    "start": "starting Spark",
    "read": "reading sources",
    "derive": "deriving",
    "write": "writing sinks",
    "updates": "applying updates",
}


def page(outcome: Outcome) -> str:
    """The whole page."""
    parts = (
        _head(outcome),
        *([section("Updates since the job was started", _stream(outcome.stream))] if outcome.stream is not None else []),
        section("Facts of each relation", _facts(outcome)),
        section("Time", _times(outcome)),
        section("Placements", _placements(outcome)),
        section("Rounds", _rounds(outcome)),
        section("Rejected rows", _rejected(outcome)),
        section("Sources", _sources(outcome)),
        section("Sinks", _sinks(outcome)),
        section("Settings", _settings(outcome)),
        section(f"Program {outcome.program_name}", f"<pre>{escape(outcome.program_text)}</pre>"),
    )
    return whole_page(f"{outcome.job}, run {outcome.run_id}", parts)


def _head(outcome: Outcome) -> str:
    derived = sum(count for name, count in outcome.counts.items() if name in outcome.derived)
    stream = outcome.stream
    shown = (
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
    when = f"{outcome.started:%Y-%m-%d %H:%M:%S} UTC"
    return (
        f"<h1>{escape(outcome.job)}</h1>\n"
        f'<div class="soft">run {escape(outcome.run_id)}, {when}, engine {escape(outcome.engine)}</div>\n'
        f"{tiles(shown)}"
    )


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
    return shown + f"<h3>{which}, newest first</h3>" + table(heads, rows)


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
        (", ".join(p.relations), Pill(p.where), p.why, f"{p.rounds:,}", f"{p.facts:,}", f"{p.seconds:.2f}")
        for p in outcome.placements
    ]
    return table(("relations", "where", "why", "#rounds", "#facts", "#seconds"), rows)


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
    return f'<p class="soft">{shown}{where}</p>' + table(("relation", "place", "record", "reason"), rows)


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
    return table(("source", "relations", "format", "#rows", "#rejected", "#size", "changed (UTC)", "#seconds"), rows)


def _sinks(outcome: Outcome) -> str:
    rows = [
        (o.relation, o.target, _with_options(o.format, o.options), f"{o.facts:,}", o.version or "", f"{o.seconds:.2f}")
        for o in outcome.outputs
    ]
    return table(("relation", "target", "format", "#facts", "version", "#seconds"), rows)


def _settings(outcome: Outcome) -> str:
    rows = [(key, str(value)) for key, value in _flat(outcome.settings)]
    return table(("setting", "value"), [*rows, *((f"version of {name}", version) for name, version in outcome.versions.items())])


def _flat(settings: dict[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        elif value is not None:
            yield prefix + key, value


def _with_options(form: str, options: dict[str, str]) -> str:
    return form if not options else f"{form} ({', '.join(f'{key} = {value}' for key, value in options.items())})"
