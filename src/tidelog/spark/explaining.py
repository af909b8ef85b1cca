"""Explanations on Spark: the explicit facts are fetched into a knowledge base in this process, which explains.

What follows from them is derived there once more, so that every proof rests on the same facts and rules.  The copy serves until
the next change.  It is refused where there are too many explicit facts for one process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from tidelog.changes import Change
from tidelog.errors import fail
from tidelog.explain.access import Access
from tidelog.kb import KnowledgeBase
from tidelog.program.program import Program
from tidelog.source import Source
from tidelog.spark.data.spark_facts import facts_of_keys
from tidelog.spark.materialisation import Materialisation
from tidelog.syntax.printer import Printer
from tidelog.syntax.tree import Fact, Port, Prefix, Rule
from tidelog.values import Value

MOST_FACTS = 1_000_000
"""Explicit facts that are fetched."""
_Answer = TypeVar("_Answer")


class Explaining(Materialisation):
    """A knowledge base on Spark that explains; `kb.SparkKnowledgeBase` adds what changes it."""

    def _asked(self, ask: Callable[[Access], _Answer]) -> _Answer:
        return self._in_process()._asked(ask)

    def _would_hold(self, inserted: tuple[tuple[Any, ...], ...], relation: str, values: tuple[Value, ...]) -> bool:
        return self._in_process()._would_hold(inserted, relation, values)

    def what_if(
        self,
        insert: Any = (),
        delete: Any = (),
        upsert: Any = (),
        *,
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> Change:
        """The change that an update would make; nothing changes.  What it costs is what it costs in one process."""
        return self._in_process().what_if(insert, delete, upsert, remove_rules=remove_rules, add_rules=add_rules)

    def _in_process(self) -> KnowledgeBase:
        """The same rules and facts in this process."""
        if self._local_copy is None:
            self._local_copy = self._fetched()
        return self._local_copy

    def _fetched(self) -> KnowledgeBase:
        snapshots = list(self.explicit_facts())
        count = sum(kept.rows for kept in snapshots)
        if count > MOST_FACTS:
            fix = 'choose engine="local", or explain in a knowledge base with the facts that matter'
            message = f"{count:,} explicit facts are too many to explain in this process; at most {MOST_FACTS:,} are fetched"
            raise fail("TL074", message, fix=fix)
        limits = {"limit_memory": self._budget, "limit_seconds": self._limits[1], "progress": self._progress}
        kb = KnowledgeBase(text_of(self.program), modules=self._modules, limit_text=self._limit_text, **limits)  # type: ignore[arg-type]
        exchange = self._maintained_engine().exchange
        for kept in snapshots:
            facts = facts_of_keys(exchange, self.relations[kept.relation], kept)
            kb.update(insert=((kept.relation, *fact) for fact in facts))
        return kb


def text_of(program: Program) -> Source:
    """A program without facts and inputs, in which every rule of its text has the line that it had."""
    source, printer = program.document.source, Printer(program.prefixes)
    lines = [""] * (source.text.count("\n") + 1)
    later = [printer.statement(Prefix(name, iri)) for name, iri in program.prefixes.items()]
    later = [line for name, line in zip(program.prefixes, later, strict=True) if name not in program.document.prefixes]
    for statement in program.document.statements:
        if isinstance(statement, Fact | Port):
            continue
        if statement.source is not source:
            later.append(printer.statement(statement))
            continue
        if isinstance(statement, Rule):
            parts = f"{source.text[slice(*statement.span)]} .".split("\n")
        else:
            parts = [" ".join(printer.statement(statement).split("\n"))]
        for at, part in enumerate(parts, source.line_of(statement.span.start) - 1):
            lines[at] += f" {part}"
    return Source("\n".join([*lines, *later]), source.name)
