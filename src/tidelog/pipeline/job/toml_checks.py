"""The checks of a TOML file, key by key: every key that is missing, unknown or of the wrong type is reported with its path."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeVar

from tidelog.errors import Diagnostics, did_you_mean
from tidelog.options import size_of
from tidelog.source import Source

_T = TypeVar("_T")
_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "a table", list: "an array"}


class Problems:
    """The problems of one job file."""

    def __init__(self, source: Source) -> None:
        self.source, self.diagnostics = source, Diagnostics()

    def add(self, place: str, problem: str, fix: str | None = None, code: str = "TL090") -> None:
        """Report a problem of the key at `place`."""
        self.diagnostics.add(code, f"{place}: {problem}" if place else problem, self.source, fix=fix)


class Section:
    """One table of the file.  Keys are taken out of it one by one; those that are left in the end are unknown."""

    def __init__(self, content: Mapping[str, Any], place: str, problems: Problems) -> None:
        self._content, self.place, self.problems = dict(content), place, problems
        self._known: list[str] = []
        self._broken: set[str] = set()

    def at(self, key: str) -> str:
        """The path of a key, as messages show it: `source[2].format`."""
        return f"{self.place}.{key}" if self.place else key

    def note(self, key: str, problem: str, fix: str | None = None, code: str = "TL090") -> None:
        """Report a problem of a key."""
        self._broken.add(key)
        self.problems.add(self.at(key), problem, fix, code)

    def is_broken(self, *keys: str) -> bool:
        """Whether a problem of one of the keys has been reported."""
        return not self._broken.isdisjoint(keys)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self._content

    # --- values of one type ----------------------------------------------------------------------------------------------

    def _take(self, key: str, kind: type[_T], *also: type) -> _T | None:
        self._known.append(key)
        value = self._content.pop(key, None)
        if value is None:
            return None
        if not isinstance(value, (kind, *also)) or (isinstance(value, bool) and kind is not bool):
            self.note(key, f"it is {_described(value)}, and {_NAMES[kind]} is expected")
            return None
        return value  # type: ignore[return-value]

    def text(self, key: str, *, required: bool = False, allows_variables: bool = False) -> str | None:
        """A non-empty text."""
        if required and not self.has(key):
            self._known.append(key)
            self.problems.add(self.place or key, f"`{key}` is missing" if self.place else "it is missing", f"add `{key} = …`")
            return None
        value = self._take(key, str)
        if value is not None and not value.strip():
            self.note(key, "it is empty")
            return None
        if value is not None and "${" in value and not allows_variables:
            self.note(key, "environment variables are not replaced here", "`${NAME}` is replaced in `options` only")
            return None
        return value

    def choice(self, key: str, choices: Collection[str], default: str) -> str:
        """One of several words."""
        value = self._take(key, str)
        if value is None or value in choices:
            return value or default
        self.note(key, f"there is no {value!r}", did_you_mean(value, choices) or f"choose one of {', '.join(choices)}")
        return default

    def truth(self, key: str, *, default: bool) -> bool:
        """A truth value."""
        value = self._take(key, bool)
        return default if value is None else value

    def whole(self, key: str, default: int | None = None, least: int = 1) -> int | None:
        """A whole number, not below `least`."""
        value = self._take(key, int)
        if value is not None and value < least:
            self.note(key, f"{value} is below {least}")
            return default
        return default if value is None else value

    def header(self, key: str) -> bool | Literal["auto"]:
        """True, false or "auto"."""
        value = self.raw(key)
        if isinstance(value, bool):
            return value
        if value is not None and value != "auto":
            self.note(key, f'{value!r} is none of true, false and "auto"')
        return "auto"

    def raw(self, key: str) -> object:
        """The value, unchecked; None if there is none."""
        self._known.append(key)
        return self._content.pop(key, None)

    def number(self, key: str) -> float | None:
        """A number above 0."""
        value = self._take(key, float, int)
        if value is not None and not value > 0:
            self.note(key, f"{value} is not above 0")
            return None
        return value

    def size(self, key: str) -> int | None:
        """A size, as a text with a unit or a number of bytes."""
        if not self.has(key):
            return None
        value = self.raw(key)
        size = size_of(value) if isinstance(value, str) else value
        if isinstance(size, int) and not isinstance(size, bool) and size > 0:
            return size
        self.note(key, f"{value!r} is not a size", 'write it like "2 GB" or "512 MiB"')
        return None

    def texts(self, key: str) -> dict[str, str]:
        """A table of texts."""
        found: dict[str, str] = {}
        for name, value in (self._take(key, dict) or {}).items():
            if isinstance(value, str) and value.strip():
                found[name] = value
            else:
                self.note(f"{key}.{name}", "a text is expected that is not empty")
        return found

    def options(self, key: str) -> dict[str, str]:
        """A table of texts, numbers and truth values, all as texts, as Spark's readers and writers take them."""
        found: dict[str, str] = {}
        for name, value in (self._take(key, dict) or {}).items():
            if isinstance(value, str | int | float):
                found[name] = str(value).lower() if isinstance(value, bool) else str(value)
            else:
                self.note(f"{key}.{name}", f"it is {_described(value)}, and a text, a number or true or false is expected")
        return found

    def values(self, key: str) -> dict[str, Any]:
        """A table of texts, numbers, truth values, dates and times."""
        found: dict[str, Any] = {}
        for name, value in (self._take(key, dict) or {}).items():
            if isinstance(value, dict | list):
                self.note(f"{key}.{name}", f"it is {_described(value)}, and one value is expected")
            else:
                found[name] = value
        return found

    def names(self, key: str) -> tuple[str, ...]:
        """An array of texts, each once."""
        value = self._take(key, list) or []
        if not all(isinstance(name, str) and name.strip() for name in value) or len(set(map(str, value))) < len(value):
            self.note(key, "texts are expected that are not empty, each once")
            return ()
        return tuple(value)

    # --- tables inside ---------------------------------------------------------------------------------------------------

    def section(self, key: str) -> Section:
        """The table under a key, empty if it is not there."""
        return Section(self._take(key, dict) or {}, self.at(key), self.problems)

    def sections(self, key: str) -> list[Section]:
        """The tables of `[[key]]`, counted from 1."""
        self._known.append(key)
        value = self._content.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            self.note(key, f"it is {_described(value)}, and tables are expected", f"write `[[{key}]]`")
            return []
        return [Section(entry, f"{self.at(key)}[{number}]", self.problems) for number, entry in enumerate(value, 1)]

    def finish(self) -> None:
        """Report the keys that were not taken."""
        for key in self._content:
            fix = did_you_mean(key, self._known) or f"the keys here are {', '.join(self._known)}"
            self.note(key, "there is no such key", fix)


def _described(value: object) -> str:
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return "an array of tables"
    return next((name for kind, name in reversed(_NAMES.items()) if type(value) is kind), "a date or time")
