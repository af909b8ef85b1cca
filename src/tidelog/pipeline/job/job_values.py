"""Values of a job file that need reading: sizes such as `2 GB`, and `${NAME}` for what must not stand in a file.

A job keeps its options as they are written; variables are put in where a reader or writer of Spark is called, and nowhere
else.  So neither the report nor the manifest can show them (`tidelog.secrets`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

from tidelog.errors import Diagnostics
from tidelog.secrets import VARIABLE, variables_in

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


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
    return {key: VARIABLE.sub(lambda match: os.environ[match[1]], value) for key, value in options.items()}
