"""Every error and warning Tidelog can report: its code, its place in the text, a sentence, and a fix.

A check never stops at the first problem: it adds a `Diagnostic` to a `Diagnostics` list, and its caller raises one
`TidelogError` with all of them.  `CODES` is the whole list; each code has a page in `docs/errors/`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from tidelog.source import Source, Span, excerpt

CODES: dict[str, str] = {
    "TL001": "the text does not fit the grammar",
    "TL002": "a character that means nothing here",
    "TL003": "a quoted text that is not closed",
    "TL004": "an unknown escape in a quoted text",
    "TL005": "a clause without its final `.`",
    "TL006": "an expression nested too deeply",
    "TL007": "a number outside its range",
    "TL008": "a date, timestamp or typed literal that is not one",
    "TL009": "a prefix that is not declared",
    "TL010": "an unknown directive",
    "TL011": "an aggregate in a place where none can stand",
    "TL012": "something that cannot stand alone as a literal",
    "TL013": "something that cannot be a name",
    "TL014": "a body with too many literals",
    "TL015": "a SPARQL text that does not fit its grammar",
    "TL016": "a part of SPARQL that is not supported",
    "TL017": "a part of RDFox's rule language that is not supported",
    "TL020": "one predicate with two arities",
    "TL021": "a relation declared twice",
    "TL022": "an unknown column type",
    "TL023": "an unknown function or aggregate",
    "TL024": "a function with the wrong number of arguments",
    "TL025": "a reserved name used for a relation",
    "TL026": "two rules with the same name",
    "TL027": "a column named twice",
    "TL028": "an invalid regular expression",
    "TL030": "a head variable that nothing binds",
    "TL031": "a variable of a comparison or expression that nothing binds",
    "TL032": "a variable of a negated atom that nothing binds",
    "TL033": "a variable of an aggregate that nothing binds",
    "TL034": "a fact that is not ground",
    "TL040": "a constant of the wrong type",
    "TL041": "a variable that would need two types at once",
    "TL042": "an operator or function on the wrong types",
    "TL043": "a fact whose expression has no value",
    "TL050": "recursion through negation",
    "TL051": "recursion through an aggregate",
    "TL060": "a file that cannot be read or written",
    "TL061": "a text that is not UTF-8",
    "TL062": "a saved knowledge base that is damaged, or from a newer version",
    "TL063": "a folder that is in use, or has a saved knowledge base already",
    "TL064": "rules or options that are not those of the saved knowledge base",
    "TL065": "a change of a knowledge base that is closed or read-only",
    "TL066": "a change that could not be recorded",
    "TL067": "a change that would start over",
    "TL070": "a limit that was reached",
    "TL071": "an argument that is of no use there",
    "TL072": "a Python value that has no place in a fact",
    "TL073": "a relation that the program does not have",
    "TL074": "an unknown option or value",
    "TL075": "an upsert into a relation without a key",
    "TL076": "an update that cannot be understood",
    "TL077": "a stream that cannot be continued",
    "TL078": "a rule that is there already",
    "TL079": "a rule to remove that is not there",
    "TL080": "a row that does not fit its relation",
    "TL081": "a file whose columns do not fit the relation",
    "TL082": "a file format that is not known",
    "TL083": "a file that is damaged",
    "TL084": "a library that is not installed",
    "TL085": "no Java that Spark can use",
    "TL086": "rows that were lost with an executor",
    "TL087": "a source that Spark cannot read",
    "TL088": "a path that leads out of its folder",
    "TL089": "more values than Spark's numbers are for",
    "TL090": "a job file that cannot be understood",
    "TL091": "a job that its engine cannot run",
    "TL092": "more rejected rows than the job allows",
    "TL093": "a sink that cannot be written",
    "TL094": "an environment variable that is not set",
    "TL095": "a stream that failed",
    "TL096": "a knowledge base or snapshot that cannot be used now",
    "TL097": "an ontology that is not there",
    "TL098": "a fact that does not hold",
    "TL099": "a change that cannot be explained any more",
    "TL101": "a relation that is never defined",
    "TL102": "a variable used only once",
    "TL103": "a rule that can never fire",
    "TL104": "the same rule twice",
    "TL105": "a rule that the values at hand keep from deriving anything",
    "TL106": "a first row that may be a header, loaded as a fact",
    "TL107": "a rule that passes over facts, since it has no value for them",
    "TL108": "triples that no relation takes",
}
"""What each code is about.  `TL0xx` are errors, `TL1xx` warnings."""

_MOST_SHOWN = 50
_SHORTEST_NAME = 3
_MOST_COMPARED = 100


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: what it is, where it is, and how to fix it."""

    code: str
    message: str
    source: Source | None = None
    span: Span | None = None
    fix: str | None = None
    notes: tuple[str, ...] = ()
    relation: str | None = None
    """The relation that has the problem, where one has."""

    @property
    def is_error(self) -> bool:
        """Whether this is an error rather than a warning."""
        return self.code < "TL100"

    @property
    def place(self) -> str:
        """`file:line:column`, as far as it is known."""
        if self.source is None:
            return ""
        if self.span is None:
            return self.source.name
        return self.source.place(self.span)

    def render(self) -> str:
        """The problem as the user sees it, on several lines."""
        kind = "error" if self.is_error else "warning"
        prefix = f"{self.place}: " if self.place else ""
        lines = [f"{prefix}{kind} {self.code}: {self.message}"]
        if self.source is not None and self.span is not None:
            lines += ["    " + line for line in excerpt(self.source, self.span)]
        lines += ["    " + note for note in self.notes]
        if self.fix:
            lines.append(f"    fix: {self.fix}")
        return "\n".join(lines)


