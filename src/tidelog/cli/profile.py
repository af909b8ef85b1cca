"""`tidelog profile` and `tidelog plan`: what rules cost, and in which order their bodies are joined."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tidelog.cli.common.in_json import AsJson
from tidelog.cli.evaluation import (
    FactsFolder,
    LimitFacts,
    LimitSeconds,
    NoModules,
    RdfFiles,
    knowledge_base,
    progress_display,
)
from tidelog.cli.limits import MOST_FACTS, Limits
from tidelog.cli.shell import OpenFolder, OptionalProgram, app, check_program, reporting, show


@app.command("profile")
@reporting
def profile_command(
    program: OptionalProgram = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    updates: Annotated[
        Path | None, typer.Option(help="Then apply the updates of this file or folder of JSON Lines.", metavar="FILE")
    ] = None,
    out: Annotated[
        list[Path] | None, typer.Option(help="Write it to this file: .html, .json, .csv or .txt; repeatable.", metavar="FILE")
    ] = None,
    as_json: AsJson = False,
    limit_facts: LimitFacts = MOST_FACTS,
    limit_seconds: LimitSeconds = None,
    no_modules: NoModules = False,
    saved: OpenFolder = None,
) -> None:
    """Derive everything, apply updates, and say what each rule, unit and update has cost.  Nothing saved is changed."""
    check_program(program, saved)
    limits = Limits(limit_facts, limit_seconds)
    with (
        progress_display(is_quiet=False) as display,
        knowledge_base(program, facts, limits, display, modules=not no_modules, quiet=True, saved=saved, rdf=rdf) as opened,
    ):
        kb = opened if saved is None else opened.copy()
        with kb.profile() as profile:
            if updates is not None:
                for _ in kb.follow(updates):
                    pass
    for path in out or ():
        profile.save(path)
        typer.echo(f"the profile -> {path}", err=True)
    show([profile.to_json()] if as_json else profile.lines())


@app.command("plan")
@reporting
def plan_command(
    program: OptionalProgram = None,
    rule: Annotated[
        str | None, typer.Argument(help="A rule's name, or a relation for all rules that derive it.", metavar="[RULE]")
    ] = None,
    facts: FactsFolder = None,
    rdf: RdfFiles = None,
    measure: Annotated[bool, typer.Option("--measure", help="Count the bindings after each literal, too.")] = False,
    as_json: AsJson = False,
    no_modules: NoModules = False,
    saved: OpenFolder = None,
) -> None:
    """Say in which order the body of a rule is joined, how each literal is matched, and how many bindings are expected."""
    check_program(program, saved)
    if rule is None and saved is not None and program is not None and not program.exists():  # the only argument
        program, rule = None, str(program)
    with (
        progress_display(is_quiet=False) as display,
        knowledge_base(program, facts, Limits(), display, modules=not no_modules, quiet=True, saved=saved, rdf=rdf) as kb,
    ):
        plans = kb.plan(rule, measure=measure)
    show([plans.to_json()] if as_json else plans.lines())
