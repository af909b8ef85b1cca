"""Conformity tests for declared columns: functions that no program can name.

`#float(X)` is X if X is a float, the float of X if X is an integer, and undefined otherwise; `#string(X)` is X if X is a string,
and so on.  `program.declared_columns` puts them into heads whose values might not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tidelog.values import Kind, Value, floating

CONFORM = "#"
"""The prefix of their names."""


def conform(kind: Kind, value: Value) -> Value | None:
    """The value as one of that kind, or None."""
    if kind is Kind.FLOAT and value.kind is Kind.INT and isinstance(value.content, int):
        return floating(float(value.content))
    return value if value.kind is kind else None


CONFORMING: dict[str, Callable[..., Value | None]] = {CONFORM + kind.value: partial(conform, kind) for kind in Kind}
