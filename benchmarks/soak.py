"""A knowledge base that is left running: `make soak`, or `python -m benchmarks.soak --minutes 30 --facts 1000000`.

Random updates and rule changes, with constants that were never there before, and four threads that read all the time.  The facts
are many small graphs that have nothing to do with each other, so that a reader can judge all that follows about one of them: by
plain Python in every read, by the reference on samples.  Reported are latencies and memory; a wrong answer ends the run.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from benchmarks.memory_over_time import resident

NODES = 20
EDGES = 30
RULES = """
@relation edge(graph: int, a: int, b: int).
@relation tag(graph: int key, text: string).
path(G, X, Y) :- edge(G, X, Y).
path(G, X, Z) :- path(G, X, Y), edge(G, Y, Z).
end(G, Y) :- edge(G, _, Y), not edge(G, Y, _).
size(G, N) :- N = count { path(G, _, _) }.
named(G, S) :- tag(G, T), S = cat("graph ", T).
"""
EXTRA = "two(G, X, Z) :- edge(G, X, Y), edge(G, Y, Z)."
_FACTS_A_GRAPH = 172
"""About: edges and everything that follows from them."""
_READERS = 4
_GRAPHS_AN_UPDATE = (1, 1, 1, 2, 4, 8, 32)
_RULES_EVERY, _JUDGE_EVERY, _SAY_EVERY = 500, 10.0, 60.0
_FIRST_CHANGES = 100

Edge = tuple[int, int]


@dataclass
class Run:
    """What the threads of a run share."""

    kb: Any
    edges: list[list[Edge]]
    """The edges of each graph.  An update puts one in the place of another, so that there are always as many facts."""
    over: threading.Event = field(default_factory=threading.Event)
    failures: list[BaseException] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    updates: list[float] = field(default_factory=list)
    memory: list[int] = field(default_factory=list)

    @property
    def graphs(self) -> int:
        """How many graphs there are."""
        return len(self.edges)


def closed(edges: set[Edge]) -> set[Edge]:
    """The transitive closure, by searching from each node."""
    after: dict[int, list[int]] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
    found = set()
    for start, nearest in after.items():
        waiting, seen = list(nearest), set[int]()
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                waiting += after.get(node, ())
        found |= {(start, node) for node in seen}
    return found


def check(run: Run, graph: int) -> None:
    """All that is known about one graph, in one state."""
    with run.kb.snapshot() as view:
        edges = set(view.query(f"edge({graph}, X, Y)"))
        paths = closed(edges)
        assert set(view.query(f"path({graph}, X, Y)")) == paths
        assert set(view.query(f"end({graph}, Y)")) == {(b,) for _, b in edges} - {(a,) for a, _ in edges}
        assert list(view.query(f"size({graph}, N)")) == ([(len(paths),)] if paths else [])
        tags, names = list(view.query(f"tag({graph}, T)")), list(view.query(f"named({graph}, S)"))
        assert len(tags) == 1
        assert names == [(f"graph {tags[0][0]}",)]
        if "two" in view.relations:
            expected = {(a, d) for a, b in edges for c, d in edges if b == c}
            assert set(view.query(f"two({graph}, X, Y)")) in (expected, set())  # a removed rule leaves an empty relation


def read(run: Run, seed: int) -> None:
    """Ask about one graph after the other, until the run is over."""
    chance = random.Random(seed)
    try:
        while not run.over.is_set():
            started = time.perf_counter()
            check(run, chance.randrange(run.graphs))
            run.reads.append(time.perf_counter() - started)
    except BaseException as error:
        run.failures.append(error)
        run.over.set()
        raise


def judge(run: Run, graph: int) -> None:
    """One graph against the reference."""
    from tidelog import KnowledgeBase
    from tidelog.reference import materialise

    with run.kb.snapshot() as view:
        facts = [f"edge({graph}, {a}, {b})." for a, b in view.query(f"edge({graph}, X, Y)")]
        facts += [f'tag({graph}, "{text}").' for (text,) in view.query(f"tag({graph}, T)")]
        expected = materialise(KnowledgeBase(RULES + "\n".join(facts)).program)
        for relation, columns in (("path", "X, Y"), ("end", "X"), ("size", "X"), ("named", "X")):
            rows = {tuple(value.content for value in row[1:]) for row in expected[relation]}
            assert set(view.query(f"{relation}({graph}, {columns})")) == rows, f"{relation} of graph {graph}"


def change(run: Run, chance: random.Random, number: int) -> None:
    """One update of some graphs, or a change of rules."""
    if number % _RULES_EVERY == 0:
        if number // _RULES_EVERY % 2:
            run.kb.add_rules(EXTRA)
        else:
            run.kb.remove_rules(EXTRA)
        return
    insert, delete, upsert = [], [], []
    for graph in chance.sample(range(run.graphs), min(run.graphs, chance.choice(_GRAPHS_AN_UPDATE))):
        edges, new = run.edges[graph], (chance.randrange(NODES), chance.randrange(NODES))
        if new not in edges:
            at = chance.randrange(len(edges))
            old, edges[at] = edges[at], new
            insert.append(("edge", graph, *new))
            delete.append(("edge", graph, *old))
        upsert.append(("tag", graph, f"text {number} of {graph}"))
    started = time.perf_counter()
    run.kb.update(insert=insert, delete=delete, upsert=upsert)
    run.updates.append(time.perf_counter() - started)


def filled(facts: int, chance: random.Random) -> Run:
    """A knowledge base of about so many facts."""
    import pyarrow as pa

    from tidelog import KnowledgeBase

    graphs = max(1, facts // _FACTS_A_GRAPH)
    every = [(a, b) for a in range(NODES) for b in range(NODES)]
    edges = [chance.sample(every, EDGES) for _ in range(graphs)]
    numbers = [graph for graph in range(graphs) for _ in range(EDGES)]
    ends = [[edge[at] for some in edges for edge in some] for at in range(2)]
    kb = KnowledgeBase(RULES)
    kb.load("edge", pa.table({"graph": numbers, "a": ends[0], "b": ends[1]}))
    kb.load("tag", pa.table({"graph": list(range(graphs)), "text": [f"first {graph}" for graph in range(graphs)]}))
    return Run(kb, edges)


def percentiles(times: list[float]) -> str:
    """The median, and what one in 100 and one in 1,000 take, in milliseconds."""
    ordered = sorted(times)
    shares = (0.5, 0.99, 0.999)
    return " / ".join(f"{ordered[min(int(share * len(ordered)), len(ordered) - 1)] * 1e3:.2f}" for share in shares) + " ms"


def warm_up(run: Run, chance: random.Random) -> int:
    """Updates until unused values have been given back once: until then, memory rises to where it stays; how many there were."""
    state, number = run.kb.engine.state, 0
    while run.kb.engine.state is state:
        number += 1
        change(run, chance, number)
    run.updates.clear()
    return number


def soak(minutes: float, facts: int, seed: int) -> Run:
    """Run for some minutes; raises if an answer was wrong."""
    chance = random.Random(seed)
    run = filled(facts, chance)
    print(f"{sum(run.kb.count(name) for name in run.kb.relations):,} facts about {run.graphs:,} graphs, seed {seed}", flush=True)
    number = warm_up(run, chance)
    print(f"{number:,} changes to warm up, {resident() / 1e6:,.0f} MB", flush=True)
    readers = [threading.Thread(target=read, args=(run, seed + number)) for number in range(_READERS)]
    for reader in readers:
        reader.start()
    for _ in range(_FIRST_CHANGES):  # what readers beside a writer need of the kernel is compiled, once on a machine
        number += 1
        change(run, chance, number)
    run.updates.clear()
    run.reads.clear()
    began = judged = said = time.monotonic()
    try:
        while not run.over.is_set() and time.monotonic() - began < 60 * minutes:
            number += 1
            change(run, chance, number)
            now = time.monotonic()
            if now - judged > _JUDGE_EVERY:
                judge(run, chance.randrange(run.graphs))
                run.memory.append(resident())
                judged = now
            if now - said > _SAY_EVERY:
                said = now
                facts = sum(run.kb.count(name) for name in run.kb.relations)
                terms = len(run.kb.engine.state.terms)
                state = f"{facts:,} facts, {terms:,} values, {resident() / 1e6:,.0f} MB"
                print(f"{(now - began) / 60:5.1f} min: {number:,} changes, {len(run.reads):,} reads, {state}", flush=True)
    finally:
        run.over.set()
        for reader in readers:
            reader.join()
    if run.failures:
        raise run.failures[0]
    return run


def main() -> None:
    """Soak, and say what came of it; status 1 if memory grew."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description="Leave a knowledge base running.")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--facts", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    run = soak(options.minutes, options.facts, options.seed)
    print(f"updates, median / one in 100 / one in 1,000: {percentiles(run.updates)}")
    print(f"reads of ten questions, the same:            {percentiles(run.reads)}")
    third = len(run.memory) // 3
    if third:
        early, late = run.memory[third : 2 * third], run.memory[2 * third :]
        for when, used in (("second", early), ("last", late)):
            print(f"memory in the {when} third: median {median(used) / 1e6:,.0f} MB, at most {max(used) / 1e6:,.0f} MB")
        if median(late) > 1.05 * median(early):  # the most depends on when values were given back, for which there are two states
            sys.exit("memory has grown")
    print("no wrong answer")


if __name__ == "__main__":
    main()
