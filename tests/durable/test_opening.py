"""Opening: what was acknowledged is there again, whatever happened; and what is refused."""

from __future__ import annotations

import runpy
import shutil
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.differential.judging import Judge, agrees
from tests.differential.rule_histories import RuleHistory, rule_histories
from tests.durable.saved_folders import RULES, crashed, everything, opened

from tidelog import IRI, KnowledgeBase, Literal, TidelogError
from tidelog.core.recovery import Recovery
from tidelog.durable import opening
from tidelog.durable.snapshot import read_snapshot

VALUES = (
    *("", "a", "ä\u0000\U0001f600", 0, -1, 2**63 - 1, -(2**63), 0.0, -0.0, 0.1, 1e300, float("nan"), float("inf"), -float("inf")),
    *(True, False, date(1, 1, 1), date(9999, 12, 31), datetime(2026, 11, 15, 6, 43, 0, 123456, tzinfo=UTC)),
    *(IRI("http://e/x"), Literal("x", None, "en"), Literal("x", "http://e/type"), Literal("2026-11-15", None)),
)


def test_a_missing_folder_becomes_a_new_knowledge_base(tmp_path: Path) -> None:
    with KnowledgeBase.open(tmp_path / "deep" / "kb", RULES) as kb:
        assert kb.recovery == Recovery(
            str(tmp_path / "deep" / "kb"), True, 1, 0, 0, 0, 0, kb.recovery.seconds if kb.recovery else 0
        )
        assert str(kb.recovery).endswith("kb: a new knowledge base")
        kb.update(insert=[("edge", "c", "d")])
        facts = everything(kb)
    with KnowledgeBase.open(tmp_path / "deep" / "kb") as kb:
        assert everything(kb) == facts
        assert kb.recovery is not None
        assert (kb.recovery.updates, kb.recovery.loads, kb.recovery.sequence) == (1, 0, 1)
        assert ", 1 update replayed, " in str(kb.recovery)


def test_every_value_comes_back(tmp_path: Path) -> None:
    facts = [("any", at, value) for at, value in enumerate(VALUES)]
    with opened(tmp_path / "kb") as kb:
        kb.update(insert=facts)
        before = everything(kb)
    with opened(tmp_path / "kb") as kb:  # from the journal
        assert everything(kb) == before
        kb.save(tmp_path / "kb")
    with opened(tmp_path / "kb") as kb:  # from the snapshot
        assert everything(kb) == before
        kb.update(delete=facts)
        assert kb.count("any") == 0


