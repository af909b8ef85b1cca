"""The B/F paper's equilibrium: how much must be deleted at once until starting over is cheaper than to maintain?

One process for each contender deletes growing shares of the explicit facts of a knowledge base, and re-inserts each before the
next.  It stops after a deletion that took many times as long as the first evaluation: larger ones do not get better.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.harness.workload import Inputs
from benchmarks.maintenance.measuring import DELETE, INSERT, Fact, Rounds, Steps, chosen, loaded
from benchmarks.workloads import closure, graphs, lubm, points_to, same_generation
from tidelog import KnowledgeBase
from tidelog.errors import TidelogError

UNIT = "‰ of the explicit facts deleted"
SHARES = (1, 3, 10, 30, 100, 200, 300, 500, 700, 950)
QUICK_SHARES = (1, 10, 30, 100, 300, 950)
_HOPELESS, _LONG = 20.0, 1.0
"""Times the first evaluation, and seconds: what takes longer than both is not tried with more."""
_LIMIT = 60.0
"""Seconds after which an update is given up, and all larger ones with it."""


@dataclass(frozen=True)
class Scale:
    """What is deleted from."""

    rules: Callable[[], str]
    inputs: Callable[[], Inputs]
    modules: bool

    def run(self, contender: str, shares: Sequence[int]) -> Iterator[tuple[int, Steps]]:
        """Each share that is tried, with its figures."""
        inputs = self.inputs()
        facts = sum(table.num_rows for table in inputs.values())
        kb, _, evaluation = loaded(self.rules(), inputs, contender, modules=self.modules, limit=_LIMIT)
        for gone in chosen(inputs, 1, 3, seed=1):  # makes plans and indexes
            _there_and_back(kb, gone)
        for share in shares:
            (gone,) = chosen(inputs, max(1, facts * share // 1000), 1, seed=share)
            try:
                steps = _there_and_back(kb, gone)
            except TidelogError as error:
                print(f"{contender}, {share} {UNIT}: {error.diagnostics[0].message}", file=sys.stderr)
                return
            yield share, steps
            if steps[DELETE].cpu > max(_HOPELESS * evaluation, _LONG):
                return


def _there_and_back(kb: KnowledgeBase, gone: list[Fact]) -> Steps:
    deletion, insertion = Rounds(), Rounds()
    deletion.measure(lambda: kb.update(delete=gone), kb)
    insertion.measure(lambda: kb.update(insert=gone), kb)
    return {DELETE: deletion.figures(), INSERT: insertion.figures()}


SCALES: Mapping[str, tuple[str, Scale]] = {
    "dag": (
        "Closure of a dense DAG (1,000 nodes), modules off",
        Scale(lambda: closure.LINEAR, lambda: {"edge": graphs.dag(1000)}, modules=False),
    ),
    "forest": (
        "Closure of a forest (39,000 nodes), modules off",
        Scale(lambda: closure.LINEAR, lambda: {"edge": graphs.forest(39_000)}, modules=False),
    ),
    "lubm": ("LUBM(1)", Scale(lubm.rules, lubm.facts, modules=True)),
    "lubm_rules": ("LUBM(1), modules off", Scale(lubm.rules, lubm.facts, modules=False)),
    "points_to": (
        "Points-to (1,025 variables)",
        Scale(lambda: points_to.RULES, lambda: points_to.statements(1025), modules=True),
    ),
    "same_generation": (
        "Same generation (4,000 nodes)",
        Scale(lambda: same_generation.RULES, lambda: same_generation.edges(4000), modules=True),
    ),
}


def crossing(maintained: Sequence[tuple[int, float]], starting_over: Mapping[int, float]) -> float:
    """The share at which starting over takes as long, between two measured ones by their logarithms; NaN where it never does."""
    before: tuple[int, float] | None = None
    for share, seconds in maintained:
        if share not in starting_over:
            continue
        ratio = math.log(max(seconds, 1e-9) / max(starting_over[share], 1e-9))
        if ratio >= 0:
            if before is None:
                return float(share)
            low, low_ratio = before
            part = -low_ratio / (ratio - low_ratio)
            return math.exp(math.log(low) + part * math.log(share / low))
        before = share, ratio
    return math.nan
