"""Versioned folders: a reader sees a whole version or the one before, whatever happens to a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import fs

from tidelog.errors import TidelogError
from tidelog.pipeline.batch.versioned_folder import CLAIM, POINTER, VersionedFolder, read_current
from tidelog.stores import Store
from tidelog.stores.arrow import ArrowStore
from tidelog.stores.local import LocalStore


def run(folder: Path, run_id: str, keep: int = 3, *, store: Store | None = None) -> None:
    """One run that succeeds."""
    version = VersionedFolder(str(folder), run_id, keep, store)
    version.begin()
    Path(version.data).mkdir(parents=True)
    (Path(version.data) / "part-0.csv").write_text(run_id, encoding="utf-8")
    version.finish_data({"run": run_id, "previous": version.previous})
    version.check_claim()
    version.publish()
    version.end()


def versions(folder: Path) -> list[str]:
    return sorted(entry.name for entry in (folder / "versions").iterdir())


@pytest.fixture(params=["local", "remote"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    """The two kinds of stores, over one folder."""
    if request.param == "local":
        return LocalStore(tmp_path / "sink")
    return ArrowStore("mock://sink", (fs.LocalFileSystem(), str(tmp_path / "sink")))


def test_the_pointer_names_the_last_run(tmp_path: Path, store: Store) -> None:
    sink = tmp_path / "sink"
    for run_id in ("r1", "r2"):
        run(sink, run_id, store=store)
        assert (sink / POINTER).read_text(encoding="utf-8") == f"{run_id}\n"
        assert (Path(read_current(sink)) / "part-0.csv").read_text(encoding="utf-8") == run_id
    assert sorted(entry.name for entry in sink.iterdir()) == [POINTER, "versions"]


def test_old_versions_are_kept_and_then_removed(tmp_path: Path, store: Store) -> None:
    for number in range(1, 6):
        run(tmp_path / "sink", f"r{number}", store=store)
    assert versions(tmp_path / "sink") == ["r3", "r4", "r5"]
    run(tmp_path / "sink", "r6", 1, store=store)
    assert versions(tmp_path / "sink") == ["r6"]


def test_leftovers_are_removed_by_the_next_run(tmp_path: Path, store: Store) -> None:
    sink = tmp_path / "sink"
    run(sink, "r1", store=store)
    broken = VersionedFolder(str(sink), "r2", 3, store)
    broken.begin()
    Path(broken.data).mkdir(parents=True)
    broken.finish_data({"run": "r2", "previous": broken.previous})  # and now the power fails
    assert read_current(sink).endswith("/r1")
    run(sink, "r3", store=store)
    assert versions(sink) == ["r1", "r3"]
    assert json.loads((sink / "versions" / "r3" / "_manifest.json").read_text(encoding="utf-8"))["previous"] == ["r1"]


def test_a_run_that_fails_removes_what_it_wrote(tmp_path: Path) -> None:
    sink = tmp_path / "sink"
    run(sink, "r1")
    failing = VersionedFolder(str(sink), "r2", 3)
    failing.begin()
    Path(failing.data).mkdir(parents=True)
    failing.end()
    assert versions(sink) == ["r1"]
    assert not (sink / CLAIM).exists()


def test_the_run_that_started_last_wins(tmp_path: Path, store: Store) -> None:
    sink = str(tmp_path / "sink")
    slow = VersionedFolder(sink, "slow", 3, store)
    slow.begin()
    Path(slow.data).mkdir(parents=True)
    other = VersionedFolder(sink, "quick", 3, store)
    other.begin()
    with pytest.raises(TidelogError, match="TL093: the run quick has taken over"):
        slow.check_claim()
    slow.end()
    assert (tmp_path / "sink" / CLAIM).read_text(encoding="utf-8") == "quick\n"
    other.check_claim()
    other.end()
    with pytest.raises(TidelogError, match="TL093: another run, which has ended, has taken over"):
        slow.check_claim()


def test_a_folder_with_other_things_is_no_sink(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").touch()
    with pytest.raises(TidelogError, match=r"TL093: .*letters contains other files, dear.txt among them"):
        VersionedFolder(str(tmp_path / "letters"), "r1", 3).check("overwrite")
    with pytest.raises(TidelogError, match="is a file, and a sink is a folder"):
        VersionedFolder(str(tmp_path / "letters" / "dear.txt"), "r1", 3).check("overwrite")


def test_mode_error_wants_no_result_there(tmp_path: Path) -> None:
    run(tmp_path / "sink", "r1")
    VersionedFolder(str(tmp_path / "sink"), "r2", 3).check("overwrite")
    with pytest.raises(TidelogError, match="has a result already"):
        VersionedFolder(str(tmp_path / "sink"), "r2", 3).check("error")


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060: .* it has no file CURRENT"):
        read_current(tmp_path)
