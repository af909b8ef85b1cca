"""One update of a stream: facts to delete, to insert and to replace; from a line of JSON or a dictionary, and back.

All errors of an update are reported at once, with the place that it came from.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tidelog.arguments import iterable, shown
from tidelog.errors import Diagnostic, Diagnostics, TidelogError, did_you_mean
from tidelog.files.text.json_values import LossyJSONError, decode, from_json, to_json
from tidelog.program.explicit import as_facts
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.text_limits import LONGEST_TEXT, check_length
from tidelog.values import IRI, Kind, Value, from_python, is_text, parse_date, parse_timestamp

FactTuple: TypeAlias = tuple[object, ...]
"""A relation's name and the arguments, as `kb.update` takes them."""

_FACTS = ("delete", "insert", "upsert")
_RULES = ("remove_rules", "add_rules")
_KEYS = ("id", *_FACTS, *_RULES)
_MOST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Update:
    """One update.  Deletions come first."""

    id: str | int | None = None
    delete: tuple[FactTuple, ...] = ()
    insert: tuple[FactTuple, ...] = ()
    upsert: tuple[FactTuple, ...] = ()
    remove_rules: tuple[str, ...] = ()
    add_rules: tuple[str, ...] = ()
    place: str = field(default="", compare=False)
    """Where it came from, such as `updates.jsonl:17`."""

    @classmethod
    def from_json(cls, line: str | bytes, place: str = "", longest: int = LONGEST_TEXT) -> Update:
        """An update from a line of JSON of no more than `longest` bytes."""
        check_length(line, "the line", longest, place)
        try:
            thing = decode(line.decode() if isinstance(line, bytes) else line)
        except UnicodeDecodeError as error:
            problem = f"this is not UTF-8 text: byte {error.start + 1} cannot be decoded"
            raise _error("TL061", problem, place, "save the text as UTF-8") from error
        except json.JSONDecodeError as error:
            fix = 'write one update a line: `{"insert": [["edge", "a", "b"]]}`'
            raise _error("TL076", f"this is not JSON: {error.msg}", f"{place}:{error.colno}" if place else "", fix) from error
        except LossyJSONError as error:
            raise _error("TL076", str(error), place, error.fix) from error
        except ValueError as error:
            raise _error("TL076", f"this is not JSON: {error}", place, None) from error
        except RecursionError as error:
            raise _error("TL076", "it is nested too deeply", place, _FACT_FIX) from error
        return cls.from_dict(thing, place)

    @classmethod
    def from_dict(cls, thing: object, place: str = "") -> Update:
        """An update from a dictionary with the keys of the JSON form, all of which are optional."""
        if not isinstance(thing, Mapping):
            fix = 'write an object: `{"insert": [["edge", "a", "b"]]}`'
            raise _error("TL076", f"{_shown(thing)} is not an update", place, fix)
        problems = Diagnostics()
        source = Source("", place) if place else None
        for key in thing:
            if key not in _KEYS:
                fix = did_you_mean(str(key), _KEYS) or f"the keys are {', '.join(_KEYS)}"
                problems.add("TL076", f"an update has no {_shown(key)}", source, fix=fix)
        name = thing.get("id")
        if isinstance(name, bool) or not isinstance(name, str | int | None) or (isinstance(name, str) and not is_text(name)):
            problems.add("TL076", f"{_shown(name)} is not an id", source, fix="let it be a string or an integer")
            name = None
        delete, insert, upsert = (_facts(key, thing.get(key), problems, source) for key in _FACTS)
        remove_rules, add_rules = (_rules(key, thing.get(key), problems, source) for key in _RULES)
        problems.raise_errors()
        return cls(name, delete, insert, upsert, remove_rules, add_rules, place)

    def to_dict(self) -> dict[str, object]:
        """The update as JSON, without empty keys."""
        described: dict[str, object] = {} if self.id is None else {"id": self.id}
        for key in _FACTS:
            if facts := getattr(self, key):
                described[key] = [[name, *(to_json(from_python(arg).content) for arg in args)] for name, *args in facts]
        return described | {key: list(rules) for key in _RULES if (rules := getattr(self, key))}

    def to_json(self) -> str:
        """The update as a line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)


class UpdateError(TidelogError):
    """The errors of one update of a stream, which has changed nothing."""

    def __init__(self, diagnostics: Iterable[Diagnostic], update: Update | None, number: int) -> None:
        """Add the place of the update to each problem."""
        self.update = update
        """The update, if it could be read."""
        self.number = number
        """Its number in the stream, counted from 1."""
        where = (update.place if update is not None else "") or f"update {number}"
        if update is not None and update.id is not None:
            where += f" (id {update.id})"
        super().__init__([replace(problem, source=_source_at(where, problem.source)) for problem in diagnostics])


def _source_at(where: str, source: Source | None) -> Source:
    """The text that a problem is in, with the place of its update; a text of rules has no place of its own."""
    if source is None:
        return Source("", where)
    return Source(source.text, f"{where}, {source.name[1:-1]}") if source.name.startswith("<") else source


def updates_of(given: Iterable[object]) -> Iterator[Update]:
    """Updates from an iterable of what `as_update` takes, one by one."""
    return map(as_update, iterable(given, "a list of updates", "give a list of updates: `[Update(…)]`"))


def as_update(thing: object, place: str = "") -> Update:
    """An update from an `Update`, a dictionary or a line of JSON."""
    if isinstance(thing, Update):
        return thing
    return Update.from_json(thing, place) if isinstance(thing, str | bytes) else Update.from_dict(thing, place)


def _facts(key: str, given: object, problems: Diagnostics, source: Source | None) -> tuple[FactTuple, ...]:
    if given is None:
        return ()
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        fix = f'write a list of facts: `"{key}": [["edge", "a", "b"]]`'
        problems.add("TL076", f"`{key}` is {_shown(given)}, and not a list of facts", source, fix=fix)
        return ()
    facts: list[FactTuple] = []
    for at, fact in enumerate(given):
        try:
            facts.append(_fact(fact))
        except ValueError as error:
            problems.add("TL076", f"{_shown(fact)}, fact {at + 1} of `{key}`: {error}", source, fix=_FACT_FIX)
    return tuple(facts)


def _fact(fact: object) -> FactTuple:
    if isinstance(fact, str | bytes) or not isinstance(fact, Sequence) or not fact:
        raise ValueError("it is not a fact")
    name, *args = (part if type(part) in _PLAIN else from_json(part) for part in fact)
    if isinstance(name, IRI):
        name = name.text
    if not isinstance(name, str):
        raise ValueError("it does not begin with the name of a relation")  # noqa: TRY004
    return name, *args


def _rules(key: str, given: object, problems: Diagnostics, source: Source | None) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, Sequence) and not isinstance(given, str | bytes) and all(isinstance(rule, str) for rule in given):
        return tuple(given)
    problems.add("TL076", f"`{key}` is {_shown(given)}, and not a list of texts", source, fix=f'write `"{key}": ["…"]`')
    return ()


def _error(code: str, message: str, place: str, fix: str | None) -> TidelogError:
    return TidelogError([Diagnostic(code, message, Source("", place) if place else None, fix=fix)])


def _shown(thing: object) -> str:
    """A value as a message shows it, shortened."""
    try:
        text = json.dumps(thing, ensure_ascii=False)
    except (TypeError, ValueError):
        text = shown(thing)
    except RecursionError:
        text = f"a deeply nested {type(thing).__name__}"
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"


_PLAIN = (str, int, float)
_FACT_FIX = 'write the name of the relation and the arguments: `["edge", "a", "b"]`'


_AS_TEXT = (Kind.DATE, Kind.TIMESTAMP, Kind.IRI, Kind.LITERAL)


def fitting(
    relations: Mapping[str, Relation], spellings: Callable[[str], Iterable[str]] = lambda name: (name,)
) -> Callable[[Update], Update]:
    """A function that converts texts of updates to the declared types of their columns; one that does not fit stays a text.

    `spellings` gives all names by which updates may call a relation.
    """
    readers: dict[str, dict[int, Callable[[str], Value | None]]] = {}
    for name, relation in relations.items():
        kinds = {at: column.type for at, column in enumerate(relation.columns or ()) if column.type in _AS_TEXT}
        if kinds:
            columns = {at + 1: _reader(Kind(kind)) for at, kind in kinds.items() if kind is not None}
            readers |= dict.fromkeys(spellings(name), columns)

    def fit(fact: FactTuple) -> FactTuple:
        columns = readers.get(_name(fact))
        if columns is None:
            return fact
        return tuple(
            (columns[at](part) or part) if at in columns and isinstance(part, str) else part for at, part in enumerate(fact)
        )

    def fit_update(update: Update) -> Update:
        given = (as_facts(update.delete), as_facts(update.insert), as_facts(update.upsert))
        if readers.keys().isdisjoint(_name(fact) for facts in given for fact in facts):
            return update
        return replace(
            update,
            delete=tuple(map(fit, update.delete)),
            insert=tuple(map(fit, update.insert)),
            upsert=tuple(map(fit, update.upsert)),
        )

    return fit_update if readers else lambda update: update


def _name(fact: FactTuple) -> str:
    """The name that a fact begins with; nothing of what is no fact, which is reported in its turn."""
    return fact[0] if isinstance(fact, tuple | list) and fact and isinstance(fact[0], str) else ""


def _reader(kind: Kind) -> Callable[[str], Value | None]:
    if kind is Kind.DATE:
        return parse_date
    if kind is Kind.TIMESTAMP:
        return lambda text: parse_timestamp(text.replace(" ", "T", 1))

    def read(text: str) -> Value | None:
        from tidelog.files.objects import value_of

        return value_of(text, kind)

    return read
