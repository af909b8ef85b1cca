"""What this process and everything below it take: Spark works in a JVM and in Python workers, which are descendants of ours.

For a contender that starts no processes the figures are those of this process alone.  Time is exact: what a process used that
has ended is with the one that waited for it.  Memory is a sum over processes, so that pages which forked workers share count
more than once.
"""

from __future__ import annotations

import contextlib
import os
import resource
from collections.abc import Iterator
from pathlib import Path

_PROCESSES = Path("/proc")
_PARENT, _TIMES = 1, slice(11, 15)
"""Places in `/proc/N/stat` behind the name of the command: the parent, and user and system time, own and of ended children."""


def cpu_seconds() -> float:
    """User and system time of the whole tree, all threads; own time in microseconds, that of others in clock ticks."""
    ended, own = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    ticks = sum(int(ticks) for stat in _descendants().values() for ticks in stat[_TIMES])
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def memory(field: str) -> int:
    """Bytes of resident memory of the whole tree: `VmRSS` now, `VmHWM` the sum of what each process had at its highest."""
    return sum(_memory(process, field) for process in ("self", *map(str, _descendants())))


def forget_peak() -> None:
    """Start the high-water marks of memory again, where the kernel allows."""
    for process in ("self", *map(str, _descendants())):
        with contextlib.suppress(OSError):
            (_PROCESSES / process / "clear_refs").write_text("5", encoding="ascii")


def _memory(process: str, field: str) -> int:
    with contextlib.suppress(OSError):  # it may have ended meanwhile
        for line in (_PROCESSES / process / "status").read_text(encoding="utf-8").splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    return 0


def _descendants() -> dict[int, list[str]]:
    """All processes below this one, with what the kernel tells of them."""
    stats = dict(_all_processes())
    children: dict[int, list[int]] = {}
    for process, stat in stats.items():
        children.setdefault(int(stat[_PARENT]), []).append(process)
    found: dict[int, list[str]] = {}
    waiting = list(children.get(os.getpid(), ()))
    while waiting:
        process = waiting.pop()
        found[process] = stats[process]
        waiting += children.get(process, ())
    return found


def _all_processes() -> Iterator[tuple[int, list[str]]]:
    for folder in _PROCESSES.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                yield int(folder.name), (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
