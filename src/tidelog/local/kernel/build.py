"""One decorator for each form of a function in the kernel; `tiers` says how they run.

`TIDELOG_CHECKED=1` chooses the checked build, in which every access to a buffer is bounds-checked and an access out of bounds
raises `IndexError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from tidelog.local.kernel.tiers import choice
from tidelog.local.kernel.tiers.forms import CHECKED, Either, Form, Service, new_entry, register

__all__ = ["CHECKED", "either", "exclusive", "hot", "instruction", "kernel", "part", "plan_runner", "service", "table_walk"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


def kernel(function: F) -> F:
    """A function that Python calls; what is compiled of it is kept on disk."""
    return _entry(function, Form.ENTRY)


def plan_runner(function: F) -> F:
    """As `kernel`, for one that runs plans."""
    return _entry(function, Form.ENTRY, runs_plans=True)


def table_walk(function: F) -> F:
    """As `kernel`, for one that visits all rows of a table or all terms: what it is called with does not tell how many."""
    return _entry(function, Form.ENTRY, walks_tables=True)


def exclusive(function: F) -> F:
    """As `kernel`, but no other thread of Python runs meanwhile: for short work on buffers that are changed in place."""
    return _entry(function, Form.EXCLUSIVE)


def _entry(function: F, form: Form, **more: bool) -> F:
    register(function, form)
    entry = new_entry(function, **more)
    choice.add(entry)
    return cast("F", entry)


def part(function: F) -> F:
    """A function that only the kernel itself calls."""
    register(function, Form.PART)
    return function


def hot(function: F) -> F:
    """A part that is compiled straight into its callers: a call would cost more than what it does."""
    register(function, Form.HOT)
    return function


def instruction(function: F) -> F:
    """What is an instruction or two of the machine; `tiers.instructions` has its name, too."""
    register(function, Form.INSTRUCTION)
    return function


def service(function: Callable[[int, int, int, int, int, int], int]) -> Service:
    """A part that the kernel calls by its address, so that it is compiled only if some plan needs it."""
    register(function, Form.SERVICE)
    return Service(cast("Any", function))


def either(plain: T, compiled: T) -> T:
    """A part or a constant that is another one where Python runs the kernel."""
    return cast("T", Either(plain, compiled))
