"""The lock: one writer, freed by the operating system."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tidelog import TidelogError
from tidelog.durable.folder_lock import FolderLock

HOLD = "import sys, pathlib; from tidelog.durable.folder_lock import FolderLock; held = FolderLock(pathlib.Path(sys.argv[1])); "


def test_a_second_lock_waits_for_the_first_to_be_released(tmp_path: Path) -> None:
    first = FolderLock(tmp_path)
    with pytest.raises(TidelogError, match=f"TL063.*is open for writing already by process {os.getpid()}"):
        FolderLock(tmp_path)
    first.release()
    first.release()
    FolderLock(tmp_path).release()


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD + "print('held', flush=True); sys.stdin.read()", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(TidelogError, match=f"TL063.*by process {process.pid}"):
            FolderLock(tmp_path)
        process.send_signal(signal.SIGKILL)
    FolderLock(tmp_path).release()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060.*cannot write .*lock: No such file"):
        FolderLock(tmp_path / "nowhere")
