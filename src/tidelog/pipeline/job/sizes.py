"""Sizes in a job file, such as `2 GB`, and for people."""

from __future__ import annotations

import re

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size_of(text: str) -> int | None:
    """How many bytes `2 GB` are (decimal units, or binary ones such as GiB); None if it is not a size."""
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
