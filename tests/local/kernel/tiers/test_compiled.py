"""Numba's world: where it keeps what it compiles, and how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tidelog.core.arrays import Int64s
from tidelog.local.kernel import build, layout
from tidelog.local.kernel.tiers import compiled, folder
from tidelog.local.kernel.tiers.signatures import signature_of


def test_no_references_are_counted_where_nothing_is_allocated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part would count those of the arrays that it is given, atomically: that took more than half the time of a deletion."""
    monkeypatch.setattr(folder, "CACHE_FOLDER", None)

    @build.part
    def word(M: Int64s, at: int) -> int:
        return int(M[at, layout.COUNT])

    @build.kernel
    def sum_of(M: Int64s) -> int:
        total = np.int64(0)
        for at in range(len(M)):
            total += word(M, at)
        return int(total)

    assert sum_of(np.ones((3, layout.TABLE_WIDTH), np.int64)) == 3
    assert "NRT_incref" not in "".join(compiled.dispatcher(sum_of).inspect_llvm().values())  # type: ignore[arg-type]


def test_a_changed_text_at_the_same_place_is_compiled_anew(tmp_path: Path) -> None:
    """Whatever it was called before: the name of a module and a line do not tell two texts apart."""
    path = tmp_path / "some_module.py"
    found = []
    for text in ("def f(): return 1", "def f(): return 2"):
        path.write_text(text, encoding="utf-8")
        compiled._digest.cache_clear()
        found.append(compiled.Locator(test_a_changed_text_at_the_same_place_is_compiled_anew, str(path)).get_source_stamp())
    assert len(set(found)) == 2


def test_compiling_leaves_the_setting_of_numba_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    import numba

    monkeypatch.setattr(numba.config, "CACHE_DIR", "/somewhere/else")
    monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "IPythonCacheLocator", raising=False)
    compiled.dispatcher(build.kernel(lambda x: x))  # type: ignore[arg-type]
    assert (numba.config.CACHE_DIR, numba.config.CACHE_LOCATOR_CLASSES) == ("/somewhere/else", "IPythonCacheLocator")


def test_what_is_compiled_for_a_signature_serves_calls_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "CACHE_FOLDER", None)

    @build.kernel
    def first_and_last(numbers: Int64s, pair: tuple[Int64s, int], is_last: bool, scale: float) -> float:
        return float((numbers[-1] if is_last else numbers[0]) * scale + pair[0][0] + pair[1])

    numbers = np.arange(3, 9, dtype=np.int64)
    for given in (numbers, numbers[::2], np.broadcast_to(numbers, 6)):
        args = given, (numbers, 1), True, 0.5
        dispatcher = compiled.dispatcher(first_and_last)  # type: ignore[arg-type]
        compiled.compile_for(first_and_last, signature_of(args), "a name")  # type: ignore[arg-type]
        known = len(dispatcher.signatures)
        assert first_and_last(*args) == given[-1] * 0.5 + 4
        assert len(dispatcher.signatures) == known  # nothing more was compiled for the call
    assert known == 3
