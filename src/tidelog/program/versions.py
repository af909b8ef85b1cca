"""Mappings that come in versions: another version costs what has changed, and not what there is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
_SMALL = 512
"""So few entries are copied more quickly."""
_SHARE = 8
"""A version that differs in more than one of so many entries is copied as a whole."""


def new_version(mapping: Mapping[K, V]) -> MutableMapping[K, V]:
    """A mapping with the same entries that can change by itself; the one that is given must not change any more."""
    if isinstance(mapping, _Version):
        return mapping.new_version()
    return dict(mapping) if len(mapping) < _SMALL else _Version(dict(mapping) if not isinstance(mapping, dict) else mapping)


class _Version(MutableMapping[K, V]):
    """Entries of a dictionary that never changes, and how they differ from these."""

    __slots__ = ("_base", "_gone", "_own")

    def __init__(self, base: dict[K, V]) -> None:
        self._base = base
        self._own: dict[K, V] = {}
        """Entries that are new or others; where the key was gone in between, it stands behind all of the base."""
        self._gone: set[K] = set()
        """Keys of the base that have been taken out, even if they are back."""

    def new_version(self) -> MutableMapping[K, V]:
        """Another version."""
        if _SHARE * (len(self._own) + len(self._gone)) > len(self._base):
            return new_version(dict(self.items()))
        result = _Version(self._base)
        result._own, result._gone = self._own.copy(), self._gone.copy()
        return result

    def __getitem__(self, key: K) -> V:
        if key in self._own:
            return self._own[key]
        if key in self._gone:
            raise KeyError(key)
        return self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key in self._base and key not in self._gone)

    def __setitem__(self, key: K, value: V) -> None:
        self._own[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        if key in self._base:
            self._gone.add(key)

    def __iter__(self) -> Iterator[K]:
        base, gone = self._base, self._gone
        yield from (key for key in base if key not in gone) if gone else base
        yield from (key for key in self._own if key not in base or key in gone)

    def __len__(self) -> int:
        new = sum(key not in self._base or key in self._gone for key in self._own)
        return len(self._base) - len(self._gone) + new