class TidelogError(Exception):
    """All problems that were found, as `diagnostics`."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Keep the problems; the message of the exception shows them all."""
        self.diagnostics = tuple(diagnostics)
        super().__init__(render_all(self.diagnostics))


class TidelogWarning(UserWarning):
    """What Python's `warnings` are told: nothing is wrong, but probably nobody means it."""


class Diagnostics(list[Diagnostic]):
    """The problems found so far, to which checks add."""

    def add(
        self,
        code: str,
        message: str,
        source: Source | None = None,
        span: Span | None = None,
        *,
        fix: str | None = None,
        notes: Iterable[str] = (),
        relation: str | None = None,
    ) -> None:
        """Note one problem."""
        self.append(Diagnostic(code, message, source, span, fix, tuple(notes), relation))

    @property
    def errors(self) -> list[Diagnostic]:
        """The errors among them, in the order of their places."""
        return in_order(d for d in self if d.is_error)

    @property
    def warnings(self) -> list[Diagnostic]:
        """The warnings among them, in the order of their places."""
        return in_order(d for d in self if not d.is_error)

    def raise_errors(self) -> None:
        """Raise one `TidelogError` if there is any error."""
        if self and (errors := self.errors):
            raise TidelogError(errors)


def fail(code: str, message: str, *, fix: str | None = None, source: Source | None = None) -> TidelogError:
    """An error of one problem, to be raised by the caller."""
    return TidelogError([Diagnostic(code, message, source, fix=fix)])


def in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Diagnostics by place, each once."""

    def key(diagnostic: Diagnostic) -> tuple[str, int, str, str]:
        name = diagnostic.source.name if diagnostic.source else ""
        return name, diagnostic.span.start if diagnostic.span else -1, diagnostic.code, diagnostic.message

    return sorted(dict.fromkeys(diagnostics), key=key)


def render_all(diagnostics: Iterable[Diagnostic]) -> str:
    """All of them as text; of very many, the first ones and how many more there are."""
    shown = list(diagnostics)
    text = "\n".join(d.render() for d in shown[:_MOST_SHOWN])
    more = len(shown) - _MOST_SHOWN
    return text if more <= 0 else f"{text}\n... and {more} more"


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A fix that names the most similar known name, or None."""
    others = sorted(set(known) - {name})
    close = [other for other in others if other.lower() == name.lower()]
    if len(others) > _MOST_COMPARED:  # comparing is slow, and a text may have as many mistakes as names
        others = sorted(others, key=lambda other: (other[:1] != name[:1], abs(len(other) - len(name))))[:_MOST_COMPARED]
    if not close and len(name) >= _SHORTEST_NAME:  # any two short names are alike
        close = difflib.get_close_matches(name, others, n=1, cutoff=0.75)
    return f"did you mean `{close[0]}`?" if close else None
