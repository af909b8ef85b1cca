"""LUBM-L and LUBM-LE: universities like those of the LUBM generator, and the rules of its ontology; values are numbers.

A university has 15 to 25 departments, each with professors, lecturers, students, courses, publications and research groups in
the numbers that LUBM prescribes; attributes without rules, such as names, are left out.  L has the rules of OWL 2 RL for the
ontology.  LE has more, as in the paper on modules: courses that share a student, and teachers of such courses, are symmetric and
transitive relations.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from benchmarks.harness.workload import Inputs
from benchmarks.workloads.graphs import Numbers

UNIVERSITIES = 1000
"""So many there are to have a degree from; only some have departments."""

_CLASSES = """
Employee Person|Faculty Employee|Professor Faculty|FullProfessor Professor|AssociateProfessor Professor
AssistantProfessor Professor|VisitingProfessor Professor|Lecturer Faculty|PostDoc Faculty|AdministrativeStaff Employee
ClericalStaff AdministrativeStaff|SystemsStaff AdministrativeStaff|Chair Professor|Dean Professor|Student Person
UndergraduateStudent Student|GraduateStudent Person|ResearchAssistant Person|TeachingAssistant Person|Director Person
University Organization|Department Organization|College Organization|Institute Organization|Program Organization
ResearchGroup Organization|Course Work|GraduateCourse Course|Research Work|Article Publication|Book Publication
Manual Publication|Software Publication|Specification Publication|UnofficialPublication Publication|ConferencePaper Article
JournalArticle Article|TechnicalReport Article
"""
_PROPERTIES = """
headOf worksFor|worksFor memberOf|undergraduateDegreeFrom degreeFrom|mastersDegreeFrom degreeFrom|doctoralDegreeFrom degreeFrom
"""
_INVERSES = "hasAlumnus degreeFrom|member memberOf"
_DOMAINS = """
advisor Person|takesCourse Student|teacherOf Faculty|degreeFrom Person|undergraduateDegreeFrom Person|mastersDegreeFrom Person
doctoralDegreeFrom Person|hasAlumnus University|member Organization|publicationAuthor Publication
teachingAssistantOf TeachingAssistant|emailAddress Person|telephone Person|subOrganizationOf Organization
"""
_RANGES = """
advisor Professor|takesCourse Course|teacherOf Course|degreeFrom University|undergraduateDegreeFrom University
mastersDegreeFrom University|doctoralDegreeFrom University|hasAlumnus Person|member Person|publicationAuthor Person
teachingAssistantOf Course|subOrganizationOf Organization
"""
_DEFINITIONS = """
Chair Person headOf Department|Student Person takesCourse Course|Employee Person worksFor Organization
TeachingAssistant Person teachingAssistantOf Course|Director Person headOf Program|Dean Person headOf College
"""
"""Class, and what it is: a class, a property, and a class of the values of the property."""
_EXTENDED = """
connected(C, D) :- takesCourse(S, C), takesCourse(S, D).
connected(C, D) :- connected(D, C).
connected(C, E) :- connected(C, D), connected(D, E).
colleague(X, Y) :- teacherOf(X, C), connected(C, D), teacherOf(Y, D).
colleague(X, Y) :- colleague(Y, X).
colleague(X, Z) :- colleague(X, Y), colleague(Y, Z).
"""
_FACULTY = {"FullProfessor": (7, 10), "AssociateProfessor": (10, 14), "AssistantProfessor": (8, 11), "Lecturer": (5, 7)}
_PUBLICATIONS = {"FullProfessor": (15, 20), "AssociateProfessor": (10, 18), "AssistantProfessor": (5, 10), "Lecturer": (0, 5)}


def rules_l() -> str:
    """Those of the ontology."""
    return "\n".join(rule for part in (_hierarchies(), _typing()) for rule in part) + "\n"


def rules_le() -> str:
    """And two symmetric and transitive relations."""
    return rules_l() + _EXTENDED


def _words(text: str) -> Iterator[list[str]]:
    return (entry.split() for entry in text.strip().replace("\n", "|").split("|"))


def _hierarchies() -> Iterator[str]:
    yield from (f"{above}(X) :- {below}(X)." for below, above in _words(_CLASSES))
    yield from (f"{above}(X, Y) :- {below}(X, Y)." for below, above in _words(_PROPERTIES))
    for one, other in _words(_INVERSES):
        yield f"{one}(X, Y) :- {other}(Y, X)."
        yield f"{other}(X, Y) :- {one}(Y, X)."
    yield "subOrganizationOf(X, Z) :- subOrganizationOf(X, Y), subOrganizationOf(Y, Z)."


def _typing() -> Iterator[str]:
    yield from (f"{class_}(X) :- {name}(X, _)." for name, class_ in _words(_DOMAINS))
    yield from (f"{class_}(Y) :- {name}(_, Y)." for name, class_ in _words(_RANGES))
    for defined, class_, name, values in _words(_DEFINITIONS):
        yield f"{defined}(X) :- {class_}(X), {name}(X, Y), {values}(Y)."


class _Campus:
    """Collects facts, and gives numbers to whatever there is."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.facts: dict[str, list[tuple[Numbers, ...]]] = {}
        self._used = 0

    def things(self, count: int) -> Numbers:
        """So many new ones."""
        self._used += count
        return np.arange(self._used - count, self._used)

    def add(self, relation: str, *columns: Numbers) -> None:
        """Facts of a relation."""
        self.facts.setdefault(relation, []).append(columns)

    def each(self, owners: Numbers, least: int, most: int) -> tuple[Numbers, Numbers]:
        """Some new things for each owner: the places of the owners, and the things."""
        places = np.repeat(np.arange(len(owners)), self.random.integers(least, most + 1, len(owners)))
        return places, self.things(len(places))

    def some(self, members: Numbers, share: float) -> Numbers:
        """A part of them."""
        return members[self.random.random(len(members)) < share]

    def of_department(self, things: Numbers, departments: Numbers, wanted: Numbers) -> Numbers:
        """For each wanted department one of its things."""
        order = np.argsort(departments, kind="stable")
        starts, counts = np.searchsorted(departments[order], wanted), np.bincount(departments)[wanted]
        return things[order][starts + (self.random.random(len(wanted)) * counts).astype(np.int64)]

    def tables(self) -> Inputs:
        """All facts, without duplicates."""
        return {name: _table(np.concatenate([np.stack(part) for part in parts], axis=1)) for name, parts in self.facts.items()}


