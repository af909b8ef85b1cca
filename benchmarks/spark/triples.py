"""N-Triples of any size: a university of the LUBM benchmark, repeated with other names for everybody in it.

The university comes from the test material, where that is found; otherwise one of the same shape is made up.  Some names get
escapes, which the generator of LUBM never writes and real data has.  All lines differ, so that as many facts come out.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from pathlib import Path

import pyarrow as pa

_ESCAPED_EVERY = 10
_ONTOLOGY = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_STARTS = ("<http://www.Department", "<http://www.University", "<http://swat.cse.lehigh.edu/onto/University", "@Department")
"""How the names begin that belong to one university; the numbers of a copy go behind them."""
_PEOPLE = 7000
"""Of a made-up university: it has about as many triples as the real one."""


def triples(size: int) -> pa.Table:
    """So many different triples, a line each."""
    return pa.table({"line": pa.array(islice(_lines(), size), pa.string())})


def corpus() -> Path | None:
    """The university of the test material: in the folder that TIDELOG_CORPUS names, or beside this repository."""
    named = os.environ.get("TIDELOG_CORPUS")
    folder = Path(named) if named else Path(__file__).parents[3] / "shared" / "corpus"
    file = folder / "lubm" / "lubm1.nt.gz"
    return file if file.is_file() else None


def _lines() -> Iterator[str]:
    """One university after the other."""
    for copy in count():
        for line in _university():
            yield _renamed(line, copy) if copy else line


def _renamed(line: str, copy: int) -> str:
    for start in _STARTS:
        line = line.replace(start, f"{start}{copy}x")
    return line


@cache
def _university() -> tuple[str, ...]:
    """The different lines of a university, some of them with escapes."""
    file = corpus()
    lines = gzip.decompress(file.read_bytes()).decode("utf-8").splitlines() if file is not None else list(_made_up())
    different = dict.fromkeys(lines)
    return tuple(_escaped(line) if at % _ESCAPED_EVERY == 0 else line for at, line in enumerate(different))


def _escaped(line: str) -> str:
    """With quotation marks, a line break and a letter by its number at the end of a plain literal."""
    return line.removesuffix('" .') + r" \"caf\u00E9\"\n" + '" .' if line.endswith('" .') else line


def _made_up() -> Iterator[str]:
    """People with names, addresses, courses and advisors in fifteen departments."""
    for number in range(_PEOPLE):
        home = f"http://www.Department{number % 15}.University0.edu"
        who, kind = f"<{home}/Student{number}>", "GraduateStudent" if number % 4 == 0 else "UndergraduateStudent"
        course = f"<{home}/Course{number % 800}>"
        yield f"{who} {_TYPE} <{_ONTOLOGY}{kind}> ."
        yield f'{who} {_of("name")} "Student{number}" .'
        yield f'{who} {_of("emailAddress")} "Student{number}@Department{number % 15}.University0.edu" .'
        yield f'{who} {_of("telephone")} "xxx-xxx-xxxx" .'
        yield f"{who} {_of('memberOf')} <{home}> ."
        yield f"{who} {_of('advisor')} <{home}/FullProfessor{number % 125}> ."
        yield from (f"{who} {_of('takesCourse')} <{home}/Course{(number * 7 + at * 31) % 800}> ." for at in range(3))
        yield f"{course} {_TYPE} <{_ONTOLOGY}Course> ."
        yield f'{course} {_of("name")} "Course{number % 800}" .'
        yield f"<{home}/Publication{number}> {_TYPE} <{_ONTOLOGY}Publication> ."
        yield f'<{home}/Publication{number}> {_of("name")} "Publication{number}" .'
        yield f"<{home}/Publication{number}> {_of('publicationAuthor')} {who} ."


def _of(predicate: str) -> str:
    return f"<{_ONTOLOGY}{predicate}>"
