"""Sizes with units, read and shown."""

from __future__ import annotations

import pytest

from tidelog.pipeline.job.sizes import shown_size, size_of


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
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert size_of(text) == size


def test_sizes_for_people() -> None:
    assert [shown_size(size) for size in (0, 999, 1500, 123_456, 2_000_000_000)] == ["0 B", "999 B", "1.5 kB", "123 kB", "2.0 GB"]


def test_an_unknown_size_is_shown_as_nothing() -> None:
    assert shown_size(None) == ""
