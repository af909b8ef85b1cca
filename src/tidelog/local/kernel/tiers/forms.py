"""The functions of the kernel and their kinds, and what Python calls in their place."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from types import FunctionType
from typing import Any, cast

CHECKED = os.environ.get("TIDELOG_CHECKED", "") not in ("", "0")
"""Whether this process runs the checked build."""


class Form(Enum):
    """What kind of function it is."""

    ENTRY = "Python calls it"
    EXCLUSIVE = "as ENTRY, while no other thread of Python runs"
    PART = "only the kernel calls it"
    HOT = "as PART, compiled into its callers"
    SERVICE = "the kernel calls it by its address"
    INSTRUCTION = "a few instructions of the machine, which `instructions` writes"


FORMS: dict[FunctionType, Form] = {}


def register(function: Callable[..., Any], form: Form) -> None:
    """Note the form of a function, which stays what it is."""
    FORMS[cast("FunctionType", function)] = form


class Entry(partial[Any]):
    """What Python calls: it stands for a function, and does what `choice` says; a call costs next to nothing more."""

    function: FunctionType
    is_compiled: bool
    spent: float
    """Seconds that it has taken in plain Python."""
    plain: Callable[..., Any] | None
    compiled: Any
    runs_plans: bool
    walks_tables: bool
    """Whether it visits all rows of a table, or all terms: what it is called with does not tell how many."""
    is_kept: dict[str, bool]
    """By signature, whether it has been compiled before."""

    def lead_to(self, target: Callable[..., Any], *first: Any) -> None:
        """From now on a call is `target(*first, …)`."""
        self.__setstate__((target, first, {}, self.__dict__))  # type: ignore[attr-defined]


def new_entry(function: Callable[..., Any], *, runs_plans: bool = False, walks_tables: bool = False) -> Entry:
    """The entry for a function, which leads nowhere yet."""
    entry = Entry(function)
    entry.function, entry.is_compiled, entry.spent = cast("FunctionType", function), False, 0.0
    entry.plain, entry.compiled, entry.is_kept = None, None, {}
    entry.runs_plans, entry.walks_tables = runs_plans, walks_tables
    return entry


@dataclass(eq=False)
class Service:
    """A part that the kernel calls by its address, so that it is compiled only if some plan needs it."""

    function: FunctionType
    address: int = 0
    place: Any = None
    """Where plans find the address."""
    kept: list[Any] = field(default_factory=list)
    """What keeps the compiled code alive."""


@dataclass(frozen=True)
class Either:
    """A function with two texts, or a constant with two values: for Python and for Numba."""

    plain: Any
    compiled: Any
