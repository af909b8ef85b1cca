"""Everything that may happen to a saved knowledge base, in any order, against the reference."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.durable.long_life import Life
from tests.local_engine import odd_conditions, under

from tidelog.durable import saved
from tidelog.local.storage import term_collection

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""An exception that another thread raises may come while a generator is closed: Python reports it and goes on."""


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """The journal is compacted and unused terms are collected every few updates."""
    monkeypatch.setattr(saved, "LEAST_JOURNAL", 400)
    monkeypatch.setattr(term_collection, "LEAST_GROWTH", 20)


def live(folder: Path, seed: int, steps: int) -> Life:
    with under(odd_conditions(seed)):
        life = Life(folder, seed)
        for _ in range(steps):
            life.step()
        life.end()
    return life


@pytest.mark.parametrize("seed", range(6))
def test_a_life_by_chance(tmp_path: Path, seed: int) -> None:
    assert sum(live(tmp_path, seed, 40).done.values()) == 40


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1_000, 2_000))
def test_many_lives_by_chance(tmp_path: Path, seed: int) -> None:
    life = live(tmp_path, seed, 150)
    assert len(life.done) > 20
    assert life.chance.stops > 3