def test_loads_come_back(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        kb.load("edge", pa.table({"a": ["x", "y"], "b": ["y", "z"]}))
        kb.load("stock", pa.table({"item": ["x", "q"], "count": [1, 2]}))
        kb.load("stock", pa.table({"item": ["q"], "count": [7]}), upsert=True)
        kb.load("moments", pa.table({"at": pa.array([1, 2], pa.timestamp("us", "UTC")), "day": pa.array([3, 4], pa.date32())}))
        kb.load("mixed", pa.table({"a": pa.array([], pa.string())}))
        cells = '{"iri": "http://e/a"}', '"a"', "2.5", "true", '{"value": "x", "lang": "en"}'
        (tmp_path / "terms.jsonl").write_text("".join(f'{{"a": {cell}}}\n' for cell in cells))
        kb.load("terms", tmp_path / "terms.jsonl")
        kb.update(insert=[("flag",)])
        before = everything(kb)
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == before
        assert kb.recovery is not None
        assert kb.recovery.loads == 6
        kb.save(tmp_path / "kb")
        assert list((tmp_path / "kb" / "loads").iterdir()) == []
    with opened(tmp_path / "kb") as kb:
        assert everything(kb) == before


def test_a_load_before_anything_is_derived_is_not_derived_by_opening(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", "p(X + 1) :- p(X), X < 3.") as kb:
        kb.load("p", pa.table({"a": [0]}))
    with opened(tmp_path / "kb") as kb:
        assert kb.engine.changes
        assert sorted(kb["p"]) == [(0,), (1,), (2,), (3,)]


def test_what_becomes_of_starting_over_is_kept_and_never_stops_opening(tmp_path: Path) -> None:
    rules = "steps(9000). steps(N) :- steps(X), N = count { Y : next(Z, Y), Y < X, Z < 3 }."
    following = [("next", n % 100, n) for n in range(6_000)]
    with opened(tmp_path / "kb", rules) as kb:
        kb.update(insert=following)
        kb.update(delete=following[:1])
    with opened(tmp_path / "kb", starting_over="refuse") as kb:
        with pytest.raises(TidelogError, match="TL067"):
            kb.update(delete=following[1:2])
        kb.save(tmp_path / "kb")
    with opened(tmp_path / "kb") as kb:
        with pytest.raises(TidelogError, match="TL067"):
            kb.update(delete=following[1:2])
        kb.set_starting_over("allow")
        kb.update(delete=following[1:2])
    with opened(tmp_path / "kb") as kb, pytest.raises(TidelogError, match="TL067"):
        kb.update(delete=following[2:3])
    with opened(tmp_path / "kb", starting_over="allow") as kb:
        assert "rematerialise" in kb.update(delete=following[2:3]).stats.algorithm


def test_a_deleted_fact_of_the_text_stays_deleted(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        kb.update(delete=[("edge", "a", "b")])
        kb.save(tmp_path / "kb")
    with opened(tmp_path / "kb", RULES) as kb:
        assert sorted(kb["edge"]) == [("b", "c")]


@given(rule_histories(most_steps=4), st.lists(st.sampled_from(["nothing", "crash", "save", "close"]), min_size=5, max_size=5))
@pytest.mark.by_night(2_000)
def test_histories_with_crashes(history: RuleHistory, between: list[str]) -> None:
    """After every step, and after a crash or a new snapshot between two of them, all facts are those of the reference."""
    with tempfile.TemporaryDirectory() as name:
        folder, judge, number = Path(name) / "kb0", Judge(history), 0
        kb = opened(folder, history.text)
        try:
            for step, then in zip(history.steps, between, strict=False):
                kb.update(**judge.update(step))
                judge.follow(step)
                if then == "save":
                    kb.save(folder)
                elif then != "nothing":
                    number += 1
                    copy = crashed(folder, Path(name) / f"kb{number}")
                    kb.close()
                    folder = copy if then == "crash" else folder
                    kb = opened(folder)
                agrees(kb, judge.facts)
            kb.save(folder)
            kb.close()
            kb = opened(folder)
            agrees(kb, judge.facts)
        finally:
            kb.close()


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "counting"},
        {"modules": False},
        {"algorithm": "ranked", "modules": False},
        {"algorithm": "dred", "modules": False},
        {"algorithm": "bf", "marking": True},
    ],
)
def test_options_come_back(tmp_path: Path, options: dict[str, Any]) -> None:
    """Counters tell which options are in force."""
    with opened(tmp_path / "kb", RULES, **options) as kb:
        kb.update(insert=[("edge", "c", "a"), ("edge", "c", "d")])
        kb.save(tmp_path / "kb")
    with opened(tmp_path / "kb") as kb, opened(tmp_path / "other", RULES, **options) as other:
        assert {**kb.options, **options} == kb.options
        other.update(insert=[("edge", "c", "a"), ("edge", "c", "d")])
        for gone in ("c", "a"), ("a", "b"):
            one, two = (each.update(delete=[("edge", *gone)]) for each in (kb, other))
            assert (one.stats.counters, one.stats.algorithm) == (two.stats.counters, two.stats.algorithm)
        assert everything(kb) == everything(other)


def test_other_modules_are_refused(tmp_path: Path) -> None:
    opened(tmp_path, RULES).close()
    with pytest.raises(TidelogError, match=r"TL064.*was saved with modules=True"):
        opened(tmp_path, modules=False)


def test_the_same_rules_are_accepted_and_others_are_refused(tmp_path: Path) -> None:
    with opened(tmp_path, RULES) as kb:
        kb.add_rules("more: loop(X) :- path(X, X).")
        now = kb.schema.program.printer.document(kb.program.document)
    opened(tmp_path, RULES).close()  # those that it was created with
    opened(tmp_path, now.replace("loop(X) :- path(X, X)", "loop(Y) :- path(Y, Y)")).close()  # those that it has
    for other in RULES + "p(X) :- edge(X, X).", RULES + "edge(z, z).", RULES.replace("count: int", "count: string"), "":
        with pytest.raises(TidelogError, match="TL064: these are not the rules of"):
            opened(tmp_path, other)


def test_spark_refuses(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r'TL074.*engine="spark" cannot be saved'):
        KnowledgeBase.open(tmp_path, engine="spark")


# --- readers -------------------------------------------------------------------------------------------------------------


