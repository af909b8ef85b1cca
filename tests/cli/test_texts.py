"""`tidelog check`, `tidelog format` and `tidelog graph`."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.commands import run


def test_check_describes_a_program(folder: Path) -> None:
    status, out, err = run("check", folder / "good.dl")
    assert (status, err) == (0, "")
    assert "2 rules, 2 facts, 2 relations, 1 stratum, 2 hyper-nodes" in out
    assert "e         2      a: string, b: string        explicit  0" in out
    assert "r         2      string, string  (inferred)  derived   0" in out
    assert "linear transitive module of r" in out
    assert "prolonged at their end by paths of e" in out


def test_check_shows_warnings_and_still_succeeds() -> None:
    status, out, _ = run("check", "-", text="p(X) :- q(X, Y).\n")
    assert status == 0
    assert "<stdin>:1:14: warning TL102" in out
    assert "warning TL101" in out


def test_check_reports_all_errors_of_all_files(folder: Path) -> None:
    status, out, err = run("check", folder / "bad.dl", folder / "good.dl", folder / "missing.dl")
    assert status == 1
    assert "2 rules" in out
    assert [line.split("error ")[1][:5] for line in err.splitlines() if "error TL" in line] == ["TL030", "TL020", "TL060"]


def test_a_file_that_is_not_text(folder: Path) -> None:
    (folder / "binary.dl").write_bytes(b"p(a).\n\xff\xfe")
    status, _, err = run("check", folder / "binary.dl")
    assert status == 1
    assert "TL061" in err
    assert "byte 7" in err


def test_windows_files(folder: Path) -> None:
    (folder / "windows.dl").write_bytes(b"\xef\xbb\xbfp(a). % note\r\nq(X) :- p(X).\r\n")
    assert run("format", folder / "windows.dl") == (0, "p(a).  % note\nq(X) :- p(X).\n", "")


def test_format(folder: Path) -> None:
    status, out, _ = run("format", folder / "good.dl")
    assert status == 0
    assert out == "@relation e(a: string, b: string) .\nr(X, Y) :- e(X, Y).\nr(X, Z) :- r(X, Y), e(Y, Z).\ne(a, b).\ne(b, c).\n"
    assert run("format", "--check", folder / "good.dl") == (1, "", f"{folder / 'good.dl'} is not in canonical form\n")
    assert run("format", "--write", folder / "good.dl")[0] == 0
    assert (folder / "good.dl").read_text(encoding="utf-8") == out
    assert run("format", "--check", folder / "good.dl")[0] == 0


def test_format_writes_through_links(folder: Path) -> None:
    (folder / "link.dl").symlink_to(folder / "good.dl")
    assert run("format", "--write", folder / "link.dl")[0] == 0
    assert (folder / "link.dl").is_symlink()
    assert run("format", "--check", folder / "good.dl") == (0, "", "")


def test_format_options_exclude_each_other(folder: Path) -> None:
    assert run("format", "--check", "--write", folder / "good.dl")[0] == 2


def test_format_keeps_a_file_that_has_errors(folder: Path) -> None:
    (folder / "broken.dl").write_text("p(a.\n", encoding="utf-8")
    assert run("format", "--write", folder / "broken.dl")[0] == 1
    assert (folder / "broken.dl").read_text(encoding="utf-8") == "p(a.\n"


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


@pytest.mark.parametrize(("program", "out", "code"), [("a.dl", "a.gif", "TL082"), ("missing.dl", "a.svg", "TL060")])
def test_what_cannot_be_drawn(programs: Path, program: str, out: str, code: str) -> None:
    status, printed, err = run("graph", programs / program, "--out", programs / out)
    assert (status, printed) == (1, "")
    assert f"error {code}" in err
    assert not (programs / out).exists()