def _table(columns: Numbers) -> pa.Table:
    distinct = np.unique(columns, axis=1).astype(np.int32)
    return pa.table({f"c{at}": np.ascontiguousarray(column) for at, column in enumerate(distinct)})


def facts(universities: int, seed: int = 7) -> Inputs:
    """About 112,000 facts for each university; for none of them one with a single department, to warm up."""
    campus = _Campus(np.random.default_rng(seed))
    all_universities = campus.things(UNIVERSITIES)
    known = all_universities[: max(1, universities)]
    campus.add("University", known)
    at_university, departments = campus.each(known, *((15, 25) if universities else (1, 1)))
    campus.add("Department", departments)
    campus.add("subOrganizationOf", departments, all_universities[at_university])
    owner, groups = campus.each(departments, 10, 20)
    campus.add("ResearchGroup", groups)
    campus.add("subOrganizationOf", groups, departments[owner])
    faculty, professors = _faculty(campus, departments)
    courses = _courses(campus, *faculty)
    _students(campus, departments, faculty, professors, courses)
    return campus.tables()


def _faculty(campus: _Campus, departments: Numbers) -> tuple[tuple[Numbers, Numbers], tuple[Numbers, Numbers]]:
    """Everybody who teaches, and the professors: places of their departments, and they themselves."""
    found = []
    for kind, (least, most) in _FACULTY.items():
        place, members = campus.each(departments, least, most)
        found.append((place, members))
        campus.add(kind, members)
        campus.add("worksFor", members, departments[place])
        for degree in ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom"):
            campus.add(degree, members, campus.random.integers(0, UNIVERSITIES, len(members)))
        _reachable(campus, members)
        author, papers = campus.each(members, *_PUBLICATIONS[kind])
        for at, sort in enumerate(("JournalArticle", "ConferencePaper", "TechnicalReport")):
            campus.add(sort, papers[at::3])
        campus.add("publicationAuthor", papers, members[author])
    first = np.searchsorted(found[0][0], np.arange(len(departments)))
    campus.add("headOf", found[0][1][first], departments)
    return _joined(found), _joined(found[:3])


def _joined(parts: list[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    places, members = zip(*parts, strict=True)
    return np.concatenate(places), np.concatenate(members)


def _reachable(campus: _Campus, people: Numbers) -> None:
    campus.add("emailAddress", people, campus.things(len(people)))
    campus.add("telephone", people, campus.things(len(people)))


def _courses(campus: _Campus, place: Numbers, members: Numbers) -> dict[str, tuple[Numbers, Numbers]]:
    """Courses by kind: places of departments, and courses."""
    found = {}
    for kind in ("Course", "GraduateCourse"):
        teacher, courses = campus.each(members, 1, 2)
        campus.add(kind, courses)
        campus.add("teacherOf", members[teacher], courses)
        found[kind] = place[teacher], courses
    return found


def _students(
    campus: _Campus,
    departments: Numbers,
    faculty: tuple[Numbers, Numbers],
    professors: tuple[Numbers, Numbers],
    courses: dict[str, tuple[Numbers, Numbers]],
) -> None:
    for kind, (least, most), taken, share in (
        ("UndergraduateStudent", (8, 14), "Course", 0.2),
        ("GraduateStudent", (3, 4), "GraduateCourse", 1.0),
    ):
        teacher, students = campus.each(faculty[1], least, most)
        place = faculty[0][teacher]
        department_of = np.zeros(students[-1] + 1, np.int64)
        department_of[students] = place
        campus.add(kind, students)
        campus.add("memberOf", students, departments[place])
        _reachable(campus, students)
        attending = np.repeat(students, campus.random.integers(2, 5, len(students)))
        campus.add("takesCourse", attending, campus.of_department(*courses[taken][::-1], department_of[attending]))
        advised = campus.some(students, share)
        campus.add("advisor", advised, campus.of_department(*professors[::-1], department_of[advised]))
        if kind == "GraduateStudent":
            campus.add("undergraduateDegreeFrom", students, campus.random.integers(0, UNIVERSITIES, len(students)))
            campus.add("ResearchAssistant", campus.some(students, 0.25))
            assisting = campus.some(students, 0.2)
            helped = campus.of_department(*courses["Course"][::-1], department_of[assisting])
            campus.add("teachingAssistantOf", assisting, helped)
