"""The package itself: what it exports, and that importing it is light."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import tidelog


def test_importing_is_light() -> None:
    """Neither a JVM nor any of the heavy parts is loaded by `import tidelog`."""
    heavy = "{'lark', 'rustworkx', 'numpy', 'rich', 'typer', 're2', 'pyspark', 'numba', 'pyarrow'}"
    code = f"import sys, tidelog; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_every_name_that_is_exported_is_there() -> None:
    assert all(getattr(tidelog, name) is not None for name in tidelog.__all__)
    with pytest.raises(AttributeError, match="no attribute 'KnowledgeBas'"):
        _ = tidelog.KnowledgeBas  # type: ignore[attr-defined]


def test_the_version_is_the_same_everywhere_and_the_changelog_has_its_date() -> None:
    root = Path(tidelog.__file__).parents[2]
    if not (root / "pyproject.toml").exists():
        pytest.skip("the package is installed without its project")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == tidelog.__version__
    headings = re.findall(r"^## (.*)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert any(re.fullmatch(rf"{re.escape(tidelog.__version__)} \(\d{{4}}-\d\d-\d\d\)", heading) for heading in headings)


def test_what_the_package_says_of_itself() -> None:
    root = Path(tidelog.__file__).parents[2]
    if not (root / "pyproject.toml").exists():
        pytest.skip("the package is installed without its project")
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"name", "version", "description", "readme", "license", "authors", "keywords", "classifiers"} <= project.keys()
    assert all((root / name).is_file() for name in (project["readme"], *project["license-files"]))
    assert project["scripts"] == {"tidelog": "tidelog.cli:main"}
    names = {re.match(r"[A-Za-z0-9_-]+", wanted)[0].lower() for wanted in project["dependencies"]}  # type: ignore[index]
    assert names == {"google-re2", "lark", "numba", "numpy", "pyarrow", "rich", "rustworkx", "typer"}
