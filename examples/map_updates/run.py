"""Positions of cars stream in; each replaces the last one of its car.  What is jammed, and what is cut off, follows."""

from __future__ import annotations

from pathlib import Path

from tidelog import KnowledgeBase

ROADS = [
    ("A1", "north", "centre", 60.0),
    ("A2", "centre", "harbour", 60.0),
    ("B1", "north", "hill", 30.0),
    ("B2", "hill", "harbour", 30.0),
    ("C1", "harbour", "island", 30.0),
]


def positions() -> list[dict[str, object]]:
    """A morning, minute by minute."""
    return [
        {"id": "07:00", "upsert": [("position", "c1", "A2", 55.0), ("position", "c2", "B2", 28.0)]},
        {"id": "07:01", "upsert": [("position", "c3", "A2", 15.0), ("position", "c1", "A2", 12.0)]},
        {"id": "07:02", "upsert": [("position", "c4", "C1", 5.0), ("position", "c2", "C1", 4.0)]},
        {"id": "07:03", "upsert": [("position", "c5", "B1", 4.0), ("position", "c6", "B1", 8.0)]},
        {"id": "07:04", "upsert": [("position", "c1", "C1", 25.0), ("position", "c3", "A2", 50.0)]},
        {"id": "07:05", "upsert": [("road", "C1", "hill", "island", 9.0)]},
    ]


def main() -> None:
    """Follow the morning."""
    kb = KnowledgeBase(Path(__file__).parent / "rules.dl", strict=True)
    kb.update(insert={"road": ROADS, "depot": [("north",)]})
    for change in kb.follow(positions()):
        for name in ("jam", "cut_off"):
            told = [f"+{row[0]}" for row in sorted(change.inserted[name])] + [
                f"-{row[0]}" for row in sorted(change.deleted[name])
            ]
            if told:
                print(change.id, name, *told)
    print("jammed at the end:", ", ".join(road for (road,) in sorted(kb["jam"])))
    print("served:", ", ".join(place for (place,) in sorted(kb["served"])))


if __name__ == "__main__":
    main()
