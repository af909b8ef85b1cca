"""The kernel, compiled by Numba: functions for each form, and one cache folder."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, Self

import numba
from numba import cfunc, njit

from tidelog.local.kernel.tiers import folder, instructions
from tidelog.local.kernel.tiers.folder import note_kept
from tidelog.local.kernel.tiers.forms import CHECKED, FORMS, Either, Entry, Form, Service
from tidelog.local.kernel.tiers.signatures import numba_types
from tidelog.local.kernel.tiers.twins import World


class Locator:
    """Where Numba keeps a compiled function: by the name of its module, where Numba's own locators take the path of its file."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._py_file = path  # by Numba's name: its warnings mention it
        self._folder = Path(folder.CACHE_FOLDER or tempfile.gettempdir()) / function.__module__
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> Self:
        """The place of a function; nothing is written yet."""
        return cls(function, path)

    def get_cache_path(self) -> str:
        """The folder of the function's module."""
        return str(self._folder)

    def ensure_cache_path(self) -> None:
        """Make the folder; something is to be written."""
        self._folder.mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """What was compiled from another text does not count."""
        return _digest(self._py_file)

    def get_disambiguator(self) -> str:
        """Tells functions of one name apart."""
        return str(self._line)


@cache
def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@contextmanager
def _cache_folder_set() -> Iterator[None]:
    """Numba reads where its cache is while it decorates; others must not see ours."""
    config = numba.config
    before = config.CACHE_DIR, getattr(config, "CACHE_LOCATOR_CLASSES", "")  # Numba 0.60 has no locators of others
    config.CACHE_DIR = str(folder.CACHE_FOLDER or before[0])
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{Locator.__name__}"
    try:
        yield
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


_SERVICE: dict[str, Any] = {"nopython": True, "error_model": "numpy"}
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": CHECKED, "error_model": "numpy"}
_ALLOCATING_PACKAGES = frozenset(("aggregates", "closures", "digraphs"))
"""The packages of the kernel that allocate arrays."""


def _options(function: Callable[..., Any]) -> dict[str, Any]:
    """Without references where nothing is allocated: to count those of two matrices takes longer than most parts given them."""
    return {**_OPTIONS, "_nrt": not _ALLOCATING_PACKAGES.isdisjoint(function.__module__.split("."))}


class _CompiledWorld(World):
    """Functions that Numba compiles when they are first called; those that Python calls are kept on disk."""

    def _made(self, function: FunctionType, copy: FunctionType) -> Any:
        options, is_kept = _options(function), folder.CACHE_FOLDER is not None
        match FORMS[function]:
            case Form.PART:
                return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(copy)
            case Form.HOT:
                inside = {**_OPTIONS, "_nrt": True, "forceinline": True}
                return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **inside)(copy)
            case Form.SERVICE:
                signature = "int64(int64,int64,int64,int64,int64,int64)"
                with _cache_folder_set():
                    return cfunc(signature, cache=is_kept, **_SERVICE)(copy)
            case form:
                with _cache_folder_set():
                    return njit(cache=is_kept, **{**options, "nogil": form is Form.ENTRY})(copy)

    def _chosen(self, either: Either) -> Any:
        return either.compiled

    def _instruction(self, function: FunctionType) -> Any:
        return getattr(instructions, function.__name__)

    def _resolved(self, value: Any) -> Any:
        return value if isinstance(value, Service) else super()._resolved(value)  # nobody calls it by its name


_world = _CompiledWorld()


def dispatcher(entry: Entry) -> Any:
    """What compiles the function of an entry for what it is called with, and calls it."""
    if entry.compiled is None:
        entry.compiled = _world.twin(entry.function)
    return entry.compiled


def compile_for(entry: Entry, signature: str, name: str) -> None:
    """Compile the function of an entry, or load it if it is kept."""
    dispatcher(entry).compile(numba_types(signature))
    note_kept(name)


def compile_service(service: Service, name: str) -> None:
    """Compile a service, or load it, so that it has an address."""
    if service.address == 0:
        compiled = _world.twin(service.function)
        service.kept.append(compiled)
        service.address = int(compiled.address)
        note_kept(name)
