"""The part of a knowledge base that concerns what outlasts it: folders (`open`, `save`, `close`, `with`), snapshots and copies.

`tidelog.durable` and `tidelog.local.sharing` do the work.
"""

from __future__ import annotations

import importlib
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from tidelog.core.recovery import Recovery
from tidelog.errors import fail
from tidelog.source import Source

if TYPE_CHECKING:
    from tidelog.local.sharing.snapshot import Snapshot


class Lasting:
    """What may be kept in a folder, or beside later states; an engine that can do it overrides these methods."""

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

    # --- states and copies -----------------------------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The state after the last update, for several questions: later updates do not show in it."""
        raise fail("TL074", "this engine has no snapshots", fix='choose engine="local", or read between two updates')

    def copy(self) -> Self:
        """An independent knowledge base with the same rules and facts."""
        raise fail("TL074", "a knowledge base on this engine cannot be copied", fix="make another one from the same sources")

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, _memo: object) -> Self:
        return self.copy()

    def __reduce__(self) -> str:
        raise fail(
            "TL074",
            "a knowledge base cannot be pickled",
            fix="save it to a folder, `kb.save(folder)`, and open that: `KnowledgeBase.open(folder)`",
        )
