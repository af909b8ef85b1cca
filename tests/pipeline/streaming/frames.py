"""A stand-in for DataFrames."""

from __future__ import annotations

from typing import Any


class Frame:
    """A DataFrame, as far as a source looks at it."""

    def __init__(self, rows: list[Any], *, streaming: bool = True, **types: str) -> None:
        self.rows, self.isStreaming, self.dtypes = rows, streaming, list(types.items())

    def collect(self) -> list[Any]:
        return list(self.rows)
