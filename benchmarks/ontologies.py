"""OWL 2 RL: LUBM parsed, loaded and materialised beside `reasonable` and `owlrl`, small changes, and a chain of owl:sameAs.

Each figure is CPU time of a process of its own, after what only the first use of a library takes; `python -m
benchmarks.ontologies SYSTEM DATA ONTOLOGY` measures one, and prints it as JSON.  `owlrl` takes too long for all of LUBM(1): it
gets every tenth triple, and the others get the same once more.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.harness.summary import Judgement
from benchmarks.sparql import triples
from benchmarks.workloads.lubm import corpus

UNIV = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
SAME = "http://www.w3.org/2002/07/owl#sameAs"
AXIOM = f"<{UNIV}Course> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <{UNIV}Lesson> .\n"
SIZES = ("0.1", "1", "10")
CHAINS = (1_000, 10_000)
_TIMES = 51


@dataclass(frozen=True)
class Row:
    """What one system takes for one size; seconds of CPU time, and None for what was not measured."""

    what: str
    system: str
    given: int
    triples: int
    load: float
    derive: float
    bytes_a_triple: float | None = None
    insert: float | None = None
    delete: float | None = None
    axiom: float | None = None


def _memory(kb: Any) -> int:
    """Tables, indexes, closures and dictionary; Python and its libraries take some 150 MB beside them."""
    in_use: int = kb.engine.state.budget.in_use
    return in_use


def _taken(call: Callable[[], object]) -> float:
    started = time.process_time()
    call()
    return time.process_time() - started


def tidelog(data: Path, ontology: Path) -> dict[str, Any]:
    """Axioms as rules; one triple inserted and deleted, one axiom added."""
    from tidelog import IRI, KnowledgeBase

    first = KnowledgeBase("@prefix u: <" + UNIV + "> . u:a(X, Z) :- u:a(X, Y), u:a(Y, Z).")
    first.load_rdf(ontology)
    first.add_ontology(ontology)
    assert first.count(UNIV + "Person") == 0
    kb = KnowledgeBase()
    found: dict[str, Any] = {"load": _taken(lambda: kb.load_rdf(data))}
    found["derive"] = _taken(lambda: (kb.add_ontology(ontology), kb.count(UNIV + "Person")))
    held = {name: kb.count(name) for name in kb.relations if ":" in name}
    found |= {"triples": sum(held.values()), "bytes_a_triple": _memory(kb) / sum(held.values())}
    one = IRI("http://example.org/new"), IRI(UNIV + "headOf"), IRI("http://example.org/department")
    times: dict[str, list[float]] = {"insert": [], "delete": []}
    for _ in range(_TIMES):
        times["insert"].append(_taken(lambda: kb.update_rdf(insert=[one])))
        times["delete"].append(_taken(lambda: kb.update_rdf(delete=[one])))
    with tempfile.TemporaryDirectory() as folder:
        axiom = Path(folder) / "axiom.nt"
        axiom.write_text(AXIOM, encoding="utf-8")
        found["axiom"] = _taken(lambda: (kb.add_ontology(axiom), kb.count(UNIV + "Lesson")))
    return found | {name: median(values) for name, values in times.items()}


def reasonable(data: Path, ontology: Path) -> dict[str, Any]:
    """PyPI's `reasonable`, which is written in Rust."""
    peer: Any = import_module("reasonable")
    reasoner = peer.PyReasoner()
    result: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "data.ttl", Path(folder) / "ontology.ttl"]  # N-Triples are Turtle, which it reads
        for file, source in zip(files, (data, ontology), strict=True):
            file.symlink_to(source.absolute())
        found: dict[str, Any] = {"load": _taken(lambda: [reasoner.load_file(str(file)) for file in files])}
    return found | {"derive": _taken(lambda: result.extend(reasoner.reason())), "triples": len(result)}


def owlrl(data: Path, ontology: Path) -> dict[str, Any]:
    """PyPI's `owlrl`, on a graph of rdflib."""
    import rdflib

    peer: Any = import_module("owlrl")
    graph = rdflib.Graph()
    found: dict[str, Any] = {"load": _taken(lambda: (graph.parse(data, format="nt"), graph.parse(ontology, format="nt")))}
    closure = peer.DeductiveClosure(peer.OWLRL_Semantics)
    return found | {"derive": _taken(lambda: closure.expand(graph)), "triples": len(graph)}


def same_as(data: Path, _ontology: Path) -> dict[str, Any]:
    """A chain of equalities: all of it, then the one in its middle deleted, and inserted again."""
    from tidelog import IRI, KnowledgeBase

    count = int(data.stem)
    KnowledgeBase("", same_as=True).update(insert=[("p", 1)])
    kb = KnowledgeBase("", same_as=True)
    found: dict[str, Any] = {"load": _taken(lambda: kb.load_rdf(data)), "derive": _taken(lambda: kb.count(SAME))}
    assert kb.count(SAME) == count**2
    found |= {"triples": kb.count("tidelog_representative"), "bytes_a_triple": _memory(kb) / (11 * count)}
    middle = SAME, IRI(f"http://example.org/i{count // 2}"), IRI(f"http://example.org/i{count // 2 + 1}")
    times: dict[str, list[float]] = {"insert": [], "delete": []}
    for _ in range(9):
        times["delete"].append(_taken(lambda: kb.update(delete=[middle])))
        assert kb.count(SAME) < count**2
        times["insert"].append(_taken(lambda: kb.update(insert=[middle])))
    assert kb.count(SAME) == count**2
    return found | {name: median(values) for name, values in times.items()}


