"""String functions and conversions between kinds; None stands for "undefined"."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tidelog.values import Kind, Value, boolean, floating, integer, parse_float, parse_integer, string, text_of


def _on_texts(compute: Callable[..., Value | None]) -> Callable[..., Value | None]:
    """Lift a computation over Python strings to values."""

    def lifted(*args: Value) -> Value | None:
        if any(arg.kind is not Kind.STRING for arg in args):
            return None
        return compute(*(arg.content for arg in args))

    return lifted


def regex(pattern: str) -> Any | None:
    """The compiled RE2 pattern, or None if it is not one."""
    return _compiled(pattern)[0]


def regex_problem(pattern: str) -> str | None:
    """What is wrong with an RE2 pattern, or None."""
    return _compiled(pattern)[1]


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> tuple[Any | None, str | None]:
    import re2  # large, and few programs need it

    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options=options), None
    except re2.error as error:
        reason = error.args[0]
        return None, reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)


LONGEST_TEXT = 2**24
"""The longest result of `cat` in characters; a longer one is undefined, so that a program that doubles a text forever stops."""


def _cat(*texts: str) -> Value | None:
    return string("".join(texts)) if sum(map(len, texts)) <= LONGEST_TEXT else None


def _matches(text: str, pattern: str) -> Value | None:
    compiled = regex(pattern)
    return None if compiled is None else boolean(compiled.fullmatch(text) is not None)


def _substring(text: Value, start: Value, length: Value) -> Value | None:
    """At most `length` characters from `start`, counted from 0; beyond the end there are none."""
    match text.content, start.content, length.content:
        case str(whole), int(first), int(count) if start.kind is Kind.INT and length.kind is Kind.INT:
            return string(whole[first : first + count]) if first >= 0 and count >= 0 else None
    return None


def _int(value: Value) -> Value | None:
    match value.content:
        case bool():
            return None
        case int():
            return value
        case float(number):
            return integer(math.trunc(number)) if math.isfinite(number) else None
        case str(text):
            return parse_integer(text)
    return None


def _float(value: Value) -> Value | None:
    match value.content:
        case bool():
            return None
        case int(number) | float(number):
            return floating(float(number))
        case str(text):
            return parse_float(text)
    return None


STRINGS: dict[str, Callable[..., Value | None]] = {
    "cat": _on_texts(_cat),
    "length": _on_texts(lambda text: integer(len(text))),
    "lower": _on_texts(lambda text: string(text.lower())),
    "upper": _on_texts(lambda text: string(text.upper())),
    "substr": _substring,
    "contains": _on_texts(lambda text, part: boolean(part in text)),
    "starts_with": _on_texts(lambda text, part: boolean(text.startswith(part))),
    "ends_with": _on_texts(lambda text, part: boolean(text.endswith(part))),
    "matches": _on_texts(_matches),
    "string": lambda value: string(text_of(value)),
    "int": _int,
    "float": _float,
}
