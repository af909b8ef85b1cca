"""Pathway as a contender: `pathway_script` in a process of its own, under an interpreter that has pathway."""

from __future__ import annotations

import importlib.util
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.workload import Inputs, NotAvailable
from benchmarks.maintenance.measuring import COMPARED, DELETE, INSERT, Fact, Figures, Steps

PATHWAY = "pathway"
_SCRIPT = Path(__file__).with_name("pathway_script.py")
_TIME_LIMIT = 600.0


def interpreter() -> str:
    """The Python that has pathway."""
    named = os.environ.get("TIDELOG_PATHWAY_PYTHON")
    if named:
        return named
    if importlib.util.find_spec("pathway") is None:
        raise NotAvailable("pathway is not installed; TIDELOG_PATHWAY_PYTHON may name an interpreter that has it")
    return sys.executable


def maintained(inputs: Inputs, rounds: Sequence[list[Fact]]) -> Steps:
    """Delete and re-insert the edges of each round; the number of facts is that of edges and paths, as in Tidelog."""
    edges = list(zip(*inputs["edge"].to_pydict().values(), strict=True))
    given = json.dumps({"edges": edges, "rounds": [[fact[1:] for fact in facts] for facts in rounds]})
    finished = subprocess.run(
        [interpreter(), str(_SCRIPT)], input=given, capture_output=True, text=True, timeout=_TIME_LIMIT, check=True
    )
    found = json.loads(finished.stdout.strip().splitlines()[-1])
    steps = {}
    for step, present in ((DELETE, [len(edges) - len(facts) for facts in rounds]), (INSERT, [len(edges)] * len(rounds))):
        seconds = [measured["cpu"] for measured in found[step]]
        facts = sum(measured["facts"] + left for measured, left in list(zip(found[step], present, strict=True))[:COMPARED])
        steps[step] = Figures(statistics.median(seconds), seconds[0], 0, facts)
    return steps
