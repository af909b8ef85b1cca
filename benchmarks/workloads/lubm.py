"""LUBM(1) for the rules of the marking papers, whose `a1_` is the prefix of the univ-bench ontology.

A triple of a type becomes a fact of one argument, `a1_Course(x)`, any other one of two, `a1_takesCourse(x, y)`; what the ontology
has no name for, two dozen statements about the files themselves, is left out.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pyarrow as pa

from benchmarks.harness.workload import NotAvailable

_ONTOLOGY = "<http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def corpus() -> Path:
    """The test material: in the folder that TIDELOG_CORPUS names, or beside this repository."""
    named = os.environ.get("TIDELOG_CORPUS")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "corpus"
    if not (folder / "lubm" / "lubm1.nt.gz").is_file():
        raise NotAvailable("no corpus: set TIDELOG_CORPUS, or put it at ../shared/corpus")
    return folder


def rules() -> str:
    """The rules, which reach beyond what the ontology says."""
    return (corpus() / "marking_streams" / "rules" / "lubm.dl").read_text(encoding="utf-8")


@cache
def facts() -> Mapping[str, pa.Table]:
    """The different triples, a table for each class and property."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    text = gzip.decompress((corpus() / "lubm" / "lubm1.nt.gz").read_bytes()).decode("utf-8")
    for line in text.splitlines():
        subject, predicate, thing = line.removesuffix(" .").split(" ", 2)
        if predicate == _TYPE and thing.startswith(_ONTOLOGY):
            found.setdefault(_name(thing), {})[subject,] = None
        elif predicate.startswith(_ONTOLOGY):
            found.setdefault(_name(predicate), {})[subject, thing] = None
    return {name: _table(list(rows)) for name, rows in sorted(found.items())}


def _name(iri: str) -> str:
    return "a1_" + iri.removeprefix(_ONTOLOGY).removesuffix(">")


def _table(rows: list[tuple[str, ...]]) -> pa.Table:
    return pa.table({f"c{at}": pa.array(column, pa.string()) for at, column in enumerate(zip(*rows, strict=True))})
