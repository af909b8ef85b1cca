"""A knowledge base as a collection of relations: its text, its HTML, its length, its names, and whether something is in it."""

from __future__ import annotations

from collections.abc import Iterator, KeysView
from typing import TYPE_CHECKING

from tidelog.display.counts import counted
from tidelog.display.html import code, table
from tidelog.errors import TidelogError

if TYPE_CHECKING:
    from tidelog.facts import Facts
    from tidelog.program.program import Program
    from tidelog.program.relations import Relation

_MOST_NAMES = 8
_MOST_RELATIONS = 50
_MOST_RULES = 50


class Browsable:
    """What has a program and relations: it is iterated over, and counted, by the names of its relations."""

    if TYPE_CHECKING:

        @property
        def program(self) -> Program:
            """The checked rules."""

        @property
        def relations(self) -> dict[str, Relation]:
            """All relations."""

        def __getitem__(self, relation: str) -> Facts: ...

        def count(self, relation: str) -> int:
            """How many facts a relation has."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules as texts, in their order, with their names; `remove_rules` takes the name of one, or its text without it."""
        printer = self.program.printer
        return tuple(printer.rule(rule) for rule in self.program.rules)

    def __len__(self) -> int:
        """How many relations there are."""
        return len(self.relations)

    def __bool__(self) -> bool:
        """True, also without a relation: a knowledge base is something, whatever is in it."""
        return True

    def __iter__(self) -> Iterator[str]:
        """The names of the relations."""
        return iter(self.relations)

    def keys(self) -> KeysView[str]:
        """The names of the relations; with them, `dict(kb)` has the facts of each."""
        return self.relations.keys()

    def items(self) -> Iterator[tuple[str, Facts]]:
        """The facts of each relation, with its name."""
        for name in self.relations:
            yield name, self[name]

    def __contains__(self, thing: object) -> bool:
        """Whether a relation is there, `"path" in kb`, or a fact holds, `("path", "a", "c") in kb`."""
        if isinstance(thing, str):
            return self._name_of(thing) in self.relations
        if not isinstance(thing, tuple) or not thing or not isinstance(thing[0], str):
            return False
        name = self._name_of(thing[0])
        return name in self.relations and thing[1:] in self[name]

    def _name_of(self, given: str) -> str:
        """The relation that a name means, which may be prefixed."""
        return given if given in self.relations else self.program.relation_name(given)

    def _ipython_key_completions_(self) -> list[str]:
        """What a notebook offers behind `kb["`."""
        return list(self.relations)

    # --- for people ------------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<{self._described()}>"

    def _described(self) -> str:
        names = [self.program.printer.predicate(name) for name in self.relations]
        shown = ", ".join([*names[:_MOST_NAMES], *(["…"] if len(names) > _MOST_NAMES else [])])
        rules, relations = counted(len(self.program.rules), "rule"), counted(len(names), "relation")
        return f"{self._kind()}: {rules}, {relations}{': ' if shown else ''}{shown}"

    def _kind(self) -> str:
        return type(self).__name__

    def _sizes(self) -> dict[str, int]:
        """The number of facts of each relation, where that is known without deriving anything."""
        return {name: self.count(name) for name in self.relations}

    def _repr_html_(self) -> str:
        try:
            sizes = self._sizes()
        except TidelogError:  # to be shown must always be possible, also in the middle of an update, and when it is closed
            sizes = {}
        printer = self.program.printer
        rows = [
            (printer.predicate(name), ", ".join(known.column_names), f"{sizes[name]:,}" if name in sizes else "")
            for name, known in list(self.relations.items())[:_MOST_RELATIONS]
        ]
        more = [f"... and {len(self.relations) - len(rows):,} more relations"] if len(self.relations) > len(rows) else []
        more += [] if sizes or not rows else ["nothing has been derived yet"]
        rules = [printer.rule(rule) for rule in self.program.rules[:_MOST_RULES]]
        unseen = len(self.program.rules) - len(rules)
        rules += [f"... and {unseen:,} more rules"] if unseen else []
        caption = f"{self._kind()}: {counted(len(self.program.rules), 'rule')}, {counted(len(self.relations), 'relation')}"
        return table(caption, ("relation", "columns", "facts"), rows, more) + (code(rules) if rules else "")
