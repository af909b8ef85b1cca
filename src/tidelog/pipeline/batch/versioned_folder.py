"""A folder whose content is replaced as a whole: versions side by side, and a pointer file that names the current one.

    results/anomaly/CURRENT                              20261115T064300Z-1f2e3d
    results/anomaly/versions/20261115T064300Z-1f2e3d/    part-00000.parquet, _manifest.json
    results/anomaly/versions/20261114T064300Z-9a8b7c/    the version before

A version is written, then its manifest, then the pointer is replaced; so a reader that follows the pointer never sees half
a result, whatever happens in between.  A manifest lists the versions before it that are kept.  Any other folder was left by a
run that failed, and the next run removes it.

Two runs at once are fenced: each run writes its id into `CLAIM` when it starts, over that of a run before, and moves the pointer
only while its own id is there.  So the run that started last wins and the other one fails; a run that was taken for dead (a JVM
that outlives its Python, a machine that comes back) can never publish.
"""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import Any

from tidelog.errors import TidelogError, fail
from tidelog.pipeline.report.outcome import MANIFEST
from tidelog.stores import Store, store_at

POINTER, CLAIM, VERSIONS = "CURRENT", "CLAIM", "versions"
_OURS = {POINTER, CLAIM, VERSIONS}


def read_current(path: str | PathLike[str]) -> str:
    """The folder with the current version of a sink, for a reader of any kind: `spark.read.parquet(read_current(path))`.

    An address such as `s3a://…` is reached by the Spark of this process, or, if there is none, by pyarrow.
    """
    current = store_at(fspath(path)).read(POINTER)
    if current is None:
        fix = "run the job that fills it, or check the path"
        raise fail("TL060", f"cannot read {fspath(path)}: it has no file {POINTER}, so there is no result in it", fix=fix)
    return f"{fspath(path).rstrip('/')}/{VERSIONS}/{current.strip()}"


class VersionedFolder:
    """One sink's folder during one run."""

    def __init__(self, path: str, run_id: str, keep: int, store: Store | None = None) -> None:
        self.path, self.run_id, self.keep = path, run_id, keep
        self._store = store or store_at(path)
        self._kept: list[str] = []
        self._is_claimed = self._is_published = False

    @property
    def data(self) -> str:
        """Where the engine writes this run's version."""
        return f"{self.path.rstrip('/')}/{VERSIONS}/{self.run_id}"

    @property
    def current(self) -> str | None:
        """The current version, if there is one."""
        text = self._store.read(POINTER)
        return text.strip() if text is not None else None

    def check(self, mode: str) -> None:
        """Raise an error if this folder cannot be the sink; nothing is changed."""
        try:
            others = [name for name in self._store.entries() if name not in _OURS and not name.startswith(".")]
        except NotADirectoryError:
            raise fail("TL093", f"{self.path} is a file, and a sink is a folder", fix="choose another path") from None
        if others:
            problem = f"{self.path} contains other files, {others[0]} among them"
            raise fail("TL093", problem, fix="choose a folder that is empty, or one that a job has filled")
        if mode == "error" and self.current is not None:
            fix = 'choose another path, or `mode = "overwrite"`, which keeps the versions before'
            raise fail("TL093", f'{self.path} has a result already, and the sink says `mode = "error"`', fix=fix)

    def begin(self) -> None:
        """Claim the folder, and remove what failed runs have left."""
        try:
            self._store.replace(CLAIM, self.run_id + "\n")
            self._is_claimed = True
            current = self.current
            self._kept = [] if current is None else [current, *self._previous(current)]
            for version in self._store.entries(VERSIONS):
                if version not in self._kept:
                    self._store.remove(f"{VERSIONS}/{version}")
        except OSError as error:
            raise self._unwritable(error) from error

    def _previous(self, version: str) -> list[str]:
        """The versions before one, as its manifest lists them."""
        try:
            listed = json.loads(self._store.read(f"{VERSIONS}/{version}/{MANIFEST}") or "{}").get("previous", [])
        except ValueError:
            listed = []
        return [str(entry) for entry in listed]

    @property
    def previous(self) -> list[str]:
        """The versions before this run's that will be kept, newest first."""
        return self._kept[: self.keep - 1]

    def finish_data(self, manifest: dict[str, Any]) -> None:
        """Write the manifest beside the data, and write all of it through to the disk."""
        try:
            self._store.replace(f"{VERSIONS}/{self.run_id}/{MANIFEST}", json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")
            self._store.make_durable(f"{VERSIONS}/{self.run_id}")
        except OSError as error:
            raise self._unwritable(error) from error

    def check_claim(self) -> None:
        """Raise an error if another run has started meanwhile."""
        claimed = (self._store.read(CLAIM) or "").strip()
        if claimed != self.run_id:
            other = f"the run {claimed}" if claimed else "another run, which has ended,"
            fix = "let one run end before the next begins; nothing of this one has been published there"
            raise fail("TL093", f"{other} has taken over {self.path}", fix=fix)

    def publish(self) -> None:
        """Make this run's version the current one."""
        try:
            self._store.replace(POINTER, self.run_id + "\n")
            self._is_published = True
        except OSError as error:
            raise self._unwritable(error) from error

    def end(self) -> None:
        """Release the claim, and remove versions that are not kept: old ones, or this run's own if it failed."""
        if not self._is_claimed:
            return
        unwanted = self._kept[self.keep - 1 :] if self._is_published else [self.run_id]
        for version in unwanted:
            if version != self.current:
                self._store.remove(f"{VERSIONS}/{version}")
        if (self._store.read(CLAIM) or "").strip() == self.run_id:
            self._store.remove(CLAIM)

    def _unwritable(self, error: OSError) -> TidelogError:
        problem = error.strerror or str(error)
        return fail("TL093", f"cannot write to {self.path}: {problem}", fix="check the path, the rights and the space")
