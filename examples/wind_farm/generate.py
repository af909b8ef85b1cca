"""Generates the data of this example: turbines, their neighbours, and air temperatures with planted anomalies.

    python examples/wind_farm/generate.py

The data is the same every time.  In each farm the turbines are in rows.  Each turbine is a neighbour of the next one in its row,
and the first turbine of a row of the first one of the next row; the rules make all turbines of a farm neighbours.  A healthy
sensor is within 2 degrees of its farm's temperature; the planted ones are 8 to 15 degrees off.  One of them belongs to a pair of
turbines without other neighbours.  It must not be reported, because it has fewer than three neighbours' measurements.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

BASE = "http://example.org/wind#"
FARMS = 12
ROWS, COLUMNS = 4, 6
READINGS = ("2026-11-15T06:00:00Z", "2026-11-15T06:10:00Z")
PLANTED = ("F01-T07", "F03-T19", "F04-T01", "F07-T12", "F09-T24", "F11-T03", "F12-T16")
LONELY = ("F99-T01", "F99-T02")
LONELY_PLANTED = "F99-T02"
NAMES = ("Albatross", "Bora", "Crest", "Dune", "Eider", "Fulmar", "Gannet", "Harrier", "Islet", "Jetty", "Kittiwake", "Lagoon")


def turbines() -> list[tuple[str, str, str]]:
    """Each turbine with its farm and its model."""
    made = [
        (f"F{farm:02}-T{number:02}", NAMES[farm - 1], "TL-4200" if number % 3 else "TL-5000")
        for farm in range(1, FARMS + 1)
        for number in range(1, ROWS * COLUMNS + 1)
    ]
    return made + [(name, "Skerry", "TL-4200") for name in LONELY]


def neighbours() -> list[tuple[str, str]]:
    """Pairs of neighbouring turbines, each in one direction only."""
    pairs = []
    for farm in range(1, FARMS + 1):
        for number in range(1, ROWS * COLUMNS):
            is_end = number % COLUMNS == 0
            start = number + 1 - COLUMNS if is_end else number
            pairs.append((f"F{farm:02}-T{start:02}", f"F{farm:02}-T{number + 1:02}"))
    return [*pairs, LONELY]


def measurements() -> list[tuple[str, str, str]]:
    """Air temperatures in degrees Celsius."""
    dice = random.Random(20261115)
    farm_temperature = {farm: round(dice.uniform(-4.0, 14.0), 1) for farm in [*NAMES, "Skerry"]}
    rows = []
    for name, farm, _ in turbines():
        is_broken = name in (*PLANTED, LONELY_PLANTED)
        offset = dice.choice((-1, 1)) * dice.uniform(8.0, 15.0) if is_broken else 0.0
        rows += [(name, at, f"{farm_temperature[farm] + offset + dice.uniform(-2.0, 2.0):.1f}") for at in READINGS]
    return rows


def updates() -> list[dict[str, object]]:
    """One hour: a sensor drifts and is repaired, another one is replaced, a rule is added and removed, a turbine is removed."""

    def reading(name: str, at: str, celsius: float) -> list[object]:
        return ["measurement", BASE + name, f"2026-11-15T{at}:00Z", celsius]

    before: dict[str, list[list[object]]] = {}
    for name, at, celsius in measurements():
        before.setdefault(name, []).append(["measurement", BASE + name, at, float(celsius)])
    usual = {name: float(rows[0][3]) for name, rows in before.items()}  # type: ignore[arg-type]
    rule = "confirmed(X) :- sensor_anomaly(X, T, _), sensor_anomaly(X, U, _), T != U ."
    drifting, broken, healthy = "F02-T05", "F01-T07", usual["F01-T08"]
    return [
        {"id": "06:20 two normal values", "insert": [reading(n, "06:20", usual[n]) for n in ("F02-T06", "F05-T11")]},
        {"id": "06:30 one sensor drifts", "insert": [reading(drifting, "06:30", round(usual[drifting] + 11.5, 1))]},
        {"id": "06:35 a rule is added: two anomalous values confirm an anomaly", "add_rules": [rule]},
        {"id": "06:40 the anomaly is confirmed", "insert": [reading(drifting, "06:40", round(usual[drifting] + 12.1, 1))]},
        {
            "id": "06:50 the sensor is repaired, its wrong values are deleted",
            "delete": [
                reading(drifting, "06:30", round(usual[drifting] + 11.5, 1)),
                reading(drifting, "06:40", round(usual[drifting] + 12.1, 1)),
            ],
            "insert": [reading(drifting, "06:50", usual[drifting])],
        },
        {"id": "07:00 a broken sensor is replaced", "delete": before[broken], "insert": [reading(broken, "07:00", healthy)]},
        {"id": "07:05 the rule is removed", "remove_rules": [rule]},
        {"id": "07:10 a turbine is removed", "delete": [["turbine", BASE + PLANTED[1], NAMES[2], "TL-4200"]]},
    ]


def write(folder: Path) -> None:
    """Write the files of the batch, and those of the stream."""
    with (folder / "turbines.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("turbine", "farm", "model"))
        writer.writerows((BASE + name, farm, model) for name, farm, model in turbines())
    with (folder / "neighbours.nt").open("w", encoding="utf-8") as file:
        file.writelines(f"<{BASE}{one}> <{BASE}hasNeighbour> <{BASE}{other}> .\n" for one, other in neighbours())
    with (folder / "measurements.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("sensor_of", "measured_at", "air_celsius"))
        writer.writerows((BASE + name, at, celsius) for name, at, celsius in measurements())
    (folder / "updates").mkdir(exist_ok=True)
    for number, update in enumerate(updates(), 1):
        (folder / "updates" / f"{number:04}.jsonl").write_text(json.dumps(update) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(__file__).parent)
