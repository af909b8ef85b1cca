"""How the kernel is compiled: one decorator for entry points, one for their parts, one cache folder, two builds.

Numba's cache does not notice that a function in another module has changed, so the folder is named by a hash of all compiled
sources: this package, its subpackages, and the loops of `maintenance`. Where the sources are makes no difference: all
installations of the same sources share what is compiled. `TIDELOG_CHECKED=1` chooses the checked build, in which every access to
a buffer is bounds-checked and an access out of bounds raises `IndexError`; it has a folder of its own. `TIDELOG_CACHE_DIR` says
where the folders are.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

import numba
from numba import cfunc, njit

F = TypeVar("F", bound=Callable[..., Any])

CHECKED = os.environ.get("TIDELOG_CHECKED", "") not in ("", "0")
"""Whether this process runs the checked build."""


_COMPILED_ELSEWHERE = {
    "backward_forward": ("bf_loop", "checks", "proving", "unit_layout"),
    "ranked": ("rank_loop", "support", "suspect_queue"),
}
"""The compiled modules of packages in `maintenance`."""


def _sources_hash() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    kernel = Path(__file__).parent
    elsewhere = (f"{package}/{name}.py" for package, names in _COMPILED_ELSEWHERE.items() for name in names)
    compiled = [*sorted(kernel.rglob("*.py")), *(kernel.parent / "maintenance" / path for path in elsewhere)]
    for path in compiled:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_folder() -> Path | None:
    """The folder for compiled code, made if need be; None if nothing can be written anywhere."""
    name = f"kernel-{_sources_hash()}{'-checked' if CHECKED else ''}"
    home = os.environ.get("XDG_CACHE_HOME")
    places = [Path(home) / "tidelog"] if home else []
    if "TIDELOG_CACHE_DIR" in os.environ:
        places = [Path(os.environ["TIDELOG_CACHE_DIR"])]
    else:
        places += [Path("~/.cache/tidelog").expanduser(), Path(tempfile.gettempdir()) / f"tidelog-{os.getuid()}"]
    for place in places:
        folder = place / name
        try:
            place.mkdir(0o700, parents=True, exist_ok=True)
            if _is_safe(place):
                folder.mkdir(exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    return folder
        except OSError:
            continue
    return None


def _is_safe(place: Path) -> bool:
    """Whether nobody else can write to a folder below the temporary one, which others can: compiled code is run."""
    if place.parent != Path(tempfile.gettempdir()):
        return True
    found = place.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


CACHE_FOLDER = _cache_folder()
IS_WARM = CACHE_FOLDER is not None and any(CACHE_FOLDER.rglob("join*.nbc"))
"""Whether the join kernel has been compiled before; if not, the first use takes some seconds, and the user is told so."""


class Locator:
    """Where Numba keeps a compiled function: by the name of its module, where Numba's own locators take the path of its file."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._py_file = path  # by Numba's name: its warnings mention it
        self._folder = Path(CACHE_FOLDER or tempfile.gettempdir()) / function.__module__
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
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(CACHE_FOLDER or before[0]), f"{__name__}.{Locator.__name__}"
    try:
        yield
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


def kernel(function: F) -> F:
    """Compile a function that Python calls; the result is kept on disk."""
    with _cache_folder_set():
        return njit(cache=CACHE_FOLDER is not None, **_options(function))(function)  # type: ignore[no-any-return]


def exclusive(function: F) -> F:
    """As `kernel`, but no other thread of Python runs meanwhile: for short work on buffers that are changed in place."""
    with _cache_folder_set():
        return njit(cache=CACHE_FOLDER is not None, **{**_options(function), "nogil": False})(function)  # type: ignore[no-any-return]


def part(function: F) -> F:
    """Compile a function that only the kernel itself calls."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_options(function))(function)  # type: ignore[no-any-return]


def hot(function: F) -> F:
    """Compile a part straight into its callers: a call would cost more than what it does."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True, **{**_OPTIONS, "_nrt": True})(function)  # type: ignore[no-any-return]


def service(function: Callable[[int, int, int, int, int, int], int]) -> Callable[[], int]:
    """A part that the kernel calls by its address, so that it is compiled only if some plan needs it.

    The result returns the address; the first call compiles the part, or loads it from the cache.
    """
    kept: list[Any] = []

    def address() -> int:
        if not kept:
            signature = "int64(int64,int64,int64,int64,int64,int64)"
            with _cache_folder_set():
                kept.append(cfunc(signature, cache=CACHE_FOLDER is not None, **_SERVICE)(function))
        return int(kept[0].address)

    return address


_SERVICE: dict[str, Any] = {"nopython": True, "error_model": "numpy"}
_OPTIONS: dict[str, Any] = {"nogil": True, "boundscheck": CHECKED, "error_model": "numpy"}
_ALLOCATING_PACKAGES = frozenset(("aggregates", "closures", "digraphs"))
"""The packages of the kernel that allocate arrays."""


def _options(function: Callable[..., Any]) -> dict[str, Any]:
    """Without references where nothing is allocated: to count those of two matrices takes longer than most parts given them."""
    return {**_OPTIONS, "_nrt": not _ALLOCATING_PACKAGES.isdisjoint(function.__module__.split("."))}


_announced: list[bool] = []


def announce_compilation() -> None:
    """The first time on a machine the kernel is compiled, which takes some seconds; say so."""
    if not IS_WARM and not _announced:
        _announced.append(True)
        kept = "once on this machine" if CACHE_FOLDER is not None else "each time, as no folder for it can be written"
        sys.stderr.write(f"tidelog: compiling the kernel ({kept}; some seconds) ...\n")
