"""Values of a job file that need reading: sizes such as `2 GB`, and `${NAME}` for what must not stand in a file.

A job keeps its options as they are written; variables are put in where a reader or writer of Spark is called, and nowhere
else.  So neither the report nor the manifest can show them.  Messages of other programs are searched for them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostics

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"passw|secret|token|credential|api.?key|access.?key|account.?key|private.?key|\bsas\b", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"(?i)((?:password|passwd|pwd|secret|token)=)[^&;\s]*|(://[^/@:\s]*:)[^/@\s]+(?=@)")
_HIDDEN = "•••"
_SHORTEST_SECRET = 4


def size_of(text: str) -> int | None:
    """How many bytes `2 GB` are (decimal units, or binary ones such as GiB); None if it is no size."""
    match = _SIZE.fullmatch(text)
    if match is None:
        return None
    number, unit = float(match[1]), match[2].lower()
    base = 1024 if "i" in unit else 1000
    size = int(number * base ** _POWERS[unit.rstrip("b").rstrip("i")])
    return size if size > 0 else None


def shown_size(size: int | None) -> str:
    """A size for people."""
    if size is None:
        return ""
    amount, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return f"{amount:.0f} {unit}" if unit == "B" or amount >= 100 else f"{amount:.1f} {unit}"


# --- environment variables -------------------------------------------------------------------------------------------------


def variables_in(options: Iterable[Mapping[str, str]]) -> list[str]:
    """The names of all variables that options mention, each once."""
    return list(dict.fromkeys(name for table in options for value in table.values() for name in _VARIABLE.findall(value)))


def check_variables(names: Iterable[str]) -> None:
    """Raise one error with all variables that are not set."""
    diagnostics = Diagnostics()
    for name in names:
        if name not in os.environ:
            fix = f"set it before the job starts: export {name}=…"
            diagnostics.add("TL094", f"the job uses ${{{name}}}, and the environment has no such variable", fix=fix)
    diagnostics.raise_errors()


def with_variables(options: Mapping[str, str]) -> dict[str, str]:
    """The options with the variables put in: for a reader or writer, never to be shown."""
    check_variables(variables_in([options]))
    return {key: _VARIABLE.sub(lambda match: os.environ[match[1]], value) for key, value in options.items()}


# --- what may be shown -----------------------------------------------------------------------------------------------------


def shown_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options as the report and the manifest may show them."""
    return {key: _shown(key, value) for key, value in options.items()}


def _shown(key: str, value: str) -> str:
    if _SECRET_NAME.search(key) and not _VARIABLE.fullmatch(value):
        return _HIDDEN
    return without_passwords(value)


def without_passwords(text: str) -> str:
    """A text, such as a URL, with the passwords in it hidden."""
    return _SECRET_IN_URL.sub(lambda match: (match[1] or match[2]) + _HIDDEN, text)


def redacted(message: str, options: Iterable[Mapping[str, str]]) -> str:
    """A message of another program without the secrets of some options, should it repeat them."""
    tables = list(options)
    for name in variables_in(tables):
        if len(secret := os.environ.get(name, "")) >= _SHORTEST_SECRET:
            message = message.replace(secret, f"${{{name}}}")
    for table in tables:
        for key, value in table.items():
            if _SECRET_NAME.search(key) and len(value) >= _SHORTEST_SECRET and not _VARIABLE.fullmatch(value):
                message = message.replace(value, _HIDDEN)
    return without_passwords(message)
