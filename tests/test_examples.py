"""The examples do what their pages say: the command of each page is run, and what it prints is compared."""

from __future__ import annotations

import ast
import contextlib
import io
import json
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


NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_a_notebook_shows_what_it_says(path: Path) -> None:
    """Its cells are executed in order: what they print is compared, and what they show has the forms that are in the file."""
    names: dict[str, object] = {}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        *body, last = ast.parse("".join(cell["source"])).body
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            shown = None
            if not isinstance(last, ast.Expr):
                body.append(last)
            exec(compile(ast.Module(body, []), path.name, "exec"), names)
            if isinstance(last, ast.Expr):
                shown = eval(compile(ast.Expression(last.value), path.name, "eval"), names)
        outputs = cell["outputs"]
        assert printed.getvalue() == "".join("".join(output["text"]) for output in outputs if output["output_type"] == "stream")
        forms = [set(output["data"]) for output in outputs if output["output_type"] == "execute_result"]
        assert ([_forms_of(shown)] if shown is not None else []) == forms


def _forms_of(shown: object) -> set[str]:
    """In which forms a notebook shows an object."""
    methods = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}
    return {"text/plain"} | {form for form, method in methods.items() if hasattr(shown, method)}
