"""Texts of SPARQL as trees: rdflib parses and translates to algebra, `translation` makes operators of that.

Parsing takes milliseconds, so queries are kept by their text.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial
from typing import Any

from tidelog.arguments import wrong
from tidelog.errors import Diagnostic, TidelogError
from tidelog.source import Source, Span
from tidelog.sparql.reading.question import Question, without_texts
from tidelog.sparql.reading.selected import write_out
from tidelog.sparql.terms import rdflib
from tidelog.text_limits import DEEPEST

_PARSING = threading.RLock()
"""The parser of rdflib is one object for the whole process."""
_MOST_KEPT = 500
_NESTED = "{(["


_KEPT: OrderedDict[tuple[str, bool, tuple[tuple[str, str], ...]], Question] = OrderedDict()


def question_of(given: object, prefixes: Mapping[str, str], *, graphs: bool = False) -> Question:
    """The query in a text; `prefixes` are those that it need not declare.  Raises one error with the place."""
    text = as_text(given, "a SPARQL query", 'give a text: `kb.sparql("SELECT ?x WHERE { … }")`')
    key = text, graphs, tuple(prefixes.items())
    kept = _KEPT.get(key)
    if kept is None:
        kept = _read(text, prefixes, graphs=graphs)
        _KEPT[key] = kept
        while len(_KEPT) > _MOST_KEPT:
            _KEPT.popitem(last=False)
    return kept


def _read(text: str, prefixes: Mapping[str, str], *, graphs: bool) -> Question:
    rdflib()
    from rdflib.plugins.sparql import algebra
    from rdflib.plugins.sparql.parser import parseQuery

    from tidelog.sparql.reading.translation import Translation

    source = Source(text, "<sparql>")
    check_depth(source)
    check_iris(source)
    translation = Translation(source, graphs=graphs)
    with _PARSING, places(source, prefixes):
        prefixes = used_prefixes(source.text, prefixes)
        parsed = parseQuery(source.text)
        prologue = algebra.translatePrologue(parsed[0], None, dict(prefixes))
        parsed[1] = algebra.traverse(parsed[1], visitPost=partial(plain_literals, prologue=prologue))
        write_out(parsed[1], source)
        query = algebra.translateQuery(parsed, None, dict(prefixes))
    return translation.question(query, prologue)


def parsed_update(text: str, prefixes: Mapping[str, str]) -> tuple[Source, list[Any]]:
    """The operations of an update, as rdflib's algebra has them."""
    rdflib()
    from rdflib.plugins.sparql import algebra
    from rdflib.plugins.sparql.parser import parseUpdate

    source = Source(text, "<sparql>")
    check_depth(source)
    check_iris(source)
    prefixes = used_prefixes(source.text, prefixes)
    with _PARSING, places(source):
        parsed = parseUpdate(source.text)
        prologue = None
        for declared, request in zip(parsed.prologue or (), parsed.request or (), strict=False):
            prologue = algebra.translatePrologue(declared, None, dict(prefixes), prologue)
            algebra.traverse(request, visitPost=partial(plain_literals, prologue=prologue))
        return source, list(algebra.translateUpdate(parsed, None, dict(prefixes)).algebra) if parsed.request else []


def used_prefixes(text: str, prefixes: Mapping[str, str]) -> dict[str, str]:
    """The prefixes that a text may use.

    To rdflib a namespace has one prefix, and one that is bound again takes it away from that which the text declares.
    """
    used = set(_PREFIX.findall(text))
    return {name: iri for name, iri in prefixes.items() if name in used}


_PREFIX = re.compile(r"((?:[^\W\d_][\w.-]*)?):")


def plain_literals(node: Any, prologue: Any) -> Any:
    """Literals as they are written: rdflib itself would turn `"01"^^xsd:byte` into 1."""
    from rdflib import Literal

    if getattr(node, "name", None) == "literal":
        return Literal(node.string, lang=node.lang, datatype=prologue.absolutize(node.datatype), normalize=False)
    return None


def as_text(given: object, what: str, fix: str) -> str:
    """The text that was given; anything else is refused."""
    if not isinstance(given, str):
        raise wrong(what, given, fix)
    return given


