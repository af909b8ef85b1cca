"""What happens in a life, by chance: updates, the conditions that it is lived under, and exceptions at some moments."""

from __future__ import annotations

import sys
from collections.abc import Callable
from random import Random
from typing import Any

from tests.durable.life_model import POOL, Model
from tests.injection import Injected, Injector, let_it_come

from tidelog import Update

ALGORITHMS = ("auto", "auto", "ranked", "bf", "dred", "counting", "rematerialise")
WRONG = (
    Update(insert=(("edge", "a", "b"), ("stock", "a", "many"))),
    Update(insert=(("stock", "a"),), delete=(("edge", "n1", "n2"),)),
    Update(insert=(("edge", "a", "b"),), remove_rules=("no such rule",)),
    Update(upsert=(("stock", "n1", 1),), add_rules=("wrong: path(X, Y) :- edge(X, _).",)),
    Update(delete=(("stock", "n1", 1),), add_rules=("wrong: stock(X, X) :- stock(X, _).",)),
)
"""Updates with something wrong in them."""


class Chance(Random):
    """A seed, and what it decides."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.stops = 0
        """How often an exception that was injected has stopped something."""
        self._most = {"call": 400, "opcode": 20_000}
        self._new = 0

    def durability(self) -> str:
        """How much is to survive."""
        return self.choice(("none", "batch", "fsync"))

    def node(self) -> str:
        """The name of a node."""
        if self.random() < 0.2:  # one that never came before
            self._new += 1
            return f"new {self._new}"
        return f"n{self.randrange(7)}"

    def update(self, model: Model, before: tuple[Any, ...] = ()) -> Update:
        """An update of a state; it deletes what the update before has inserted, as often as not."""
        present = sorted(model.facts)
        delete = self.sample(present, min(len(present), self.choice((0, 0, 1, 3, len(present) // 2))))
        if self.random() < 0.6:
            delete += before
        insert = sorted({(self.choice(("edge", "link")), self.node(), self.node()) for _ in range(self.randrange(6))})
        items = {self.node(): self.randrange(9) for _ in range(self.randrange(3))}
        toggled = self.sample(sorted(POOL), self.choice((1, 2))) if self.random() < 0.3 else ()
        removed = tuple(name for name in toggled if name in model.rules)
        added = tuple(f"{name}: {POOL[name]}" for name in toggled if name not in model.rules)
        upsert = tuple(("stock", item, count) for item, count in items.items())
        return Update(insert=tuple(insert), delete=tuple(delete), upsert=upsert, remove_rules=removed, add_rules=added)

    def stops_it(self, run: Callable[[], object]) -> bool:
        """Whether exceptions that come at some moments, by a call or an instruction or from outside, stop something."""
        by, is_asynchronous = self.choice(("call", "call", "opcode")), self.random() < 0.5
        count = self.choice((1, 2, 3)) if is_asynchronous else 1
        injector, tracing = (
            Injector([self.randrange(1, self._most[by]) for _ in range(count)], by, is_asynchronous),
            sys.gettrace(),
        )
        try:
            try:
                with injector.injecting():
                    run()
            finally:
                let_it_come()
        except Injected:
            self.stops += 1
            return True
        finally:
            sys.settrace(tracing)
            self._most[by] = max(400, injector.count)
        return False
