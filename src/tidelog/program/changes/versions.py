"""Copy-on-write mappings: a new version costs time for what has changed, not for all entries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
_SMALL = 512
"""A mapping with fewer entries is copied: that is faster."""
_SHARE = 8
"""A version that differs in more than one entry of so many is copied as a whole."""


def new_version(mapping: Mapping[K, V]) -> MutableMapping[K, V]:
    """A mutable mapping with the same entries; from now on the given one must not change."""
    if isinstance(mapping, _Version):
        return mapping.new_version()
    return dict(mapping) if len(mapping) < _SMALL else _Version(dict(mapping) if not isinstance(mapping, dict) else mapping)


class _Version(MutableMapping[K, V]):
    """A dictionary that never changes, and the differences from it."""

    __slots__ = ("_base", "_deleted", "_own")

    def __init__(self, base: dict[K, V]) -> None:
        self._base = base
        self._own: dict[K, V] = {}
        """New and changed entries; a key that was deleted and set again iterates behind the base."""
        self._deleted: set[K] = set()
        """Deleted keys of the base, even if they were set again."""

    def new_version(self) -> MutableMapping[K, V]:
        """A new version of this mapping."""
        if _SHARE * (len(self._own) + len(self._deleted)) > len(self._base):
            return new_version(dict(self.items()))
        result = _Version(self._base)
        result._own, result._deleted = self._own.copy(), self._deleted.copy()
        return result

    def __getitem__(self, key: K) -> V:
        if key in self._own:
            return self._own[key]
        if key in self._deleted:
            raise KeyError(key)
        return self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key in self._base and key not in self._deleted)

    def __setitem__(self, key: K, value: V) -> None:
        self._own[key] = value

    def __delitem__(self, key: K) -> None:
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        if key in self._base:
            self._deleted.add(key)

    def __iter__(self) -> Iterator[K]:
        base, deleted = self._base, self._deleted
        yield from (key for key in base if key not in deleted) if deleted else base
        yield from (key for key in self._own if key not in base or key in deleted)

    def __len__(self) -> int:
        new = sum(key not in self._base or key in self._deleted for key in self._own)
        return len(self._base) - len(self._deleted) + new
