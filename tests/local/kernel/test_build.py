"""The two builds of the kernel, and where compiled code is kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tidelog.core.arrays import Int32s
from tidelog.local.kernel import build, layout, memory, terms
from tidelog.local.kernel import table_rows as kernel
from tidelog.local.kernel.tiers import folder
from tidelog.local.storage.dictionary import Dictionary
from tidelog.local.storage.store import Store
from tidelog.local.storage.tables import Table
from tidelog.local.storage.term_buffers import KIND_CODES
from tidelog.values import Kind

checked_only = pytest.mark.skipif(not build.CHECKED, reason="TIDELOG_CHECKED=0: the kernel would read whatever is there")

PROGRAM = """
e(1, 2). e(2, 3). e(3, 1). e(3, 4). e(4, 5). w(a, 1). w(a, 2.5). w(b, 3). w(b, 3.0). w(c, "x").
path(X, Y) :- e(X, Y).
path(X, Z) :- path(X, Y), e(Y, Z).
same(X, Y) :- e(X, Y), X > 3.
same(X, Z) :- same(X, Y), same(Y, Z).
same(X, Y) :- same(Y, X).
apart(X, Y) :- path(X, _), path(_, Y), not path(X, Y).
loop(X) :- path(X, X).
sums(K, N) :- N = sum { V : w(K, V) }.
least(K, N) :- N = min { V : w(K, V) }.
counts(X, N) :- e(X, _), N = count { path(X, _) }.
computed(X, Y, X * 7 - Y / 2, sqrt(X)) :- e(X, Y), X mod 2 = 1.
texts(cat(K, string(V)), length(K)) :- w(K, V).
"""

SMALL = "p(X, Y) :- e(X, Y), X < Y. e(1, 2). e(2, 1)."
"""Needs little of the kernel: what is compiled for it is compiled in seconds."""


def script(program: str) -> str:
    """Evaluates a program, and prints the build and the facts."""
    return f"""
from tidelog import KnowledgeBase, Source
from tidelog.local.kernel import build
from tidelog.local.kernel.tiers import folder
kb = KnowledgeBase(Source({program!r}))
print(build.CHECKED, folder.CACHE_FOLDER)
for fact in sorted(map(repr, kb.facts())):
    print(fact)