def test_readers_are_welcome_beside_a_writer(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        for at in range(5):
            kb.update(insert=[("edge", f"n{at}", "a")])
            if at == 2:
                kb.save(tmp_path / "kb")
            with opened(tmp_path / "kb", read_only=True) as reader:
                assert everything(reader) == everything(kb)
                with pytest.raises(TidelogError, match=r"TL065.*is open for reading only"):
                    reader.update(insert=[("edge", "x", "y")])
                with pytest.raises(TidelogError, match="TL065"):
                    reader.load("edge", pa.table({"a": ["x"], "b": ["y"]}))
                assert everything(reader) == everything(kb)


def test_a_reader_starts_over_when_the_snapshot_is_switched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []

    def switching(*args: Any) -> object:
        if not calls:
            kb.save(tmp_path / "kb")
        calls.append(args)
        return read_snapshot(*args)

    with opened(tmp_path / "kb", RULES) as kb:
        kb.update(insert=[("edge", "c", "d")])
        monkeypatch.setattr(opening, "read_snapshot", switching)
        with opened(tmp_path / "kb", read_only=True) as reader:
            assert len(calls) == 2
            assert everything(reader) == everything(kb)


def test_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match=r"TL060.*there is no saved knowledge base"):
        opened(tmp_path / "kb", read_only=True)
    assert not (tmp_path / "kb").exists()


def test_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    with opened(tmp_path / "kb", RULES) as kb:
        before = everything(kb)
    for path in (tmp_path / "kb").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    (tmp_path / "kb").chmod(0o555)
    try:
        with opened(tmp_path / "kb", read_only=True) as kb:
            assert everything(kb) == before
    finally:
        (tmp_path / "kb").chmod(0o755)


def test_a_process_that_ended_before_it_saved_anything(tmp_path: Path) -> None:
    from tidelog.durable.manifest import Manifest

    (tmp_path / "kb").mkdir()
    Manifest(tmp_path / "kb", "none").close()
    with opened(tmp_path / "kb", RULES) as kb:
        assert kb.count("edge") == 2
    shutil.rmtree(tmp_path / "kb")


def test_the_example(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[2] / "examples" / "leave_it_running.py"
    monkeypatch.setattr("sys.argv", [str(path), str(tmp_path / "orders")])
    for runs in 1, 2:
        runpy.run_path(str(path), run_name="__main__")
        assert f"open orders: {2 * runs}, demand: " in capsys.readouterr().out


@pytest.mark.parametrize("broken", ["flipped", "truncated", "missing"])
def test_with_fsync_a_wal_that_lost_acknowledged_changes_is_refused(tmp_path: Path, broken: str) -> None:
    with opened(tmp_path / "kb", RULES, "fsync") as kb:
        for at in range(20):
            kb.update(insert=[("edge", f"n{at}", "a")])
        facts = everything(kb)
        copy = crashed(tmp_path / "kb", tmp_path / "copy")
    with opened(crashed(copy, tmp_path / "whole"), read_only=True) as kb:
        assert everything(kb) == facts
    wal = copy / "manifest.sqlite-wal"
    data = bytearray(wal.read_bytes())
    data[len(data) // 2] ^= 1
    if broken == "missing":
        wal.unlink()
    else:
        wal.write_bytes(data if broken == "flipped" else data[: len(data) // 2])
    for read_only in True, False:
        with pytest.raises(TidelogError, match=r"TL062.*manifest.sqlite-wal is damaged: changes \d+ to 20 are missing"):
            opened(copy, read_only=read_only)


def test_many_numbers_in_no_order_come_back(tmp_path: Path) -> None:
    numbers = np.random.default_rng(5).permutation(4_000)
    kb = KnowledgeBase("odd(N) :- step(N), N mod 2 = 1.")
    kb.load("step", pa.table({"n": numbers[:2_000]}))
    kb.update(insert=[("step", int(number)) for number in numbers[2_000:]])
    kb.save(tmp_path / "kb")
    kb.close()
    with KnowledgeBase.open(tmp_path / "kb") as again:
        assert sorted(again["step"]) == [(number,) for number in range(4_000)]
        assert again.count("odd") == 2_000


def test_ranks_come_back(tmp_path: Path) -> None:
    """Also across the relations of a unit: deletions look at the same facts, and as many fall."""
    rules = "p(X, Y) :- e(X, Y). q(X, Y) :- p(X, Y). p(X, Z) :- q(X, Y), e(Y, Z)."
    edges = [("e", at, (step * at + 1 + step) % 30) for at in range(30) for step in (1, 7)]
    kept, saved = (KnowledgeBase(rules, algorithm="ranked", modules=False) for _ in range(2))
    for kb in (kept, saved):
        kb.update(insert=edges)
    saved.save(tmp_path / "kb")
    saved.close()
    with KnowledgeBase.open(tmp_path / "kb") as opened:
        for edge in edges[:12]:
            expected, found = (kb.update(delete=[edge]).stats.counters for kb in (kept, opened))
            assert expected == found
            assert set(opened["p"]) == set(kept["p"])
