"""Files of updates: each line once, in order, whatever happens to the files meanwhile."""

from __future__ import annotations

import gzip
import random
from pathlib import Path
from unittest.mock import patch

import pytest

from tidelog.errors import TidelogError
from tidelog.pipeline.streaming import update_files
from tidelog.pipeline.streaming.update_files import UpdateFiles
from tidelog.stores.local import LocalStore

START = ("", 0)


def files_of(folder: Path) -> UpdateFiles:
    return UpdateFiles(LocalStore(folder), "updates")


def places(files: UpdateFiles, after: tuple[str, int], most: int = 99, *, is_final: bool = False) -> list[str]:
    return [one.place for one in files.after(after, most, is_final=is_final)]


def test_names_and_lines_are_the_order(tmp_path: Path) -> None:
    (tmp_path / "2.jsonl").write_text('{"id": "c"}\n', encoding="utf-8")
    (tmp_path / "1.jsonl").write_text('{"id": "a"}\n\n{"id": "b"}\n', encoding="utf-8")
    (tmp_path / ".3.jsonl").write_text("{}\n", encoding="utf-8")
    files = files_of(tmp_path)
    assert places(files, START, 2) == ["1.jsonl:1", "1.jsonl:3"]
    assert places(files, START) == ["1.jsonl:1", "1.jsonl:3", "2.jsonl:1"], "the same again, and what is behind it"
    assert places(files, ("1.jsonl", 3)) == ["2.jsonl:1"]
    assert places(files, ("2.jsonl", 1)) == []
    assert places(files, ("1.jsonl", 1)) == ["1.jsonl:3", "2.jsonl:1"], "back again"
    (tmp_path / "1.jsonl").unlink()
    assert places(files_of(tmp_path), ("1.jsonl", 1)) == ["2.jsonl:1"], "what has been read may be removed"


def test_only_new_lines_of_a_file_that_grows_are_read(tmp_path: Path) -> None:
    path, read = tmp_path / "1.jsonl", list[int]()
    path.write_text("{}\n" * 1000, encoding="utf-8")
    files, inner = files_of(tmp_path), LocalStore.read_bytes

    def noted(store: LocalStore, name: str, start: int, most: int) -> bytes:
        data = inner(store, name, start, most)
        read.append(len(data))
        return data

    with patch.object(LocalStore, "read_bytes", noted), patch.object(update_files, "_CHUNK", 100):
        assert len(places(files, START, 5)) == 5
        assert sum(read) == 100, "no more than is needed"
        assert len(places(files, START, 2000)) == 1000
        with path.open("a", encoding="utf-8") as file:
            file.write("{}\n")
        assert places(files, ("1.jsonl", 1000)) == ["1.jsonl:1001"]
        assert sum(read) == 3003


def test_a_last_line_without_its_line_break(tmp_path: Path) -> None:
    path, files = tmp_path / "1.jsonl", files_of(tmp_path)

    def append(text: str) -> None:
        with path.open("a", encoding="utf-8", newline="") as file:
            file.write(text)

    append('{"a"')
    assert places(files, START) == [], "it is being written"
    assert places(files_of(tmp_path), START, is_final=True) == ["1.jsonl:1"], "it is not"
    append(": 1}")
    assert places(files, START) == ["1.jsonl:1"]
    append("\r\n{}")
    assert places(files, ("1.jsonl", 1)) == ["1.jsonl:2"]
    append("\n{")
    assert places(files, ("1.jsonl", 2)) == []
    (tmp_path / "2.jsonl").write_text("{}", encoding="utf-8")
    assert [one.text for one in files.after(("1.jsonl", 2), 9)] == ["{", "{}"], "the file before is complete"
    with (tmp_path / "2.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}")
    with pytest.raises(TidelogError, match=r"TL077: updates/2.jsonl has changed"):
        places(files, ("2.jsonl", 1))


def test_damaged_text_is_an_update_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_bytes(b"{}\n\xff\n")
    (tmp_path / "2.jsonl.gz").write_bytes(b"no gzip")
    (tmp_path / "3.jsonl.gz").write_bytes(gzip.compress(b"{}\n\n[]"))
    files = files_of(tmp_path)
    assert [(one.place, one.problem and one.problem[:6]) for one in files.after(START, 9)] == [
        ("1.jsonl:1", None),
        ("1.jsonl:2", "TL061:"),
        ("2.jsonl.gz:1", "TL083:"),
        ("3.jsonl.gz:1", None),
        ("3.jsonl.gz:3", None),
    ]
    assert places(files, ("3.jsonl.gz", 3)) == []
    assert places(files_of(tmp_path), ("2.jsonl.gz", 1)) == ["3.jsonl.gz:1", "3.jsonl.gz:3"]


def test_files_that_come_between_others(tmp_path: Path) -> None:
    for name in ("1", "5", "7"):
        (tmp_path / f"{name}.jsonl").write_text("{}\n", encoding="utf-8")
    files = files_of(tmp_path)
    assert len(places(files, START)) == 3
    (tmp_path / "6.jsonl").write_text("{}\n", encoding="utf-8")
    assert places(files, ("5.jsonl", 1)) == ["6.jsonl:1", "7.jsonl:1"], "it was only read ahead"
    for name in ("2", "3"):
        (tmp_path / f"{name}.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(TidelogError, match=r"TL077: 2 files came late to updates, 2.jsonl, 3.jsonl: 5.jsonl has been read"):
        places(files, ("5.jsonl", 1))


def test_what_cannot_be_read_for_a_moment_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text("{}\n{}\n", encoding="utf-8")
    files = files_of(tmp_path)
    fails = OSError(5, "Input/output error")
    said = pytest.raises(TidelogError, match=r"TL060: cannot read updates/1.jsonl: Input/output error")
    with patch.object(LocalStore, "read_bytes", side_effect=fails), said:
        places(files, START)
    assert places(files, START) == ["1.jsonl:1", "1.jsonl:2"]
    with (
        patch.object(LocalStore, "entries", side_effect=fails),
        pytest.raises(TidelogError, match="TL060: cannot read updates"),
    ):
        places(files, ("1.jsonl", 2))


@pytest.mark.parametrize("seed", range(20))
def test_any_way_of_writing_and_reading(tmp_path: Path, seed: int) -> None:
    """Random pieces, random batches, restarts: every line once, in order."""
    chosen = random.Random(seed)
    lines = [f'{{"id": {at}, "text": "{"é" * chosen.randint(0, 9)}"}}' for at in range(60)]
    texts = ["".join(f"{line}\n" for line in lines[at : at + 20]).encode() for at in (0, 20, 40)]
    pieces = [(f"{at}.jsonl", text[i : i + 37]) for at, text in enumerate(texts) for i in range(0, len(text), 37)]
    files, position, found = files_of(tmp_path), START, list[str | bytes | None]()
    with patch.object(update_files, "_CHUNK", 11):
        while pieces or len(found) < len(lines):
            for name, piece in pieces[: (count := chosen.randint(0, 4))]:
                with (tmp_path / name).open("ab") as file:
                    file.write(piece)
            pieces = pieces[count:]
            files = files_of(tmp_path) if chosen.random() < 0.2 else files
            if taken := files.after(position, chosen.randint(1, 9)):
                taken = taken[: chosen.randint(1, len(taken))]
                position = taken[-1].file, taken[-1].line
                found += [one.text for one in taken]
    assert found == lines