def check_depth(source: Source) -> None:
    """Refuse what is nested so deeply that the parser would end the process."""
    text, depth = without_texts(source.text), 0
    for match in re.finditer(r"[{}()\[\]]", text):
        depth += 1 if match[0] in _NESTED else -1
        if depth > DEEPEST:
            place = Span(match.start(), match.start() + 1)
            message = f"it is nested more than {DEEPEST} levels deep"
            raise TidelogError([Diagnostic("TL006", message, source, place, "divide the query")])


_WITH_IRIS = re.compile(
    r"""\"\"\"(?:[^"\\]|\\.|"(?!""))*\"\"\"|\'\'\'(?:[^'\\]|\\.|'(?!''))*\'\'\'|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'"""
    r"""|<(?P<iri>[^<>"{}|^`\\\x00-\x20]*)>|\#[^\n]*""",
    re.DOTALL,
)
"""Texts, IRIs and comments."""
_IS_RELATIVE = re.compile(r"(?![A-Za-z][\w+.-]*:)[\w./#~%@+:-]*")
"""Without a scheme, and without what would make it two comparisons."""


def check_iris(source: Source) -> None:
    """Refuse relative IRIs where nothing says to what: no term of the data is like them."""
    if re.search(r"\bBASE\b", without_texts(source.text), re.IGNORECASE):
        return
    for match in _WITH_IRIS.finditer(source.text):
        if match["iri"] is not None and _IS_RELATIVE.fullmatch(match["iri"]):
            whole = f"<http://example.org/{match['iri'].lstrip('/#')}>"
            fix = f"write the whole IRI, `{whole}`, or say `BASE <http://example.org/>` first"
            message = f"the IRI `{match[0]}` is relative, and nothing says to what"
            raise TidelogError([Diagnostic("TL015", message, source, Span(match.start(), match.end()), fix)])


class places:  # noqa: N801 - a context, like those of contextlib
    """Turns what rdflib raises into coded errors with their place."""

    def __init__(self, source: Source, prefixes: Mapping[str, str] | None = None) -> None:
        """With `prefixes`, those of a query that need not be declared, another parser is asked for a better place."""
        self.source, self.prefixes = source, prefixes

    def __enter__(self) -> None: ...

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None or isinstance(error, TidelogError) or not isinstance(error, Exception):
            return
        raise TidelogError([self._diagnostic(error)]) from error

    def _diagnostic(self, error: Exception) -> Diagnostic:
        from pyparsing import ParseBaseException

        text = self.source.text
        if isinstance(error, ParseBaseException):
            at = min(max(error.loc, _further(self.source, self.prefixes)), len(text.rstrip()))
            shown = re.match(r"\S+", text[at:])
            found = f"`{shown[0][:40]}` is not expected here" if shown else "it ends too early"
            fix = "see https://www.w3.org/TR/sparql11-query/#grammar"
            return Diagnostic("TL015", found, self.source, Span(at, at + (len(shown[0]) if shown else 1)), fix)
        if isinstance(error, RecursionError):
            return Diagnostic("TL006", "it is nested too deeply", self.source, Span(0, 1), "divide the query")
        message = str(error)
        if (unknown := re.match(r"Unknown namespace prefix ?: ?(.*)", message)) is not None:
            prefix = unknown[1].strip()
            fix = f"declare it: PREFIX {prefix}: <…>"
            return Diagnostic("TL009", f"the prefix `{prefix}:` is not declared", self.source, self._find(f"{prefix}:"), fix)
        return Diagnostic("TL015", f"it has no meaning: {message}", self.source, Span(0, 1), "mend the query")

    def _find(self, word: str) -> Span:
        for match in re.finditer(rf"(?<![\w:]){re.escape(word)}", self.source.text):
            return Span(match.start(), match.end())
        return Span(0, 1)


def _further(source: Source, prefixes: Mapping[str, str] | None) -> int:
    """Where pyoxigraph finds that a query has no meaning: rdflib's parser often names the begin of the sentence."""
    try:
        import pyoxigraph
    except ImportError:
        return 0
    if prefixes is None or re.search(r"\b(?:SERVICE|ASK)\b", source.text, re.IGNORECASE):  # it must only be read, not asked
        return 0
    try:
        pyoxigraph.Store().query(source.text, prefixes=dict(prefixes))
    except SyntaxError as error:
        found = re.match(r"error at (\d+):(\d+)", str(error))
        return source.offset_of(int(found[1]), int(found[2])) if found else 0
    except (ValueError, TypeError):
        return 0
    return 0
