"""Cliques under a symmetric and transitive relation, as in UOBM and Claros: who knows one is a friend of all in a community.

What people know is a random tree of each community and two more edges for each member, so that most deletions take nothing away,
and a few split a community.  What one says, all friends hear.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from benchmarks.harness.workload import Inputs
from benchmarks.workloads.graphs import pairs

RULES = """\
friend(X, Y) :- knows(X, Y).
friend(X, Y) :- friend(Y, X).
friend(X, Z) :- friend(X, Y), friend(Y, Z).
hears(X, T) :- friend(X, Y), says(Y, T).
person(X) :- knows(X, _).
person(Y) :- knows(_, Y).
"""
PEOPLE = 3000
"""In all communities together, unless one is larger."""
_MORE = 2
_SPEAKERS = 0.01


def facts(members: int, people: int = PEOPLE, seed: int = 11) -> Inputs:
    """Communities of so many members."""
    random = np.random.default_rng(seed)
    count = max(1, people // members)
    first, second = [], []
    for start in range(0, count * members, members):
        others = np.arange(1, members)
        first += [start + others, start + random.integers(0, members, _MORE * members)]
        second += [start + (random.random(members - 1) * others).astype(np.int64)]
        second += [start + random.integers(0, members, _MORE * members)]
    speakers = random.choice(count * members, max(1, int(_SPEAKERS * count * members)), replace=False)
    says = pairs(speakers, count * members + np.arange(len(speakers)))
    return {"knows": pairs(np.concatenate(first), np.concatenate(second)), "says": pa.table(says)}
