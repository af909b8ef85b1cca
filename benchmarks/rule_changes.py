"""Rules that come and go: each rule of a rule set removed and added back, beside starting over; and one more rule among 10,000.

`starting over` is the evaluation alone, of a new knowledge base with the rules as they are then, from loaded facts: all plans are
made, all relations derived, and their facts counted.  What it takes to read the rules and load the facts stands beside it.

The comparison is hard on changes.  A change reads and checks the rule that comes, finds its place in the program, makes the plans
of what is new, and can be taken back until its end: none of that is in `starting over`, and in small programs it is most of the
work.  Nobody who starts over has a difference, either; but the facts that came and went are not looked at here, and where a unit
was derived anew, they have not been worked out.  All run in one process, after a warm-up at a tiny size, in turns.
"""

from __future__ import annotations

import csv
import gc
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pyarrow as pa
from tests.rule_sets import RS1, RS2, RS3

from benchmarks.harness.runner import ROOT, WrongCountError
from benchmarks.harness.summary import Judgement
from benchmarks.workloads.zodiac import chains

GROUPS = ("rs2", "rs3", "rs2_large", "rs3_large", "shared", "rs1", "many")
_LEAVES = ("r17", "r18")
_SLACK, _REPEATS, _FEW = 1.05, 5, 2
_MEANS = {"rs2": 10, "rs3": 10, "rs2_large": 5, "rs3_large": 5}
"""The geometric mean of all changes is at most this part of starting over."""
_FARM = 10


@dataclass(frozen=True)
class Row:
    """One change, the best of the repeats."""

    group: str
    rule: str
    step: str
    cpu: float
    anew: float
    """CPU seconds of evaluating the same rules from loaded facts."""
    loading: float
    """CPU seconds of reading the rules and loading the facts before that."""
    facts: int


def turbines(count: int) -> dict[str, pa.Table]:
    """Wind farms of ten turbines in a row, each with a measurement."""
    pairs = [(at, at + 1) for at in range(count) if at % _FARM < _FARM - 1]
    return {
        "hasNeighbour": pa.table({"a": [f"t{a}" for a, _ in pairs], "b": [f"t{b}" for _, b in pairs]}),
        "hasAirTemperatureMesurement": pa.table(
            {"a": [f"t{at}" for at in range(count)], "b": [at * 7 % 23 for at in range(count)]}
        ),
    }


