"""The places where programs are evaluated: each engine with its algorithms, placements and special situations.

The tests of this folder run at these places.  `OpenPlace.knowledge_base` creates the knowledge base of a place; everything
else that a test does is the same at all places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from tests.local_engine import USUAL, Conditions, conditions, sharing_of, under
from tests.spark.on_executors import as_if_large, no_facts_in_the_driver, nothing_in_the_driver

from tidelog import KnowledgeBase, Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALGORITHMS = ("ranked", "bf", "dred", "counting", "auto", "rematerialise")
PLACEMENTS = ("auto", "kernel", "decomposed", "components", "rounds")
MIXED = "spark-mixed"
"""Budgets for which some components fit the kernel and others do not."""
_BYTES_A_FACT = 64


@dataclass(frozen=True)
class Place:
    """One engine with the options that say how it works."""

    name: str
    engine: str
    options: Mapping[str, Any] = field(hash=False)
    situation: Callable[[], AbstractContextManager[None]] = nullcontext
    """What is different from usual while a knowledge base is there."""

    @property
    def modules(self) -> bool:
        """Whether transitive relations are closed by modules."""
        return bool(self.options.get("modules", True))

    @property
    def is_mixed(self) -> bool:
        """Whether the budget for the kernel is drawn."""
        return self.name.startswith(MIXED)


def local(algorithm: str, *, modules: bool) -> Place:
    """A place of the local engine."""
    name = f"local-{algorithm}-{'modules' if modules else 'rules'}"
    return Place(name, "local", {"algorithm": algorithm, "modules": modules})


def on_spark(name: str, situation: Callable[[], AbstractContextManager[None]] = nullcontext, **options: Any) -> Place:
    """A place of the Spark engine."""
    return Place(name, "spark", {"engine": "spark", **options}, situation)


PLACES: tuple[Place, ...] = (
    *(local(algorithm, modules=modules) for algorithm in ALGORITHMS for modules in (True, False)),
    *(on_spark(f"spark-{placement}", placement=placement) for placement in PLACEMENTS),
    *(on_spark(f"spark-kernel-{name}", placement="kernel", algorithm=name) for name in ("ranked", "bf", "dred", "counting")),
    on_spark(MIXED, placement="auto"),
    on_spark(f"{MIXED}-rematerialise", placement="auto", algorithm="rematerialise"),
    on_spark("spark-on-executors", nothing_in_the_driver, placement="rounds"),
    on_spark("spark-facts-on-executors", no_facts_in_the_driver, placement="rounds"),
    on_spark("spark-as-if-large", as_if_large, placement="rounds"),
)
BY_NAME = {place.name: place for place in PLACES}
LOCAL = tuple(place for place in PLACES if place.engine == "local")


@dataclass(frozen=True)
class Setting:
    """What is drawn beside a program: the conditions of the local engine, and the budget of a mixed place."""

    conditions: Conditions = USUAL
    allowed: int = 25
    """How many facts fit the kernel."""
    is_shared: bool = False
    """Whether the local engine publishes versions, and everything is read from these."""


AS_USUAL = Setting()


@dataclass(frozen=True)
class OpenPlace:
    """A place, with the Spark that it needs."""

    place: Place
    spark: SparkSession | None = None

    @property
    def settings(self) -> st.SearchStrategy[Setting]:
        """What may be drawn here."""
        if self.place.engine == "local":
            return st.builds(Setting, conditions, is_shared=st.booleans())
        return st.builds(Setting, allowed=st.sampled_from([3, 6, 12, 25])) if self.place.is_mixed else st.just(Setting())

    @contextmanager
    def knowledge_base(self, text: str, setting: Setting = AS_USUAL, **options: Any) -> Iterator[KnowledgeBase]:
        """A knowledge base of a program, in the situation of this place."""
        given = {**self.place.options, **options}
        if self.place.engine == "spark":
            given["spark"] = self.spark
        if self.place.is_mixed:
            given["memory_budget"] = _BYTES_A_FACT * setting.allowed
        with ExitStack() as stack:
            stack.enter_context(self.place.situation())
            stack.enter_context(under(setting.conditions) if self.place.engine == "local" else nullcontext())
            kb = KnowledgeBase(Source(text, "test.dl"), **given)
            if setting.is_shared:
                sharing_of(kb)._share()
            if self.place.engine == "spark":
                stack.callback(kb.close)
            yield kb
