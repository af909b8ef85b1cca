"""Options with secrets: `${NAME}` is replaced by an environment variable for a reader or writer of Spark, and nowhere else.

A job keeps its options as they are written, so neither the report nor the manifest can show what stands in a variable.  Messages
of other programs are searched for secrets before they are shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from tidelog.errors import Diagnostics, TidelogError

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"passw|secret|token|credential|api.?key|access.?key|account.?key|private.?key|\bsas\b", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"(?i)((?:password|passwd|pwd|secret|token)=)[^&;\s]*|(://[^/@:\s]*:)[^/@\s]+(?=@)")
_HIDDEN = "•••"
_SHORTEST_SECRET = 4


def variables_in(options: Iterable[Mapping[str, str]]) -> list[str]:
    """The names of all variables that options mention, each once."""
    return list(dict.fromkeys(name for table in options for value in table.values() for name in _VARIABLE.findall(value)))


def check_variables(names: Iterable[str]) -> None:
    """Raise one error with all variables that are not set."""
    diagnostics = Diagnostics()
    for name in names:
        if name not in os.environ:
            fix = f"set it before the job starts: export {name}=…"
            diagnostics.add("TL094", f"the job uses ${{{name}}}, and the environment has no such variable", fix=fix)
    diagnostics.raise_errors()


def with_variables(options: Mapping[str, str]) -> dict[str, str]:
    """The options with the variables put in: for a reader or writer, never to be shown."""
    check_variables(variables_in([options]))
    return {key: _VARIABLE.sub(lambda match: os.environ[match[1]], value) for key, value in options.items()}


# --- what may be shown -----------------------------------------------------------------------------------------------------


def shown_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options as the report and the manifest may show them."""
    return {key: _shown(key, value) for key, value in options.items()}


def _shown(key: str, value: str) -> str:
    if _SECRET_NAME.search(key) and not _VARIABLE.fullmatch(value):
        return _HIDDEN
    return without_passwords(value)


def without_passwords(text: str) -> str:
    """A text, such as a URL, with the passwords in it hidden."""
    return _SECRET_IN_URL.sub(lambda match: (match[1] or match[2]) + _HIDDEN, text)


def redacted(message: str, options: Iterable[Mapping[str, str]]) -> str:
    """A message of another program without the secrets of some options, should it repeat them."""
    tables = list(options)
    for name in variables_in(tables):
        if len(secret := os.environ.get(name, "")) >= _SHORTEST_SECRET:
            message = message.replace(secret, f"${{{name}}}")
    for table in tables:
        for key, value in table.items():
            if _SECRET_NAME.search(key) and len(value) >= _SHORTEST_SECRET and not _VARIABLE.fullmatch(value):
                message = message.replace(value, _HIDDEN)
    return without_passwords(message)


def without_secrets(error: TidelogError, options: Mapping[str, str]) -> TidelogError:
    """An error without the secrets of some options."""

    def shown(text: str) -> str:
        return redacted(text, [options])

    return TidelogError(replace(one, message=shown(one.message), notes=tuple(map(shown, one.notes))) for one in error.diagnostics)


@contextmanager
def keeping_secrets(options: Mapping[str, str]) -> Iterator[None]:
    """Around a reader that is given options: its errors repeat none of the secrets among them, nor does their cause."""
    try:
        yield
    except TidelogError as error:
        if not options:
            raise
        raise without_secrets(error, options) from None
