"""Data in the manner of the Lehigh University Benchmark: departments with their people and courses, always the same ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

NAMESPACE = "http://example.org/university#"


def turtle(departments: int = 3, seed: int = 1) -> str:
    """Some departments of one university."""
    lines = [f"@prefix : <{NAMESPACE}> .", ":Delos a :University ."]
    for number in range(departments):
        lines += _department(f"D{number}", random.Random(seed + number))
    return "\n".join(lines)


def _department(name: str, chance: random.Random) -> Iterator[str]:
    yield f":{name} a :Department ; :subOrganizationOf :Delos ."
    yield f":{name}.Group a :ResearchGroup ; :subOrganizationOf :{name} ."
    professors = [f"{name}.Professor{at}" for at in range(4)]
    courses = [f"{name}.Course{at}" for at in range(6)]
    for at, professor in enumerate(professors):
        kind = "Professor" if at else "Professor ; :headOf :" + name
        yield f":{professor} a :{kind} ; :worksFor :{name} ; :teaches :{courses[at]} ."
    yield f":{name}.Lecturer a :Lecturer ; :worksFor :{name} ; :teaches :{courses[4]}, :{courses[5]} ."
    for at in range(20):
        student, kind = f"{name}.Student{at}", "GraduateStudent" if at < 5 else "UndergraduateStudent"
        taken = ", ".join(f":{course}" for course in sorted(chance.sample(courses, 2)))
        yield f":{student} a :{kind} ; :memberOf :{name} ; :takes {taken} ."
        if at < 5:
            yield f":{student} :advisor :{chance.choice(professors)} ; :degreeFrom :Delos ."
