"""Where compiled code is kept, what is there, and who compiles what just now.

Numba's cache does not notice that a function in another module has changed, so the folder is named by a hash of all compiled
sources: the kernel, its subpackages, and the loops of `maintenance`. Where the sources are makes no difference: all installations
of the same sources share what is compiled. The checked build has a folder of its own. `TIDELOG_CACHE_DIR` says where the folders
are.

Beside the code there is a file for each signature of an entry point that has been compiled (`is_kept`), and one for each that a
process compiles just now (`claim`), so that two processes do not do the same.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import tidelog.local.kernel
from tidelog.local.kernel.tiers.forms import CHECKED

_COMPILED_ELSEWHERE = {
    "backward_forward": ("bf_loop", "checks", "proving", "unit_layout"),
    "ranked": ("lost_instances", "rank_loop", "support", "suspect_queue"),
}
"""The compiled modules of packages in `maintenance`."""


def kernel_folder() -> Path:
    """Where the sources of the kernel are."""
    return Path(tidelog.local.kernel.__file__).parent


def sources_hash() -> str:
    """Tells all versions of the compiled sources apart."""
    digest = hashlib.sha256(sys.version.encode())
    digest.update(_numbas_version())
    kernel = kernel_folder()
    elsewhere = (f"{package}/{name}.py" for package, names in _COMPILED_ELSEWHERE.items() for name in names)
    compiled = [*sorted(kernel.rglob("*.py")), *(kernel.parent / "maintenance" / path for path in elsewhere)]
    for path in compiled:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _numbas_version() -> bytes:
    """Numba's version as a file, without importing Numba."""
    found = find_spec("numba")
    path = Path(found.origin).with_name("_version.py") if found is not None and found.origin else None
    return path.read_bytes() if path is not None and path.exists() else b""


def find_folder() -> Path | None:
    """The folder for compiled code, made if need be; None if nothing can be written anywhere."""
    name = f"kernel-{sources_hash()}{'-checked' if CHECKED else ''}"
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
            if is_safe(place):
                for part in (_KEPT, _CLAIMED):
                    (folder / part).mkdir(parents=True, exist_ok=True)
                with tempfile.TemporaryFile(dir=folder):
                    return folder
        except OSError:
            continue
    return None


def is_safe(place: Path) -> bool:
    """Whether nobody else can write to a folder below the temporary one, which others can: compiled code is run."""
    if place.parent != Path(tempfile.gettempdir()):
        return True
    found = place.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o022


_KEPT, _CLAIMED = "kept", "claimed"
CACHE_FOLDER = find_folder()


def _file(part: str, name: str) -> Path | None:
    return CACHE_FOLDER / part / hashlib.sha256(name.encode()).hexdigest()[:24] if CACHE_FOLDER is not None else None


def is_kept(name: str) -> bool:
    """Whether something has been compiled and kept."""
    path = _file(_KEPT, name)
    return path is not None and path.exists()


def note_kept(name: str) -> None:
    """It has been compiled, and Numba has kept it."""
    path = _file(_KEPT, name)
    if path is not None:
        try:
            path.touch()
        except OSError:
            return  # then it is compiled again: Numba could not keep it either


def claim(name: str) -> bool:
    """Whether this process is to compile it: nobody else does."""
    path = _file(_CLAIMED, name)
    if path is None:
        return True
    try:
        with path.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        if _is_alive(path):
            return False
        path.write_text(str(os.getpid()))  # whoever claimed it has ended
    except OSError:
        return True
    return True


def give_back(name: str) -> None:
    """It has been compiled, or cannot be."""
    path = _file(_CLAIMED, name)
    if path is not None:
        path.unlink(missing_ok=True)


def wait_for(name: str) -> None:
    """Until whoever compiles it has done so, or has ended."""
    path = _file(_CLAIMED, name)
    while path is not None and not is_kept(name) and path.exists() and _is_alive(path):
        time.sleep(0.01)


def _is_alive(path: Path) -> bool:
    try:
        owner = int(path.read_text() or 0)
        if owner == 0:
            return time.time() - path.stat().st_mtime < 1  # its number is about to be written
        os.kill(owner, 0)
    except (OSError, ValueError):
        return False
    return True
