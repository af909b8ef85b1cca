"""Tests mirror the source: `src/tidelog/program/checks/scope.py` is tested by `tests/program/checks/test_scope.py`.

A module without a test module of its name stands in `COVERED_ELSEWHERE`, with the file that tests it and the reason why there.
`__init__` and `__main__` have no name of their own; they are not counted.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "tidelog"

COVERED_ELSEWHERE: dict[str, str] = {
    "cli/pipeline": "tests/pipeline/test_cli.py: its commands are tested with the jobs that they run",
    "files/columns": "tests/files/test_fitting.py: three data classes, which fitting ends with",
}
"""Module, by its path below `src/tidelog`: the file that tests it, and the reason."""

NOT_YET = ("local", "spark", "pipeline")
"""Packages that do not follow the rule yet."""


def modules() -> list[str]:
    """The modules that the rule holds for, by their paths without the ending."""
    found = (path.relative_to(SOURCE).with_suffix("") for path in sorted(SOURCE.rglob("*.py")))
    return [path.as_posix() for path in found if not path.name.startswith("__") and path.parts[0] not in NOT_YET]


def mirrored(module: str) -> Path:
    """Where the tests of a module are."""
    path = Path(module)
    return TESTS / path.parent / f"test_{path.name}.py"


def covering(module: str) -> Path:
    """The file that tests a module that has no tests of its own."""
    return TESTS.parent / COVERED_ELSEWHERE[module].partition(":")[0]


def imported(path: Path) -> set[str]:
    """The names of the modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_there_is_something_to_mirror() -> None:
    assert {"values", "program/checks/scope", "cli/texts"} <= set(modules())


@pytest.mark.parametrize("module", modules())
def test_every_module_has_tests(module: str) -> None:
    assert mirrored(module).is_file() or module in COVERED_ELSEWHERE


@pytest.mark.parametrize("module", [module for module in modules() if module not in COVERED_ELSEWHERE])
def test_the_tests_of_a_module_import_it(module: str) -> None:
    """Or, if it is a command, call it: tests of commands go through `tests/cli/commands.py`."""
    names = imported(mirrored(module))
    is_command = module.startswith("cli/") and "tests.cli.commands" in names
    assert f"tidelog.{module.replace('/', '.')}" in names or is_command


@pytest.mark.parametrize("module", COVERED_ELSEWHERE)
def test_every_entry_of_the_table_is_needed(module: str) -> None:
    assert (SOURCE / f"{module}.py").is_file()
    assert not mirrored(module).exists()
    assert covering(module).is_file()
    assert COVERED_ELSEWHERE[module].partition(": ")[2]


def test_no_test_module_is_left_of_a_module_that_is_gone() -> None:
    """In the folders that mirror packages every test module has its module, or covers one of the table."""
    folders = {Path(module).parent for module in modules()} - {Path()}
    tests = (path for folder in folders for path in (TESTS / folder).glob("test_*.py"))
    known = {mirrored(module) for module in modules()} | {covering(module) for module in COVERED_ELSEWHERE}
    assert [path for path in tests if path not in known] == []
