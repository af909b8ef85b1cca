"""Reads rules and facts: atoms, negation, FILTER, BIND and AGGREGATE, as they are written."""

from __future__ import annotations

from dataclasses import dataclass, field

from tidelog.source import Span
from tidelog.syntax.dlog.expressions import Condition, Expressions, Test
from tidelog.syntax.reading import ClauseError
from tidelog.syntax.tree import Prefix, Term, Variable, iri_constant
from tidelog.text_limits import MOST_LITERALS
from tidelog.values import RDF_TYPE

_AGGREGATES = {"COUNT": "count", "SUM": "sum", "MIN": "min", "MAX": "max", "AVG": "avg", "MEDIAN": "median"}


@dataclass(frozen=True, slots=True)
class Pattern:
    """`[s, p, o]`, or a class or property atom, which means the same."""

    subject: Term
    predicate: Term
    object: Term
    span: Span


@dataclass(frozen=True, slots=True)
class Without:
    """`NOT` some patterns, for no values of the variables behind `EXISTS`."""

    patterns: tuple[Pattern, ...]
    exists: tuple[Variable, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Filter:
    """`FILTER(condition)`."""

    condition: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class Bind:
    """`BIND(expression AS variable)`."""

    term: Term
    variable: Variable
    span: Span


@dataclass(frozen=True, slots=True)
class Computed:
    """`BIND COUNT(DISTINCT term) AS variable` inside of an aggregate."""

    function: str
    is_distinct: bool
    term: Term | None
    result: Variable
    span: Span


@dataclass(frozen=True, slots=True)
class Grouped:
    """`AGGREGATE(body ON groups BIND …)`."""

    body: tuple[Element, ...]
    groups: tuple[Variable, ...]
    computed: tuple[Computed, ...]
    span: Span


Element = Pattern | Without | Filter | Bind | Grouped


@dataclass(frozen=True, slots=True)
class Written:
    """A rule with all its heads; a fact has no body."""

    heads: tuple[Pattern, ...]
    body: tuple[Element, ...] | None
    span: Span

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.span.start


@dataclass(slots=True)
class Read:
    """What has been read so far."""

    written: list[Written | Prefix] = field(default_factory=list)


class Statements(Expressions):
    """Reads statements."""

    def statement(self) -> Written | Prefix | None:
        """The next statement; None if it only sets the base."""
        token = self.next
        if token.is_word("PREFIX", "@PREFIX"):
            return self._prefix()
        if token.is_word("BASE", "@BASE"):
            self.take()
            iri = self.next
            if iri.kind != "IRI":
                raise self.unexpected("an IRI")
            self.base = self.resolved(self.take())
            self._end_of_directive(token.text)
            return None
        start = token.span.start
        heads = [self._pattern()]
        while self.accept(","):
            heads.append(self._pattern())
        body = None
        if self.accept(":-"):
            body = self._body()
        elif not self.next.is_sign("."):
            raise self.unexpected("`:-`, `,` or `.`")
        self.expect(".")
        last = body[-1].span if body else heads[-1].span
        return Written(tuple(heads), body, Span(start, last.end))

    def _prefix(self) -> Prefix:
        word, name = self.take(), self.take()
        if name.kind != "PREFIXED" or not name.text.endswith(":"):
            self.at -= 1
            raise self.unexpected("the name of a prefix, `ex:`")
        if self.next.kind != "IRI":
            raise self.unexpected("an IRI")
        iri = self.take()
        prefix = Prefix(name.text[:-1], self.resolved(iri), Span(word.span.start, iri.span.end))
        self.prefixes[prefix.name] = prefix.iri
        self._end_of_directive(word.text)
        return prefix

    def _end_of_directive(self, word: str) -> None:
        """`@prefix` ends with a dot, and `PREFIX` may."""
        if word.startswith("@"):
            self.expect(".")
        else:
            self.accept(".")

    # --- bodies ----------------------------------------------------------------------------------------------------------

    def _body(self) -> tuple[Element, ...]:
        elements = [self._element()]
        while self.accept(","):
            elements.append(self._element())
            if len(elements) > MOST_LITERALS:
                fix = "derive a relation from some of them, and use that here"
                raise ClauseError("TL014", f"there are more than {MOST_LITERALS} literals in one body", elements[-1].span, fix)
        return tuple(elements)

    def _element(self) -> Element:
        token = self.next
        if self.accept_word("NOT") is not None:
            return self._without(token.span.start)
        if self.accept_word("FILTER") is not None:
            condition = self.condition()  # in parentheses, or a function
            return Filter(condition, Span(token.span.start, self.tokens[self.at - 1].span.end))
        if self.accept_word("BIND") is not None:
            self.expect("(")
            term = self.expression()
            self.expect_word("AS")
            variable = self.variable()
            return Bind(term, variable, Span(token.span.start, self.expect(")").span.end))
        if self.accept_word("AGGREGATE") is not None:
            return self._aggregate(token.span.start)
        if token.is_word("SKOLEM"):
            fix = "let an ontology or the data name it"
            raise ClauseError("TL017", "SKOLEM, which makes new individuals, is not supported", token.span, fix)
        return self._pattern()

    def _without(self, start: int) -> Without:
        exists: list[Variable] = []
        if self.accept_word("EXISTS", "EXIST") is not None:
            exists.append(self.variable())
            while self.accept(",") or self.next.kind == "VARIABLE":
                exists.append(self.variable())
            self.expect_word("IN")
        if not self.accept("("):
            pattern = self._pattern()
            return Without((pattern,), tuple(exists), Span(start, pattern.span.end))
        patterns = [self._pattern()]
        while self.accept(","):
            patterns.append(self._pattern())
        return Without(tuple(patterns), tuple(exists), Span(start, self.expect(")").span.end))

    def _aggregate(self, start: int) -> Grouped:
        self.expect("(")
        body = self._body()
        for one in body:
            if isinstance(one, Grouped):
                fix = "put the inner aggregate into a rule of its own"
                raise ClauseError("TL011", "an aggregate stands inside another one", one.span, fix)
        groups: list[Variable] = []
        if self.accept_word("ON") is not None:
            groups.append(self.variable())
            while self.accept(",") or self.next.kind == "VARIABLE":
                groups.append(self.variable())
        computed = [self._computed()]
        while self.next.is_word("BIND"):
            computed.append(self._computed())
        return Grouped(body, tuple(groups), tuple(computed), Span(start, self.expect(")").span.end))

    def _computed(self) -> Computed:
        start = self.expect_word("BIND").span.start
        name = self.take()
        if name.text.upper() not in _AGGREGATES:
            fix = "the aggregates are " + ", ".join(_AGGREGATES)
            raise ClauseError("TL023", f"there is no aggregate `{name.text}`", name.span, fix)
        self.expect("(")
        is_distinct = self.accept_word("DISTINCT") is not None
        term = None
        if not (name.text.upper() == "COUNT" and (self.accept("*") or self.next.is_sign(")"))):
            term = self.expression()
        self.expect(")")
        self.expect_word("AS")
        result = self.variable()
        return Computed(_AGGREGATES[name.text.upper()], is_distinct, term, result, Span(start, result.span.end))

    # --- atoms -----------------------------------------------------------------------------------------------------------

    def _pattern(self) -> Pattern:
        token = self.next
        if self.accept("["):
            subject = self.term()
            self.expect(",")
            predicate = self.predicate()
            self.expect(",")
            target = self.term()
            found = Pattern(subject, predicate, target, Span(token.span.start, self.expect("]").span.end))
        elif token.kind in ("IRI", "PREFIXED"):
            found = self._named(token.span.start)
        else:
            fix = "write SPARQL's triples in brackets: `[?x, :p, ?y]`" if token.kind == "VARIABLE" else None
            raise self.unexpected("an atom, such as `[?x, :p, ?y]`", fix)
        if self.next.kind in ("IRI", "PREFIXED"):
            fix = "keep each graph in a knowledge base of its own, or write the rule in Tidelog's language with `graphs=True`"
            raise ClauseError("TL017", "an atom of a named graph is not supported", self.next.span, fix)
        return found

    def _named(self, start: int) -> Pattern:
        """`:C[?x]`, or `:p[?x, ?y]`."""
        name = self.iri()
        if self.next.is_sign("("):
            fix = "write `:C[?x]` or `:p[?x, ?y]`; tables of more columns are relations of Tidelog's own language"
            raise ClauseError("TL017", "an atom of a tuple table is not supported", name.span, fix)
        if not self.next.is_sign("["):
            raise self.unexpected("`[`", "a fact is `[:a, :p, :b] .`; data in Turtle belong into a file of their own")
        self.take()
        terms = [self.term()]
        while self.accept(","):
            terms.append(self.term())
        span = Span(start, self.expect("]").span.end)
        match terms:
            case [one]:
                return Pattern(one, iri_constant(RDF_TYPE, name.span), name, span)
            case [one, other]:
                return Pattern(one, name, other, span)
        raise ClauseError("TL017", "an atom has one or two arguments in brackets", span, "a class has one, and a property two")


__all__ = ["Bind", "Computed", "Element", "Filter", "Grouped", "Pattern", "Statements", "Test", "Without", "Written"]
