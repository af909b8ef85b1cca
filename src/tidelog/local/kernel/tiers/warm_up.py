"""Compiling ahead: everything that programs commonly need of the kernel, by as many processes as there are processors.

What that is, small programs tell: they run in plain Python, which notes what is called and with what. This module is also what
one of the processes runs. It compiles what its input asks for, line by line; it goes on when nobody asks any more, and ends when
all of it is done.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable

from tidelog.local.kernel.tiers import choice, folder, requests

_RULES = """
    path(X, Y) :- edge(X, Y).
    path(X, Z) :- path(X, Y), edge(Y, Z).
    near(X, Y) :- edge(X, Y), X != 2.
    near(X, Z) :- near(X, Y), edge(Y, Z), Z != X.
    dead_end(X) :- edge(_, X), not edge(X, _).
    apart(X, Y) :- path(X, _), path(_, Y), not path(X, Y).
    through(X, Z) :- path(X, Y), weight(Y, Z).
    heavy(X, N + 1) :- weight(X, N), N > 2.
    total(X, N) :- weight(X, _), N = sum { V : weight(X, V) }.
    many(X, N) :- edge(X, _), N = count { Y : path(X, Y) }.
    named(X, cat(N, "!")) :- name(X, N).
    triangle(X, Y, Z) :- edge(X, Y), edge(Y, Z), edge(Z, X).
"""


def common() -> list[str]:
    """The names of what programs commonly need, in the order of the first use."""
    from tidelog import KnowledgeBase

    with choice.recorded() as names:
        kb = KnowledgeBase(_RULES)
        edges = [("edge", a, b) for a, b in ((1, 2), (2, 3), (3, 4), (5, 6))]
        others = [("weight", 3, 2.5), ("weight", 3, 4), ("weight", 4, 7), ("name", 1, "north"), ("name", 2, "south")]
        kb.update(insert=edges)
        kb.facts()
        kb.query("path(1, X), X != 2")
        kb.update(insert=[*others, ("edge", 4, 1)])
        kb.update(delete=[("edge", 2, 3), ("weight", 3, 4), ("name", 2, "south")])
        kb.update(insert=[("edge", 2, 3)], delete=[("edge", 5, 6)])
        kb.facts()
    return names


def compile_all(names: Iterable[str], asked: deque[str] | None = None) -> None:
    """Compile what other processes do not compile already; what is asked for comes first."""
    rest, asked = deque(names), deque() if asked is None else asked
    while rest or asked:
        name = asked.popleft() if asked else rest.popleft()
        if requests.is_for_all(name):
            rest.extend(common())
        else:
            choice.compiled_by_name(name)


def warm_up(processes: int | None = None) -> int:
    """Compile everything with several processes, wait for all of them; how many parts have been compiled now."""
    names = common()
    missing = [name for name in names if not folder.is_kept(name)]
    if not missing or folder.CACHE_FOLDER is None:
        return 0
    others = []
    for _ in range((os.cpu_count() or 1) - 1 if processes is None else processes - 1):
        other = subprocess.Popen([sys.executable, "-m", "tidelog.local.kernel.tiers.warm_up"], stdin=subprocess.PIPE, text=True)
        other.stdin.write("".join(f"{name}\n" for name in missing))  # type: ignore[union-attr]
        other.stdin.close()  # type: ignore[union-attr]
        others.append(other)
    compile_all(missing)
    for other in others:
        other.wait()
    return sum(map(folder.is_kept, missing))


def serve() -> None:
    """Compile what the input asks for, line by line, until it has ended and everything is done."""
    os.nice(10)
    asked: deque[str] = deque()
    arrived = threading.Event()
    has_ended = False

    def read() -> None:
        nonlocal has_ended
        for line in sys.stdin:
            asked.append(line.rstrip("\n"))
            arrived.set()
        has_ended = True
        arrived.set()

    threading.Thread(target=read, daemon=True).start()
    while True:
        arrived.wait()
        arrived.clear()
        compile_all((), asked)
        if has_ended and not asked:
            return


if __name__ == "__main__":
    serve()
