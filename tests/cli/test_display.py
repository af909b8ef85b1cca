"""Progress on a terminal, and statistics as files."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from time import perf_counter

import pytest
from tests.cli.commands import ENDLESS, PATHS, RULES, in_terminal, paths, read_until, run

from tidelog import KnowledgeBase, TidelogError
from tidelog.cli.display import progress_display, progress_line, write_statistics
from tidelog.core.limits import Progress


def statistics(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_statistics(folder: Path, edges: Path) -> None:
    text = RULES.replace("back(X)", "returning: back(X)") + "many(X, N) :- edge(X, _), N = count { Y : path(X, Y) }.\n"
    (folder / "rules.dl").write_text(text, encoding="utf-8")
    stats = folder / "stats.csv"
    status, out, _ = run("run", folder / "rules.dl", "--facts", edges, "--stats", stats, "--no-modules")
    assert status == 0
    rows = statistics(stats)
    assert list(rows[0]) == ["hyper_node", "rule", "derives", "round", "derivations", "new_facts", "seconds"]
    for row in rows:
        assert int(row["derivations"]) >= int(row["new_facts"]) >= 0
        assert float(row["seconds"]) >= 0
    for relation, count in re.findall(r"^% (\w+): (\d+) facts?$", out, re.MULTILINE):
        assert sum(int(row["new_facts"]) for row in rows if row["derives"] == relation) == int(count)
    assert {(row["rule"], row["derives"]) for row in rows} == {
        ("line 2", "path"),
        ("line 3", "path"),
        ("returning", "back"),
        ("line 5", "many"),
    }
    assert [row["round"] for row in rows if row["rule"] == "line 3"] == ["0", "1", "2"]
    assert len({row["hyper_node"] for row in rows}) == 4


def test_statistics_of_a_module_are_one_row(folder: Path, edges: Path) -> None:
    run("run", folder / "rules.dl", "--facts", edges, "--stats", folder / "stats.csv")
    rows = [row for row in statistics(folder / "stats.csv") if row["rule"] == "line 3"]
    assert [(row["round"], row["new_facts"]) for row in rows] == [("0", "0")]  # its pairs are not stored


def test_statistics_that_cannot_be_written(folder: Path, edges: Path) -> None:
    stats = folder / "nowhere" / "stats.csv"
    status, _, err = run("run", folder / "rules.dl", "--facts", edges, "--out", folder / "out", "--stats", stats)
    assert status == 1
    assert not (folder / "out").exists()
    assert "error TL060: cannot write" in err


def test_progress_line() -> None:
    progress = Progress(1, 3, "path", 7, 1_234_567, 5_000_000, perf_counter() - 10)
    assert re.fullmatch(
        r"unit 2 of 3  path  round 7  1,234,567 facts  \d{3},\d{3} derivations/s  \d+\.\d s", progress_line(progress)
    )


def test_a_terminal_shows_progress(folder: Path) -> None:
    (folder / "endless.dl").write_text(ENDLESS, encoding="utf-8")
    with in_terminal("run", folder / "endless.dl", "--limit-seconds", "1") as (process, shown):
        text = read_until(shown)
    assert process.returncode == 1
    assert re.search(r"unit 1 of 1  n  round [\d,]+  [\d,]+ facts  [\d,]+ derivations/s", text)
    assert "error TL070" in text


def test_a_quiet_run_shows_nothing(folder: Path, edges: Path) -> None:
    with in_terminal("run", folder / "rules.dl", "--facts", edges, "-r", "path", "--quiet") as (process, shown):
        assert read_until(shown) == ""
        assert process.stdout is not None
        assert paths(process.stdout.read()) == PATHS
    assert process.returncode == 0


def test_without_a_terminal_there_is_no_progress() -> None:
    with progress_display(is_quiet=False) as display:
        assert display is None


def test_statistics_name_rules_by_name_or_line(tmp_path: Path) -> None:
    kb = KnowledgeBase("base: p(X) :- e(X).\np(X) :- q(X), X < 3.\ne(1). q(2).", modules=False)
    kb.count("p")
    write_statistics(kb, tmp_path / "s.csv")
    rows = statistics(tmp_path / "s.csv")
    assert [(row["hyper_node"], row["rule"], row["new_facts"]) for row in rows] == [("1", "base", "1"), ("2", "line 2", "1")]
    with pytest.raises(TidelogError, match="TL060"):
        write_statistics(kb, tmp_path / "missing" / "s.csv")
