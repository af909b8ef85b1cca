"""A process that applies numbered changes to a saved knowledge base and acknowledges each, until it is killed."""

from __future__ import annotations

import sys

import pyarrow as pa

from tidelog import KnowledgeBase
from tidelog.durable import saved

RULES = "path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). odd(N) :- step(N), N mod 2 = 1."
CYCLE = 7


def change(kb: KnowledgeBase, number: int) -> None:
    """The change with that number."""
    match number % CYCLE:
        case 3:
            kb.add_rules(f"r{number}: from_{number}(N) :- step(N), N > {number - 3}.")
        case 4:
            kb.load("step", pa.table({"n": [number, 1000 + number]}))
        case 5:
            kb.remove_rules(f"r{number - 2}")
        case _:
            gone = [("edge", number - 5, number - 4)] if number % 2 else []
            kb.update(insert=[("step", number), ("edge", number, number + 1), ("text", f"é{number}")], delete=gone)


def main() -> None:
    """Apply changes; the arguments are the folder, the durability, and the bytes from which the journal is compacted."""
    folder, durability, least = sys.argv[1], sys.argv[2], int(sys.argv[3])
    saved.LEAST_JOURNAL = least
    kb = KnowledgeBase.open(folder, RULES, durability=durability)
    assert kb.recovery is not None
    number = kb.recovery.sequence
    sys.stdout.write(f"open {number}\n")
    sys.stdout.flush()
    while True:
        number += 1
        change(kb, number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
