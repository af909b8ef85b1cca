"""The knowledge base: rules, explicit facts, and the materialisation of all derived facts, maintained under updates.

`KnowledgeBase` is the abstract base of the engines: it has the program, the relations and what can be said in terms of these.
Each engine is a subclass, named in `ENGINES` and imported on first use; `KnowledgeBase(...)` makes an object of that subclass.
"""

# mypy: disable-error-code="empty-body"
from __future__ import annotations

import importlib
from abc import ABC
from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from inspect import iscoroutinefunction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from tidelog.arguments import number, path_of
from tidelog.changes import Change, LoadReport
from tidelog.core.schema import Schema
from tidelog.errors import did_you_mean, fail
from tidelog.explain.questions import Questions
from tidelog.facts import AllFacts, Facts
from tidelog.lasting import Lasting
from tidelog.ontology.reasoning import Reasoning
from tidelog.options import Algorithm, Engine, Marking, bytes_of, check_limits, folder_beside, refuse, source_of
from tidelog.program.program import Program, check
from tidelog.program.relations import Relation
from tidelog.rdf.knowledge_graph import KnowledgeGraph
from tidelog.source import Source
from tidelog.surface.browsing import Browsable
from tidelog.surface.engine_options import no_option, with_options_of_engines
from tidelog.surface.keywords import naming_options
from tidelog.surface.logs import LINT, warn_of
from tidelog.surface.subscriptions import Subscribable
from tidelog.text_limits import LONGEST_TEXT, check_length

if TYPE_CHECKING:
    from tidelog.core.limits import Progress, Watch
    from tidelog.core.statistics import Statistics
    from tidelog.files.text.delimited import Header
    from tidelog.report.plan import Plans
    from tidelog.report.profile import Profile
    from tidelog.report.svg import GraphPicture
    from tidelog.spark.ingest import Rejects
    from tidelog.streams.following import AsyncFollowing, Following
    from tidelog.streams.source import AsyncQueue, Queue, UpdateSource
    from tidelog.streams.update import Update

    _Method = TypeVar("_Method", bound=Callable[..., Any])

    def _abstract(method: _Method, /) -> _Method:
        """To type checkers no method is abstract: they would refuse `KnowledgeBase(...)`, which makes a subclass's object."""
else:
    from abc import abstractmethod as _abstract

ShowProgress = Callable[["Progress"], None]
FactsGiven = Iterable[tuple[object, ...]] | Mapping[str, object] | Facts
"""Tuples with the name of the relation first; by relation whatever `load` takes; or the facts of a relation."""
ENGINES = {"local": "tidelog.local.kb:LocalKnowledgeBase", "spark": "tidelog.spark.kb:SparkKnowledgeBase"}
"""The class of each engine."""


