"""The arguments of a knowledge base: the program, as a text or a path, and options."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from tidelog.errors import fail
from tidelog.program.program import read_source
from tidelog.source import Source


def refuse(**options: object) -> None:
    """Raise an error for the first option whose value is not one of the choices."""
    known: dict[str, tuple[object, ...]] = {
        "engine": ("local", "spark"),
        "algorithm": ("auto", "bf", "dred", "counting", "rematerialise"),
        "marking": ("auto", True, False),
        "writers": ("wait", "refuse"),
    }
    for name, given in options.items():
        if given in known[name]:
            continue
        choices = ", ".join(repr(choice) for choice in known[name])
        raise fail("TL074", f"there is no {name}={given!r}", fix=f"choose one of {choices}")


def options_given(**options: object) -> list[str]:
    """The names of the options that have a value."""
    return [name for name, value in options.items() if value is not None]


def source_of(rules: str | PathLike[str] | Source) -> Source:
    """The program: a text has a space, a line break or a final dot; anything else is a path."""
    if isinstance(rules, Source):
        return rules
    if isinstance(rules, str) and (not rules.strip() or any(c.isspace() for c in rules.strip()) or rules.rstrip().endswith(".")):
        return Source(rules, "<rules>") if not _is_file(rules) else read_source(Path(rules))
    return read_source(Path(rules))


def _is_file(text: str) -> bool:
    """Whether a text that could be a program is the path of a file."""
    try:
        return len(text) < _LONGEST_PATH and Path(text).is_file()
    except (OSError, ValueError):
        return False


_LONGEST_PATH = 4096


def folder_beside(rules: str | PathLike[str] | Source) -> Path:
    """The folder of a program's file, or the current one."""
    if isinstance(rules, Source):
        return Path(rules.name).parent if _is_file(rules.name) else Path()
    return Path(rules).parent if _is_file(str(rules)) else Path()
