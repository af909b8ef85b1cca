"""Exceptions at chosen moments: at the n-th call or instruction of Tidelog's own code, or as another thread would raise them."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import tidelog

_OWN = str(Path(tidelog.__file__).parent)


class Injected(BaseException):
    """Nobody but the test expects this one."""


@dataclass
class Injector:
    """Counts calls or instructions, and raises at some of them."""

    at: Collection[int]
    """Which ones: 1 is the first."""
    by: str = "call"
    """`call` or `opcode`."""
    is_asynchronous: bool = False
    """Whether Python raises it at its next opportunity, as for other threads: then tracing goes on, and more may come."""
    count: int = 0
    where: list[str] = field(default_factory=list)
    """Where exceptions were raised."""

    def trace(self, frame: FrameType, event: str, _argument: object) -> Any:
        """The trace function of Python."""
        if not frame.f_code.co_filename.startswith(_OWN):
            return None
        if self.by == "opcode":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == self.by:
            self.count += 1
            if self.count in self.at:
                self.where.append(f"{frame.f_code.co_qualname}:{frame.f_lineno}")
                if not self.is_asynchronous:
                    raise Injected(self.where[-1])
                raise_in(threading.get_ident())
        return self.trace

    @contextmanager
    def injecting(self) -> Iterator[None]:
        """Count, and raise, within the block."""
        before = sys.gettrace()
        sys.settrace(self.trace)
        try:
            yield
        finally:
            sys.settrace(before)


def raise_in(thread: int, kind: type[BaseException] = Injected) -> None:
    """Let a thread raise an exception at its next opportunity."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))


def let_it_come() -> None:
    """Give Python the opportunity to raise what it has not raised yet.

    To take it back instead (with NULL) makes CPython 3.11 loop for ever at the next call that is traced.
    """
    for _ in range(10):
        len(())