def shared(count: int) -> dict[str, pa.Table]:
    """So many facts from one rule, and a thousandth of them from another one."""
    numbers = pa.array(range(count), pa.int32())
    return {name: pa.table({"x": rows, "y": rows}) for name, rows in (("many", numbers), ("few", numbers[: count // 1000]))}


_SHARED = "many: p(X, Y) :- many(X, Y).\nfew: p(Y, X) :- few(X, Y), X != 3.\n"
SETS: Mapping[str, tuple[str, Callable[[int], Mapping[str, pa.Table]], int, int]] = {
    "rs2": (RS2, chains, 200, 8),
    "rs3": (RS3, chains, 200, 8),
    "rs2_large": (RS2, chains, 800, 8),
    "rs3_large": (RS3, chains, 800, 8),
    "shared": (_SHARED, shared, 1_000_000, 1000),
    "rs1": (RS1, turbines, 400, 20),
}


def _fresh(rules: list[str], inputs: Mapping[str, pa.Table]) -> tuple[object, float, float, int]:
    from tidelog import KnowledgeBase, Source

    gc.collect()
    start = time.process_time()
    kb = KnowledgeBase(Source("\n".join(rules)))
    for relation, table in inputs.items():
        kb.load(relation, table)
    loaded = time.process_time()
    facts = _count(kb)
    return kb, loaded - start, time.process_time() - loaded, facts


def _count(kb: object) -> int:
    return sum(kb.count(relation) for relation in kb.relations)  # type: ignore[attr-defined]


def _each_rule(group: str, size: int) -> Iterator[Row]:
    text, data, *_ = SETS[group]
    rules, inputs = [line for line in text.splitlines() if line], data(size)
    kb, _, _, _ = _fresh(rules, inputs)
    for rule in rules:
        name = rule.partition(":")[0]
        left = [other for other in rules if other is not rule]
        for step, change, now in (("remove", kb.remove_rules, left), ("add", kb.add_rules, rules)):  # type: ignore[attr-defined]
            gc.collect()
            start = time.process_time()
            change(name if step == "remove" else rule)
            cpu = time.process_time() - start
            _, loading, anew, facts = _fresh(now, inputs)
            if _count(kb) != facts:
                raise WrongCountError(f"{group}, {name}, {step}: {_count(kb)} facts and not {facts}")
            yield Row(group, name, step, cpu, anew, loading, facts)
    if group == "rs1":
        facts_of = [("hasAirTemperatureMesurement", f"t{at}", 99) for at in range(_REPEATS)]
        for step, requested in (
            (step, {key: [fact]}) for fact in facts_of for step, key in (("add", "insert"), ("remove", "delete"))
        ):
            start = time.process_time()
            kb.update(**requested)  # type: ignore[attr-defined]
            cpu = time.process_time() - start
            _, loading, anew, facts = _fresh(rules, inputs)
            yield Row(group, "one measurement", step, cpu, anew, loading, facts)


def _one_of_many(count: int) -> Iterator[Row]:
    from benchmarks.front_end import mixed

    rules = list(mixed(count))
    kb, loading, anew, facts = _fresh(rules, {})
    for at in range(_REPEATS):
        for step, change, text in (
            ("add", kb.add_rules, f"more{at}(X) :- fresh{at}(X, Y), Y > {at}."),  # type: ignore[attr-defined]
            ("remove", kb.remove_rules, f"more{at}(X) :- fresh{at}(X, Y), Y > {at}."),  # type: ignore[attr-defined]
        ):
            gc.collect()
            start = time.process_time()
            change(text)
            yield Row("many", f"one of {count:,}", step, time.process_time() - start, anew, loading, facts)


def measure(group: str, *, quick: bool) -> list[Row]:
    """All changes of a group, each the best of the repeats."""
    best: dict[tuple[str, str], Row] = {}
    if group != "many":
        list(_each_rule(group, SETS[group][3]))
    for _ in range(_FEW if quick or group.endswith("_large") else _REPEATS):
        if group == "many":
            rows = _one_of_many(1_000 if quick else 10_000)
        else:
            _, _, usual, tiny = SETS[group]
            rows = _each_rule(group, tiny if quick else usual)
        for row in rows:
            known = best.setdefault((row.rule, row.step), row)
            best[row.rule, row.step] = Row(
                group,
                row.rule,
                row.step,
                min(row.cpu, known.cpu),
                min(row.anew, known.anew),
                min(row.loading, known.loading),
                row.facts,
            )
        if group == "many":
            break
    return list(best.values())


def run(group: str, folder: Path, *, quick: bool) -> bool:
    """Measure in a fresh process, print and write; returns whether it finished."""
    command = [sys.executable, "-m", "benchmarks.rule_changes", group, *(["quick"] if quick else [])]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    rows = [Row(**json.loads(line)) for line in finished.stdout.splitlines() if line.startswith("{")]
    for row in rows:
        print(f"{group:5} {row.rule:16} {row.step:7} {row.cpu * 1e3:9.2f} ms CPU, starting over {row.anew * 1e3:9.2f} ms")
    if rows:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"rule_changes_{group}.csv").open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, fieldnames=[field.name for field in fields(Row)], lineterminator="\n")
            writer.writeheader()
            for row in rows:
                rounded = {name: f"{getattr(row, name):.6f}" for name in ("cpu", "anew", "loading")}
                writer.writerow({**asdict(row), **rounded})
    if finished.returncode:
        print(finished.stderr, file=sys.stderr)
    return not finished.returncode


# --- the summary ---------------------------------------------------------------------------------------------------------


def _read(folder: Path, group: str) -> list[Row]:
    file = folder / f"rule_changes_{group}.csv"
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as stream:
        return [
            Row(c["group"], c["rule"], c["step"], float(c["cpu"]), float(c["anew"]), float(c["loading"]), int(c["facts"]))
            for c in csv.DictReader(stream)
        ]


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def _ms(value: float) -> str:
    return f"{value * 1e3:.2f} ms"


def _mean(rows: list[Row], over: Callable[[Row], float]) -> float:
    return math.exp(sum(math.log(row.cpu / over(row)) for row in rows) / len(rows))


def judgements(folder: Path) -> list[Judgement]:
    """The targets, each with what was measured."""
    result: list[Judgement] = []
    for group, part in _MEANS.items():
        rows = _read(folder, group)
        if not rows:
            continue
        title = f"{group[:3].upper()}, n = {SETS[group][2]}"
        worst = max(rows, key=lambda row: row.cpu / row.anew)
        late = sum(row.cpu > _SLACK * row.anew for row in rows)
        beside, ratio = f"starting over {_ms(worst.anew)}", f"{worst.cpu / worst.anew:.2f}"
        work = (
            f"{title}: every rule removed and added back; the worst: {worst.rule}, {worst.step}; {late} of {len(rows)} are later"
        )
        result.append(Judgement(work, f"≤ {_SLACK} × starting over", _ms(worst.cpu), beside, ratio, _met(late == 0)))
        mean = _mean(rows, lambda row: row.anew)
        result.append(
            Judgement(
                f"{title}: geometric mean of all changes",
                f"≤ 1/{part} of starting over",
                f"{mean:.2f}",
                "",
                "",
                _met(mean <= 1 / part),
            )
        )
        for row in rows:
            limit, share = (0.003, 0.01) if row.step == "remove" else (0.005, 0.05)
            if (row.rule in _LEAVES and row.step == "remove") or (row.rule == "r18" and row.step == "add"):
                is_met = row.cpu <= limit or row.cpu <= share * row.anew
                target = f"≤ {_ms(limit)} or ≤ {share:g} of starting over"
                work = f"{title}: the leaf {row.rule}, {row.step}"
                ratio = f"{row.cpu / row.anew:.2f}"
                result.append(Judgement(work, target, _ms(row.cpu), f"starting over {_ms(row.anew)}", ratio, _met(is_met)))
    for row in _read(folder, "shared"):
        if row.rule == "few":
            work = f"A rule with 1,000 facts beside one with 1,000,000 of the same relation: {row.step}"
            beside, ratio = f"starting over {_ms(row.anew)}", f"{row.cpu / row.anew:.4f}"
            result.append(Judgement(work, "≤ 1/50 of starting over", _ms(row.cpu), beside, ratio, _met(row.cpu <= row.anew / 50)))
    result += _of_turbines(_read(folder, "rs1"))
    for row in _read(folder, "many"):
        work = f"One more rule, {row.rule}: {row.step}"
        result.append(Judgement(work, "milliseconds", _ms(row.cpu), f"reading all {_ms(row.loading)}", "", _met(row.cpu <= 0.01)))
    return result


def _of_turbines(rows: list[Row]) -> Iterator[Judgement]:
    changes = [row for row in rows if row.rule != "one measurement"]
    if not changes:
        return
    worst = max(changes, key=lambda row: row.cpu / row.anew)
    beside, ratio = f"starting over {_ms(worst.anew)}", f"{worst.cpu / worst.anew:.2f}"
    work = f"RS1, 400 turbines: every rule removed and added back; the worst: {worst.rule}, {worst.step}"
    yield Judgement(work, "≤ starting over", _ms(worst.cpu), beside, ratio, _met(worst.cpu <= worst.anew))
    leaf = max((row for row in changes if row.rule in ("r3", "r4", "r5", "r6") and row.step == "remove"), key=lambda row: row.cpu)
    yield Judgement(f"RS1: r3 to r6 removed; the worst: {leaf.rule}", "≤ 2 ms", _ms(leaf.cpu), met=_met(leaf.cpu <= 0.002))
    fact = max((row for row in rows if row.rule == "one measurement"), key=lambda row: row.cpu)
    yield Judgement(f"RS1: one measurement; the worst: {fact.step}", "≤ 5 ms", _ms(fact.cpu), met=_met(fact.cpu <= 0.005))


def text(folder: Path) -> str:
    """The section of the summary, empty where nothing was measured."""
    found = [(group, rows) for group in GROUPS if (rows := _read(folder, group))]
    if not found:
        return ""
    lines = [
        "\n# Rules that come and go\n",
        "CPU milliseconds of `kb.remove_rules` and `kb.add_rules`, the best of the repeats. *starting over* is the evaluation",
        "alone of a new knowledge base with the same rules; *loading* is to read the rules and load the facts before that.\n",
        "| rules | rule | step | change | starting over | ratio | loading | ratio with loading |",
        "| --- " * 8 + "|",
    ]
    for group, rows in found:
        for row in rows:
            cells = f"{row.cpu * 1e3:.2f} | {row.anew * 1e3:.2f} | {row.cpu / row.anew:.2f} | {row.loading * 1e3:.2f}"
            lines.append(f"| {group} | {row.rule} | {row.step} | {cells} | {row.cpu / (row.anew + row.loading):.2f} |")
    for group, rows in found:
        if group in _MEANS:
            means = _mean(rows, lambda row: row.anew), _mean(rows, lambda row: row.anew + row.loading)
            lines.append(f"\nGeometric mean of {group}: {means[0]:.2f} of starting over, {means[1]:.2f} with loading.")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for measured in measure(sys.argv[1], quick="quick" in sys.argv):
        print(json.dumps(asdict(measured)))
