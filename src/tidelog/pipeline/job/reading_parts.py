"""Each part of a job file, read from its table, with the checks of that part alone."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tidelog.errors import did_you_mean
from tidelog.files.formats import ENDINGS
from tidelog.pipeline.job import parts
from tidelog.pipeline.job.toml_checks import Section
from tidelog.stores import is_uri
from tidelog.text_limits import LONGEST_TEXT

_MODES = ("overwrite", "append", "error", "ignore")
_FOLDER_MODES = ("overwrite", "error")


def resolved(path: str, folder: Path) -> str:
    """A path from the folder of the job file; URIs such as `s3a://…` stay as they are."""
    return path if is_uri(path) else os.path.normpath(folder / path)


def read_engine(part: Section, folder: Path) -> parts.EnginePart:
    """`[engine]`."""
    budget = part.size("memory_budget")
    engine = parts.EnginePart(
        part.choice("name", ("spark", "local"), "spark"),
        budget,
        part.choice("placement", parts.PLACEMENTS, "auto"),
        part.choice("lineage", parts.LINEAGES, "auto"),
        None if (kept := part.text("lineage_folder")) is None else resolved(kept, folder),
        part.truth("modules", default=True),
    )
    part.finish()
    if engine.name == "local":
        for key, value, default in (("placement", engine.placement, "auto"), ("memory_budget", engine.memory_budget, None)):
            if value != default:
                part.note(
                    key, "the local engine evaluates everything in its own process", 'remove it, or use name = "spark"', "TL091"
                )
    return engine


def read_limits(part: Section, folder: Path) -> parts.LimitsPart:
    """`[limits]`."""
    root = part.text("input_root")
    limits = parts.LimitsPart(
        part.whole("facts"),
        part.number("seconds"),
        part.whole("rounds"),
        part.whole("rejects", 0, 0) or 0,
        part.size("memory"),
        part.size("text") or LONGEST_TEXT,
        None if root is None else resolved(root, folder),
    )
    part.finish()
    return limits


def read_stream(part: Section, folder: Path, engine: parts.EnginePart) -> parts.StreamPart:
    """`[stream]`."""
    updates, state, feed = part.text("folder"), part.text("state", required=True), part.text("feed")
    aside = part.text("broken_folder")
    if engine.name == "local":
        part.problems.add(part.place, "the local engine has streams of its own", "use `tidelog stream`", "TL091")
    kept = resolved(state or "", folder)
    stream = parts.StreamPart(
        None if updates is None else resolved(updates, folder),
        kept,
        resolved(aside, folder) if aside is not None else f"{kept}/broken",
        None if feed is None else resolved(feed, folder),
        part.choice("feed_format", ("json", "parquet"), "json"),
        part.whole("updates", 100) or 100,
        part.choice("broken", ("set aside", "stop"), "set aside"),
        part.whole("snapshot_every", 50) or 50,
        part.text("format"),
        part.options("options"),
    )
    part.finish()
    if stream.format is not None and updates is not None:
        part.note("format", "there is a `folder` of updates, too", "keep one of the two")
    elif stream.options and stream.format is None:
        part.note("options", "they are for a source of Spark's", 'say which in `format`, such as "kafka"')
    return stream


def read_source_part(part: Section, folder: Path, engine: parts.EnginePart) -> parts.SourcePart:
    """One `[[source]]`."""
    path, table = part.text("path"), part.text("table")
    given = part.text("format")
    if given is None or path or table:  # a source of Spark may be told by its format and options alone
        _check_place(part, path, table)
    file_format = (given or _format_of(path)) if path else given
    is_rdf = file_format in parts.RDF_FORMATS
    relation = part.text("relation", required=not is_rdf)
    header = part.header("header")
    source = parts.SourcePart(
        relation,
        None if path is None else resolved(path, folder),
        table,
        file_format,
        header,
        part.texts("columns"),
        part.options("options"),
        part.values("defaults"),
        part.text("where"),
    )
    part.finish()
    if path and file_format is None:
        known = ", ".join((*ENDINGS, ".nt", ".ttl"))
        part.note("path", f"the format of {path} cannot be told from its ending", f"say `format`; the known endings are {known}")
    if is_rdf:
        _refuse(
            part,
            "triples tell which relation they belong to",
            relation=relation,
            columns=source.columns,
            header=header != "auto",
            defaults=source.defaults,
            where=source.where,
        )
    if engine.name == "local":
        _check_local_source(part, source)
    return source


def _refuse(part: Section, reason: str, **given: object) -> None:
    for key, value in given.items():
        if value:
            part.note(key, f"it cannot be given here: {reason}", "remove it")


def _check_place(part: Section, path: str | None, table: str | None) -> None:
    if path and table:
        part.problems.add(part.place, "there are both `path` and `table`", "keep one of the two")
    elif not path and not table and not part.is_broken("path", "table"):
        part.problems.add(part.place, "it needs `path` or `table`", "add one of the two")


def _format_of(path: str) -> str | None:
    """The format that the ending of a path tells, without its compression."""
    name = path.rstrip("/").rpartition("/")[2].lower().removesuffix(".gz")
    ending = Path(name).suffix
    if ending in (".nt", ".ttl"):
        return ending[1:]
    known = ENDINGS.get(ending)
    return known.format.value if known else "json" if ending == ".json" else None


def _check_local_source(part: Section, source: parts.SourcePart) -> None:
    fix = 'use `[engine] name = "spark"`'
    if source.table:
        part.note("table", "the local engine reads no tables", fix, "TL091")
    elif source.path and is_uri(source.path):
        part.note("path", "the local engine reads files of this machine", fix, "TL091")
    elif source.format and source.format not in (*parts.LOCAL_FORMATS, *parts.RDF_FORMATS):
        part.note(
            "format",
            f"the local engine does not read `{source.format}`",
            did_you_mean(source.format, parts.LOCAL_FORMATS) or fix,
            "TL091",
        )
    for key in ("options", "defaults", "where"):
        if getattr(source, key):
            part.note(key, "the local engine has no such options", f"remove them, or {fix}", "TL091")


def read_sink(part: Section, folder: Path, engine: parts.EnginePart) -> parts.SinkPart:
    """One `[[sink]]`."""
    relation = part.text("relation", required=True) or ""
    path, table = part.text("path"), part.text("table")
    _check_place(part, path, table)
    given = part.text("format")
    sink = parts.SinkPart(
        relation,
        None if path is None else resolved(path, folder),
        table,
        given or "parquet",
        part.choice("mode", _MODES, "overwrite"),
        part.whole("keep", parts.VERSIONS_KEPT) or parts.VERSIONS_KEPT,
        part.options("options"),
        part.names("partition_by"),
        part.whole("files"),
    )
    compression = part.text("compression")
    part.finish()
    if compression is not None:
        sink = replace(sink, options={"compression": compression, **sink.options})
    if path and sink.format not in (*parts.VERSIONED_FORMATS, *parts.TABLE_FORMATS):
        known = (*parts.VERSIONED_FORMATS, *parts.TABLE_FORMATS)
        fix = did_you_mean(sink.format, known) or f"choose one of {', '.join(known)}"
        part.note("format", f"a folder of `{sink.format}` cannot be written", fix)
    if sink.is_versioned and sink.mode not in _FOLDER_MODES:
        fix = "leave it out; `append` is for tables"
        part.note("mode", f"a folder holds a whole result in each version, so it cannot be written with {sink.mode!r}", fix)
    if engine.name == "local":
        fix = 'use `[engine] name = "spark"`'
        if table:
            part.note("table", "the local engine writes no tables", fix, "TL091")
        elif path and is_uri(path):
            part.note("path", "the local engine writes to folders of this machine", fix, "TL091")
        elif path and sink.format in parts.TABLE_FORMATS:
            part.note("format", f"the local engine does not write `{sink.format}`", fix, "TL091")
        elif path and sink.format == "orc":
            part.note("format", "the local engine does not write `orc`", fix, "TL091")
        for key, value in (("options", sink.options), ("partition_by", sink.partition_by), ("files", sink.files)):
            if value:
                part.note(key, "the local engine has no such options", f"remove them, or {fix}", "TL091")
    return sink
