"""A writer that is killed at random moments: what it acknowledged is there, and what is there is a prefix of its changes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.durable.killed_writer import Replica
from tests.durable.saved_folders import everything, opened

ROOT = Path(__file__).parents[2]


class Writers:
    """Begins writers, one after the other, and kills each."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.durable.killed_writer"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._said() == "ready"

    def _said(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process that begins writers has ended"
        return line.removesuffix("\n")

    def killed_after(self, folder: Path, seconds: float, durability: str, least: int) -> int:
        """Kill a writer some time after it has opened the folder; the number of the last change that it acknowledged."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{folder}\t{durability}\t{least}\n")
        self._process.stdin.flush()
        word, process, last = self._said().split()
        assert word == "open"
        time.sleep(seconds)
        os.kill(int(process), signal.SIGKILL)
        while (line := self._said()) != "ended":
            last = line
        return int(last)

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        assert self._process.wait() == 0
        self._process.stdout.close()


@pytest.fixture(scope="module")
def writers() -> Iterator[Writers]:
    begun = Writers()
    yield begun
    begun.close()


def check_kills(writers: Writers, folder: Path, kills: int, seed: int) -> None:
    chance, replica = random.Random(seed), Replica()
    for at in range(kills):
        durability = chance.choice(("fsync", "batch", "none"))
        acknowledged = writers.killed_after(folder, chance.random() * 0.25, durability, chance.choice((300, 3_000, 1 << 22)))
        with opened(folder, read_only=bool(at % 2)) as kb:
            assert kb.recovery is not None
            assert acknowledged <= kb.recovery.sequence <= acknowledged + 1
            assert everything(kb) == replica.at(kb.recovery.sequence)


@pytest.mark.parametrize("part", range(3))
def test_a_killed_writer_loses_nothing(writers: Writers, tmp_path: Path, part: int) -> None:
    check_kills(writers, tmp_path / "kb", 10, part)


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(100))
def test_a_writer_that_is_killed_a_thousand_times_loses_nothing(writers: Writers, tmp_path: Path, part: int) -> None:
    check_kills(writers, tmp_path / "kb", 10, 1_000 + part)
