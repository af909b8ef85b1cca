"""A job file, checked as a whole: all problems of the file and of its program are reported at once."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path

from tidelog.errors import TidelogError, did_you_mean, fail
from tidelog.pipeline.job.parts import EnginePart, LimitsPart, SinkPart, SourcePart, StreamPart
from tidelog.pipeline.job.reading_parts import read_engine, read_limits, read_sink, read_source_part, read_stream, resolved
from tidelog.pipeline.job.toml_checks import Problems, Section
from tidelog.program.program import Program, check, read_source
from tidelog.redaction import variables_in
from tidelog.source import Source


@dataclass(frozen=True)
class Job:
    """A checked job.  Paths are resolved; options are as written, with `${NAME}` in them."""

    source: Source
    program: Program
    sources: tuple[SourcePart, ...]
    sinks: tuple[SinkPart, ...]
    engine: EnginePart = field(default_factory=EnginePart)
    limits: LimitsPart = field(default_factory=LimitsPart)
    rejects_folder: str = "rejects"
    report: str | None = None
    stream: StreamPart | None = None

    @property
    def name(self) -> str:
        """The name of the job file."""
        return Path(self.source.name).name

    @property
    def variables(self) -> list[str]:
        """The environment variables that it uses."""
        streams = () if self.stream is None else (self.stream,)
        return variables_in(part.options for part in (*self.sources, *self.sinks, *streams))


def read_job(path: str | PathLike[str]) -> Job:
    """The job in a file, or one `TidelogError` with everything that is wrong in it."""
    return job_of(read_source(Path(path)), Path(path).parent)


def job_of(source: Source, folder: Path) -> Job:
    """The job in a text whose paths start from `folder`."""
    try:
        content = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        raise fail("TL090", f"this is not TOML: {error}", source=source, fix="correct that line") from error
    except RecursionError as error:
        raise fail("TL090", "this is not a job: it is nested too deeply", source=source) from error
    problems = Problems(source)
    whole = Section(content, "", problems)
    program = _program(whole.section("program"), folder, problems)
    engine = read_engine(whole.section("engine"), folder)
    limits = read_limits(whole.section("limits"), folder)
    sources = tuple(read_source_part(part, folder, engine) for part in whole.sections("source"))
    sinks = tuple(read_sink(part, folder, engine) for part in whole.sections("sink"))
    rejects = _one_text(whole.section("rejects"), "folder")
    report = _one_text(whole.section("report"), "path")
    stream = read_stream(whole.section("stream"), folder, engine) if whole.has("stream") else None
    whole.finish()
    if not sinks and "sink" not in content:
        problems.add("", "there is no sink, so the job would have no result", "add `[[sink]]` with `relation` and `path`")
    _check_targets(sinks, problems)
    if program is not None:
        sources, sinks = _named_as_in(program, sources, sinks, problems)
    problems.diagnostics.raise_errors()
    assert program is not None
    return Job(
        source,
        program,
        sources,
        sinks,
        engine,
        limits,
        resolved(rejects or "rejects", folder),
        None if report is None else resolved(report, folder),
        stream,
    )


def _program(part: Section, folder: Path, problems: Problems) -> Program | None:
    """The checked program; its errors are reported with those of the job."""
    path, text = part.text("path"), part.text("text", allows_variables=True)
    part.finish()
    if (path is None) == (text is None):
        problem = "there are both `path` and `text`" if path else "it needs `path` or `text`"
        problems.add("program", problem, 'write `path = "rules.dl"`, or the rules themselves in `text`')
        return None
    try:
        read = read_source(Path(resolved(path, folder))) if path else Source(text or "", f"{problems.source.name}, program.text")
        return check(read)
    except TidelogError as error:
        problems.diagnostics.extend(error.diagnostics)
        return None


def _one_text(part: Section, key: str) -> str | None:
    found = part.text(key)
    part.finish()
    return found


def _check_targets(sinks: tuple[SinkPart, ...], problems: Problems) -> None:
    """No two sinks may have one target, nor one sink lie inside another."""
    for number, sink in enumerate(sinks, 1):
        for other, earlier in enumerate(sinks[: number - 1], 1):
            if sink.target and sink.target == earlier.target and sink.path is not None:
                problems.add(f"sink[{number}].path", f"sink[{other}] has the same one", "give each sink a folder of its own")
            elif sink.target and sink.target == earlier.target:
                problems.add(f"sink[{number}].table", f"sink[{other}] has the same one", "give each sink a table of its own")
            elif sink.path and earlier.path and _is_inside(sink.path, earlier.path):
                problems.add(
                    f"sink[{number}].path",
                    f"this folder and that of sink[{other}] are one inside the other",
                    "choose folders that do not contain each other",
                )


def _is_inside(one: str, other: str) -> bool:
    """Whether one of two folders contains the other."""
    first, second = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return first.startswith(second) or second.startswith(first)


def _named_as_in(
    program: Program, sources: tuple[SourcePart, ...], sinks: tuple[SinkPart, ...], problems: Problems
) -> tuple[tuple[SourcePart, ...], tuple[SinkPart, ...]]:
    """The parts with the relations' full names; relations and columns that the program does not have are reported."""
    shown = {name: program.printer.predicate(name) for name in program.relations}
    known = {alias: name for name, short in shown.items() for alias in (f"<{name}>", short, name)}

    def full(name: str, place: str) -> str:
        if name and name not in known:
            fix = did_you_mean(name, known) or "use it in a rule, or declare it with `@relation`"
            problems.add(f"{place}.relation", f"the program has no relation `{name}`", fix, "TL073")
        return known.get(name, name)

    found_sources = []
    for number, source in enumerate(sources, 1):
        name = source.relation and full(source.relation, f"source[{number}]")
        if name and name in program.relations:
            _check_columns(source, program, name, f"source[{number}]", problems)
        found_sources.append(replace(source, relation=name))
    for number, sink in enumerate(sinks, 1):
        names = program.relations[name].column_names if (name := known.get(sink.relation, "")) in program.relations else ()
        for column in sink.partition_by if names else ():
            if column not in names:
                fix = did_you_mean(column, names) or f"its columns are {', '.join(names)}"
                problems.add(f"sink[{number}].partition_by", f"`{sink.relation}` has no column `{column}`", fix)
    found_sinks = tuple(replace(sink, relation=full(sink.relation, f"sink[{number}]")) for number, sink in enumerate(sinks, 1))
    return tuple(found_sources), found_sinks


def _check_columns(source: SourcePart, program: Program, name: str, place: str, problems: Problems) -> None:
    """Report columns that the relation does not have, or that are mapped to twice."""
    relation = program.relations[name]
    names = relation.column_names
    taken: dict[str, str] = {}
    for given, wanted in source.columns.items():
        if wanted not in names:
            fix = did_you_mean(wanted, names) or f"its columns are {', '.join(names) or 'none'}"
            problems.add(f"{place}.columns.{given}", f"`{program.printer.predicate(name)}` has no column `{wanted}`", fix)
        elif wanted in taken:
            problems.add(f"{place}.columns.{given}", f"`{taken[wanted]}` is mapped to `{wanted}` already", "keep one of the two")
        taken.setdefault(wanted, given)
