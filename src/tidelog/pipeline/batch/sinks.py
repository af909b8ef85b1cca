"""Sinks and the report: the data of all folders is written first, then tables, then all pointers are moved.

Until the pointers move, nothing that readers see has changed, except tables, which have no pointer: an error or Ctrl-C before
that leaves every folder as it was.  Moving the pointers takes milliseconds, and Ctrl-C waits for it.
"""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Self

from tidelog.errors import Diagnostics, TidelogError, fail
from tidelog.pipeline.batch.backend import Backend
from tidelog.pipeline.batch.versioned_folder import VersionedFolder
from tidelog.pipeline.job.parts import SinkPart
from tidelog.pipeline.report.outcome import Outcome, Output, manifest_of
from tidelog.redaction import shown_options, without_passwords
from tidelog.stores import Store, store_at

StoreOf = Callable[[str], Store]
"""Gives the store of a path or address."""


class Sinks:
    """The sinks of one run; leaving the context without `publish` removes what was written to folders."""

    def __init__(self, parts: Sequence[SinkPart], run_id: str, store_of: StoreOf = store_at) -> None:
        self._folders = [
            (part, VersionedFolder(part.path, run_id, part.keep, store_of(part.path)))
            for part in parts
            if part.path is not None and part.is_versioned
        ]
        self._tables = [part for part in parts if not part.is_versioned]
        self._run_id = run_id

    def check(self) -> None:
        """Raise one error with all folders that cannot be sinks; nothing is changed."""
        diagnostics = Diagnostics()
        for part, folder in self._folders:
            try:
                folder.check(part.mode)
            except TidelogError as error:
                diagnostics.extend(error.diagnostics)
        diagnostics.raise_errors()

    def __enter__(self) -> Self:
        """Claim all folders."""
        try:
            for _, folder in self._folders:
                folder.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        """Release the folders; what was not published is removed."""
        for _, folder in self._folders:
            folder.end()

    def write(self, backend: Backend, counts: dict[str, int], tell: Callable[[str], None]) -> Iterator[Output]:
        """Write the data of all folders, then all tables; what is yielded has been written."""
        for part, folder in self._folders:
            folder.check_claim()
            tell(f"writing {part.relation} to {part.target}")
            started = perf_counter()
            try:
                backend.write_folder(part, folder.data)
            except TidelogError:
                folder.check_claim()  # a run that has taken over removes this one's folder: report that
                raise
            yield self._output(part, counts, perf_counter() - started, self._run_id)
        for part in self._tables:
            tell(f"writing {part.relation} to {part.target}")
            started = perf_counter()
            backend.write_table(part)
            yield self._output(part, counts, perf_counter() - started, None)

    def _output(self, part: SinkPart, counts: dict[str, int], seconds: float, version: str | None) -> Output:
        target, options = without_passwords(part.target), shown_options(part.options)
        return Output(part.relation, target, part.format, counts[part.relation], seconds, version, options)

    def publish(self, outcome: Outcome) -> None:
        """Write the manifests beside the data and move all pointers."""
        for _, folder in self._folders:
            folder.finish_data(manifest_of(outcome, folder.previous))
        with _without_interruption():
            for _, folder in self._folders:
                folder.check_claim()
            for _, folder in self._folders:
                folder.publish()


def write_report(outcome: Outcome, path: str, store_of: StoreOf = store_at) -> None:
    """Write the report, and the manifest beside it; each takes the place of the one before at once."""
    from tidelog.pipeline.report.html import page

    folder, _, name = path.rpartition("/")
    try:
        store = store_of(folder or ".")
        store.replace(name, page(outcome))
        manifest = json.dumps(manifest_of(outcome), indent=2, ensure_ascii=False)
        store.replace(f"{name.removesuffix('.html')}.manifest.json", manifest + "\n")
    except OSError as error:
        problem = f"the results are written, but the report is not: cannot write {path}: {error.strerror or error}"
        raise fail("TL060", problem, fix="choose another path in `[report]`, or give --report") from error


@contextmanager
def _without_interruption() -> Iterator[None]:
    """Delay Ctrl-C and SIGTERM until the end of the block."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python delivers signals to the main thread only
        return
    kept: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda which, _frame: kept.append(which))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if kept:
        signal.raise_signal(kept[0])
