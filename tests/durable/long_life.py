"""The life of one saved knowledge base, by chance: whatever may happen to it, against what the reference says that it holds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.durable.life_by_chance import ALGORITHMS, WRONG, Chance
from tests.durable.life_model import QUERIES, Held, Model, differences, held, program_of
from tests.durable.saved_folders import crashed
from tests.durable.saved_folders import opened as opened_unlimited
from tests.injection import Injected, let_it_come, raise_in

from tidelog import Change, Facts, KnowledgeBase, TidelogError, Update
from tidelog.durable.verification import verify

opened = partial(opened_unlimited, limit_rounds=2_000)
"""So many rounds, and each recursion here has less than a hundred."""


class Life:
    """A saved knowledge base, its model, and the copies, snapshots, results and changes that somebody keeps."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.chance, self._root, self._moves = Chance(seed), folder, 0
        self.folder = folder / "kb"
        self.model = Model(frozenset({"r0", "r1", "r3", "s0", "s1", "s2"}), frozenset())
        text = program_of(self.model.rules).document.source.text
        chosen: dict[str, Any] = {
            "algorithm": self.chance.choice(ALGORITHMS),
            "marking": self.chance.choice(("auto", True, False)),
        }
        self.kb = opened(self.folder, text, self.chance.durability(), modules=self.chance.random() < 0.8, **chosen)
        self._copies: list[tuple[KnowledgeBase, Model]] = []
        self._snapshots: list[tuple[Any, Model]] = []
        self._results: list[tuple[Facts, frozenset[Any]]] = []
        self._changes: list[tuple[Change, tuple[Held, Held]]] = []
        self.done: dict[str, int] = {}

    def step(self) -> None:
        """Do something, and check everything."""
        do: Callable[[], None] = self.chance.choice(
            [self.update] * 5 + [self.stopped] * 4 + [self.load, self.stream, self.stream, self.save, self.crash, self.reopen]
            + [self.ask, self.ask_the_past, self.copy, self.change_copy, self.save_copy, self.keep, self.keep_results, self.look]
            + [self.beside_readers, self.beside_writers, self.save_elsewhere, self.read_only, self.refused, self.look_through]
            + [self.stopped_reading, self.stopped_saving]
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
        self.look()
        for copy, model in self._copies:
            assert held(copy) == model.held()
        self.kb.close()
        with opened(self.folder) as again:
            assert held(again) == self.model.held()

    # --- changes ---------------------------------------------------------------------------------------------------------

    def update(self) -> None:
        update = self.chance.update(self.model)
        before, change = self.model, self._apply(self.kb, update)
        self.model = before.after(update)
        expected = differences(before.held(), self.model.held())
        if self.chance.random() < 0.5:
            _check_change(change, expected)
        else:  # somebody reads it later
            self._changes = [*self._changes[-3:], (change, expected)]

    def refused(self) -> None:
        """Something is wrong with an update, or it goes beyond a limit: nothing of it happens."""
        with pytest.raises(TidelogError):
            self._apply(self.kb, self.chance.choice(WRONG))
        self.check()
        with pytest.raises(TidelogError, match="TL070"):
            self.kb.update(insert=[("n", 0)], add_rules="endless: n(X + 1) :- n(X), X < 100000000.")
        with opened(crashed(self.folder, self._root / "left")) as left:
            assert held(left) == self.model.held()

    def stopped(self) -> None:
        """Exceptions come at some moments of an update or a stream: all of it has happened, or nothing, here and on disk."""
        updates = [self.chance.update(self.model) for _ in range(self.chance.choice((1, 1, 3)))]
        done = 0

        def run() -> None:
            nonlocal done
            if len(updates) == 1:
                self._apply(self.kb, updates[0])
                done = 1
            else:
                for _ in self.kb.follow(updates):
                    done += 1

        if not self.chance.stops_it(run):
            assert done == len(updates)
        now, rules = held(self.kb), frozenset(str(rule.name) for rule in self.kb.program.rules)
        facts = frozenset((name, *row) for name in ("edge", "link", "stock") for row in now.get(name, ()))
        possible = [self.model.after(*updates[:count]) for count in range(done, min(done + 2, len(updates) + 1))]
        assert Model(rules, facts) in possible
        self.model = Model(rules, facts)
        self.check()
        with opened(crashed(self.folder, self._root / "left")) as left:
            assert held(left) == now
            assert {rule.name for rule in left.program.rules} == rules

    def load(self) -> None:
        """A table goes into a relation, or takes the place of what has its keys."""
        if self.chance.random() < 0.3:
            items = {self.chance.node(): self.chance.randrange(9) for _ in range(self.chance.randrange(5))}
            table = pa.table({"item": pa.array(list(items), pa.string()), "count": pa.array(list(items.values()), pa.int64())})
            self.kb.load("stock", table, upsert=True)
            self.model = self.model.after(Update(upsert=tuple(("stock", *item) for item in items.items())))
            return
        name = self.chance.choice(("edge", "link"))
        rows = [(self.chance.node(), self.chance.node()) for _ in range(self.chance.randrange(6))]
        table = pa.table({"a": pa.array([a for a, _ in rows], pa.string()), "b": pa.array([b for _, b in rows], pa.string())})
        self.kb.load(name, table)
        self.model = self.model.after(Update(insert=tuple((name, *row) for row in rows)))

    def stream(self) -> None:
        """A stream that often deletes at once what it has inserted; between two updates others read, copy and change."""
        updates, model = list[Update](), self.model
        for _ in range(self.chance.choice((2, 4, 8))):
            updates.append(self.chance.update(model, updates[-1].insert if updates else ()))
            model = model.after(updates[-1])
        for change in self.kb.follow(list(updates)):
            update, before = updates.pop(0), self.model
            self.model = before.after(update)
            if self.chance.random() < 0.5:
                _check_change(change, differences(before.held(), self.model.held()))
            if self.chance.random() < 0.2:
                self.chance.choice((self.copy, self.keep, self.ask, self.keep_results, self.look, self.save, self.check))()
            if self.chance.random() < 0.1:  # from outside of the stream: what follows fits no longer
                other = Update(insert=(("edge", self.chance.node(), self.chance.node()),))
                self._apply(self.kb, other)
                self.model = self.model.after(other)

    # --- threads ---------------------------------------------------------------------------------------------------------

    def beside_readers(self) -> None:
        """Threads read while this one changes: each sees one of the states, and a later one never before an earlier one."""
        states = [self.model]
        seen: list[list[Held]] = [[], [], []]
        ends = threading.Event()
        problems: list[BaseException] = []

        def read(into: list[Held]) -> None:
            is_stopped = into is seen[-1]
            while not ends.is_set():
                try:
                    with self.kb.snapshot() as view:
                        into.append(held(view))
                    self.kb.query("edge(X, Y), edge(Y, Z)")
                except Injected:
                    assert is_stopped
                except BaseException as error:
                    problems.append(error)
                    return

        threads = [threading.Thread(target=_letting, args=(read, into)) for into in seen]
        for thread in threads:
            thread.start()
        try:
            for at in range(4):
                update = self.chance.update(self.model)
                self._apply(self.kb, update)
                self.model = self.model.after(update)
                states.append(self.model)
                if at == 1:
                    self.kb.save(self.folder)
                if (stopped := threads[-1].ident) is not None:
                    raise_in(stopped)
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

    def beside_writers(self) -> None:
        """Threads change what has nothing to do with each other, and take turns."""
        parts = [[Update(insert=((name, f"{name} {self._moves}", f"{at}"),)) for at in range(3)] for name in ("edge", "link")] + [
            [Update(upsert=(("stock", "n1", at),)) for at in range(3)]
        ]
        self._moves += 1
        problems: list[BaseException] = []

        def write(updates: list[Update]) -> None:
            try:
                for update in updates:
                    self._apply(self.kb, update)
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=write, args=(part,)) for part in parts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not problems, problems
        self.model = self.model.after(*(update for part in parts for update in part))

    # --- folders ---------------------------------------------------------------------------------------------------------

    def save(self) -> None:
        self.kb.save(self.folder)

    def stopped_saving(self) -> None:
        """Exceptions come while it is saved: what is on disk is whole, and it goes on."""
        self.chance.stops_it(lambda: self.kb.save(self.folder))
        self.check()
        with opened(crashed(self.folder, self._root / "left")) as left:
            assert held(left) == self.model.held()

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
        self.kb = opened(left, None, self.chance.durability())

    def reopen(self) -> None:
        self.kb.close()
        self.kb = opened(self.folder, None, self.chance.durability())

    def read_only(self) -> None:
        with opened(self.folder, read_only=True) as other:
            assert held(other) == self.model.held()

    def look_through(self) -> None:
        """`tidelog verify --recompute`, beside the writer."""
        facts = sum(map(len, self.model.held().values()))
        found = verify(self.folder, recompute=True)
        assert (found.facts, found.recomputed) == (facts, facts)

    # --- questions, copies, snapshots, results ---------------------------------------------------------------------------

    def ask(self) -> None:
        with self.kb.snapshot() as view:
            self._ask(self.chance.choice([self.kb, view]), self.model)

    def ask_the_past(self) -> None:
        if self._snapshots:
            self._ask(*self.chance.choice(self._snapshots))

    def _ask(self, of: Any, model: Model) -> None:
        text = self.chance.choice(QUERIES)
        if not {"edge", "stock", "path", "same"} <= set(of.relations):
            return
        found = of.query(text)
        assert set(found) == model.answers(text, found.columns)
        assert len(found) == len(set(found))

    def stopped_reading(self) -> None:
        """Exceptions come in the middle of a question: it can be asked again."""
        views = [view for view, _ in self._snapshots]

        def ask() -> None:
            of = self.chance.choice([self.kb, self.kb, *views])
            kinds: list[Callable[[], object]] = [
                lambda: of.query("edge(X, Y), edge(Y, Z)"),
                lambda: list(of.facts()),
                self.kb.copy,
            ]
            self.chance.choice(kinds)()

        if {"edge", "stock", "path", "same"} <= set(self.kb.relations):
            self.chance.stops_it(ask)
        self.ask()
        self.ask_the_past()

    def copy(self) -> None:
        self._copies = [*self._copies[-2:], (self.kb.copy(), self.model)]

    def change_copy(self) -> None:
        if self._copies:
            (kb, model) = self._copies[0]
            update = self.chance.update(model)
            self._apply(kb, update)
            self._copies[0] = (kb, model.after(update))
            assert held(kb) == self._copies[0][1].held()

    def save_copy(self) -> None:
        """A copy gets a folder of its own; with a change that is in its journal it is opened again."""
        if self._copies:
            (kb, model), self._moves = self._copies.pop(), self._moves + 1
            kb.save(self._root / f"copy-{self._moves}", durability="none")
            update = self.chance.update(model)
            self._apply(kb, update)
            kb.close()
            with opened(self._root / f"copy-{self._moves}") as other:
                assert held(other) == model.after(update).held()

    def keep(self) -> None:
        self._snapshots = [*self._snapshots[-2:], (self.kb.snapshot(), self.model)]

    def keep_results(self) -> None:
        expected = self.model.held()
        name = self.chance.choice(sorted(self.kb.relations))
        self._results = [*self._results[-5:], (self.kb[name], expected.get(name, frozenset()))]

    def look(self) -> None:
        """Nothing that was given out has changed."""
        for view, model in self._snapshots:
            assert held(view) == model.held()
        for facts, rows in self._results:
            assert set(facts) == rows
            assert len(facts) == len(rows)
        for change, expected in self._changes:
            _check_change(change, expected)

    @staticmethod
    def _apply(kb: KnowledgeBase, update: Update) -> Change:
        rules = {"remove_rules": update.remove_rules, "add_rules": update.add_rules}
        return kb.update(update.insert, update.delete, update.upsert, **rules)


def _letting(run: Callable[[Any], None], into: Any) -> None:
    """Run something in a thread in which an exception may come at its very end."""
    try:
        run(into)
        let_it_come()
    except Injected:
        pass


def _check_change(change: Change, expected: tuple[Held, Held]) -> None:
    found = tuple({name: frozenset(facts) for name, facts in part.items()} for part in (change.inserted, change.deleted))
    assert found == expected
