"""The part of a knowledge base that concerns folders: `open`, `save`, `close` and `with`.  `tidelog.durable` does the work."""

from __future__ import annotations

import importlib
from os import PathLike
from typing import Any, Self

from tidelog.core.recovery import Recovery
from tidelog.errors import fail
from tidelog.source import Source


class Lasting:
    """What may be kept in a folder; an engine that can be overrides `save` and `close`."""

    recovery: Recovery | None = None  # what opening it from a folder did

    @classmethod
    def open(
        cls,
        folder: str | PathLike[str],
        rules: str | PathLike[str] | Source | None = None,
        *,
        durability: str = "batch",
        read_only: bool = False,
        **options: Any,
    ) -> Self:
        """The knowledge base of a folder; a new one, if the folder is empty or missing.  Every change is saved there.

        A loss of power takes nothing with `durability="fsync"`, the last moment with `batch`, everything with `none`.
        """
        home = importlib.import_module("tidelog.durable.opening")
        kb: Self = home.open_saved(folder, rules, durability=durability, read_only=read_only, options=options)
        return kb

    def save(self, folder: str | PathLike[str], *, durability: str | None = None) -> None:
        """Save everything to a folder, and every change from now on."""
        fix = 'choose engine="local"; the stream of a pipeline keeps a state of its own'
        raise fail("TL074", f'engine="spark" cannot be saved to {folder} (durability={durability})', fix=fix)

    def close(self) -> None:
        """Close the folder that it is saved in, if there is one."""
        self.recovery = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()
