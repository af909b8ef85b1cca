"""The number of the last acknowledged change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tidelog.durable.acknowledged import NAME, Acknowledged, last_acknowledged


def test_the_last_number_counts(tmp_path: Path) -> None:
    assert last_acknowledged(tmp_path) == 0
    file = Acknowledged(tmp_path)
    assert last_acknowledged(tmp_path) == 0
    for number in 1, 99, 12_345_678_901, 3:
        file.write(number)
        assert last_acknowledged(tmp_path) == number
    file.close()


@pytest.mark.parametrize("at", range(32))
def test_a_torn_or_damaged_number_does_not_count(tmp_path: Path, at: int) -> None:
    file = Acknowledged(tmp_path)
    file.write(77)
    file.close()
    whole = bytearray((tmp_path / NAME).read_bytes())
    (tmp_path / NAME).write_bytes(whole[:at])
    assert last_acknowledged(tmp_path) == 0
    whole[at] ^= 1
    (tmp_path / NAME).write_bytes(whole)
    assert last_acknowledged(tmp_path) == 0
