"""Where compiled code is kept, and who compiles what."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tidelog.local.kernel import build
from tidelog.local.kernel.tiers import folder


def test_the_folder_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TIDELOG_CACHE_DIR", str(tmp_path / "new" / "place"))
    found = folder.find_folder()
    assert found is not None
    assert found.is_dir()
    assert found.parent == tmp_path / "new" / "place"
    assert found.name.startswith(f"kernel-{folder.sources_hash()}")
    monkeypatch.delenv("TIDELOG_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    found = folder.find_folder()
    assert found is not None
    assert found.parent == tmp_path / "xdg" / "tidelog"


def test_an_edited_source_has_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba would not notice that a function which another one calls has changed."""
    before = folder.sources_hash()
    copy = tmp_path / "local"
    shutil.copytree(Path(build.__file__).parents[1], copy)
    monkeypatch.setattr(folder, "kernel_folder", lambda: copy / "kernel")
    assert folder.sources_hash() == before
    compiled = [path for path in copy.rglob("*.py") if "import kernel" in (text := path.read_text()) or "build import" in text]
    names = [path for path in compiled if "@part" in path.read_text() or "@kernel" in path.read_text()]
    assert copy / "kernel" / "join.py" in names
    hashes = {before}
    for path in names:
        path.write_text(path.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
        hashes.add(folder.sources_hash())
    assert len(hashes) == len(names) + 1


@pytest.mark.parametrize("others_may_write", [False, True])
def test_a_temporary_folder_that_others_can_write_to_is_not_used(
    others_may_write: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = tmp_path / "tidelog-1"
    place.mkdir()
    place.chmod(0o777 if others_may_write else 0o700)
    assert folder.is_safe(place) is not others_may_write
    (tmp_path / "link").symlink_to(place)
    assert not folder.is_safe(tmp_path / "link")


@pytest.fixture
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for part in ("kept", "claimed"):
        (tmp_path / part).mkdir()
    monkeypatch.setattr(folder, "CACHE_FOLDER", tmp_path)
    return tmp_path


def test_what_is_kept_is_known_by_its_name(own_folder: Path) -> None:
    assert not folder.is_kept("a:f(int64)")
    folder.note_kept("a:f(int64)")
    assert folder.is_kept("a:f(int64)")
    assert not folder.is_kept("a:f(float64)")


def test_one_process_compiles_what_several_need(own_folder: Path) -> None:
    assert folder.claim("a:f()")
    script = "import sys; from pathlib import Path; from tidelog.local.kernel.tiers import folder; "
    script += f"folder.CACHE_FOLDER = Path({str(own_folder)!r}); print(folder.claim('a:f()'), folder.claim('a:g()'))"
    other = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=os.environ)
    assert other.stdout.split() == ["False", "True"]
    assert folder.claim("a:g()")  # whoever claimed it has ended
    folder.give_back("a:f()")
    folder.wait_for("a:f()")  # does not wait: nobody compiles it any more
    assert folder.claim("a:f()")


def test_a_claim_ends_with_what_was_claimed(own_folder: Path) -> None:
    assert folder.claim("a:f()")
    folder.note_kept("a:f()")
    folder.wait_for("a:f()")  # does not wait: it is there


def test_without_a_folder_nothing_is_kept_and_everybody_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "CACHE_FOLDER", None)
    folder.note_kept("a:f()")
    assert not folder.is_kept("a:f()")
    assert folder.claim("a:f()")
    assert folder.claim("a:f()")
    folder.give_back("a:f()")
    folder.wait_for("a:f()")
