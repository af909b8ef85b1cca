"""Following a stream: the changes, what happens in between, and which update an error is in."""

from __future__ import annotations

import asyncio
import io
import json
import os
import queue
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.local_engine import held

from tidelog import KnowledgeBase, TidelogError
from tidelog.streams import Update, UpdateError
from tidelog.streams.following import Following, open_source
from tidelog.streams.lines import FileSource, FolderSource, PipeSource
from tidelog.streams.source import IterableSource, QueueSource, UpdateSource

RULES = """
@relation temp(turbine: string key, celsius: float) .
@relation seen(what: iri, day: date, at: timestamp, word: literal) .
path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).
hot(T) :- temp(T, C), C > 20.
"""
STREAM: list[dict[str, Any]] = [
    {"id": 1, "insert": [["edge", "a", "b"], ["edge", "b", "c"]]},
    {"id": "second", "delete": [["edge", "b", "c"]], "upsert": [["temp", "t1", 19]]},
    {"upsert": [["temp", "t1", 25]]},
]


def test_changes_come_one_by_one() -> None:
    kb = KnowledgeBase(RULES)
    following = kb.follow(STREAM)
    change = next(following)
    assert (change.id, following.number, following.update) == (1, 1, Update.from_dict(STREAM[0]))
    assert {name: set(facts) for name, facts in change.inserted.items()} == {
        "edge": {("a", "b"), ("b", "c")},
        "path": {("a", "b"), ("b", "c"), ("a", "c")},
    }
    assert kb.count("temp") == 0, "the second has not been worked off"
    assert following.backlog == 2
    change = next(following)
    assert change.id == "second"
    assert {name: set(facts) for name, facts in change.deleted.items()} == {
        "edge": {("b", "c")},
        "path": {("b", "c"), ("a", "c")},
    }
    change = next(following)
    assert change.id is None
    assert set(change.inserted["hot"]) == {("t1",)}
    with pytest.raises(StopIteration):
        next(following)
    assert following.number == 3


@pytest.mark.parametrize("form", ["list", "generator", "queue", "file", "folder"])
def test_every_source_gives_the_same(form: str, tmp_path: Path) -> None:
    text = "".join(json.dumps(update) + "\n" for update in STREAM)
    (tmp_path / "u.jsonl").write_text(text, encoding="utf-8")
    waiting: queue.Queue[object] = queue.Queue()
    for update in (*STREAM, None):
        waiting.put(update)
    sources: dict[str, Any] = {
        "list": STREAM,
        "generator": (update for update in STREAM),
        "queue": waiting,
        "file": tmp_path / "u.jsonl",
        "folder": str(tmp_path),
    }
    kb, other = KnowledgeBase(RULES), KnowledgeBase(RULES)
    with kb.follow(sources[form]) as following:
        changes = [change.to_dict() for change in following]
    for change, update in zip(changes, STREAM, strict=True):
        facts: dict[str, Any] = {key: [tuple(fact) for fact in value] for key, value in update.items() if key != "id"}
        expected = other.update(**facts).to_dict()
        assert (change["inserted"], change["deleted"]) == (expected["inserted"], expected["deleted"])
    assert held(kb) == held(other)


def test_a_generator_may_look_at_the_last_change() -> None:
    kb = KnowledgeBase(RULES)

    def updates() -> Iterator[dict[str, object]]:
        yield {"insert": [["temp", "t0", 0.0]]}
        for number in range(1, 4):
            yield {"insert": [["temp", f"t{number}", float(kb.count("temp"))]]}

    assert [change.stats.inserted for change in kb.follow(updates())] == [1, 1, 1, 1]
    assert set(kb["temp"]) == {(f"t{number}", float(number)) for number in range(4)}


def test_an_error_leaves_everything_as_it_was_and_the_next_can_follow(tmp_path: Path) -> None:
    lines = [
        '{"id": 1, "insert": [["edge", "a", "b"]]}',
        '{"id": 2, "insert": [["edge", "b", "c"], ["edge", "b"]]}',
        '{"id": 3, "insert": [["edge", "b", "c"]], "upsert": [["edge", "x", "y"]]}',
        '{"id": 4, "insert": [["edge", "b", "c"]], "add_rules": ["p(X) :- edge(a, b)."]}',
        '{"id": 5, "insert": [["temp", "t1", "warm"]]}',
        "{",
        '{"id": 7, "insert": [["edge", "b", "c"]]}',
    ]
    path = tmp_path / "u.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    kb = KnowledgeBase(RULES)
    following = kb.follow(path)
    next(following)
    before = held(kb)
    for number, code in ((2, "TL020"), (3, "TL075"), (4, "TL030"), (5, "TL040"), (6, "TL076")):
        with pytest.raises(
            UpdateError, match=rf"^{path}:{number}(:\d+)?( \(id {number}\))?(, added rules:1:3)?: error {code}: "
        ) as caught:
            next(following)
        assert caught.value.number == following.number == number
        assert caught.value.update is following.update
        assert (following.update is None) == (code == "TL076")
        assert held(kb) == before
    assert next(following).id == 7
    assert ("path", "a", "c") in kb


def test_an_error_of_an_update_that_has_no_place() -> None:
    with pytest.raises(UpdateError, match=r"^update 1: error TL075"):
        next(KnowledgeBase(RULES).follow([Update(upsert=(("edge", 1, 2),))]))


