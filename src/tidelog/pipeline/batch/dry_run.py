"""A dry run: the sources of a job with their columns, the expected placement of each component, the sinks.  Nothing is run."""

from __future__ import annotations

from collections.abc import Iterator

from tidelog.facts import aligned
from tidelog.pipeline.batch.backend import Backend
from tidelog.pipeline.batch.versioned_folder import VersionedFolder
from tidelog.pipeline.job.job_file import Job
from tidelog.pipeline.job.schemas import size_and_age
from tidelog.pipeline.report.outcome import Placement, shown_size
from tidelog.program.modules import Module, ModuleKind
from tidelog.redaction import shown_options, without_passwords
from tidelog.stores import is_uri, store_at


def describe(job: Job, backend: Backend | None = None) -> Iterator[str]:
    """The lines of a dry run; without a backend, sources are not opened."""
    relations = "1 relation" if len(job.program.relations) == 1 else f"{len(job.program.relations)} relations"
    rules = "1 rule" if len(job.program.rules) == 1 else f"{len(job.program.rules)} rules"
    yield f"{job.name}: {rules}, {relations}, engine {job.engine.name}"
    yield ""
    yield "sources"
    yield from _indented(_sources(job, backend)) if job.sources else ["  none"]
    yield ""
    yield "placements expected"
    rows = [(", ".join(map(job.program.printer.predicate, p.relations)), p.where, p.why) for p in expected_placements(job)]
    yield from _indented(aligned(rows)) if rows else ["  none: there are no rules"]
    yield ""
    yield "sinks"
    yield from _indented(_sinks(job, backend))
    yield from _more(job)


def _sources(job: Job, backend: Backend | None) -> Iterator[str]:
    program = job.program
    for source in job.sources:
        size, modified = size_and_age(source)
        told = [source.format or "table", shown_size(size), f"{modified:%Y-%m-%d %H:%M} UTC" if modified else ""]
        target = "relations by predicate" if source.relation is None else program.printer.predicate(source.relation)
        yield f"{without_passwords(source.origin)} ({', '.join(part for part in told if part)}) -> {target}"
        if backend is not None and (columns := backend.schema(source)):
            yield "  has    " + ", ".join(f"{name}: {kind}" for name, kind in columns)
        if source.relation is not None:
            relation = program.relations[source.relation]
            kinds = [str(column.type) for column in relation.columns] if relation.columns else ["any"] * relation.arity
            wanted = ", ".join(f"{name}: {kind}" for name, kind in zip(relation.column_names, kinds, strict=True))
            yield f"  wanted {wanted}"
        if source.columns:
            yield "  columns " + ", ".join(f"{given} -> {wanted}" for given, wanted in source.columns.items())
        if source.options:
            yield "  options " + ", ".join(f"{key} = {value}" for key, value in shown_options(source.options).items())


def expected_placements(job: Job) -> list[Placement]:
    """The placement of each component, as far as it is known before the data is read."""
    program = job.program
    modules = {module.relation: module for module in program.modules if module.is_whole} if job.engine.modules else {}
    found = []
    for component in program.graph.components:
        if component.rules:
            module = next((modules[name] for name in component.predicates if name in modules), None)
            where, why = _place(job, module)
            found.append(Placement(component.predicates, where, why))
    return found


def _place(job: Job, module: Module | None) -> tuple[str, str]:
    if job.engine.name == "local":
        return "kernel", "the local engine evaluates everything in its kernel"
    if job.engine.placement != "auto":
        return job.engine.placement, "as requested, where that is possible"
    budget = f"the budget of {shown_size(job.engine.memory_budget)}" if job.engine.memory_budget else "the memory budget"
    other = "by tasks where rules hand a key on, and in DataFrame rounds where not"
    if module is not None:
        is_symmetric = module.kind is ModuleKind.SYMMETRIC_TRANSITIVE
        other = "by connected components" if is_symmetric else "decomposed, a share of the left ends for each task"
    return "kernel", f"if its facts fit {budget}; otherwise {other}"


def _sinks(job: Job, backend: Backend | None) -> Iterator[str]:
    for sink in job.sinks:
        shown = job.program.printer.predicate(sink.relation)
        yield f"{shown} -> {without_passwords(sink.target)} ({sink.format}, {sink.mode})"
        if sink.is_versioned and sink.path is not None and (backend is not None or not is_uri(sink.path)):
            store = store_at(sink.path) if backend is None else backend.store(sink.path)
            current = VersionedFolder(sink.path, "", sink.keep, store).current
            yield f"  {'the version now is ' + current if current else 'no version yet'}; {sink.keep} are kept"
        if sink.options:
            yield "  options " + ", ".join(f"{key} = {value}" for key, value in shown_options(sink.options).items())


def _more(job: Job) -> Iterator[str]:
    limits = [f"{key} {shown}" for key, shown in _limits(job)]
    yield ""
    if (stream := job.stream) is not None:
        yield f"updates <- {stream.folder or 'a streaming DataFrame'}, {stream.updates:,} a batch; broken ones: {stream.broken}"
        yield f"state -> {stream.state}"
        if stream.feed is not None:
            yield f"change feed -> {stream.feed} ({stream.feed_format})"
        yield ""
    yield f"limits: {', '.join(limits)}"
    yield f"rejected rows -> {job.rejects_folder}"
    if job.report:
        yield f"report -> {job.report}"
    if job.variables:
        yield f"environment: {', '.join(job.variables)}"


def _limits(job: Job) -> Iterator[tuple[str, str]]:
    limits = job.limits
    for key in ("facts", "seconds", "rounds", "rejects"):
        if (value := getattr(limits, key)) is not None:
            yield key, f"{value:,}"
    for key in ("memory", "text"):
        if (size := getattr(limits, key)) is not None:
            yield key, shown_size(size)
    if limits.input_root is not None:
        yield "input_root", limits.input_root


def _indented(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield f"  {line}"