SYSTEMS = {"tidelog": tidelog, "reasonable": reasonable, "owlrl": owlrl, "same_as": same_as}


def chain(count: int) -> Iterator[str]:
    """Individuals with ten facts each, of which each is the same as the next."""
    for number in range(count):
        for at in range(10):
            yield f"<http://example.org/i{number}> <http://example.org/p{at}> <http://example.org/v{number}_{at}> .\n"
        if number:
            yield f"<http://example.org/i{number - 1}> <{SAME}> <http://example.org/i{number}> .\n"


def _data(size: str, folder: Path) -> Path:
    path = folder / f"lubm{size}.nt"
    with path.open("wb") as file:
        for piece in triples(max(1, int(float(size)))):
            file.write(piece if float(size) >= 1 else b"".join(piece.splitlines(keepends=True)[::10]))
    return path


def _measured(what: str, system: str, data: Path, ontology: Path) -> Row | None:
    with data.open("rb") as file:
        given = sum(1 for _ in file)
    command = [sys.executable, "-m", "benchmarks.ontologies", system, str(data), str(ontology)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        if "ModuleNotFoundError" in done.stderr:
            print(f"{what}: {system} is not installed", flush=True)
            return None
        raise RuntimeError(done.stderr)
    row = Row(what, system if system != "same_as" else "tidelog", given, **json.loads(done.stdout.splitlines()[-1]))
    print(f"{what:14} {row.system:10} {row.triples:>10,} triples, load {row.load:8.3f} s, derive {row.derive:8.3f} s", flush=True)
    return row


def run(folder: Path, *, quick: bool = False) -> None:
    """Measure, print, write the table."""
    ontology = corpus() / "lubm" / "univ-bench.nt"
    rows: list[Row | None] = []
    with tempfile.TemporaryDirectory() as scratch:
        for size in SIZES[:2] if quick else SIZES:
            data = _data(size, Path(scratch))
            systems = ["tidelog", "reasonable", *(["owlrl"] if size == "0.1" else [])]
            rows += [_measured(f"LUBM({size})", system, data, ontology) for system in systems]
        for count in CHAINS[:1] if quick else CHAINS:
            data = Path(scratch) / f"{count}.nt"
            data.write_text("".join(chain(count)), encoding="utf-8")
            rows.append(_measured(f"chain {count}", "same_as", data, ontology))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "ontologies.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, [field.name for field in fields(Row)])
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows if row is not None)


def judgements(folder: Path) -> list[Judgement]:
    """What was asked for, and what was measured."""
    file = folder / "ontologies.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        rows = {(row["what"], row["system"]): row for row in csv.DictReader(stream)}
    found: list[Judgement] = []

    def judge(what: str, target: str, measured: str, is_met: bool) -> None:
        found.append(Judgement(what, target, measured, met="yes" if is_met else "**no**"))

    def whole(row: dict[str, str]) -> float:
        return float(row["load"]) + float(row["derive"])

    for what, peer, most in (("LUBM(1)", "reasonable", 1 / 2), ("LUBM(10)", "reasonable", 1 / 2), ("LUBM(0.1)", "owlrl", 1 / 30)):
        if (what, peer) in rows and (what, "tidelog") in rows:
            ratio = whole(rows[what, "tidelog"]) / whole(rows[what, peer])
            judge(
                f"{what}: parse, load, OWL 2 RL, beside {peer}", f"at most 1/{1 / most:.0f}", f"1/{1 / ratio:.1f}", ratio <= most
            )
    for what in ("LUBM(1)", "LUBM(10)"):
        if (row := rows.get((what, "tidelog"))) is None:
            continue
        rate, size = int(row["given"]) / float(row["load"]), float(row["bytes_a_triple"])
        judge(f"{what}: triples parsed and loaded a second", "at least 300,000", f"{rate:,.0f}", rate >= 300_000)
        judge(f"{what}: memory of a triple", "at most 100 bytes", f"{size:.0f} bytes", size <= 100)
        for name in ("insert", "delete"):
            took = 1000 * float(row[name])
            judge(f"{what}: one triple, {name}", "at most 0.5 ms", f"{took:.2f} ms", took <= 0.5)
        ratio = float(row["axiom"]) / whole(row)
        judge(f"{what}: one axiom added, beside starting over", "at most 1/20", f"1/{1 / ratio:.0f}", ratio <= 1 / 20)
    if (row := rows.get((f"chain {CHAINS[-1]}", "tidelog"))) is not None:
        took, middle = whole(row), 1000 * float(row["delete"])
        judge("owl:sameAs: a chain of 10,000 with 10 facts each", "at most 1 s", f"{took:.2f} s", took <= 1)
        judge("owl:sameAs: the equality in its middle deleted", "at most 50 ms", f"{middle:.0f} ms", middle <= 50)
    return found


if __name__ == "__main__":
    print(json.dumps(SYSTEMS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))))
