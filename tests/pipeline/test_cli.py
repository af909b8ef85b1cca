"""`tidelog pipeline`, and the wind farm end to end."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.pipeline.jobs import JOB, prepare
from typer.testing import CliRunner

from tidelog.cli import app
from tidelog.cli.pipeline import PlacementName
from tidelog.pipeline.batch.versioned_folder import read_current
from tidelog.pipeline.job.parts import PLACEMENTS

EXAMPLE = Path(__file__).parents[2] / "examples" / "wind_farm"
PLANTED = {"F01-T07", "F03-T19", "F04-T01", "F07-T12", "F09-T24", "F11-T03", "F12-T16"}


def command(*args: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["pipeline", *map(str, args)])
    return result.exit_code, result.stdout, result.stderr


def test_run(tmp_path: Path) -> None:
    status, out, err = command("run", prepare(tmp_path), "--report", tmp_path / "r.html")
    assert status == 0
    assert f"path: 3 facts -> {tmp_path}/out/path\n" in out
    assert f"edge: 2 rows from {tmp_path}/edges.csv (16 B)\n" in err
    assert (tmp_path / "r.html").exists()


def test_quiet(tmp_path: Path) -> None:
    assert command("run", prepare(tmp_path), "--quiet") == (0, "", "")
    assert read_current(tmp_path / "out/path")


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    status, out, err = command("run", prepare(tmp_path), "--dry-run")
    assert (status, err) == (0, "")
    assert "    has    src: string, dst: string\n" in out
    assert "  path  kernel  the local engine evaluates everything in its kernel\n" in out
    assert f"  path -> {tmp_path}/out/path (csv, overwrite)\n    no version yet; 3 are kept\n" in out
    assert not (tmp_path / "out").exists()


def test_dry_run_of_a_job_on_spark_starts_no_spark(tmp_path: Path) -> None:
    job = prepare(tmp_path)
    job.write_text(JOB.replace('name = "local"', 'memory_budget = "1 GB"'), encoding="utf-8")
    status, out, _ = command("run", job, "--dry-run")
    assert status == 0
    assert "if its facts fit the budget of 1.0 GB; otherwise decomposed" in out
    _, out, _ = command("run", job, "--dry-run", "--placement", "rounds")
    assert "  path  rounds  as requested, where that is possible\n" in out


def test_check(tmp_path: Path) -> None:
    status, out, _ = command("check", prepare(tmp_path))
    assert status == 0
    assert "job.toml: 2 rules, 2 relations, engine local" in out
    (tmp_path / "job.toml").write_text(JOB.replace("local", "remote") + "[x]\n", encoding="utf-8")
    status, out, err = command("check", tmp_path / "job.toml")
    assert (status, out) == (1, "")
    assert "job.toml: error TL090: engine.name: there is no 'remote'" in err
    assert "job.toml: error TL090: x: there is no such key" in err


def test_placements_are_those_of_jobs() -> None:
    assert {name.value for name in PlacementName} == set(PLACEMENTS)


def test_as_a_module(tmp_path: Path) -> None:
    """`python -m tidelog.pipeline`, and the file of that name, which is what spark-submit is given."""
    job = prepare(tmp_path)
    spec = importlib.util.find_spec("tidelog.pipeline.__main__")
    assert spec is not None
    assert spec.origin is not None
    for start in (["-m", "tidelog.pipeline"], [spec.origin]):
        done = subprocess.run([sys.executable, *start, str(job)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert "path: 3 facts -> " in done.stdout


# --- the example ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """A copy of the example, so that its results do not lie in the project."""
    return shutil.copytree(EXAMPLE, tmp_path / "examples" / "wind_farm")


def anomalies(folder: Path) -> set[str]:
    found: set[str] = set()
    for file in Path(read_current(folder)).glob("*.csv"):
        with file.open(encoding="utf-8") as lines:
            found |= {row["turbine"].rpartition("#")[2] for row in csv.DictReader(lines)}
    return found


def test_the_wind_farm_on_the_local_engine(example: Path) -> None:
    pytest.importorskip("pyoxigraph")
    status, _, err = command("run", example / "job_local.toml")
    assert status == 0, err
    out = example.parents[1] / "out" / "wind_farm_local"
    assert anomalies(out / "anomaly") == PLANTED
    assert (out / "report.html").stat().st_size > 10_000


def test_the_data_of_the_example_is_what_its_generator_makes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("generate", EXAMPLE / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write(tmp_path)
    updates = [f"updates/{path.name}" for path in (EXAMPLE / "updates").iterdir()]
    assert sorted(path.name for path in (tmp_path / "updates").iterdir()) == sorted(name[8:] for name in updates)
    for name in ("turbines.csv", "neighbours.nt", "measurements.csv", *updates):
        assert (tmp_path / name).read_bytes() == (EXAMPLE / name).read_bytes()


def _spark_is_missing() -> str:
    """Why the example cannot run on Spark here; empty if it can."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed"
    if importlib.util.find_spec("tidelog.spark.kb") is None:
        return 'KnowledgeBase(engine="spark") is not there yet'
    try:
        importlib.import_module("tidelog.spark.ingest")
    except ImportError:
        return "the ingest for Spark is not there yet"
    return ""


def test_the_wind_farm_on_spark(example: Path) -> None:
    """In a process of its own, so that no JVM stays behind."""
    if reason := _spark_is_missing():
        pytest.skip(reason)
    command_line = [sys.executable, "-m", "tidelog.pipeline", str(example / "job.toml")]
    done = subprocess.run(command_line, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = example.parents[1] / "out" / "wind_farm"
    assert anomalies(out / "anomaly") == PLANTED
    assert (out / "report.html").stat().st_size > 10_000
