"""`tidelog graph`: a picture of a program, or of the difference of two."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.commands import run


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    (tmp_path / "a.dl").write_text("p(X) :- q(X).\n", encoding="utf-8")
    (tmp_path / "b.dl").write_text("p(X) :- q(X), not r(X).\n", encoding="utf-8")
    return tmp_path


def test_a_program_as_svg(programs: Path) -> None:
    out = programs / "a.svg"
    assert run("graph", programs / "a.dl", "--out", out) == (0, f"{out}: 2 boxes, 1 arrows\n", "")
    assert out.read_text(encoding="utf-8").startswith("<svg")


def test_the_difference_of_two_programs_as_a_page(programs: Path) -> None:
    out = programs / "d.html"
    assert run("graph", programs / "a.dl", "--out", out, "--diff", programs / "b.dl")[0] == 0
    page = out.read_text(encoding="utf-8")
    assert "<!doctype html>" in page
    assert f"{programs / 'a.dl'} to {programs / 'b.dl'}" in page


@pytest.mark.parametrize(("program", "out", "code"), [("a.dl", "a.png", "TL082"), ("missing.dl", "a.svg", "TL060")])
def test_what_cannot_be_drawn(programs: Path, program: str, out: str, code: str) -> None:
    status, printed, err = run("graph", programs / program, "--out", programs / out)
    assert (status, printed) == (1, "")
    assert f"error {code}" in err
    assert not (programs / out).exists()
