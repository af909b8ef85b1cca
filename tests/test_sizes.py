"""Sizes as users write them, and the memory of this machine."""

from __future__ import annotations

import pytest

from tidelog.sizes import machine_memory, size_of


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("2 GB", 2_000_000_000),
        ("512MiB", 512 << 20),
        ("1.5g", 1_500_000_000),
        ("100", 100),
        ("0 GB", None),
        ("x", None),
        ("2 XB", None),
        ("9" * 400, None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


def test_the_memory_of_this_machine() -> None:
    assert machine_memory() > 1 << 20
