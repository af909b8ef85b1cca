"""Streams whose next update is to be seen at certain moments only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, repeat

from tidelog.streams.source import UpdateSource
from tidelog.streams.update import Update

ALWAYS, NEVER = repeat(True), repeat(False)


class SeenStream(UpdateSource):
    """Updates in memory; `moments` says for one look ahead after the other whether the next update has come by then."""

    def __init__(self, updates: Iterable[Update], moments: Iterable[bool]) -> None:
        super().__init__()
        self._updates: Iterator[Update] = iter(updates)
        self._moments = chain(moments, repeat(False))

    def _take(self) -> Update | None:
        return next(self._updates, None)

    def _is_ready(self) -> bool:
        return next(self._moments)
