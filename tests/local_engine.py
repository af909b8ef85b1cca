"""The local engine for tests: what it holds in the form of the reference, and odd conditions to run it under."""

from __future__ import annotations

import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Any
from unittest.mock import patch

from hypothesis import strategies as st

from tidelog import KnowledgeBase, Source, facts
from tidelog.core import limits as watch
from tidelog.local.closure import virtual_relation as virtual
from tidelog.local.engine import LocalEngine
from tidelog.local.evaluation import function_calls as calls
from tidelog.local.evaluation import seminaive as materialise
from tidelog.local.explaining.access import LocalAccess
from tidelog.local.kb import LocalKnowledgeBase
from tidelog.local.kernel.tiers import choice
from tidelog.local.maintenance import propagation, unit_runtime
from tidelog.local.maintenance.aggregates import kept_groups
from tidelog.local.planning import join_order, ranges
from tidelog.local.sharing.readers import Sharing
from tidelog.local.storage import dictionary, indexes, row_buffers, term_collection
from tidelog.local.storage.dictionary import Dictionary
from tidelog.program.program import GroundFact, Program, check
from tidelog.reference import Facts, Row
from tidelog.values import from_python


def program(text: str) -> Program:
    """A program from its text."""
    return check(Source(text, "test.dl"))


def sharing_of(kb: KnowledgeBase) -> Sharing:
    """Who may touch the state of a knowledge base."""
    assert isinstance(kb, LocalKnowledgeBase)
    return kb._sharing


@contextmanager
def access_to(kb: KnowledgeBase) -> Iterator[LocalAccess]:
    """What explanations ask of a knowledge base, which no other thread changes."""
    assert isinstance(kb, LocalKnowledgeBase)
    yield LocalAccess(kb._maintained(), kb._schema, kb._watch())


def engine_of(kb: KnowledgeBase) -> LocalEngine:
    """The engine behind a knowledge base."""
    assert isinstance(kb, LocalKnowledgeBase)
    return kb._engine


def kept_counts(kb: KnowledgeBase) -> dict[str, int]:
    """How much a knowledge base keeps between updates."""
    engine = engine_of(kb)
    runtimes = engine.runtimes.values()
    return {
        "plans": sum(len(runtime.plans) for runtime in runtimes),
        "delta rules": sum(len(runtime._rules) for runtime in runtimes),
        "units": len(engine.runtimes),
        "helper tables": len(engine.state.helpers),
        "relations": len(engine.state.tables),
        "tables": len(engine.state.store.tables),
    }


def rows_of(found: Iterable[tuple[Any, ...]]) -> set[Row]:
    """Tuples of Python objects as rows of values, which tell 1 from 1.0 and from True."""
    rows = [tuple(map(from_python, row)) for row in found]
    assert len(rows) == len(set(rows)), "a fact twice"
    return set(rows)


def held(kb: KnowledgeBase) -> Facts:
    """Everything that a knowledge base holds, as the reference would have it."""
    result = {name: rows_of(kb.facts(name)) for name in kb.relations}
    assert {name: kb.count(name) for name in result} == {name: len(rows) for name, rows in result.items()}
    return result


def without_empty(found: Mapping[str, set[Row]]) -> Facts:
    """The relations that have facts."""
    return {name: rows for name, rows in found.items() if rows}


def as_tuple(fact: GroundFact) -> tuple[object, ...]:
    """A fact as Python gives it to `update`."""
    name, values = fact
    return name, *values


def as_tuples(found: Iterable[GroundFact]) -> list[tuple[object, ...]]:
    """Facts as Python gives them to `update`."""
    return [as_tuple(fact) for fact in found]


def difference(left: Facts, right: Facts) -> Facts:
    """The facts that only the left side has."""
    return without_empty({name: rows - right.get(name, set()) for name, rows in left.items()})


