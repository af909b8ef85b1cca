"""Snapshots: several questions about one state of a knowledge base."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

from tidelog.arguments import shown as shown_argument
from tidelog.core.arrays import Rows
from tidelog.core.limits import Watch
from tidelog.errors import TidelogError, did_you_mean, fail
from tidelog.facts import AllFacts, Facts
from tidelog.local.equality.members import members_of
from tidelog.local.sharing.published import Published
from tidelog.local.sharing.replica import Replica
from tidelog.program.program import Program
from tidelog.program.queries import check_query
from tidelog.program.relations import Relation
from tidelog.surface.browsing import Browsable
from tidelog.values import Kind

if TYPE_CHECKING:
    from tidelog.sparql.results import SparqlResult


class Snapshot(Browsable):
    """The state of a knowledge base after one update; later updates do not show in it.

    >>> with kb.snapshot() as view:                                # doctest: +SKIP
    ...     view.count("path"), list(view.query("path(a, X)"))

    It may be used by several threads, and it costs what the updates since then have changed, until it is closed.  Queries use the
    replica of all readers as long as that is near.
    """

    def __init__(self, published: Published, replica: Replica, watch: Callable[[], Watch]) -> None:
        self._of: Published | None = published
        self._replica, self._watch = replica, watch
        self._own: Replica | None = None
        """For a snapshot from which the replica of all readers is too far away."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what the snapshot keeps; results that it has given stay."""
        self._of = self._own = None

    def __copy__(self) -> Self:
        return type(self)(self._published, self._replica, self._watch)

    def __deepcopy__(self, _memo: object) -> Self:
        return self.__copy__()

    def __reduce__(self) -> str:
        raise fail("TL074", "a snapshot cannot be pickled", fix="save the knowledge base to a folder, and open that")

    @property
    def _published(self) -> Published:
        if self._of is None:
            raise fail("TL096", "this snapshot is closed", fix="take another one: kb.snapshot()")
        return self._of

    @property
    def program(self) -> Program:
        """The checked rules."""
        return self._published.schema.program

    @property
    def relations(self) -> dict[str, Relation]:
        """All relations."""
        return self._published.schema.relations()

    def __repr__(self) -> str:
        return "<Snapshot: closed>" if self._of is None else super().__repr__()

    @overload
    def facts(self, relation: str) -> Facts: ...

    @overload
    def facts(self, relation: None = None) -> AllFacts: ...

    def facts(self, relation: str | None = None) -> Facts | AllFacts:
        """The facts of a relation, or of all of them, as `KnowledgeBase.facts` gives them."""
        return self[relation] if relation is not None else AllFacts([self[name] for name in self.relations])

    def __getitem__(self, relation: str) -> Facts:
        published, known = self._published, self._known(relation)
        held, members = published.held(known.name), members_of(published.tables, known.name)
        return shown(known, held if members is None else members.expanded(held.rows), published.terms)

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        published, known = self._published, self._known(relation)
        held, members = published.held(known.name), members_of(published.tables, known.name)
        return len(held) if members is None else members.count(held.rows)

    def query(self, text: str, /, **values: object) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once; `values` are those of some."""
        published = self._published
        query = check_query(text, published.schema.relations(), published.schema.program.prefixes, values)
        rows, terms = self._near().query(published, query, self._watch())
        return Facts(text.strip(), query.names, rows, terms, noun="answer")

    def sparql(self, text: str, *, graphs: bool | None = None) -> SparqlResult:
        """The result of a SPARQL query, as `KnowledgeBase.sparql` gives it."""
        from tidelog.sparql.answering import answer, asked

        published = self._published
        question, is_of_graphs = asked(text, published.schema, graphs=graphs)
        with self._near().inquiry(published, self._watch()) as inquiry:
            return answer(question, inquiry, published.schema, graphs=is_of_graphs)

    def explain(self, fact: object, **_options: object) -> NoReturn:
        """A snapshot explains nothing, since it has no times of facts; the knowledge base does, and so does a copy of it."""
        raise _asks_nothing(f"explain({shown_argument(fact)})")

    def why_not(self, fact: object, **_options: object) -> NoReturn:
        """As `explain`."""
        raise _asks_nothing(f"why_not({shown_argument(fact)})")

    def what_if(self, *_parts: object, **_options: object) -> NoReturn:
        """As `explain`."""
        raise _asks_nothing("what_if(…)")

    def _near(self) -> Replica:
        """The replica of all readers, or one of its own."""
        if self._own is None and not self._replica.is_near(self._published):  # other readers are far ahead, or far behind
            self._own = Replica()
        return self._own or self._replica

    def _known(self, relation: str) -> Relation:
        name = self._published.schema.name_of(relation)
        known = self._published.schema.relation(name)
        if known is None:
            raise fail("TL073", f"there is no relation `{relation}`", fix=did_you_mean(name, self.relations))
        return known


def _asks_nothing(call: str) -> TidelogError:
    fix = f"ask the knowledge base, kb.{call}; or take kb.copy() in place of a snapshot, which explains the state that it keeps"
    return fail("TL074", "a snapshot has facts and answers, and no explanations", fix=fix)


def shown(known: Relation, held: Any, terms: Any, find: Callable[[Rows], bool | None] | None = None) -> Facts:
    """The facts of a relation as a result; `find` may know a row sooner than `held`."""
    kinds = [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]
    return Facts(known.name, known.column_names, held, terms, kinds, find=find)
