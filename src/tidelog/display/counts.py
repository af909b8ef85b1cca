"""Numbers with their nouns, for people: `1 rule`, `1,204 rules`."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
