"""Forked processes, in which no other thread goes on: what another one was doing, or held, is left as it was at that moment."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Forkable(Protocol):
    """Something that threads share."""

    def forked(self) -> None:
        """Begin to live in a process that was forked from the one that made it."""


_KNOWN: weakref.WeakSet[Forkable] = weakref.WeakSet()


def tell_of_forks(shared: Forkable) -> None:
    """Tell it of every fork, as long as it is there."""
    _KNOWN.add(shared)


def _tell() -> None:
    for shared in list(_KNOWN):
        shared.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell)
