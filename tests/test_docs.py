"""The documentation is executed: every program in it is checked, and every result that it states is compared.

An HTML comment directly before a program says what is expected of it:

- none: no errors;
- `<!-- error TL0xx -->`: an error with that code;
- `<!-- warns TL1xx -->`: no errors, and a warning with that code;
- `<!-- derives -->`: the next text block is what `tidelog run` prints;
- `<!-- checks name.dl -->`: the next text block is what `tidelog check name.dl` prints;
- `<!-- fails name.dl -->`: the same for a program with errors;
- `<!-- formats -->`: the next text block is what `tidelog format` prints;
- `<!-- file name.dl -->`: no errors, and the program is put into a file for the rest of the page.  The same comment before any
  other block makes a file of it.

The Python blocks of a page are executed one after the other; a text block directly behind one is what it prints.  In a console
block, each line that starts with `$ ` is a command, `tidelog` or `cat`, and what follows is what it prints.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tidelog.cli import app
from tidelog.errors import TidelogError
from tidelog.kb import KnowledgeBase
from tidelog.program.program import check
from tidelog.source import Source

ROOT = Path(__file__).parent.parent
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "how-to").glob("*.md"), ROOT / "README.md"])
_ON_SPARK = {"spark-on-a-laptop.md"}

_BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```prolog\n(?P<program>.*?)^```$", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_MARKED_FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_RESULT = re.compile(r"\n+```text\n(?P<printed>.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (?P<command>.*)\n(?P<printed>(?:(?!\$ ).*\n)*)", re.MULTILINE)
_MARK = re.compile(r"error TL0\d\d|warns TL1\d\d|derives|formats|(?:checks|fails|file) [\w/]+\.\w+")
_WITH_RESULT = ("derives", "checks", "fails", "formats")
_LINK = re.compile(r"\]\((?P<target>[^)\s#]*)(?:#(?P<anchor>[^)\s]*))?\)")


@dataclass(frozen=True)
class Example:
    """One program of a page."""

    place: str
    mark: str
    program: str
    result: str | None
    """The text block behind it, if its mark calls for one."""

    @property
    def verb(self) -> str:
        return self.mark.partition(" ")[0]

    @property
    def object(self) -> str:
        return self.mark.partition(" ")[2]


def _examples() -> Iterator[Example]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            mark = block["mark"] or ""
            line = text.count("\n", 0, block.start("program"))
            result: str | None = None
            if mark.startswith(_WITH_RESULT):
                following = _FENCE.search(text, block.end())
                result = following["text"] if following and following["language"] == "text" else None
            yield Example(f"{page.relative_to(ROOT)}:{line}", mark, block["program"], result)


EXAMPLES = list(_examples())


def _marked(*verbs: str) -> pytest.MarkDecorator:
    chosen = [example for example in EXAMPLES if example.verb in verbs]
    return pytest.mark.parametrize("example", chosen, ids=[example.place for example in chosen])


def _run(command: str, example: Example, name: str) -> tuple[int, str, str]:
    """Status, standard output and standard error of a command for an example in a file of that name."""
    Path(name).write_text(example.program, encoding="utf-8")
    outcome = CliRunner().invoke(app, [command, name])
    return outcome.exit_code, outcome.stdout, outcome.stderr


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_program_of_the_pages_is_found() -> None:
    fences = sum(len(re.findall(r"^\s*```prolog", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in PAGES)
    assert len(EXAMPLES) == fences
    assert sum(example.verb == "derives" for example in EXAMPLES) >= 20


def test_marks_are_known() -> None:
    unknown = [f"{example.place}: {example.mark}" for example in EXAMPLES if example.mark and not _MARK.fullmatch(example.mark)]
    assert not unknown


@_marked("", "warns", "derives", "checks", "file")
def test_program_has_no_errors(example: Example) -> None:
    program = check(Source(example.program, example.place))
    if example.verb == "warns":
        assert example.object in {warning.code for warning in program.warnings}


@_marked("error")
def test_program_provokes_its_error(example: Example) -> None:
    with pytest.raises(TidelogError) as caught:
        check(Source(example.program, example.place))
    assert example.object in {diagnostic.code for diagnostic in caught.value.diagnostics}


@_marked("derives")
@pytest.mark.usefixtures("elsewhere")
def test_program_derives_what_stands_below_it(example: Example) -> None:
    status, printed, _ = _run("run", example, "example.dl")
    assert (status, printed) == (0, example.result)


@_marked("checks")
@pytest.mark.usefixtures("elsewhere")
def test_program_is_described_as_it_stands_below_it(example: Example) -> None:
    assert _run("check", example, example.object) == (0, example.result, "")


@_marked("fails")
@pytest.mark.usefixtures("elsewhere")
def test_program_fails_as_it_stands_below_it(example: Example) -> None:
    assert _run("check", example, example.object) == (1, "", example.result)


@_marked("formats")
@pytest.mark.usefixtures("elsewhere")
def test_program_is_formatted_as_it_stands_below_it(example: Example) -> None:
    assert _run("format", example, "example.dl") == (0, example.result, "")


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    prose = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for link in _LINK.finditer(prose):
        if "://" in link["target"]:
            continue
        target = page.parent / link["target"] if link["target"] else page
        assert target.exists(), link[0]
        assert not link["anchor"] or link["anchor"] in _anchors(target), link[0]


@pytest.fixture(scope="module")
def _compiled() -> None:
    """The kernel says so when it is compiled for the first time; let that be over."""
    KnowledgeBase("p(1). q(X) :- p(X).").count("q")


def _printed_by(command: str) -> str:
    program, *args = shlex.split(command)
    if program == "cat":
        return "".join(Path(arg).read_text(encoding="utf-8") for arg in args)
    assert program == "tidelog"
    return CliRunner().invoke(app, args).output


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=[pytest.mark.spark] * (page.name in _ON_SPARK), id=page.name) for page in PAGES]
)
@pytest.mark.usefixtures("elsewhere", "_compiled")
def test_what_a_page_does(page: Path, request: pytest.FixtureRequest) -> None:
    """Files, Python and commands of a page, in their order, in a folder of their own."""
    if page.name in _ON_SPARK:
        request.getfixturevalue("spark")  # what it starts is the session that the page gets
    names: dict[str, object] = {}
    text = page.read_text(encoding="utf-8")
    for block in _MARKED_FENCE.finditer(text):
        place = f"{page.name}:{text.count(chr(10), 0, block.start('text'))}"
        mark = block["mark"] or ""
        if mark.startswith("file "):
            path = Path(mark.removeprefix("file "))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
        if block["language"] == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block["text"], place, "exec"), names)
            result = _RESULT.match(text, block.end())
            assert printed.getvalue() == (result["printed"] if result else ""), place
        elif block["language"] == "console":
            for command in _COMMAND.finditer(block["text"]):
                assert _printed_by(command["command"]) == command["printed"], f"{place}: {command['command']}"


def test_the_site_has_all_pages() -> None:
    config = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
    pages = sorted(_pages_of(config["project"]["nav"]))
    assert len(pages) == len(set(pages))
    assert {str(page.relative_to(ROOT)) for page in PAGES} <= set(pages)
    assert [page for page in pages if not (ROOT / page).is_file()] == []


def _pages_of(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        for target in entry.values():
            yield from _pages_of(target) if isinstance(target, list) else [target]
