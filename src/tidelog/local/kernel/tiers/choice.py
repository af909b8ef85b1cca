"""Which way an entry point goes: plain Python while there is little to do, compiled code for the rest of the process.

An entry point is exchanged for compiled code

- at once, if there is much to do, or several threads are about that it must keep out;
- when plain Python has taken a tenth of a second, if what it needs has been compiled before;
- otherwise when it has itself taken a second, or less where tables are large. Long before, another process has begun to compile
  what is in use (`requests`), so that mostly nobody waits.

How much there is to do is the size of the arrays that it is given; rules run in steps, so that it comes back soon.

`TIDELOG_COMPILE` may say `always` (nothing runs in plain Python) or `never` (everything does).
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from time import perf_counter
from typing import Any, cast

import numpy as np

from tidelog.local.kernel import layout
from tidelog.local.kernel.tiers import folder, plain, requests
from tidelog.local.kernel.tiers.forms import FORMS, Entry, Form, Service
from tidelog.local.kernel.tiers.signatures import signature_of

MODES = ("auto", "always", "never")
_MOST_ROWS, _MOST_NUMBERS = 1 << 12, 1 << 14
"""A table with more rows, or an array with more numbers, is large."""
_MOST_SECONDS, _MOST_SECONDS_ALONE, _MOST_SECONDS_IF_LARGE = 0.1, 1.0, 0.3
"""What plain Python may take in all if there is compiled code, and one entry point if there is none."""


class _Choice:
    mode = os.environ.get("TIDELOG_COMPILE", "auto")
    spent = 0.0
    """Seconds that plain Python has taken."""
    has_large_data = False
    """Whether there was much to do already: then plain Python is only for what has not been compiled."""
    is_announced = False
    has_plan_runner = False
    """Whether compiled code runs plans, which may call services."""
    recorded: list[tuple[Entry, str]] | None = None


_choice = _Choice()
_entries: list[Entry] = []
_services: list[Service] = []
_lock = threading.RLock()
if _choice.mode not in MODES:
    _choice.mode = "auto"


def add(entry: Entry) -> None:
    """Lead an entry here until it is exchanged."""
    _entries.append(entry)
    entry.lead_to(_called, entry)


def name_of(entry: Entry | Service, signature: str = "") -> str:
    """What another process knows it by."""
    return f"{entry.function.__module__}:{entry.function.__name__}{signature}"


def _called(entry: Entry, *args: Any) -> Any:
    signature = signature_of(args)
    if not _stays(entry, args, signature):
        compile_entry(entry, signature)
        _exchange(entry)
        return entry.compiled(*args)
    if _choice.recorded is not None:
        _choice.recorded.append((entry, signature))
    began = perf_counter()
    try:
        return plain.run(entry, args)
    finally:
        took = perf_counter() - began
        entry.spent += took
        _choice.spent += took
        if _choice.spent > _MOST_SECONDS and _choice.mode == "auto" and not entry.is_kept.get(signature):
            requests.ask(name_of(entry, signature))


def _stays(entry: Entry, args: tuple[Any, ...], signature: str) -> bool:
    """Whether plain Python does it."""
    if _choice.mode != "auto":
        return _choice.mode == "never"
    if not plain.IS_POSSIBLE or (FORMS[entry.function] is Form.EXCLUSIVE and plain.threads() > 1):
        return False
    if _is_large(entry, args):
        _choice.has_large_data = True
        return False
    if not entry.is_kept.get(signature):
        entry.is_kept[signature] = folder.is_kept(name_of(entry, signature))
    if entry.is_kept[signature]:
        return _choice.spent < _MOST_SECONDS and not _choice.has_large_data
    return entry.spent < (_MOST_SECONDS_IF_LARGE if entry.runs_plans and _has_large_tables(args) else _MOST_SECONDS_ALONE)


def _has_large_tables(args: tuple[Any, ...]) -> bool:
    return bool(args[0][:, layout.COUNT].max(initial=0) > _MOST_ROWS)


def _is_large(entry: Entry, args: tuple[Any, ...]) -> bool:
    """Whether there is too much to do for plain Python."""
    names = entry.function.__code__.co_varnames
    for name, value in zip(names, args, strict=False):
        if isinstance(value, np.ndarray):
            if name not in _OF_STATE and value.size > _MOST_NUMBERS:
                return True
            if entry.walks_tables and name in ("M", "T"):
                return bool((value[:, layout.COUNT].max(initial=0) if name == "M" else value[_TERM_COUNT]) > _MOST_ROWS)
    return False


_TERM_COUNT = 0
"""`terms.COUNT`, which is imported after this."""
_OF_STATE = ("M", "X", "VR", "T", "U", "W")
"""Matrices of addresses: they say nothing about how much there is to do."""


def compile_entry(entry: Entry, signature: str) -> None:
    """Compile the function of an entry, or load it; while another process compiles it, wait for that."""
    from tidelog.local.kernel.tiers import compiled

    name = name_of(entry, signature)
    _once(name, lambda: compiled.compile_for(entry, signature, name))


def _once(name: str, make: Callable[[], None]) -> None:
    """Make what is kept by a name, unless another process does."""
    if not folder.is_kept(name):
        announce()
        if _choice.mode == "auto":
            requests.ask_for_all()
        if not folder.claim(name):
            folder.wait_for(name)
    try:
        make()
    finally:
        folder.give_back(name)


def _exchange(entry: Entry) -> None:
    """From now on the entry is compiled code, and so are the services that it may call."""
    from tidelog.local.kernel.tiers import compiled

    with _lock:
        if entry.runs_plans:
            _choice.has_plan_runner = True
            for service in _services:
                _provide(service)
        entry.is_compiled = True
        entry.lead_to(compiled.dispatcher(entry))


def need(service: Service) -> None:
    """Some plan calls a service: if compiled code runs plans, it must be there."""
    with _lock:
        if service not in _services:
            _services.append(service)
        if _choice.has_plan_runner:
            _provide(service)


def _provide(service: Service) -> None:
    if service.address == 0:
        from tidelog.local.kernel.tiers import compiled

        name = name_of(service)
        _once(name, lambda: compiled.compile_service(service, name))
        if service.place is not None:
            service.place[0] = service.address


def announce() -> None:
    """Something is compiled that this machine does not have yet, which takes some seconds; say so, once."""
    if not _choice.is_announced:
        _choice.is_announced = True
        kept = "once on this machine" if folder.CACHE_FOLDER is not None else "each time, as no folder for it can be written"
        message = f"compiling the kernel ({kept}; some seconds; `tidelog warm-up` does it ahead) ..."
        logging.getLogger("tidelog").info(message)
        sys.stderr.write(f"tidelog: {message}\n")


def compiled_by_name(name: str) -> None:
    """Compile what a name stands for and keep it, unless that has been done or another process does it."""
    if folder.is_kept(name) or not folder.claim(name):
        return
    try:
        where, _, signature = name.partition("(")
        module, _, function = where.partition(":")
        from tidelog.local.kernel.tiers import compiled

        found = getattr(import_module(module), function)
        if isinstance(found, Service):
            compiled.compile_service(found, name)
        else:
            compiled.compile_for(cast("Entry", found), f"({signature}", name)
    finally:
        folder.give_back(name)


@contextmanager
def recorded() -> Iterator[list[str]]:
    """The names of all that runs in plain Python meanwhile, in the order of its first use: everything does."""
    names: list[str] = []
    calls: list[tuple[Entry, str]] = []
    with forced("never"):
        _choice.recorded = calls
        try:
            yield names
        finally:
            _choice.recorded = None
            names += dict.fromkeys(name_of(*call) for call in calls)
            names += map(name_of, _services)


@contextmanager
def forced(mode: str) -> Iterator[None]:
    """Every call goes one way meanwhile."""
    before, _choice.mode = _choice.mode, mode
    exchanged = [entry for entry in _entries if entry.is_compiled]
    if mode == "never":
        for entry in exchanged:
            entry.is_compiled = False
            entry.lead_to(_called, entry)
    try:
        yield
    finally:
        _choice.mode = before
