"""A writer that is killed at random moments: what it acknowledged is there, and what is there is a prefix of its changes."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.durable.killed_writer import RULES, change
from tests.durable.saved_folders import Everything, everything, opened

from tidelog import KnowledgeBase

ROOT = Path(__file__).parents[2]


def killed_after(folder: Path, seconds: float, durability: str, least: int) -> int:
    """Kill a writer some time after it has opened the folder; the number of the last change that it acknowledged."""
    arguments = [sys.executable, "-m", "tests.durable.killed_writer", str(folder), durability, str(least)]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        assert first.startswith(b"open "), process.stderr.read().decode()
        time.sleep(seconds)
        process.kill()
        lines = (first.removeprefix(b"open ") + process.stdout.read()).splitlines(keepends=True)
    return int(next(line for line in reversed(lines) if line.endswith(b"\n")))


class Replica:
    """The same changes in a knowledge base that is not saved."""

    def __init__(self) -> None:
        self.kb, self.number = KnowledgeBase(RULES), 0

    def at(self, number: int) -> Everything:
        """All facts after so many changes."""
        while self.number < number:
            self.number += 1
            change(self.kb, self.number)
        return everything(self.kb)


def check_kills(folder: Path, kills: int, seed: int) -> None:
    chance, replica = random.Random(seed), Replica()
    for at in range(kills):
        durability = chance.choice(("fsync", "batch", "none"))
        acknowledged = killed_after(folder, chance.random() * 0.25, durability, chance.choice((300, 3_000, 1 << 22)))
        with opened(folder, read_only=bool(at % 2)) as kb:
            assert kb.recovery is not None
            assert acknowledged <= kb.recovery.sequence <= acknowledged + 1
            assert everything(kb) == replica.at(kb.recovery.sequence)


@pytest.mark.parametrize("part", range(3))
def test_a_killed_writer_loses_nothing(tmp_path: Path, part: int) -> None:
    check_kills(tmp_path / "kb", 10, part)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(100))
def test_a_writer_that_is_killed_a_thousand_times_loses_nothing(tmp_path: Path, part: int) -> None:
    check_kills(tmp_path / "kb", 10, 1_000 + part)
