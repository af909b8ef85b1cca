"""Compiling ahead."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from tidelog.local.kernel.tiers import choice, folder, warm_up

ONE = "tidelog.local.kernel.terms:intern_one(int64[1C],int64,int64)"


def test_small_programs_tell_what_is_commonly_needed() -> None:
    names = warm_up.common()
    assert len(names) == len(set(names)) > 30
    functions = {name.partition("(")[0].rpartition(":")[2] for name in names}
    assert {
        "intern_texts",
        "insert_rows",
        "run",
        "run_rounds",
        "delete_unsupported",
        "strong_components",
        "remove_rows",
    } <= functions
    assert {"fold_groups", "contain_rows", "rehash_terms"} & functions


def test_what_is_asked_for_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(choice, "compiled_by_name", done.append)
    monkeypatch.setattr(warm_up, "common", lambda: ["c", "d"])
    warm_up.compile_all(["b"], deque(["a", "all"]))
    assert done == ["a", "b", "c", "d"]


def test_several_processes_compile_what_is_missing(tmp_path: Path) -> None:
    script = f"""
from tidelog.local.kernel.tiers import warm_up
warm_up.common = lambda: [{ONE!r}]
print(warm_up.warm_up(2), warm_up.warm_up(2))
"""
    environment = {**os.environ, "TIDELOG_CACHE_DIR": str(tmp_path)}
    found = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["1", "0"]
    assert len(list(tmp_path.rglob("terms.intern_one*.nbc"))) == 1
    assert list(tmp_path.glob("*/claimed/*")) == []


def test_a_process_compiles_what_others_ask_for_and_ends(tmp_path: Path) -> None:
    environment = {**os.environ, "TIDELOG_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "tidelog.local.kernel.tiers.warm_up"]
    found = subprocess.run(command, env=environment, input=f"{ONE}\n", capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("", "")
    assert len(list(tmp_path.rglob("terms.intern_one*.nbc"))) == 1
    assert len(list(tmp_path.glob("*/kept/*"))) == 1


def test_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "CACHE_FOLDER", None)
    monkeypatch.setattr(warm_up, "common", lambda: [ONE])
    assert warm_up.warm_up() == 0
