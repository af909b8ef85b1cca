"""A session: each line is a clause, a question or a command, and has an answer of some lines."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from tidelog.changes import Change
from tidelog.cli.common.told import told
from tidelog.cli.why.supposing import clauses
from tidelog.errors import did_you_mean, fail
from tidelog.facts import Facts
from tidelog.kb import KnowledgeBase
from tidelog.report.facts import show_answers

HELP = """\
edge(a, b).                 insert a fact; several clauses may stand in a line
path(X, Y) :- edge(X, Y).   add a rule, a declaration or a prefix
path(a, X), X != b?         ask; without the question mark, too, if there is no final dot
:delete edge(a, b).         delete facts
:remove path(X, Y) :- …     remove a rule, by its text or its name
:load edge edges.csv        load a file, a folder or a pattern
:write path path.parquet    write the facts of a relation
:rules  :relations          what there is; `:facts path` lists facts, `:check` describes the program
:explain path(a, c)         why a fact holds; `:why-not path(a, d)` says what is missing
:what-if edge(c, d).        what would come and go with a fact or rule; `:what-if delete edge(a, b).` without one
:stats                      what the last change has cost
:undo                       take the last change of facts back
:help  :quit                this text; the end, as Ctrl-D"""


class Session:
    """A knowledge base, and what lines do with it."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb
        self.is_over = False
        self._last: Change | None = None
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "check": self._check,
            "delete": self._delete,
            "explain": lambda text: iter(kb.explain(text.removesuffix(".")).to_text().splitlines()),
            "facts": self._facts,
            "help": lambda _: iter(HELP.splitlines()),
            "load": self._load,
            "quit": self._quit,
            "relations": self._relations,
            "remove": self._remove,
            "rules": lambda _: iter(kb.rules),
            "stats": self._stats,
            "undo": self._undo,
            "what-if": self._what_if,
            "why-not": lambda text: iter(kb.why_not(text.removesuffix(".")).to_text().splitlines()),
            "write": self._write,
        }

    def answer(self, line: str) -> Iterator[str]:
        """What a line brings; an error is raised, and has changed nothing."""
        text = line.strip()
        if not text or text[0] == "%":
            return
        if text[0] == ":":
            name, _, rest = text[1:].partition(" ")
            yield from self._command(name)(rest.strip())
        elif text.endswith("."):
            self._last = self.kb.add_rules(text)
            yield from told(self._last, self.kb.program.printer)
        else:
            answers = self.kb.query(text.removesuffix("?").removeprefix("?-").strip())
            yield from show_answers(answers, self.kb.program, "table")

    def names(self) -> list[str]:
        """What a line may begin with, or have inside: commands and relations."""
        printer = self.kb.program.printer
        return sorted([*(f":{name}" for name in self._commands), *map(printer.predicate, self.kb.relations)])

    def _command(self, name: str) -> Callable[[str], Iterator[str]]:
        if name in self._commands:
            return self._commands[name]
        begun = [known for known in self._commands if known.startswith(name)]
        if len(begun) == 1 and name:
            return self._commands[begun[0]]
        fix = did_you_mean(name, self._commands) or f"the commands are :{', :'.join(sorted(self._commands))}"
        raise fail("TL074", f"there is no command :{name}", fix=fix.replace("`", "`:", 1) if fix.startswith("did") else fix)

    # --- commands --------------------------------------------------------------------------------------------------------

    def _delete(self, text: str) -> Iterator[str]:
        """Facts, as they are written in a program."""
        other = KnowledgeBase(self._declared() + "\n" + (text if text.endswith(".") else f"{text}."))
        if other.program.rules:
            raise fail("TL076", "a rule is no fact", fix="take it away with `:remove`")
        given = {name: list(facts) for name, facts in other.items() if facts}
        self._last = self.kb.update(delete=given)
        yield from told(self._last, self.kb.program.printer)

    def _declared(self) -> str:
        """Prefixes and declarations, so that facts are read as those of the knowledge base."""
        program = self.kb.program
        lines = [f"@prefix {name}: <{iri}> ." for name, iri in program.prefixes.items()]
        for name, known in self.kb.relations.items():
            if known.columns is not None:
                columns = ", ".join(f"{column.name}: {column.type or 'any'}" for column in known.columns)
                lines.append(f"@relation {program.printer.predicate(name)}({columns}) .")
        return "\n".join(lines)

    def _what_if(self, text: str) -> Iterator[str]:
        """What would change if clauses came, or behind `delete`, went."""
        word, _, rest = text.partition(" ")
        change = self.kb.what_if(remove_rules=clauses(rest)) if word == "delete" else self.kb.what_if(add_rules=clauses(text))
        yield from told(change, self.kb.program.printer)

    def _remove(self, text: str) -> Iterator[str]:
        self._last = self.kb.remove_rules(text)
        yield from told(self._last, self.kb.program.printer)

    def _load(self, text: str) -> Iterator[str]:
        relation, source = _two(text, ":load edge edges.csv")
        yield str(self.kb.load(relation, source))

    def _write(self, text: str) -> Iterator[str]:
        relation, path = _two(text, ":write path path.csv")
        facts = self.kb[relation]
        facts.write(Path(path))
        yield f"{len(facts):,} facts -> {path}"

    def _facts(self, text: str) -> Iterator[str]:
        facts: Facts = self.kb[text.removesuffix(".").strip()]
        yield from repr(facts).splitlines()

    def _relations(self, _: str) -> Iterator[str]:
        printer = self.kb.program.printer
        for name, known in self.kb.relations.items():
            count = self.kb.count(name)
            yield f"{printer.predicate(name)}({', '.join(known.column_names)}): {count:,} fact{'' if count == 1 else 's'}"

    def _check(self, _: str) -> Iterator[str]:
        from tidelog.report.structure import describe

        yield from describe(self.kb.program)

    def _stats(self, _: str) -> Iterator[str]:
        if self._last is None:
            yield "nothing has been changed yet"
            return
        stats = self._last.stats
        yield f"{stats.algorithm}; {stats.derivations:,} derivations, {stats.rounds:,} rounds, {1000 * stats.seconds:,.2f} ms"

    def _undo(self, _: str) -> Iterator[str]:
        last = self._last
        if last is None or last.rules is not None:
            raise fail("TL076", "there is no change of facts to take back", fix="a change of rules is taken back by another one")
        self._last = self.kb.update(insert=last.deleted.explicit, delete=last.inserted.explicit)
        yield from told(self._last, self.kb.program.printer)

    def _quit(self, _: str) -> Iterator[str]:
        self.is_over = True
        return iter(())


def _two(text: str, example: str) -> tuple[str, str]:
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that nothing closes
        words = []
    if len(words) != 2:
        raise fail("TL074", "the name of a relation and a path are needed", fix=f"write `{example}`")
    return words[0], words[1]
