"""Small jobs, and stand-ins for the engine, that the tests of the pipeline share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tidelog.pipeline.batch.backend import LoadedSource
from tidelog.pipeline.batch.rejects import RejectLog
from tidelog.pipeline.job.job_file import Job, job_of
from tidelog.pipeline.job.parts import SinkPart, SourcePart
from tidelog.pipeline.report.outcome import Placement, Round
from tidelog.source import Source
from tidelog.stores import Store, store_at

RULES = """\
@relation edge(src: string, dst: string) .
path(X, Y) :- edge(X, Y).
path(X, Z) :- path(X, Y), edge(Y, Z).
"""
JOB = """\
[program]
path = "rules.dl"

[[source]]
relation = "edge"
path = "edges.csv"

[[sink]]
relation = "path"
path = "out/path"
format = "csv"

[engine]
name = "local"
"""


def job_from(folder: Path, text: str = JOB, name: str = "job.toml") -> Job:
    """The job of a text whose paths start from a folder."""
    return job_of(Source(text, name), folder)


def prepare(folder: Path, rules: str = RULES, edges: str = "src,dst\na,b\nb,c\n") -> Path:
    """A folder with the program, its data and a job file; the path of the job file."""
    (folder / "rules.dl").write_text(rules, encoding="utf-8")
    (folder / "edges.csv").write_text(edges, encoding="utf-8")
    (folder / "job.toml").write_text(JOB, encoding="utf-8")
    return folder / "job.toml"


class StandIn:
    """An engine that knows what it will be asked."""

    def __init__(self, during_write: Callable[[str], None] | None = None) -> None:
        self.during_write = during_write
        self.loaded: list[SourcePart] = []
        self.tables: list[str] = []
        self.is_closed = False

    def start(self) -> None:
        pass

    def load(self, source: SourcePart, rejects: RejectLog) -> LoadedSource:  # noqa: ARG002
        self.loaded.append(source)
        return LoadedSource((source.relation or "?",), 2)

    def schema(self, source: SourcePart) -> list[tuple[str, str]]:  # noqa: ARG002
        return [("src", "string")]

    def count(self, relation: str) -> int:
        return {"edge": 2, "path": 3}.get(relation, 0)

    def placements(self) -> list[Placement]:
        return [Placement(("path",), "rounds", "because", 2, 0.5, 3)]

    def rounds(self) -> list[Round]:
        return [Round(0, 1, 2), Round(0, 2, 1)]

    def store(self, path: str) -> Store:
        return store_at(path)

    def write_folder(self, sink: SinkPart, folder: str) -> None:  # noqa: ARG002
        Path(folder).mkdir(parents=True)
        (Path(folder) / "part-0.csv").write_text("src,dst\n", encoding="utf-8")
        if self.during_write is not None:
            self.during_write(folder)

    def write_table(self, sink: SinkPart) -> None:
        self.tables.append(sink.table or "")

    def versions(self) -> dict[str, str]:
        return {"stand-in": "1"}

    def close(self) -> None:
        self.is_closed = True
