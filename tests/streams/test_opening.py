"""Which source a stream has, by what it is."""

from __future__ import annotations

import asyncio
import io
import os
import queue
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tidelog import TidelogError
from tidelog.streams.lines import FileSource, FolderSource, PipeSource
from tidelog.streams.opening import open_source
from tidelog.streams.source import IterableSource, QueueSource, UpdateSource
from tidelog.streams.update import Update


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
