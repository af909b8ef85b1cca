"""Folders that paths in programs may not leave."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from tidelog.errors import fail


def check_below(root: str | PathLike[str], path: Path, what: str) -> None:
    """Raise TL088 unless a path is below a root, after `..` and symbolic links have been followed.

    It looks at the path as it is now: who can change links below the root while files are read is not kept out.
    """
    try:
        is_below = path.resolve().is_relative_to(Path(root).resolve())
    except (OSError, ValueError, RuntimeError):  # a cycle of links, or a NUL
        is_below = False
    if not is_below:
        fix = "give a path inside, without `..` and links that lead out; or let the user choose another root"
        raise fail("TL088", f"{what}, {str(path)!r}, is outside {Path(root)}", fix=fix)
