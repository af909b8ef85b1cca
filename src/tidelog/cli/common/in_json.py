"""`--json`: what commands print for programs; results on standard output, errors on standard error, the same exit codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tidelog.errors import Diagnostic, TidelogError

if TYPE_CHECKING:
    from tidelog.pipeline.job.job_file import Job
    from tidelog.program.program import Program

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON: results on standard output, errors on standard error.")]


def print_json(thing: object, *, err: bool = False) -> None:
    """One line of JSON."""
    typer.echo(json.dumps(thing, ensure_ascii=False, default=str), err=err)


def errors_of(error: TidelogError) -> dict[str, object]:
    """All problems of an error."""
    return {"errors": [problem_of(problem) for problem in error.diagnostics]}


def problem_of(problem: Diagnostic) -> dict[str, object]:
    """An error or a warning: its code, its sentence, its place as far as it is known, and its fix."""
    place: dict[str, object] = {}
    if problem.source is not None:
        place["file"] = problem.source.name
        if problem.span is not None:
            place["line"] = problem.source.line_of(problem.span.start)
            place["place"] = problem.place
    said = {"code": problem.code, "message": problem.message, **place, "fix": problem.fix}
    return {**said, "notes": list(problem.notes)} if problem.notes else said


def described(program: Program) -> dict[str, object]:
    """What a program is, as `tidelog check` says it."""
    from tidelog.functions.signatures import type_name

    printer, graph = program.printer, program.graph
    relations: list[dict[str, Any]] = []
    for relation in program.relations.values():
        types = [type_name(kinds) if kinds else None for kinds in program.types[relation.name]]
        names = relation.column_names
        columns = [
            {"name": name, "type": kind, "key": at in relation.key}
            for at, (name, kind) in enumerate(zip(names, types, strict=True))
        ]
        relations.append(
            {
                "name": printer.predicate(relation.name),
                "columns": columns,
                "is_declared": relation.is_declared,
                "is_derived": relation.has_rules,
                "stratum": graph.strata[relation.name],
            }
        )
    return {
        "program": program.document.source.name,
        "rules": [printer.rule(rule) for rule in program.rules],
        "facts": len(program.facts),
        "relations": relations,
        "hyper_nodes": [[program.rule_name(at) for at in node.rules] for node in graph.hyper_nodes],
        "modules": [{"relation": printer.predicate(module.relation), "kind": str(module.kind)} for module in program.modules],
        "warnings": [problem_of(warning) for warning in program.warnings],
    }


def job_in_json(job: Job, lines: list[str]) -> Mapping[str, object]:
    """What a job is; `lines` say it for people."""
    from tidelog.redaction import without_passwords

    printer = job.program.printer
    return {
        "job": job.name,
        "engine": job.engine.name,
        "rules": len(job.program.rules),
        "sources": [
            {
                "origin": without_passwords(source.origin),
                "format": source.format,
                "relation": None if source.relation is None else printer.predicate(source.relation),
            }
            for source in job.sources
        ],
        "sinks": [
            {"relation": printer.predicate(sink.relation), "target": without_passwords(sink.target), "format": sink.format}
            for sink in job.sinks
        ],
        "variables": list(job.variables),
        "warnings": [problem_of(warning) for warning in job.program.warnings],
        "description": lines,
    }