"""


def in_a_process(script: str, **environment: str) -> list[str]:
    """The lines that a script prints in a process of its own."""
    process = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout.splitlines()


def expected(program: str) -> list[str]:
    """What a program derives in this process."""
    from tidelog import KnowledgeBase, Source

    facts = sorted(map(repr, KnowledgeBase(Source(program)).facts()))
    assert ("('p', 1, 2)" if program == SMALL else "('sums', 'a', 3.5)") in facts
    return facts


by_day_and_by_night = pytest.mark.parametrize(
    "program", [SMALL, pytest.param(PROGRAM, marks=pytest.mark.nightly)], ids=["small", "whole"]
)
"""To compile all of the kernel takes long."""


# --- the checked build ---------------------------------------------------------------------------------------------------


@build.kernel
def _read(address: int, length: int, at: int) -> int:
    return memory.int32s(address, length)[at]  # type: ignore[no-any-return]


@build.kernel
def _write(address: int, length: int, at: int, value: int) -> None:
    memory.int32s(address, length)[at] = value


def test_tests_run_in_the_build_that_the_environment_names() -> None:
    assert (os.environ["TIDELOG_CHECKED"] not in ("", "0")) == build.CHECKED


@checked_only
def test_an_access_out_of_bounds_raises() -> None:
    buffer: Int32s = np.array([10, 11, 12, 13], np.int32)
    assert [_read(buffer.ctypes.data, 4, at) for at in range(4)] == [10, 11, 12, 13]
    for at in (4, 5, 1 << 40, -5):
        with pytest.raises(IndexError):
            _read(buffer.ctypes.data, 4, at)
        with pytest.raises(IndexError):
            _write(buffer.ctypes.data, 4, at, 0)
    with pytest.raises(IndexError):
        _read(buffer.ctypes.data, 3, 3)
    assert buffer.tolist() == [10, 11, 12, 13]


def _table(rows: Int32s) -> Table:
    table = Store(range(100)).new_table(rows.shape[1])
    table.insert(rows)
    return table


@checked_only
def test_an_entry_point_notices_a_table_that_is_smaller_than_it_says() -> None:
    rows = np.arange(60, dtype=np.int32).reshape(20, 3)
    table = _table(rows)
    assert table.contains(rows).all()
    table.store.M[table.number, layout.CAPACITY] = 4
    with pytest.raises(IndexError):
        table.contains(rows)


@checked_only
def test_an_entry_point_notices_a_matrix_of_bits_that_is_smaller_than_it_says() -> None:
    rows = np.stack(np.divmod(np.arange(3000, dtype=np.int32), 60), axis=1).astype(np.int32)
    table = _table(rows)
    assert table.store.M[table.number, layout.BITS] != 0
    table.store.M[table.number, layout.DOMAIN] = 64
    with pytest.raises(IndexError):
        kernel.fill_bits(table.store.M, _with_a_pair_beyond(table))


def _with_a_pair_beyond(table: Table) -> int:
    """The number of the table, in which a row now has an id that its matrix of bits has no row for."""
    table._rows[0] = 64
    return table.number


@checked_only
def test_a_text_that_is_longer_than_its_buffer_raises() -> None:
    dictionary, data = Dictionary(), np.frombuffer(b"0123456789abcdef", np.uint8)
    code, ids = KIND_CODES[Kind.STRING], np.empty(1, np.int32)
    for size, told in ((16, 15), (16, 8), (5, 4), (1, 0)):
        offsets = np.array([0, size], np.int64)
        with pytest.raises(IndexError):
            terms.intern_texts(dictionary.header, code, offsets, data.ctypes.data, told, ids, 0)
    assert len(dictionary) == 0


# --- folders -------------------------------------------------------------------------------------------------------------


@by_day_and_by_night
def test_each_build_has_its_own_folder(program: str) -> None:
    """And computes the same."""
    first, *facts = in_a_process(script(program), TIDELOG_CHECKED="")
    assert first.startswith("False ")
    assert facts == expected(program)
    if folder.CACHE_FOLDER is not None and build.CHECKED:
        assert first.removeprefix("False ") == str(folder.CACHE_FOLDER).removesuffix("-checked")
        assert str(folder.CACHE_FOLDER).endswith("-checked")


@pytest.mark.skipif(folder.CACHE_FOLDER is None, reason="no folder for compiled code can be written")
def test_a_copy_of_the_sources_elsewhere_shares_what_is_compiled(tmp_path: Path) -> None:
    shutil.copytree(Path(build.__file__).parents[3], tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    assert folder.CACHE_FOLDER is not None
    expected(SMALL)
    compiled = set(folder.CACHE_FOLDER.rglob("*.nbc"))
    where = "import tidelog; print(tidelog.__file__)"
    path, first, *facts = in_a_process(f"{where}{script(SMALL)}", PYTHONPATH=str(tmp_path / "src"))
    assert path.startswith(str(tmp_path))
    assert first == f"{build.CHECKED} {folder.CACHE_FOLDER}"
    assert facts == expected(SMALL)
    assert set(folder.CACHE_FOLDER.rglob("*.nbc")) == compiled


@by_day_and_by_night
def test_nothing_can_be_kept(tmp_path: Path, program: str) -> None:
    no_folder = tmp_path / "file"
    no_folder.write_text("a file, so no folder can be made in it", encoding="utf-8")
    first, *facts = in_a_process(script(program), TIDELOG_CACHE_DIR=str(no_folder), TIDELOG_CHECKED="")
    assert first == "False None"
    assert facts == expected(program)
