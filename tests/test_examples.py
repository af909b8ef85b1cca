"""The examples do what their pages say: the command of each page is run, and what it prints is compared."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
from pathlib import Path

import pytest

from tidelog import KnowledgeBase
from tidelog.program.program import check
from tidelog.source import Source

ROOT = Path(__file__).parent.parent
FOLDERS = sorted(page.parent for page in (ROOT / "examples").glob("*/README.md"))
PAGE = re.compile(
    r"# .+\n\n.*?^```sh\npython (?P<command>[\w/.]+)\n```\n\n```text\n(?P<printed>.*?)^```\n\Z", re.MULTILINE | re.DOTALL
)


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """The kernel says so when it is compiled for the first time; let that be over."""
    KnowledgeBase("p(1). q(X) :- p(X).").count("q")


def test_there_are_examples_and_their_page_names_them_all() -> None:
    text = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(\w+)\]\((\w+)/README\.md\)", text, re.MULTILINE)
    assert sorted(name for name, _ in listed) == [folder.name for folder in FOLDERS]
    assert all(name == target for name, target in listed)
    assert len(FOLDERS) >= 5


@pytest.mark.parametrize("folder", FOLDERS, ids=[folder.name for folder in FOLDERS])
def test_an_example_prints_what_its_page_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = PAGE.match((folder / "README.md").read_text(encoding="utf-8"))
    assert page is not None, "a heading, a text, one command, what it prints"
    assert ROOT / page["command"] == folder / "run.py"
    monkeypatch.chdir(ROOT)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(page["command"], run_name="__main__")
    assert printed.getvalue() == page["printed"]


@pytest.mark.parametrize("program", sorted((ROOT / "examples").rglob("*.dl")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_programs_of_examples_have_no_errors_and_no_warnings_of_their_own(program: Path) -> None:
    checked = check(Source(program.read_text(encoding="utf-8"), program.name))
    assert {warning.code for warning in checked.warnings} <= {"TL101"}
