"""Transitive closure in Pathway, kept up to date by its `iterate`: a program of its own, for an interpreter that has pathway.

Reads `{"edges": [[x, y], …], "rounds": [[[x, y], …], …]}` from standard input; deletes and re-inserts the edges of each round as
one batch, and prints CPU and wall seconds of each, with the number of paths after it, as one line of JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
import threading
import time
from typing import Any

pw: Any = importlib.import_module("pathway")  # not there where this is checked


class Edge(pw.Schema):  # type: ignore[misc]
    """An edge is its own key, so that it can be deleted."""

    x: int = pw.column_definition(primary_key=True)
    y: int = pw.column_definition(primary_key=True)


def closure(edges: Any) -> Any:
    """All pairs with a path from the first to the second."""

    def step(paths: Any, edges: Any) -> Any:
        longer = paths.join(edges, paths.y == edges.x).select(x=pw.left.x, y=pw.right.y)
        both = pw.Table.concat_reindex(longer, edges.select(edges.x, edges.y))
        return both.groupby(both.x, both.y).reduce(both.x, both.y)

    first = edges.groupby(edges.x, edges.y).reduce(edges.x, edges.y)
    fused = pw.iterate(
        lambda paths, edges: {"paths": step(paths, edges), "edges": edges}, paths=pw.iterate_universe(first), edges=edges
    )
    return fused.paths


class Counted:
    """How many paths there are, and whether the batch that was sent has come out."""

    def __init__(self) -> None:
        self.paths = 0
        self.done = threading.Event()

    def on_change(self, *_: Any, row: dict[str, Any], is_addition: bool, **__: Any) -> None:
        """A path or an edge came or went."""
        if row["is_path"]:
            self.paths += 1 if is_addition else -1

    def on_time_end(self, _time: int) -> None:
        """A batch has come out."""
        self.done.set()


class Batches(pw.io.python.ConnectorSubject):  # type: ignore[misc]
    """Sends batches, each when the one before has come out."""

    def __init__(self, edges: list[list[int]], rounds: list[list[list[int]]], counted: Counted) -> None:
        super().__init__()
        self.edges, self.rounds, self.counted = edges, rounds, counted
        self.figures: dict[str, list[dict[str, float]]] = {"load": [], "delete": [], "re-insert": []}

    def run(self) -> None:
        """Called by pathway in a thread of its own."""
        self._disable_commits()
        self._send("load", self.edges)
        for chosen in self.rounds:
            self._send("delete", chosen)
            self._send("re-insert", chosen)

    def _send(self, step: str, edges: list[list[int]]) -> None:
        self.counted.done.clear()
        cpu, wall = time.process_time(), time.perf_counter()
        for x, y in edges:
            if step == "delete":
                self.delete(x=x, y=y)
            else:
                self.next(x=x, y=y)
        self.commit()
        self.counted.done.wait()
        figures = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall, "facts": self.counted.paths}
        self.figures[step].append(figures)


def main() -> None:
    """Run what standard input asks for."""
    given = json.load(sys.stdin)
    counted = Counted()
    batches = Batches(given["edges"], given["rounds"], counted)
    edges = pw.io.python.read(batches, schema=Edge, autocommit_duration_ms=None)
    # With the edges, each batch has a change that comes out, also where no path comes or goes.
    both = pw.Table.concat_reindex(closure(edges).with_columns(is_path=True), edges.select(edges.x, edges.y, is_path=False))
    pw.io.subscribe(both, on_change=counted.on_change, on_time_end=counted.on_time_end)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    print(json.dumps(batches.figures))


if __name__ == "__main__":
    main()
