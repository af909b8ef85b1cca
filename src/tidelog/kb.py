"""The knowledge base: rules, facts, and everything that follows from them, kept true."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Self, overload

from tidelog.changes import Change, ChangeStatistics, FactsByRelation
from tidelog.errors import Diagnostics, did_you_mean, fail
from tidelog.facts import AllFacts, Facts
from tidelog.options import folder_beside, refuse, source_of
from tidelog.program.explicit import explicit_facts
from tidelog.program.program import GroundFact, Program, check
from tidelog.program.relations import Relation
from tidelog.source import Source
from tidelog.values import Kind

if TYPE_CHECKING:
    from tidelog.files.columns import MixedColumn, TypedColumn
    from tidelog.local.engine import Difference, LocalEngine
    from tidelog.local.materialise import Statistics
    from tidelog.local.watch import Progress, Watch

ShowProgress = Callable[["Progress"], None]


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was loaded from one source."""

    relation: str
    rows: int
    new_facts: int
    """How many of the rows were no explicit facts before."""
    description: str
    rejected: int = 0
    """Rows that did not fit; with the local engine one is enough to load nothing."""

    def __repr__(self) -> str:
        return self.description


class KnowledgeBase:
    """Datalog rules over facts, with all facts that follow.

    >>> kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).")
    >>> change = kb.update(insert=[("edge", "a", "b"), ("edge", "b", "c")])
    >>> sorted(kb.facts("path"))
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    def __new__(cls, *_args: Any, engine: str = "local", **_options: Any) -> Self:
        """The knowledge base of the engine that is asked for."""
        if cls is KnowledgeBase and engine == "spark":
            from tidelog.spark.kb import SparkKnowledgeBase

            return super().__new__(SparkKnowledgeBase)  # type: ignore[return-value]
        return super().__new__(cls)

    def __init__(
        self,
        rules: str | PathLike[str] | Source = "",
        *,
        engine: str = "local",
        algorithm: str = "auto",
        marking: str | bool = "auto",
        modules: bool = True,
        folder: str | PathLike[str] | None = None,
        limit_facts: int | None = None,
        limit_seconds: float | None = None,
        limit_rounds: int | None = None,
        progress: ShowProgress | None = None,
        **engine_options: Any,
    ) -> None:
        """Check the rules and load the files that their `@input`s name.

        `rules` is a program's text, or the path of a program.  `folder` is where the files of `@input` are; without it, beside
        the program.  With `modules=False` transitive relations are evaluated like any other.  The limits stop an
        evaluation with an error that changes nothing; `progress` is called about ten times a second while one is under way.
        """
        refuse(engine=engine, algorithm=algorithm, marking=marking)
        if engine_options:
            given = ", ".join(f"{name}=" for name in engine_options)
            raise fail("TL074", f"engine={engine!r} takes no {given.rstrip('=')}", fix='leave it out, or choose engine="spark"')
        source = source_of(rules)
        self._program: Program = check(source)
        self._limits = limit_facts, limit_seconds, limit_rounds
        self._progress = progress
        self._modules = modules
        self._started: LocalEngine | None = None
        self._loaded: dict[str, Relation] = {}
        self.loads: list[LoadReport] = []
        """What was loaded, and what was decided in doing so."""
        self._load_inputs(Path(folder) if folder is not None else folder_beside(rules))

    # --- what it is ------------------------------------------------------------------------------------------------------

    @property
    def program(self) -> Program:
        """The checked rules."""
        return self._program

    @property
    def relations(self) -> dict[str, Relation]:
        """All relations: those of the program, and those of which there are only facts."""
        return {**self._program.relations, **self._loaded}

    @property
    def statistics(self) -> Statistics:
        """What the last evaluation did, rule by rule and round by round."""
        return self._settled().statistics

    def __repr__(self) -> str:
        rules, relations = len(self._program.rules), len(self.relations)
        return f"<KnowledgeBase: {rules} rules, {relations} relations>"

    # --- facts in --------------------------------------------------------------------------------------------------------

    def load(
        self,
        relation: str,
        source: object,
        *,
        format: str | None = None,  # noqa: A002
        header: Any = "auto",
        defaults: Mapping[str | int, object] | None = None,
    ) -> LoadReport:
        """Add the facts of a file, an Arrow table, or a data frame of pandas or polars to a relation.

        Nothing is derived before somebody asks for facts.  The result says what was read and which types were found.
        """
        from tidelog.files.reading import read

        loaded = read(source, relation, self.relations.get(relation), format=format, header=header, defaults=defaults)
        self._know(relation, len(loaded.columns))
        engine, watch = self._engine, self._watch()
        with watch.guarding():
            rows = self._encoded(loaded.columns, loaded.rows)
            watch.look()
            new = engine.add(relation, rows)
        self.loads.append(LoadReport(relation, loaded.rows, new, loaded.description))
        return self.loads[-1]

    def _encoded(self, columns: Iterable[TypedColumn | MixedColumn], rows: int) -> Any:
        import numpy as np

        from tidelog.files.columns import MixedColumn

        terms = self._engine.state.terms
        ids = [
            terms.encode(column.values) if isinstance(column, MixedColumn) else terms.encode_column(column.kind, column.values)
            for column in columns
        ]
        return np.column_stack(ids) if ids else np.empty((rows, 0), np.int32)

    def _load_inputs(self, folder: Path) -> None:
        for relation in self._program.relations.values():
            if relation.inputs:
                from tidelog.files.finding import find_files

                for path in find_files(folder, relation.name, relation.inputs):
                    self.load(relation.name, path)

    def _know(self, name: str, arity: int) -> None:
        """Note a relation that the program does not mention."""
        known = self.relations.get(name)
        if name.startswith("#") or not name:
            raise fail("TL013", f"`{name}` cannot be the name of a relation", fix="let it begin with a letter")
        if known is None:
            self._loaded[name] = Relation(name, arity, has_facts=True)
        elif known.arity != arity:
            raise fail("TL020", f"`{name}` has {known.arity} arguments, and these facts have {arity}")

    def update(
        self,
        insert: Iterable[tuple[object, ...]] = (),
        delete: Iterable[tuple[object, ...]] = (),
    ) -> Change:
        """Add and remove explicit facts, deletions first, and derive what follows.  All of it happens, or nothing.

        A fact is a tuple of the relation's name and the arguments: `("edge", "a", "b")`.
        """
        from tidelog.local.state import Undo

        started = perf_counter()
        inserted, deleted = self._checked(insert), self._checked(delete)
        engine, watch = self._settled(), self._watch()
        known, undo = dict(self._loaded), Undo(engine.state)
        without_effect = removed = added = 0
        with watch.guarding():
            try:
                for name, rows in self._by_relation(deleted).items():
                    count = engine.remove(name, rows, undo)
                    removed, without_effect = removed + count, without_effect + len(rows) - count
                for name, rows in self._by_relation(inserted).items():
                    self._know(name, rows.shape[1])
                    count = engine.add(name, rows)
                    added, without_effect = added + count, without_effect + len(rows) - count
                differences = engine.settle(watch, undo)
            except BaseException:
                undo.go_back()
                self._loaded = known
                engine.forget_changes()
                raise
        statistics = ChangeStatistics(
            engine.algorithm,
            added,
            removed,
            without_effect,
            engine.statistics.derivations,
            max((r.number for r in engine.statistics.rounds), default=0),
            engine.statistics.undefined,
            perf_counter() - started,
        )
        return Change(
            FactsByRelation(lambda: {n: self._came(n, d) for n, d in differences.items()}),
            FactsByRelation(lambda: {n: self._went(n, d) for n, d in differences.items()}),
            statistics,
        )

    def _checked(self, facts: Iterable[tuple[object, ...]]) -> list[GroundFact]:
        checked = explicit_facts(self._program, facts)
        arities = {name: relation.arity for name, relation in self._loaded.items()}
        diagnostics = Diagnostics()
        for name, values in checked:
            if arities.setdefault(name, len(values)) != len(values) and name not in self._program.relations:
                diagnostics.add("TL020", f"`{name}` has {arities[name]} arguments, and a fact has {len(values)}")
        diagnostics.raise_errors()
        return checked

    def _by_relation(self, facts: Iterable[GroundFact]) -> dict[str, Any]:
        import numpy as np

        rows: dict[str, dict[tuple[Any, ...], None]] = defaultdict(dict)
        for name, values in facts:
            rows[name][values] = None
        encode = self._engine.state.terms.encode
        return {
            name: np.array([encode(row) for row in group], np.int32).reshape(len(group), len(next(iter(group))))
            for name, group in rows.items()
        }

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

    def __getitem__(self, relation: str) -> Facts:
        from tidelog.local.tables import Table

        held = self._held(relation)
        return self._facts(relation, held.rows if isinstance(held, Table) else held)

    def __contains__(self, fact: object) -> bool:
        """Whether a fact, such as `("path", "a", "c")`, holds."""
        return isinstance(fact, tuple) and bool(fact) and fact[0] in self.relations and fact[1:] in self[str(fact[0])]

    def count(self, relation: str) -> int:
        """How many facts a relation has."""
        return len(self._held(relation))

    def query(self, text: str) -> Facts:
        """All bindings of the variables of a query, such as `path(a, X), X != b`, each once."""
        from tidelog.program.queries import check_query

        query = check_query(text, self.relations, self._program.prefixes)
        engine = self._settled()
        rows = engine.query(query.body, query.names, self._watch())
        return Facts(text.strip(), query.names, rows, engine.state.terms, noun="answer")

    def _check_known(self, relation: str) -> None:
        if relation not in self.relations:
            raise fail("TL073", f"there is no relation `{relation}`", fix=did_you_mean(relation, self.relations))

    def _held(self, relation: str) -> Any:
        self._check_known(relation)
        return self._settled().stored(relation)

    def _names(self, relation: str) -> list[str]:
        """The names of a relation's columns."""
        known = self.relations[relation]
        return [column.name for column in known.columns] if known.columns else [f"c{at + 1}" for at in range(known.arity)]

    def _facts(self, relation: str, held: Any) -> Facts:
        known = self.relations[relation]
        kinds = [column.type if isinstance(column.type, Kind) else None for column in known.columns or ()]
        return Facts(relation, self._names(relation), held, self._engine.state.terms, kinds)

    def _came(self, relation: str, difference: Difference) -> Facts:
        return self._facts(relation, difference.rows_that_came())

    def _went(self, relation: str, difference: Difference) -> Facts:
        return self._facts(relation, difference.rows_that_went())

    # --- the engine ------------------------------------------------------------------------------------------------------

    @property
    def _engine(self) -> LocalEngine:
        """The engine with the facts of the program's text; started when it is first needed, since that takes a moment."""
        if self._started is None:
            _announce_compilation()
            from tidelog.local.engine import LocalEngine

            self._started = LocalEngine(self._program, modules=self._modules)
            for name, rows in self._by_relation(self._program.facts).items():
                self._started.add(name, rows)
        return self._started

    def _settled(self) -> LocalEngine:
        """The engine when everything that follows has been derived."""
        engine = self._engine
        if not engine.is_settled:
            engine.settle(self._watch(), compare=False)
        return engine

    def _watch(self) -> Watch:
        from tidelog.local.watch import Limits, Watch

        facts, seconds, rounds = self._limits
        return Watch(Limits(facts, seconds, rounds), self._progress)


_announced: list[bool] = []


def _announce_compilation() -> None:
    """The first time on a machine the kernel is compiled, which takes some seconds; say so."""
    from tidelog.local.kernel.build import CACHE_FOLDER, IS_WARM

    if not IS_WARM and not _announced:
        _announced.append(True)
        kept = "once on this machine" if CACHE_FOLDER is not None else "each time, as no folder for it can be written"
        sys.stderr.write(f"tidelog: compiling the kernel ({kept}; some seconds) ...\n")
