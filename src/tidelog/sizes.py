"""Sizes in bytes: as users write them, and of this machine's memory."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path

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
