"""From text to hyper-graph: CPU time against the number of rules, phase by phase, for three shapes of program.

The phases are timed in the same run, so that each has the others to be compared with; `lexing` is what lark's lexer alone takes
for the same text, the floor below any parser that is built on it.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator

from benchmarks.harness.results import RESULTS, exponent
from tidelog.errors import Diagnostics
from tidelog.program import hypergraph
from tidelog.program.modules import find_modules
from tidelog.program.program import Program, check_document
from tidelog.source import Source
from tidelog.syntax.lexing import tokens
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Rule

SIZES = (650, 1300, 2600, 5200, 10_000)
REPEATS = 3
TARGETS = {1300: 1.0, 10_000: 8.0}


def mixed(count: int) -> Iterator[str]:
    """All forms of literals, each relation derived from the one before."""
    yield "@relation base(a: int, b: int) ."
    yield from (f"@relation q{i}(a: int, b: int) ." for i in range(50))
    yield "p0(X, Y) :- base(X, Y)."
    forms = (
        "r{i}: p{i}(X, Y) :- p{j}(X, Y), q{q}(Y, _).",
        "p{i}(X, Z) :- p{j}(X, Y), p{j}(Y, Z), X != Z.",
        "p{i}(X, Y) :- p{j}(X, Y), not base(X, Y).",
        "p{i}(X, Y) :- p{j}(X, Y), Y > 3.",
        "p{i}(X, N) :- p{j}(X, _), N = count {{ Y : q{q}(X, Y) }}.",
        "p{i}(X, Y) :- p{j}(X, N), Y = N * 2 + 1.",
        "p{i}(X, X) :- p{j}(X, 7), q{q}(X, 12).",
    )
    for i in range(1, count):
        yield forms[i % len(forms)].format(i=i, j=i - 1, q=i % 50)


def ontology(count: int) -> Iterator[str]:
    """What an ontology gives: hierarchies, inverses, symmetric and transitive properties, in many components."""
    forms = (
        "c{j}(X) :- c{i}(X).",
        "c{j}(X) :- p{i}(X, _).",
        "c{j}(Y) :- p{i}(_, Y).",
        "p{i}(X, Z) :- p{i}(X, Y), p{i}(Y, Z).",
        "p{i}(X, Y) :- p{i}(Y, X).",
        "p{j}(X, Y) :- p{i}(Y, X).",
        "p{i}(X, Y) :- p{j}(Y, X).",
        "c{i}(X) :- p{i}(X, Y), c{j}(Y).",
    )
    for at in range(count):
        i = at // len(forms)
        yield forms[at % len(forms)].format(i=i, j=i // 2)


def hub(count: int) -> Iterator[str]:
    """One relation that half of the rules derive and the other half use: as many edges among rules as there are pairs."""
    for i in range(count // 2):
        yield f"hub(X) :- in{i}(X)."
        yield f"out{i}(X) :- hub(X)."


SHAPES: dict[str, Callable[[int], Iterator[str]]] = {"mixed": mixed, "ontology": ontology, "hub": hub}


def measure(text: str) -> dict[str, float]:
    """CPU seconds of each phase, and what came out."""
    clock = time.process_time
    source = Source(text)
    start = clock()
    for _ in tokens(text):
        pass
    lexed = clock()
    diagnostics = Diagnostics()
    document = parse(source, diagnostics)
    parsed = clock()
    program: Program = check_document(document, diagnostics)
    modules = program.modules
    checked = clock()
    rules = tuple(s for s in document.statements if isinstance(s, Rule))
    again = clock()
    graph = hypergraph.build(rules, tuple(program.relations))
    find_modules(rules, graph)
    built = clock()
    return {
        "lexing": lexed - start,
        "parsing": parsed - lexed,
        "checking": checked - parsed - (built - again),
        "hyper-graph": built - again,
        "total": checked - lexed,
        "hyper_nodes": len(graph.hyper_nodes),
        "modules": len(modules),
    }


def run() -> None:
    """Measure, print, write the table and the plot."""
    measure("\n".join(mixed(20)))  # builds the parser
    rows: list[dict[str, float | str]] = []
    for shape, make in SHAPES.items():
        for size in SIZES:
            text = "\n".join(make(size))
            best = min((measure(text) for _ in range(REPEATS)), key=lambda m: m["total"])
            rows.append({"shape": shape, "rules": size, "bytes": len(text), **best})
            target = f"  (target {TARGETS[size]:.0f} s)" if size in TARGETS else ""
            per_rule = best["total"] / size * 1e6
            print(f"{shape:9} {size:6} rules  {best['total']:6.2f} s CPU  {per_rule:5.0f} us a rule{target}")
        own = [(float(row["rules"]), float(row["total"])) for row in rows if row["shape"] == shape]
        print(f"{shape:9} grows with size to the power of {exponent(own):.2f}")
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "front_end.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows({k: round(v, 4) if isinstance(v, float) else v for k, v in row.items()} for row in rows)
    _plot(rows)


def _plot(rows: list[dict[str, float | str]]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(SHAPES), figsize=(4 * len(SHAPES), 3.4), sharey=True)
    for axis, shape in zip(axes, SHAPES, strict=True):
        own = [row for row in rows if row["shape"] == shape]
        sizes = [float(row["rules"]) for row in own]
        for phase in ("total", "parsing", "checking", "hyper-graph", "lexing"):
            axis.plot(sizes, [float(row[phase]) for row in own], marker="o", label=phase)
        axis.set_title(shape)
        axis.set_xlabel("rules")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("CPU seconds")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(RESULTS / "front_end.png", dpi=110)