class KnowledgeBase(Browsable, Subscribable, KnowledgeGraph, Questions, Reasoning, Lasting, ABC):
    """Datalog rules, explicit facts, and all facts that follow from them.

    >>> kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).")
    >>> change = kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c")])
    >>> sorted(kb.facts("path"))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]

    `update`, `add_rules`, `remove_rules` and `follow` change facts and rules and maintain what follows; `load` reads files,
    tables and data frames; `facts`, `kb[name]`, `count` and `query` read.  `engine="spark"` keeps the facts on Spark.
    """

    def __new__(cls, *_args: Any, engine: str = "local", **_options: Any) -> Self:
        """An object of the engine's subclass."""
        if cls is not KnowledgeBase:
            return super().__new__(cls)
        refuse(engine=engine)
        module, _, name = ENGINES[engine].partition(":")
        made: Self = object.__new__(getattr(importlib.import_module(module), name))
        return made

    def __init__(  # options that users give by name
        self,
        rules: str | PathLike[str] | Source = "",
        *,
        engine: Engine = "local",
        algorithm: Algorithm = "auto",
        marking: Marking = "auto",
        modules: bool = True,
        strict: bool = False,
        folder: str | PathLike[str] | None = None,
        limit_facts: int | None = None,
        limit_seconds: float | None = None,
        limit_rounds: int | None = None,
        limit_memory: int | str | None = None,
        limit_text: int | str = LONGEST_TEXT,
        input_root: str | PathLike[str] | None = None,
        progress: ShowProgress | None = None,
        **engine_options: Any,
    ) -> None:
        """Check the rules and load the files that their `@input`s name.

        `rules` is a program's text, or the path of a program.  `folder` is where the files of `@input` are; without it, beside
        the program.  `algorithm` maintains deletions: `auto`, `ranked`, `bf`, `dred`, `counting` or `rematerialise`;
        `marking` prepares for the next update of a stream.  With `modules=False` transitive relations are evaluated like any
        other.  `strict=True` refuses facts of relations that no `@relation` declares.  The limits stop an evaluation with an
        error that changes nothing: `limit_memory` is for stored facts and values, `limit_text` for one program, value or line, in
        bytes or as texts such as `2 GB`.  With `input_root`, no `@input` leads out of that folder.
        `progress` is called about ten times a second during an evaluation.
        """
        refuse(engine=engine, algorithm=algorithm, marking=marking, strict=strict)
        for name in engine_options:
            raise no_option(name, engine, KnowledgeBase.__init__)
        check_limits(progress, limit_seconds, limit_facts=limit_facts, limit_rounds=limit_rounds)
        most_memory, longest = bytes_of(limit_memory, "limit_memory"), bytes_of(limit_text, "limit_text")
        number(longest, "limit_text", whole=True, is_needed=True)
        assert longest is not None
        source = source_of(rules)
        check_length(source.text, "the program", longest)
        self._limit_text = longest
        self._schema = Schema(check(source), is_strict=strict)
        self._schema.refuse_undeclared()
        for found in self._schema.program.warnings:
            if found.code in LINT:  # whether a relation gets facts from elsewhere is not known yet
                warn_of(found)
        self._limits = limit_facts, limit_seconds, limit_rounds, most_memory
        self._progress = progress
        self._modules, self._algorithm, self._marking = modules, algorithm, marking
        self.loads: list[LoadReport] = []
        """A report for each load, in order."""
        self._load_inputs(path_of(folder) if folder is not None else folder_beside(rules), input_root)

    __new__.__signature__ = with_options_of_engines(__init__)  # type: ignore[attr-defined]  # what `help` shows

    # --- what it is ------------------------------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The checked rules."""
        return self._schema.program

    @property
    def relations(self) -> dict[str, Relation]:
        """All relations: those of the program, and those that have only explicit facts."""
        return self._schema.relations()

    @property
    @_abstract
    def statistics(self) -> Statistics:
        """What the last evaluation did, rule by rule and round by round."""

    def _kind(self) -> str:
        return "KnowledgeBase"

    # --- facts in --------------------------------------------------------------------------------------------------------

    @_abstract
    def load(  # options that users give by name
        self,
        relation: str,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        columns: Mapping[str | int, str] | None = None,
        header: Header = "auto",
        delimiter: str | None = None,
        encoding: str | None = None,
        null: str | Iterable[str] | None = None,
        defaults: Mapping[str | int, object] | None = None,
        upsert: bool = False,
        options: Mapping[str, str] | None = None,
        rejects: Rejects | None = None,
    ) -> LoadReport:
        """Add the facts of a file, a folder or pattern of files, an Arrow table, or a data frame to a relation.

        Nothing is derived before facts are read.  The result says what was read and which types were found.

        `columns` maps the source's names, or positions, to the relation's.  `format`, `header` and `delimiter` say what a file
        is, where its ending and its first row do not.  Only the local engine takes `encoding`, `null` (a text, or several, for
        no value), `defaults` for cells without a value, by column, and `upsert`: each row replaces the explicit facts with its
        key; of two rows with one key, the last counts.  Only Spark takes `options` for its reader, and `rejects` for rows that
        do not fit.
        """

    def _load_inputs(self, folder: Path, root: str | PathLike[str] | None) -> None:
        inputs = self.program.inputs
        for name in inputs:
            from tidelog.files.formats import find_files

            for path in find_files(folder, name, inputs[name], root):
                self.load(name, path)

    def _know(self, name: str, arity: int) -> None:
        """Know a relation of so many arguments, which the program may not mention."""
        self._schema = self._schema.knowing(name, arity)

    @_abstract
    def update(
        self,
        insert: FactsGiven = (),
        delete: FactsGiven = (),
        upsert: FactsGiven = (),
        *,
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> Change:
        """Delete, insert and upsert explicit facts, deletions first; maintain what follows.  Atomic: an error changes nothing.

        A fact is a tuple of the relation's name and the arguments: `("edge", "a", "b")`.  Facts may also come by relation,
        `insert={"edge": df}`, as whatever `load` takes, and as a result, `delete=kb["edge"]`.  An upsert replaces the explicit
        facts with its key; of two with one key, the last counts.  The same update may remove and add rules.
        """

    def add_rules(self, rules: str | Iterable[str]) -> Change:
        """Add rules, from one text or several, and derive what follows from them.  Atomic: an error changes nothing.

        A clause without a body is an explicit fact.  A relation that is not known yet may be declared.
        """
        return self.update(add_rules=rules)

    def remove_rules(self, rules: str | Iterable[str]) -> Change:
        """Remove rules, by their names or their texts, and what followed from them alone.  Atomic: an error changes nothing.

        A text means every rule that is the same up to the names of variables and the order of the body.
        """
        return self.update(remove_rules=rules)

    @overload
    def follow(  # type: ignore[overload-overlap]  # whose `get` is a coroutine is found first
        self, updates: AsyncIterable[Any] | AsyncQueue, *, wait: bool = False
    ) -> AsyncFollowing: ...

    @overload
    def follow(self, updates: Iterable[Any] | Queue | UpdateSource | str | PathLike[str], *, wait: bool = False) -> Following: ...

    @naming_options
    def follow(self, updates: Any, *, wait: bool = False) -> Following | AsyncFollowing:
        """Apply a stream of updates, one by one; the iterator gives the change of each.

        `updates` is an iterable of updates (dictionaries, lines of JSON, `tidelog.Update`), a queue that ends with None,
        the path of a file or folder of JSON Lines, `-` for standard input, or, for `async for`, an asynchronous iterator or
        queue.  With `wait`, a file or folder may grow, and the stream does not end.
        """
        from tidelog.streams.following import AsyncFollowing, Following, open_source
        from tidelog.streams.source import QueuedUpdates

        if isinstance(updates, AsyncIterable):
            return AsyncFollowing(self, aiter(updates))
        if iscoroutinefunction(getattr(updates, "get", None)):
            return AsyncFollowing(self, QueuedUpdates(updates))
        return Following(self, open_source(updates, wait=wait, longest=self._limit_text))

    def apply(self, update: Update, next_update: Callable[[], Update | None] = lambda: None) -> Change:
        """Apply one update of a stream; `follow` calls this for each.

        `next_update` gives the update after this one if it has arrived already, and None otherwise.  It never waits, and it may
        be called several times, or not at all.  An engine may use it to prepare for that update (marking); the change is the
        same without it.
        """
        del next_update
        return self._update_with(update)

    def _update_with(self, update: Update) -> Change:
        rules = {"remove_rules": update.remove_rules, "add_rules": update.add_rules}
        return self.update(insert=update.insert, delete=update.delete, upsert=update.upsert, **rules)

    def replay(self, updates: Iterable[Update]) -> None:
        """Apply updates whose changes are not wanted, as when a stream is resumed.  What follows may be derived once."""
        from tidelog.streams.update import updates_of

        for update in updates_of(updates):
            self._update_with(update)

    # --- facts out -------------------------------------------------------------------------------------------------------

    @overload
    def facts(self, relation: str) -> Facts: ...

    @overload
    def facts(self, relation: None = None) -> AllFacts: ...

    def facts(self, relation: str | None = None) -> Facts | AllFacts:
        """The facts of a relation, as tuples; of all relations, with the name of the relation first, if none is given."""
        if relation is None:
            return AllFacts([self[name] for name in self.relations])
        return self[relation]

    @_abstract
    def __getitem__(self, relation: str) -> Facts:
        """The facts of a relation; a notebook shows them as a table."""

    @_abstract
    def count(self, relation: str) -> int:
        """How many facts a relation has."""

    @_abstract
    def query(self, text: str, /, **values: object) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once.

        `values` are those of some variables: `kb.query("path(A, X)", A="a")` has no column for A.
        """

    def profile(self, *, anew: bool = True) -> Profile:
        """Record what rules, units and updates cost from now on: `print` it, or `save` it as a page, JSON or CSV.

        It begins with what it takes to derive everything anew, which is measured on a copy; with `anew=False` that is left out.
        `with kb.profile() as profile:` ends the recording, as `profile.stop()` does.
        """
        raise fail(
            "TL074", f"this engine has no profile (anew={anew})", fix='look at the report of a job, or choose engine="local"'
        )

    def plan(self, rule: str | None = None, *, measure: bool = False) -> Plans:
        """In which order bodies are joined: of a rule, by its name; of all rules of a relation; or of all.

        With `measure`, the bindings after each literal are counted, and not only estimated; that may take as long as the rule.
        """
        raise fail("TL074", f"this engine has no plan of {rule} (measure={measure})", fix='choose engine="local"')

    def graph(self) -> GraphPicture:
        """The program as a picture, with the number of facts of each relation; a notebook shows it."""
        from tidelog.report.graph import picture
        from tidelog.report.svg import GraphPicture

        return GraphPicture(picture(self.program, {name: self.count(name) for name in self.relations}))

    def _known(self, relation: str) -> Relation:
        """The relation of a name, which may be prefixed; or an error."""
        name = self._schema.name_of(relation)
        if (known := self._schema.relation(name)) is None:
            raise fail("TL073", f"there is no relation `{relation}`", fix=did_you_mean(name, self.relations))
        return known

    def _names(self, relation: str) -> list[str]:
        """The names of a relation's columns."""
        return self.relations[relation].column_names

    def _watch(self) -> Watch:
        from tidelog.core.limits import Limits, Watch

        return Watch(Limits(*self._limits), self._progress)
