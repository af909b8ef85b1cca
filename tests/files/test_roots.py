"""Paths that may not leave a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog import KnowledgeBase
from tidelog.errors import TidelogError
from tidelog.files.formats import find_files
from tidelog.files.roots import check_below


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A root with a file, beside a file that is outside."""
    (tmp_path / "root" / "sub").mkdir(parents=True)
    (tmp_path / "root" / "in.csv").write_text("1\n", encoding="utf-8")
    (tmp_path / "out.csv").write_text("2\n", encoding="utf-8")
    (tmp_path / "root" / "link.csv").symlink_to(tmp_path / "out.csv")
    (tmp_path / "root" / "up").symlink_to(tmp_path)
    (tmp_path / "root" / "loop").symlink_to(tmp_path / "root" / "loop")
    return tmp_path / "root"


@pytest.mark.parametrize("path", ["in.csv", "sub/../in.csv", "./in.csv", "up/root/in.csv", "not/there.csv"])
def test_paths_inside(root: Path, path: str) -> None:
    check_below(root, root / path, "it")


@pytest.mark.parametrize("path", ["../out.csv", "link.csv", "up/out.csv", "sub/../../out.csv", "/etc/passwd", "a\0b"])
def test_paths_outside(root: Path, path: str) -> None:
    with pytest.raises(TidelogError, match="TL088"):
        check_below(root, root / path, "it")


def test_an_input_is_confined_only_with_a_root(root: Path) -> None:
    program = '@relation p(n: int). @input p "../out.csv" .'
    assert list(KnowledgeBase(program, folder=root)["p"]) == [(2,)]
    with pytest.raises(TidelogError, match="TL088"):
        KnowledgeBase(program, folder=root, input_root=root)
    assert list(KnowledgeBase(program, folder=root, input_root=root.parent)["p"]) == [(2,)]


def test_a_file_that_is_found_by_its_name_is_confined_too(root: Path) -> None:
    assert find_files(root, "link") == [root / "link.csv"]
    assert find_files(root, "in", root=root) == [root / "in.csv"]
    with pytest.raises(TidelogError, match="TL088"):
        find_files(root, "link", root=root)
