"""Another process that compiles ahead: what is in use there is asked for here, by name."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

_ALL = "all"
_asked: set[str] = set()
_lock = threading.Lock()
_process: list[Any] = []
"""The process, once it is there; None if none can be started."""


def ask(name: str) -> None:
    """Have something compiled some time soon."""
    if name not in _asked:
        _asked.add(name)
        _send(name)


def ask_for_all() -> None:
    """Have everything compiled that programs commonly need: this process is compiling, and there is another processor."""
    ask(_ALL)


def is_for_all(line: str) -> bool:
    """Whether a line asks for everything."""
    return line == _ALL


def _send(line: str) -> None:
    with _lock:
        if not _process:
            _process.append(_started())
        if _process[0] is None:
            return
        try:
            _process[0].stdin.write(f"{line}\n")
            _process[0].stdin.flush()
        except OSError:  # it has ended
            _process[0] = None


def _started() -> Any:
    """A process of its own, which goes on if this one ends; it has a low priority and says nothing."""
    if not sys.executable:
        return None
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "tidelog.local.kernel.tiers.warm_up"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
    except OSError:
        return None
