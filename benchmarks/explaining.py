"""Explanations: what it takes to say why facts hold and why not, what an update would do, and why a fact came.

Two knowledge bases of n facts: a transitive relation that a module keeps closed, over a tree of n nodes; and joins of two
relations with a negation and a count.  Each question is about another fact.  CPU times, the best of some, when each kind of
question has been asked before.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.harness.summary import Judgement

if TYPE_CHECKING:
    from tidelog import KnowledgeBase

SIZES = (10_000, 1_000_000)
RULES = {
    "closure": "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).",
    "joins": (
        "busy(X, N) :- person(X), not away(X), N = count { Y : order(X, Y) }, N >= 2. "
        "pair(X, Z) :- order(X, Y), made(Y, Z), X != Z."
    ),
}
_REPEATS = 7
_MOST = 0.1
"""Seconds for a question."""
Ask = Callable[[int], object]


@dataclass(frozen=True)
class Row:
    """The best CPU time of one kind of question."""

    rules: str
    facts: int
    question: str
    seconds: float


def loaded(rules: str, facts: int) -> KnowledgeBase:
    """A knowledge base of about so many explicit facts, with everything derived."""
    from tidelog import KnowledgeBase

    kb = KnowledgeBase(RULES[rules])
    ids = np.arange(1, facts, dtype=np.int64)
    if rules == "closure":
        kb.load("edge", pa.table({"a": (ids - 1) // 2, "b": ids}))
    else:
        ids = ids[: facts // 4]
        kb.load("person", pa.table({"a": ids}))
        kb.load("away", pa.table({"a": ids[::10]}))
        kb.load("order", pa.table({"a": np.concatenate([ids, ids]), "b": np.concatenate([-ids, -(ids * 7919 % len(ids)) - 1])}))
        kb.load("made", pa.table({"a": -ids, "b": ids * 31 % len(ids)}))
    kb.what_if()
    return kb


def questions(kb: KnowledgeBase, rules: str, facts: int) -> Iterator[tuple[str, Ask]]:
    """What is asked; each time of something else."""
    if rules == "closure":

        def leaf(at: int) -> int:
            return facts - 1 - at * 97

        yield "explain", lambda at: kb.explain(("path", 0, leaf(at)))
        yield "why not", lambda at: kb.why_not(("path", leaf(at), leaf(at + 1)))
        yield "why not, from all nodes", lambda at: kb.why_not(("path", 0, f"other {at}"))
        yield "what if, insert", lambda at: kb.what_if(insert=[("edge", leaf(at), f"new {at}")]).inserted["path"]
        yield "what if, delete", lambda at: kb.what_if(delete=[("edge", (leaf(at) - 1) // 2, leaf(at))]).deleted["path"]
    else:
        count = facts // 4

        def person(at: int) -> int:
            return count // 2 + 10 * at + 2

        yield "explain", lambda at: kb.explain(("busy", person(at), 2))
        yield "why not", lambda at: kb.why_not(("busy", person(at), 3))
        yield "why not, a join", lambda at: kb.why_not(("pair", person(at), person(at + 1)))
        yield "what if, insert", lambda at: kb.what_if(insert=[("order", person(at), f"new {at}")]).inserted["busy"]
        yield "what if, delete", lambda at: kb.what_if(delete=[("order", person(at), -person(at))]).deleted["pair"]


def explained_change(kb: KnowledgeBase, rules: str) -> Ask:
    """An update, of which only the explanation counts."""

    def ask(at: int) -> Callable[[], object]:
        if rules == "closure":
            change = kb.update(insert=[("edge", 5, f"other {at}")])
            return lambda: change.explain(("path", 0, f"other {at}"))
        change = kb.update(insert=[("order", 3, f"other {at}")])
        return lambda: change.explain(("busy", 3, 3 + at))

    return ask


def measure(rules: str, facts: int) -> list[Row]:
    """Ask everything of one knowledge base."""
    kb = loaded(rules, facts)
    asked = [(name, lambda at, ask=ask: lambda: ask(at)) for name, ask in questions(kb, rules, facts)]
    rows = []
    for name, prepare in [*asked, ("explain a change", explained_change(kb, rules))]:
        best = float("inf")
        for at in range(_REPEATS + 1):
            run: Callable[[], object] = prepare(at)  # type: ignore[assignment]
            started = time.process_time()
            run()
            best = min(best, time.process_time() - started) if at else best
        rows.append(Row(rules, facts, name, best))
        print(f"{rules:8} {facts:>9,} facts: {name:26} {best * 1e3:9.2f} ms", flush=True)
    return rows


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows = [row for rules in RULES for facts in (SIZES[:1] if quick else SIZES) for row in measure(rules, facts)]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "explaining.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether each question is answered soon at the largest size."""
    file = folder / "explaining.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    largest = max(int(row["facts"]) for row in rows)
    found = []
    for row in rows:
        if int(row["facts"]) == largest:
            seconds = float(row["seconds"])
            met = "yes" if seconds <= _MOST else "**no**"
            name = f"Explanations, {row['rules']} of {largest:,}: {row['question']}"
            found.append(Judgement(name, f"<= {_MOST * 1e3:.0f} ms", f"{seconds * 1e3:.2f} ms", met=met))
    return found
