"""The arguments of a knowledge base: the program, as a text or a path, and options; sizes in bytes as users write them."""

from __future__ import annotations

import math
import os
import re
from os import PathLike
from pathlib import Path
from typing import Literal, get_args

from tidelog.arguments import called, number, path_of, shown, wrong
from tidelog.errors import fail
from tidelog.program.program import read_source
from tidelog.source import Source

Engine = Literal["local", "spark"]
Algorithm = Literal["auto", "ranked", "bf", "dred", "counting", "rematerialise"]
"""Those that maintain deletions; `auto` chooses among the others."""
Marking = Literal["auto", True, False]
Writers = Literal["wait", "refuse"]
StartingOver = Literal["allow", "warn", "refuse"]
Equality = Literal["auto", "replace", "none"]
Durability = Literal["fsync", "batch", "none"]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)


def refuse(**options: object) -> None:
    """Raise an error for the first option whose value is not one of the choices."""
    known: dict[str, tuple[object, ...]] = {
        "engine": get_args(Engine),
        "algorithm": ALGORITHMS,
        "marking": get_args(Marking),
        "writers": get_args(Writers),
        "starting_over": get_args(StartingOver),
        "strict": (True, False),
        "same_as": (True, False),
        "equality": get_args(Equality),
    }
    for name, given in options.items():
        if any(type(given) is type(choice) and given == choice for choice in known[name]):  # 0 is not False here
            continue
        choices = ", ".join(repr(choice) for choice in known[name])
        raise fail("TL074", f"there is no {name}={shown(given)}", fix=f"choose one of {choices}")


def options_given(**options: object) -> list[str]:
    """The names of the options that have a value."""
    return [name for name, value in options.items() if value is not None]


def source_of(rules: str | PathLike[str] | Source) -> Source:
    """The program: a string with a line break is a text, that of a file a path; `_looks_like_text` decides on others."""
    if isinstance(rules, Source):
        return rules
    if not isinstance(rules, str | PathLike):
        raise wrong("a program", rules, "give its text, its path, or a `tidelog.Source`")
    if isinstance(rules, str) and _is_text(rules):
        return Source(rules, "<rules>")
    return read_source(path_of(rules), _NO_FILE_FIX if isinstance(rules, str) else None)


_NO_FILE_FIX = "check the path; a text of rules ends with a dot: `p(X) :- q(X).`"


def _is_text(rules: str) -> bool:
    if any(mark in rules for mark in "\n\r"):
        return True
    return _looks_like_text(rules) and not _is_file(rules)


def _looks_like_text(rules: str) -> bool:
    """Whether a line that is not the path of a file is a program: it is empty, has a space inside, or ends with a dot."""
    line = rules.strip()
    return not line or line.endswith(".") or any(character.isspace() for character in line)


def _is_file(text: str) -> bool:
    """Whether a text that could be a program is the path of a file."""
    try:
        return len(text) < _LONGEST_PATH and "\n" not in text and Path(text).is_file()
    except (OSError, ValueError):
        return False


_LONGEST_PATH = 4096


def folder_beside(rules: str | PathLike[str] | Source) -> Path:
    """The folder of a program's file, or the current one."""
    if isinstance(rules, Source):
        return Path(rules.name).parent if _is_file(rules.name) else Path()
    return Path(rules).parent if _is_file(str(rules)) else Path()


def check_limits(progress: object, limit_seconds: object, **limits: object) -> None:
    """Refuse limits that are no numbers: a comparison with one would fail in the middle of an evaluation, or never hold."""
    called(progress, "progress")
    number(limit_seconds, "limit_seconds", whole=False)
    for name, limit in limits.items():
        number(limit, name, whole=True)


def bytes_of(given: int | str | None, name: str) -> int | None:
    """A limit in bytes: a number, or a text such as `2 GB`."""
    if isinstance(given, str):
        if (size := size_of(given)) is None:
            raise fail("TL074", f"there is no {name}={shown(given)}", fix='give bytes, or a size such as "2 GB" or "512 MiB"')
        return size
    number(given, name, whole=True)
    return given


# --- sizes -----------------------------------------------------------------------------------------------------------------

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size_of(text: str) -> int | None:
    """How many bytes `2 GB` are (decimal units, or binary ones such as GiB); None if it is not a size."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    number, unit = float(match[1]), match[2].lower()
    if math.isinf(number):
        return None
    base = 1024 if "i" in unit else 1000
    size = int(number * base ** _POWERS[unit.rstrip("b").rstrip("i")])
    return size if size > 0 else None


def machine_memory() -> int:
    """The memory of this machine or container in bytes."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 4 << 30
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return size
    return min(size, int(limit)) if limit.isdigit() else size