# --- odd conditions ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Conditions:
    """How the engine is run; the defaults are its own."""

    modules: bool = True
    searches: bool = False
    """Whether closures have no rows of bits."""
    bytes_a_fact: int = 16
    """0: pairs are never a matrix of bits; very many: always, if the domain is small enough."""
    largest_domain: int = 1 << 15
    first_capacity: int = 32
    step_budget: int = 1 << 18
    piece: int = 1 << 12
    """Calls of Python's functions, pairs and rows that are worked on at once."""
    has_small_dictionary: bool = False
    algorithm: str = "auto"
    forgets: bool = False
    """Whether nothing is kept from one update to the next that could be made anew."""
    collects: bool = False
    """Whether terms are collected before every change, also if all are in use."""
    many: int = 1_000
    """So many new rows may make a unit be evaluated as a whole."""
    keeps_groups: bool = False
    """Whether something is kept of every group of an aggregate, and not of large ones only."""
    orders: bool = False
    """Whether ordered indexes are used wherever they can be, with as many rows in the run as possible."""
    shortest: bool = False
    """Whether of atoms that bind the same variables the shortest chain is always chosen when the plan runs."""
    kernel: str = "compiled"
    """Or `plain`: Python runs it; or `exchanged`: each entry point is exchanged at some call."""
    places: bool = False
    """Whether bit matrices have places for the terms of their relations only, and there are matrices wherever they can be."""


USUAL = Conditions()
ODD = Conditions(False, True, 1 << 30, 64, 1, 1, 1, True, many=1, keeps_groups=True, orders=True, shortest=True, places=True)

conditions = st.builds(
    Conditions,
    st.booleans(),
    st.booleans(),
    st.sampled_from((16, 0, 1 << 30)),
    st.sampled_from((1 << 15, 64)),
    st.sampled_from((32, 1)),
    st.sampled_from((1 << 18, 1, 7)),
    st.sampled_from((1 << 12, 1)),
    st.booleans(),
    st.sampled_from(("auto", "bf", "dred", "rematerialise")),
    st.sampled_from((False, False, True)),
    st.booleans(),
    st.sampled_from((1_000, 1)),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(("compiled", "compiled", "compiled", "plain", "exchanged")),
    st.booleans(),
)


def odd_conditions(seed: int) -> Conditions:
    """Conditions by chance, for long random runs: closures in pages, groups kept, terms collected, hardly any room."""
    chance = Random(seed)
    if seed % 2:
        return Conditions(keeps_groups=True, searches=True)
    return Conditions(
        searches=chance.random() < 0.7,
        bytes_a_fact=chance.choice((16, 0, 1 << 30)),
        first_capacity=chance.choice((32, 1)),
        step_budget=chance.choice((1 << 18, 1, 7)),
        piece=chance.choice((1 << 12, 1)),
        has_small_dictionary=chance.random() < 0.5,
        forgets=chance.random() < 0.3,
        collects=chance.random() < 0.3,
        many=chance.choice((1_000, 1)),
        keeps_groups=chance.random() < 0.7,
        shortest=chance.random() < 0.5,
        kernel="exchanged" if chance.random() < 0.05 else "compiled",
        places=chance.random() < 0.4,
    )


