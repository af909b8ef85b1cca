"""The manifest of a run, as JSON beside each result, which traces the result to its program and inputs."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from datetime import datetime
from typing import Any

from tidelog.pipeline.report.outcome import Input, Outcome

NAME = "_manifest.json"
"""Readers of Parquet, CSV and JSON ignore names that start with `_`."""
_FORM = 1


def manifest_of(outcome: Outcome, previous: list[str] | None = None) -> dict[str, Any]:
    """The manifest of a run; `previous` are the versions of the same sink that are kept beside this one."""
    digest = hashlib.sha256(outcome.program_text.encode()).hexdigest()
    return {
        "manifest": _FORM,
        "run": outcome.run_id,
        "job": outcome.job,
        "started": _moment(outcome.started),
        "seconds": round(outcome.seconds, 3),
        "engine": outcome.engine,
        "settings": outcome.settings,
        "versions": outcome.versions,
        "program": {"name": outcome.program_name, "sha256": digest, "text": outcome.program_text},
        "inputs": [_input(entry) for entry in outcome.inputs],
        "rejected": outcome.rejected,
        "rejects_folder": outcome.rejects_folder if outcome.rejected else None,
        "counts": outcome.counts,
        "placements": [asdict(entry) for entry in outcome.placements],
        "stages": {name: round(seconds, 3) for name, seconds in outcome.stages.items()},
        "sinks": [asdict(entry) for entry in outcome.outputs],
        **({} if previous is None else {"previous": previous}),
    }


def _input(entry: Input) -> dict[str, Any]:
    return asdict(entry) | {"modified": _moment(entry.modified)}


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds").replace("+00:00", "Z")
