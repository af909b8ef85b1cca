"""The report: one file, nothing from outside, everything escaped."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.pipeline.jobs import JOB, StandIn, job_from, prepare

from tidelog import KnowledgeBase
from tidelog.pipeline.batch.run import run_job
from tidelog.pipeline.report.html import page
from tidelog.pipeline.report.outcome import AppliedUpdate, Input, Outcome, Output, Placement, RejectedRow, Round, StreamHistory

NASTY = '</pre><script>alert("x")</script>&amp;'
VOID = {"meta", "br"}


class Checker(HTMLParser):
    """Notes tags that are not closed, and all that would ask for something from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.outside += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "srcset", "xlink:href", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(text: str) -> Checker:
    checker = Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert checker.outside == []
    assert "script" not in checker.tags
    assert not re.search(r"https?://(?!e/)", text)
    return checker


def full_outcome() -> Outcome:
    return Outcome(
        job=NASTY,
        engine="spark",
        program_name=NASTY,
        program_text=f"p(a). % {NASTY}",
        inputs=[Input((NASTY,), NASTY, "csv", 10, 1, 2048, None, 0.1, NASTY, {"sep": NASTY})],
        counts={"edge": 5, "path": 22_000_000, NASTY: 0},
        derived=frozenset({"path"}),
        placements=[Placement(("path", NASTY), "rounds", NASTY, 300, 12.5, 22_000_000)],
        rounds=[Round(0, number, 1000 // number) for number in range(1, 301)],
        stages={"read": 1.0, "derive": 12.0, "write": 0.0},
        rejected=99,
        rejected_rows=[RejectedRow("edge", NASTY, NASTY, NASTY, NASTY)] * 50,
        rejects_folder=NASTY,
        outputs=[Output(NASTY, NASTY, "parquet", 5, 0.1, "r1", {})],
        settings={"limits": {"facts": NASTY}},
    )


def test_a_stream() -> None:
    """Sums of all updates, pictures of the last ones, and a table of fifty."""
    kb, history = KnowledgeBase("q(X) :- p(X)."), StreamHistory()
    outcome = replace(full_outcome(), stream=history)
    assert "no update yet" in page(outcome)
    for at in range(3_000):
        history.note(AppliedUpdate.of(at + 1, replace(kb.update(insert=[("p", at)], delete=[("p", at - 1)]), id=NASTY)))
    history.in_all, history.broken = 5_000, 7
    text = page(outcome)
    checked(text)
    assert NASTY not in text
    assert "3,000 updates, 6,000 facts in, 5,998 out" in text
    assert "5,000</b>updates in all" in text
    assert 'class="bad">7</b>broken updates' in text
    assert "facts deleted, by update" in text
    assert '<td class="number">2,951</td>' in text
    assert '<td class="number">2,950</td>' not in text
    assert len(history.recent) < 3_000


def test_everything_is_escaped_and_nothing_comes_from_outside() -> None:
    text = page(full_outcome())
    assert {"svg", "table", "pre", "style"} <= checked(text).tags
    assert NASTY not in text
    assert "the first 50 of 99" in text
    assert "22,000,000" in text


def test_an_empty_run() -> None:
    text = page(Outcome("job.toml", "local", "rules.dl", ""))
    checked(text)
    assert "every row of every source was a fact of its relation" in text


def test_it_is_for_light_and_dark() -> None:
    text = page(full_outcome())
    assert "prefers-color-scheme: dark" in text
    assert "color-scheme: light dark" in text


def test_a_run_writes_its_report_without_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(tmp_path)
    monkeypatch.setenv("PW", "open sesame")
    source = '[[source]]\nrelation = "edge"\ntable = "t"\nformat = "jdbc"\n'
    source += 'options = { url = "jdbc:x://me:hush@h/d", password = "${PW}" }\n'
    text = JOB.replace('name = "local"', 'name = "spark"') + source + '[report]\npath = "reports/r.html"\n'
    run_job(job_from(tmp_path, text), backend=StandIn())
    written = (tmp_path / "reports/r.html").read_text(encoding="utf-8")
    checked(written)
    manifests = [*(tmp_path / "out").rglob("_manifest.json"), tmp_path / "reports/r.manifest.json"]
    assert len(manifests) == 2
    for shown in (written, *(path.read_text(encoding="utf-8") for path in manifests)):
        assert "open sesame" not in shown
        assert "hush" not in shown
        assert "${PW}" in shown
