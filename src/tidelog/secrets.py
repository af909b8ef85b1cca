"""Secrets in options of readers and writers: what messages, reports and manifests may show of them.

An option is secret if its name says so (`password`, `token`); so is the value of an environment variable that an option names
as `${NAME}`, and the password in a URL.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from tidelog.errors import Diagnostic

VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_NAME = re.compile(r"passw|secret|token|credential|api.?key|access.?key|account.?key|private.?key|\bsas\b", re.IGNORECASE)
_SECRET_IN_URL = re.compile(r"(?i)((?:password|passwd|pwd|secret|token)=)[^&;\s]*|(://[^/@:\s]*:)[^/@\s]+(?=@)")
_HIDDEN = "•••"
_SHORTEST_SECRET = 4


def variables_in(options: Iterable[Mapping[str, str]]) -> list[str]:
    """The names of all variables that options mention, each once."""
    return list(dict.fromkeys(name for table in options for value in table.values() for name in VARIABLE.findall(value)))


def shown_options(options: Mapping[str, str]) -> dict[str, str]:
    """The options as the report and the manifest may show them."""
    return {key: _shown(key, value) for key, value in options.items()}


def _shown(key: str, value: str) -> str:
    if _SECRET_NAME.search(key) and not VARIABLE.fullmatch(value):
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
            if _SECRET_NAME.search(key) and len(value) >= _SHORTEST_SECRET and not VARIABLE.fullmatch(value):
                message = message.replace(value, _HIDDEN)
    return without_passwords(message)


def without_secrets(diagnostic: Diagnostic, options: Mapping[str, str]) -> Diagnostic:
    """A diagnostic whose texts repeat none of the secrets of some options."""
    message, notes = redacted(diagnostic.message, [options]), tuple(redacted(note, [options]) for note in diagnostic.notes)
    return replace(diagnostic, message=message, notes=notes)
