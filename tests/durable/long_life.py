"""The life of one saved knowledge base, by chance: whatever may happen to it, and what the reference says that it holds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from tests.durable.saved_folders import crashed, opened
from tests.injection import Injected, Injector, let_it_come

from tidelog import KnowledgeBase, Source, Update
from tidelog.errors import Diagnostics
from tidelog.program.program import Program, check
from tidelog.reference import answers, materialise
from tidelog.syntax.parser import parse_query
from tidelog.values import from_python

DECLARED = "@relation stock(item: string key, count: int) .\n"
POOL = {
    "r0": "path(X, Y) :- edge(X, Y).",
    "r1": "path(X, Z) :- path(X, Y), edge(Y, Z).",
    "r2": "degree(X, C) :- edge(X, _), C = count { Y : edge(X, Y) }.",
    "r3": "alone(X) :- stock(X, _), not path(X, _).",
    "r4": "named(cat(X, string(C))) :- stock(X, C).",
    "r5": "both(X, Y) :- path(X, Y), path(Y, X).",
    "r6": "both(X, Y) :- both(Y, X), edge(X, _).",
    "r7": "most(M) :- M = max { C : stock(_, C) }.",
}
QUERIES = ("edge(X, Y), edge(Y, Z)", "stock(X, C), C > 5", "edge(X, _), not edge(_, X)", "stock(X, C), D = C + 1", "edge(n1, Y)")
Row = tuple[Any, ...]
Held = dict[str, frozenset[Row]]


@lru_cache(maxsize=256)
def _program(rules: frozenset[str]) -> Program:
    return check(Source(DECLARED + "".join(f"{name}: {POOL[name]}\n" for name in sorted(rules))))


@dataclass(frozen=True)
class Model:
    """The rules by name, and the explicit facts."""

    rules: frozenset[str]
    facts: frozenset[Row]

    def after(self, update: Update) -> Model:
        """What an update leaves."""
        facts = set(self.facts - set(update.delete)) | set(update.insert)
        for fact in update.upsert:
            facts = {other for other in facts if other[:2] != fact[:2]} | {fact}
        added = {text.partition(":")[0] for text in update.add_rules}
        return Model(self.rules - set(update.remove_rules) | added, frozenset(facts))

    def materialised(self) -> Any:
        """All facts, by the reference."""
        explicit = [(name, tuple(map(from_python, args))) for name, *args in self.facts]
        return materialise(_program(self.rules), explicit)

    def held(self) -> Held:
        """All facts as values of Python; relations without any are left out."""
        found = self.materialised()
        return {name: frozenset(tuple(value.content for value in row) for row in rows) for name, rows in found.items() if rows}


def held(kb: Any) -> Held:
    """All facts of a knowledge base or a snapshot."""
    found = {name: list(kb[name]) for name in kb.relations}
    assert all(len(set(rows)) == len(rows) == kb.count(name) for name, rows in found.items())
    return {name: frozenset(rows) for name, rows in found.items() if rows}


class Life:
    """A saved knowledge base, its model, and the copies and snapshots that somebody keeps."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance, self._root, self._moves = Random(seed), folder, 0
        self.folder = folder / "kb"
        self.model = Model(frozenset({"r0", "r1", "r3"}), frozenset())
        text = _program(self.model.rules).document.source.text
        self.kb = opened(self.folder, text, self._durability(), algorithm=self.chance.choice(("auto", "bf", "dred", "counting")))
        self._copies: list[tuple[KnowledgeBase, Model]] = []
        self._snapshots: list[tuple[Any, Model]] = []
        self.done: dict[str, int] = {}
        self._calls = 400
        self._new = 0

    def step(self) -> None:
        """Do something, and check everything."""
        do: Callable[[], None] = self.chance.choice(
            [self.update] * 5 + [self.stopped] * 3 + [self.load, self.stream, self.save, self.crash, self.reopen, self.ask]
            + [self.copy, self.change_copy, self.keep, self.look, self.beside_readers, self.save_elsewhere, self.read_only]
        )  # fmt: skip
        do()
        self.done[do.__name__] = self.done.get(do.__name__, 0) + 1
        self.check()

    def check(self) -> None:
        """It holds what the reference says, and its rules are those of the model."""
        assert held(self.kb) == self.model.held()
        assert len(self.kb.program.rules) == len(self.model.rules)

    def end(self) -> None:
        """Look at everything that is kept, and close."""
        for copy, model in self._copies:
            assert held(copy) == model.held()
        for view, model in self._snapshots:
            assert held(view) == model.held()
        self.kb.close()
        with opened(self.folder) as again:
            assert held(again) == self.model.held()

    # --- changes ---------------------------------------------------------------------------------------------------------

    def update(self) -> None:
        update = self._random()
        self._apply(self.kb, update)
        self.model = self.model.after(update)

    def stopped(self) -> None:
        """An exception comes at some moment of an update: all of it has happened, or nothing, here and on disk."""
        update = self._random()
        injector = Injector([self.chance.randrange(1, self._calls)], "call", self.chance.random() < 0.5)
        try:
            with injector.injecting():
                self._apply(self.kb, update)
        except Injected:
            after = self.model.after(update)
            if held(self.kb) != self.model.held() or len(self.kb.program.rules) != len(self.model.rules):
                self.model = after
        else:
            self.model = self.model.after(update)
        finally:
            let_it_come()
        self._calls = max(400, injector.count)
        self.check()
        with opened(crashed(self.folder, self._root / "left")) as left:
            assert held(left) == self.model.held()

    def load(self) -> None:
        rows = [(self._node(), self._node()) for _ in range(self.chance.randrange(6))]
        table = pa.table({"a": pa.array([a for a, _ in rows], pa.string()), "b": pa.array([b for _, b in rows], pa.string())})
        self.kb.load("edge", table)
        self.model = self.model.after(Update(insert=tuple(("edge", *row) for row in rows)))

    def stream(self) -> None:
        updates = [self._random(rules=False) for _ in range(3)]
        for _ in self.kb.follow(updates):
            pass
        for update in updates:
            self.model = self.model.after(update)

    def beside_readers(self) -> None:
        """Threads read while this one changes: each sees one of the states, and a later one never before an earlier one."""
        states = [self.model]
        seen: list[list[Held]] = [[], []]
        ends = threading.Event()
        problems: list[BaseException] = []

        def read(into: list[Held]) -> None:
            try:
                while not ends.is_set():
                    with self.kb.snapshot() as view:
                        into.append(held(view))
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=read, args=(into,)) for into in seen]
        for thread in threads:
            thread.start()
        try:
            for at in range(4):
                update = self._random()
                self._apply(self.kb, update)
                self.model = self.model.after(update)
                states.append(self.model)
                if at == 1:
                    self.kb.save(self.folder)
        finally:
            ends.set()
            for thread in threads:
                thread.join()
        assert not problems, problems
        expected = [state.held() for state in states]
        for found in seen:
            at = 0
            for one in found:
                at = next(number for number in range(at, len(expected)) if expected[number] == one)

    # --- folders ---------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        self.kb.save(self.folder)

    def save_elsewhere(self) -> None:
        self._moves += 1
        self.kb.save(self._root / f"elsewhere-{self._moves}", durability="none")
        with opened(self._root / f"elsewhere-{self._moves}") as other:
            assert held(other) == self.model.held()

    def crash(self) -> None:
        """The process is gone; another one opens what it has left."""
        self._moves += 1
        left = crashed(self.folder, self._root / f"kb-{self._moves}")
        self.kb.close()
        self.folder = left
        self.kb = opened(left, None, self._durability())

    def reopen(self) -> None:
        self.kb.close()
        self.kb = opened(self.folder, None, self._durability())

    def read_only(self) -> None:
        with opened(self.folder, read_only=True) as other:
            assert held(other) == self.model.held()

    # --- questions, copies, snapshots ------------------------------------------------------------------------------------

    def ask(self) -> None:
        text = self.chance.choice(QUERIES)
        of: Any = self.chance.choice([self.kb, self.kb.snapshot()])
        if not {"edge", "stock"} <= set(of.relations):
            return
        expected = answers(parse_query(Source(text), Diagnostics(), {}), self.model.materialised())
        found = of.query(text)
        rows = {tuple(binding[name].content for name in found.columns) for binding in expected}
        assert set(found) == rows
        assert len(found) == len(rows)

    def copy(self) -> None:
        self._copies = [*self._copies[-2:], (self.kb.copy(), self.model)]

    def change_copy(self) -> None:
        if self._copies:
            (kb, model), own = self._copies[0], self.model
            self.model = model
            update, self.model = self._random(), own
            self._apply(kb, update)
            self._copies[0] = (kb, model.after(update))
            assert held(kb) == self._copies[0][1].held()

    def keep(self) -> None:
        self._snapshots = [*self._snapshots[-2:], (self.kb.snapshot(), self.model)]

    def look(self) -> None:
        for view, model in self._snapshots:
            assert held(view) == model.held()

    # --- by chance -------------------------------------------------------------------------------------------------------

    def _durability(self) -> str:
        return self.chance.choice(("none", "batch", "fsync"))

    def _node(self) -> str:
        if self.chance.random() < 0.2:  # a name that never came before
            self._new += 1
            return f"new {self._new}"
        return f"n{self.chance.randrange(7)}"

    def _random(self, *, rules: bool = True) -> Update:
        chance = self.chance
        present = sorted(self.model.facts)
        delete = tuple(chance.sample(present, min(len(present), chance.choice((0, 0, 1, 3, len(present) // 2)))))
        insert = tuple({("edge", self._node(), self._node()) for _ in range(chance.randrange(5))})
        items = {self._node(): chance.randrange(9) for _ in range(chance.randrange(3))}
        toggled = chance.sample(sorted(POOL), chance.choice((0, 0, 1, 2))) if rules else ()
        removed = tuple(name for name in toggled if name in self.model.rules)
        added = tuple(f"{name}: {POOL[name]}" for name in toggled if name not in self.model.rules)
        upsert = tuple(("stock", item, count) for item, count in items.items())
        return Update(insert=insert, delete=delete, upsert=upsert, remove_rules=removed, add_rules=added)

    @staticmethod
    def _apply(kb: KnowledgeBase, update: Update) -> None:
        kb.update(update.insert, update.delete, update.upsert, remove_rules=update.remove_rules, add_rules=update.add_rules)
