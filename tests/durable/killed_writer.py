"""Processes that apply numbered changes to a saved knowledge base and acknowledge each, until they are killed.

This process has loaded everything; each writer is forked from it, so that it begins at once.  A line of standard input begins the
next one: the folder, the durability, and the bytes from which the journal is compacted.  It says its process id.
"""

from __future__ import annotations

import os
import sys

import pyarrow as pa
from tests.durable.saved_folders import Everything, everything

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


class Replica:
    """The same changes in a knowledge base that is not saved."""

    def __init__(self) -> None:
        self.kb, self.number = KnowledgeBase(RULES), 0

    def at(self, number: int) -> Everything:
        """All facts after so many changes."""
        while self.number < number:
            self.number += 1
            change(self.kb, self.number)
        return everything(self.kb)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def write(folder: str, durability: str, least: int) -> None:
    """Apply changes, without end."""
    saved.LEAST_JOURNAL = least
    kb = KnowledgeBase.open(folder, RULES, durability=durability)
    assert kb.recovery is not None
    number = kb.recovery.sequence
    say(f"open {os.getpid()} {number}")
    while True:
        number += 1
        change(kb, number)
        say(f"{number}")


def main() -> None:
    """Begin writers; none lives longer than until the next one is asked for."""
    kb = KnowledgeBase(RULES)
    for number in range(1, 2 * CYCLE):  # compiled code is loaded before the fork
        change(kb, number)
    say("ready")
    for line in sys.stdin:
        folder, durability, least = line.rstrip("\n").split("\t")
        process = os.fork()
        if not process:
            try:
                write(folder, durability, int(least))
            finally:
                os._exit(1)
        os.waitpid(process, 0)
        say("ended")


if __name__ == "__main__":
    main()