@contextmanager
def under(given: Conditions) -> Iterator[None]:
    """Run what is inside under these conditions."""
    with ExitStack() as stack:
        early = given.bytes_a_fact if given.bytes_a_fact != USUAL.bytes_a_fact else row_buffers._EARLY_BYTES_A_FACT
        for module, name, value in (
            (row_buffers, "_BYTES_A_FACT", given.bytes_a_fact),
            (row_buffers, "_EARLY_BYTES_A_FACT", early),
            (row_buffers, "LARGEST_DOMAIN", given.largest_domain),
            (row_buffers, "FIRST_CAPACITY", given.first_capacity),
            (row_buffers, "_BYTES_A_NUMBER", 0 if given.first_capacity == 1 else row_buffers._BYTES_A_NUMBER),
            (row_buffers, "_NUMBER_BYTES", 0 if given.first_capacity == 1 else row_buffers._NUMBER_BYTES),
            (indexes, "_PIECE", given.piece),
            (materialise, "STEP_BUDGET", given.step_budget),
            (calls, "_PIECE", given.piece),
            (virtual, "_CHUNK", min(given.piece, virtual._CHUNK)),
            (virtual, "BITS_BUDGET", 0 if given.searches else virtual.BITS_BUDGET),
            (facts, "_ROWS_AT_ONCE", given.piece),
            (propagation, "_MANY", given.many),
            (dictionary, "_MANY", min(given.many, dictionary._MANY)),
            (kept_groups, "LEAST", 1 if given.keeps_groups else kept_groups.LEAST),
            (kept_groups, "FEW_CHANGES", inf if given.keeps_groups else kept_groups.FEW_CHANGES),
            (unit_runtime, "_MOST_RULES", -1 if given.forgets else unit_runtime._MOST_RULES),
            (unit_runtime, "_MORE_A_RELATION", 0 if given.forgets else unit_runtime._MORE_A_RELATION),
            (term_collection, "_PIECE", min(given.piece, term_collection._PIECE)),
        ):
            stack.enter_context(patch.object(module, name, value))
        if given.orders:
            stack.enter_context(ordered(True))
        if given.places:
            stack.enter_context(placed())
        if given.shortest:
            stack.enter_context(shortest(True))
        if given.has_small_dictionary:
            stack.enter_context(patch.object(Dictionary, "_reserve", _reserve_little))
        if given.collects:
            stack.enter_context(collecting())
        if given.kernel != "compiled":
            stack.enter_context(choice.forced("never"))
        if given.kernel == "exchanged":
            chance = Random(given.step_budget)
            stack.enter_context(patch.object(choice, "_stays", lambda *_: chance.random() < 0.8))
        yield


@contextmanager
def placed() -> Iterator[None]:
    """Let bit matrices have places for the terms of their relations only, wherever there can be a matrix."""
    with (
        patch.object(row_buffers.RowBuffers, "_domain_for", lambda *_: 0),
        patch.object(row_buffers, "PLACED_BYTES_A_FACT", 1 << 40),
    ):
        yield


@contextmanager
def ordered(is_used: bool) -> Iterator[None]:
    """Use ordered indexes wherever they can be, and sort what can be sorted; or use none."""
    with patch.object(ranges, "FEWEST_ROWS", -1.0 if is_used else inf), patch.object(indexes, "LEAST_TAIL", 0):
        yield


@contextmanager
def shortest(is_used: bool) -> Iterator[None]:
    """Choose among atoms that bind the same variables when the plan runs, wherever that can be; or never."""
    with patch.multiple(join_order, FEWEST_ROWS=0, LONG_CHAIN=0.0 if is_used else inf):
        yield


@contextmanager
def collecting(least: int = 0, growth: float = 0.0, used: float = 1.0) -> Iterator[None]:
    """Collect terms that nothing uses after so many new ones; all the time, unless told otherwise."""
    with patch.multiple(term_collection, LEAST_GROWTH=least, _GROWTH=growth, _USED=used, _ROWS_A_TERM=1 << 40):
        yield


_RESERVE = Dictionary._reserve


def _reserve_little(terms: Dictionary, capacity: int, more_text: int, direct: int = 0) -> None:
    """Make a new dictionary a tiny one."""
    is_new = not terms.header.any()
    _RESERVE(terms, *((2, 3) if is_new else (capacity, more_text, direct)))


@contextmanager
def looking_often() -> Iterator[None]:
    """Let the progress be shown at every look."""
    with patch.object(watch, "_SHOW_EVERY", -1.0):
        yield


class Interruption:
    """A progress display that raises at the n-th look, and only then."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.looks = 0
        self.by_signal = False

    def __call__(self, _progress: watch.Progress) -> None:
        self.looks += 1
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            self.left = None
            if self.by_signal:
                signal.raise_signal(signal.SIGINT)
            else:
                raise KeyboardInterrupt
