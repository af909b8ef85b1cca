"""SPARQL: the fourteen queries of LUBM, asked again and again, beside pyoxigraph over the same triples.

Both hold the triples of LUBM(1) and what follows from them, or of several copies of it, each a university of its own.  A figure
is the median CPU time of one question with all of its answers as tuples of Python objects; the two take turns, so that both see
the same moments of a shared machine.
"""

from __future__ import annotations

import csv
import gzip
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.harness.summary import Judgement
from benchmarks.harness.workload import NotAvailable
from benchmarks.workloads.lubm import corpus
from benchmarks.workloads.lubm_queries import QUERIES

UNIVERSITIES = (1, 10)
_ROUNDS, _SECONDS = 5, 0.2
RULES = Path(__file__).parent / "workloads" / "univ_bench.dl"


@dataclass(frozen=True)
class Row:
    """One query: its answers, and the microseconds of CPU time that each of the two needs for them."""

    universities: int
    triples: int
    query: str
    answers: int
    tidelog: float
    pyoxigraph: float


def triples(universities: int) -> Iterator[bytes]:
    """LUBM(1) as N-Triples, and copies of it in which University0 has another number."""
    data = gzip.decompress((corpus() / "lubm" / "lubm1.nt.gz").read_bytes())
    yield data
    for number in range(1, universities):
        yield data.replace(b"University0.edu", b"University%d.edu" % (100_000 + number))


def measure(universities: int, folder: Path) -> list[Row]:
    """All queries over so many universities."""
    try:
        import pyoxigraph as ox
    except ImportError as error:
        raise NotAvailable("pyoxigraph is not installed") from error
    from tidelog import KnowledgeBase

    data, everything = folder / "data.nt", folder / "all.nt"
    with data.open("wb") as file:
        file.writelines(triples(universities))
    kb: Any = KnowledgeBase(RULES)
    kb.load_rdf(data)
    kb.write_rdf(everything)
    store = ox.Store()
    store.bulk_load(path=str(everything), format=ox.RdfFormat.N_TRIPLES)
    store.optimize()
    rows = []
    for query in QUERIES:
        found = len(list(kb.sparql(query.text)))
        assert universities > 1 or found == query.answers, query.name
        mine, theirs = _taken(partial(_tuples, kb.sparql, query.text), partial(_tuples, store.query, query.text))
        rows.append(Row(universities, len(store), query.name, found, mine * 1e6, theirs * 1e6))
        line = f"{rows[-1].tidelog:12.0f} us, pyoxigraph {rows[-1].pyoxigraph:12.0f} us"
        print(f"{universities:>4} universities, {query.name:4} {found:>9,} answers: {line}", flush=True)
    return rows


def _tuples(ask: Callable[[str], Any], text: str) -> list[tuple[object, ...]]:
    return [tuple(answer) for answer in ask(text)]


def _taken(*asked: Callable[[], object]) -> list[float]:
    """The median CPU time of each of some calls, which take turns."""
    times: list[list[float]] = [[] for _ in asked]
    for call in asked:
        call()
    for _ in range(_ROUNDS):
        for call, own in zip(asked, times, strict=True):
            spent = 0.0
            while spent < _SECONDS / _ROUNDS:
                started = time.process_time()
                call()
                own.append(time.process_time() - started)
                spent += own[-1]
    return [median(own) for own in times]


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    rows: list[Row] = []
    for universities in UNIVERSITIES[:1] if quick else UNIVERSITIES:
        with tempfile.TemporaryDirectory() as scratch:
            rows += measure(universities, Path(scratch))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "sparql.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def judgements(folder: Path) -> list[Judgement]:
    """Whether each query is answered as fast as by pyoxigraph."""
    file = folder / "sparql.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    found = []
    for universities in dict.fromkeys(row["universities"] for row in rows):
        ratios = {
            row["query"]: float(row["tidelog"]) / float(row["pyoxigraph"]) for row in rows if row["universities"] == universities
        }
        worst = max(ratios, key=ratios.__getitem__)
        measured = f"at most {ratios[worst]:.2f} times ({worst})"
        what = f"The queries of LUBM({universities}) beside pyoxigraph, warm"
        found.append(
            Judgement(what, "each at most the time of pyoxigraph", measured, met="yes" if ratios[worst] <= 1 else "**no**")
        )
    return found