def test_what_is_waiting_is_what_comes_next() -> None:
    kb = KnowledgeBase(RULES)
    seen: list[object] = []
    apply = kb.apply

    def peeking(update: Update, next_update: Any = None) -> Any:
        seen.append((update, next_update(), next_update()))
        return apply(update, next_update)

    kb.apply = peeking  # type: ignore[method-assign]
    updates = [Update(number, insert=(("edge", number, number + 1),)) for number in range(4)]
    list(kb.follow(updates))
    assert seen == [(update, ahead, ahead) for update, ahead in zip(updates, [*updates[1:], None], strict=True)]


def test_an_asynchronous_stream() -> None:
    async def updates() -> AsyncIterator[dict[str, object]]:
        for update in STREAM:
            await asyncio.sleep(0)
            yield update
        yield {"id": 4, "upsert": [["edge", 1, 2]]}

    async def follow() -> list[object]:
        kb = KnowledgeBase(RULES)
        following = kb.follow(updates())
        found: list[object] = []
        try:
            async for change in following:
                assert following.update is not None
                found.append((change.id, following.number, kb.count("hot")))
        except UpdateError as error:
            found.append(str(error).partition(": ")[0])
        return found

    assert asyncio.run(follow()) == [(1, 1, 0), ("second", 2, 0), (None, 3, 1), "update 4 (id 4)"]


def test_an_asynchronous_queue_is_looked_into() -> None:
    async def follow() -> list[object]:
        kb = KnowledgeBase(RULES, marking=True, algorithm="bf")
        updates: asyncio.Queue[object] = asyncio.Queue()
        for update in (*STREAM, "{", {"id": 4, "insert": [["edge", "x", "y"]]}, {"id": 5, "delete": [["edge", "x", "y"]]}, None):
            updates.put_nowait(update)
        following = kb.follow(updates)
        found: list[object] = []
        while True:
            try:
                change = await anext(following)
            except UpdateError as error:
                found.append(str(error).partition(": ")[0])
            except StopAsyncIteration:
                return found
            else:
                found.append((change.id, change.stats.counters.explicit_marks))

    assert asyncio.run(follow()) == [(1, 0), ("second", 1), (None, 1), "update 4:2", (4, 0), (5, 1)]


def test_replaying_is_updating() -> None:
    kb, other = KnowledgeBase(RULES), KnowledgeBase(RULES)
    updates = [Update.from_dict(update) for update in STREAM]
    kb.replay(updates)
    list(other.follow(updates))
    assert held(kb) == held(other)
    kb.replay(updates)
    list(other.follow(updates))
    assert held(kb) == held(other)


def test_updates_are_taken_and_then_worked_off() -> None:
    """As `tidelog stream` does, which may be stopped in between."""
    kb = KnowledgeBase(RULES)
    with Following(kb, IterableSource(STREAM)) as following:
        update = following.take()
        assert (update, following.number, following.backlog) == (Update.from_dict(STREAM[0]), 1, 2)
        assert kb.count("edge") == 0
        assert update is not None
        assert following.apply(update).stats.inserted == 2
        assert [following.take() is None for _ in range(3)] == [False, False, True]
        assert following.number == 3


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "u.jsonl").write_text('{"id": 1}\n', encoding="utf-8")
    kinds: list[tuple[object, type]] = [
        (tmp_path / "u.jsonl", FileSource),
        (str(tmp_path / "u.jsonl"), FileSource),
        (tmp_path, FolderSource),
        (Path(os.devnull), PipeSource),
    ]
    for thing, kind in kinds:
        source = open_source(thing)
        assert type(source) is kind
        source.close()
    with pytest.raises(TidelogError, match="TL060"):
        open_source(tmp_path / "missing.jsonl")


def test_what_is_in_memory() -> None:
    kinds: list[tuple[object, type]] = [
        ([], IterableSource),
        (iter(()), IterableSource),
        (({} for _ in ()), IterableSource),
        (queue.Queue(), QueueSource),
        (queue.SimpleQueue(), QueueSource),
    ]
    for thing, kind in kinds:
        assert type(open_source(thing)) is kind


def test_a_source_is_its_own_source() -> None:
    source: UpdateSource = IterableSource([])
    assert open_source(source) is source


def test_an_open_file() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as file:
        source = open_source(file)
        assert type(source) is PipeSource
        os.write(writing, b'{"id": 7}\n')
        os.close(writing)
        assert source.next() == Update(7)
        assert source.next() is None


def test_standard_input_that_is_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"id": 1}\n\n{"id": 2}\n'))
    source = open_source("-")
    assert [source.next(), source.next(), source.next()] == [Update(1), Update(2), None]


def test_an_asynchronous_iterator_is_refused() -> None:
    async def updates() -> AsyncIterator[object]:
        yield {}

    with pytest.raises(TidelogError, match=r"(?s)TL076: this stream is asynchronous.*async for change in kb\.follow"):
        open_source(updates())


@pytest.mark.parametrize("thing", [7, {"insert": []}, b"{}", None], ids=repr)
def test_what_is_no_stream(thing: object) -> None:
    with pytest.raises(TidelogError, match="TL076"):
        open_source(thing)


def test_an_asynchronous_queue_is_refused() -> None:
    with pytest.raises(TidelogError, match="TL076: this stream is asynchronous"):
        open_source(asyncio.Queue())
