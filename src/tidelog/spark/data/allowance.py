"""The memory that Tidelog's own data may take in the driver: one budget for all that is held there, by measured bytes."""

from __future__ import annotations

from collections.abc import Callable

_SHARE = 4
"""What is broadcast may take one of so many parts of the budget."""
ALWAYS = 16 << 20
"""So many bytes of the kernel are not counted: tables and dictionary have room for more from the start."""


class Allowance:
    """The budget, and who holds how much of it."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._held: dict[str, Callable[[], int]] = {}

    def note(self, holder: str, measure: Callable[[], int]) -> None:
        """Let somebody hold data; `measure` says how many bytes it is now."""
        self._held[holder] = measure

    @property
    def in_use(self) -> int:
        """How many bytes are held."""
        return sum(measure() for measure in self._held.values())

    @property
    def room(self) -> int:
        """How many bytes are left."""
        return max(0, self.limit - self.in_use)

    def room_beside(self, holder: str) -> int:
        """How many bytes one of the holders may have in all."""
        return max(0, self.limit - sum(measure() for name, measure in self._held.items() if name != holder))

    def has_room(self, size: int) -> bool:
        """Whether so many bytes may be fetched: while they arrive, there are two copies of them."""
        return 2 * size <= self.room

    def may_pass(self, size: int) -> bool:
        """Whether so many bytes may pass through the driver, as those of a broadcast do."""
        return size * _SHARE <= self.limit
