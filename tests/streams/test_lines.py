"""Updates as lines: files, pipes, and folders that grow."""

from __future__ import annotations

import gzip
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tidelog import TidelogError
from tidelog.streams import lines as module
from tidelog.streams.following import open_source
from tidelog.streams.source import UpdateSource
from tidelog.streams.update import Update

THREE = '{"id": 1}\n\n{"id": 2}\r\n{"id": 3}'


def ids(source: UpdateSource) -> list[object]:
    found: list[object] = []
    while (update := source.next()) is not None:
        found.append(update.id)
    return found


@pytest.fixture(autouse=True)
def _looking_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_POLL_EVERY", 0.001)


def meanwhile(*steps: Callable[[], object]) -> threading.Thread:
    """Another thread that does something."""
    thread = threading.Thread(target=lambda: [step() for step in steps])
    thread.start()
    return thread


# --- files ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["u.jsonl", "u.jsonl.gz", "u.txt"])
@pytest.mark.parametrize("chunk", [1, 5, 1 << 20])
def test_a_file(name: str, chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK", chunk)
    path = tmp_path / name
    data = b"\xef\xbb\xbf" + THREE.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    source = open_source(path)
    assert source.waiting() == Update(1)
    places = [update.place for update in iter(source.next, None)]
    assert places == [f"{path}:{line}" for line in (1, 3, 4)]
    assert source.waiting() is None
    source.close()
    assert ids(open_source(str(path))) == [1, 2, 3]


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "u.jsonl").write_text("\n \n", encoding="utf-8")
    source = open_source(tmp_path / "u.jsonl")
    assert source.waiting() is None
    assert source.next() is None


def test_a_file_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "u.jsonl"
    with path.open("w", encoding="utf-8", buffering=1) as file:
        file.write('{"id": 1}\n{"id"')
        source = open_source(path, wait=True)
        assert source.next() == Update(1)
        assert source.waiting() is None, "half a line"
        writer = meanwhile(lambda: file.write(': 2}\n{"id": 3}\n'))
        assert source.next() == Update(2)
        writer.join()
        assert source.waiting() == Update(3)
        assert source.next() == Update(3)
        assert source.waiting() is None
        source.close()


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="TL060"):
        open_source(tmp_path / "missing.jsonl")
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(b'{"id": 1}\n' * 1000)[:-20])
    source = open_source(cut)
    with pytest.raises(TidelogError, match=r"TL083: .* is damaged"):
        ids(source)
    assert ids(source) == [], "and that is the end"
    (tmp_path / "no.jsonl.gz").write_bytes(b"{}")
    source = open_source(tmp_path / "no.jsonl.gz")
    assert source.waiting() is None
    with pytest.raises(TidelogError, match="TL083"):
        source.next()
    with pytest.raises(TidelogError, match="TL074"):
        open_source(cut, wait=True)


def test_a_bad_line_says_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "u.jsonl").write_text('{"id": 1}\n{"id": \n{"id": 3}\n', encoding="utf-8")
    source = open_source(tmp_path / "u.jsonl")
    assert source.next() == Update(1)
    assert source.waiting() is None
    with pytest.raises(TidelogError, match=r"u\.jsonl:2:8: error TL076: this is not JSON"):
        source.next()
    assert ids(source) == [3]


# --- pipes ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pipe() -> Iterator[tuple[UpdateSource, Callable[[str], int], Callable[[], None]]]:
    """A source, what writes to it, and what ends it."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as file:
        yield open_source(file), lambda text: os.write(writing, text.encode()), lambda: os.close(writing)


def test_a_pipe(pipe: tuple[UpdateSource, Callable[[str], int], Callable[[], None]]) -> None:
    source, write, end = pipe
    assert source.waiting() is None
    write('{"id": 1}\n{"id": 2}\n{"i')
    assert source.next() == Update(1)
    assert source.backlog == 1
    assert source.waiting() == Update(2)
    assert source.next() == Update(2)
    assert source.waiting() is None
    writer = meanwhile(lambda: write('d": 3}\n'))
    assert source.next() == Update(3)
    writer.join()
    write('{"id": 4}')
    assert source.waiting() is None
    end()
    assert source.waiting() == Update(4)
    assert ids(source) == [4]
    assert source.waiting() is None


def test_a_named_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = meanwhile(lambda: path.write_text(THREE, encoding="utf-8"))
    source = open_source(path)
    assert ids(source) == [1, 2, 3]
    source.close()
    writer.join()


# --- folders -------------------------------------------------------------------------------------------------------------


def put(folder: Path, name: str, *numbers: int) -> None:
    """A file that appears when it is whole."""
    text = "".join(f'{{"id": {number}}}\n' for number in numbers)
    data = gzip.compress(text.encode()) if name.endswith(".gz") else text.encode()
    (folder / f".{name}").write_bytes(data)
    (folder / f".{name}").rename(folder / name)


def test_a_folder_in_the_order_of_names(tmp_path: Path) -> None:
    put(tmp_path, "2.jsonl", 3)
    put(tmp_path, "10.ndjson", 1, 2)
    put(tmp_path, "3.jsonl.gz", 4, 5)
    put(tmp_path, "30.jsonl")
    (tmp_path / ".1.jsonl").write_text("half", encoding="utf-8")
    (tmp_path / "1.jsonl.tmp").write_text("half", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("other", encoding="utf-8")
    (tmp_path / "folder.jsonl").mkdir()
    source = open_source(tmp_path)
    assert source.waiting() == Update(1)
    assert [update.place.rpartition("/")[2] for update in iter(source.next, None)] == [
        "10.ndjson:1",
        "10.ndjson:2",
        "2.jsonl:1",
        "3.jsonl.gz:1",
        "3.jsonl.gz:2",
    ]


def test_a_folder_that_grows(tmp_path: Path) -> None:
    source = open_source(tmp_path, wait=True)
    assert source.waiting() is None
    writer = meanwhile(lambda: put(tmp_path, "1.jsonl", 1), lambda: put(tmp_path, "2.jsonl", 2, 3))
    assert [source.next(), source.next(), source.next()] == [Update(1), Update(2), Update(3)]
    writer.join()
    assert source.waiting() is None
    put(tmp_path, "3.jsonl", 4)
    assert source.next() == Update(4)
    source.close()


def test_a_file_that_comes_late(tmp_path: Path) -> None:
    put(tmp_path, "2.jsonl", 2)
    source = open_source(tmp_path)
    assert source.next() == Update(2)
    put(tmp_path, "1.jsonl", 1)
    put(tmp_path, "3.jsonl", 3)
    with pytest.raises(TidelogError, match=r"TL077: .*1\.jsonl came late: 2\.jsonl has been read already"):
        source.next()
    assert ids(source) == [3], "whoever goes on does so without it"


def test_a_folder_that_goes_away(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    source = open_source(tmp_path / "inbox", wait=True)
    (tmp_path / "inbox").rmdir()
    with pytest.raises(TidelogError, match="TL060"):
        source.next()
