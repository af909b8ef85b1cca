"""Makes the data of this example: turbines, who is whose neighbour, and air temperatures with planted anomalies.

    python examples/wind_farm/generate.py

The same data every time.  In each farm the turbines stand in rows, and each one knows the next in its row and the first of the
next row; the rules make everybody of a farm everybody else's neighbour.  A healthy sensor is within 2 degrees of its farm's
temperature; the planted ones are 8 to 15 degrees off.  One of them belongs to a pair of turbines that stands alone, and must
not be reported: it has fewer than three neighbours' measurements.
"""

from __future__ import annotations

import csv
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
    """Pairs of turbines that stand side by side, each in one direction only."""
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


def write(folder: Path) -> None:
    """Write the three files."""
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


if __name__ == "__main__":
    write(Path(__file__).parent)
