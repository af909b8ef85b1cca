"""Why a literal is not true under a binding, and the facts that come nearest to making it true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from tidelog.explain.absent.parts import Failure
from tidelog.explain.access import Access, Cell, Row
from tidelog.explain.joins import Budget, Exhausted, Folding
from tidelog.explain.wording import Wording, value_in, with_values
from tidelog.functions.conform import CONFORM
from tidelog.functions.evaluate import evaluate
from tidelog.functions.ordering import compare
from tidelog.program.checks.scope import Step
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Negation, Term, Variable, calls, names_of
from tidelog.values import sort_key

_SHOWN, _SORTED = 3, 50
"""Values, facts and rows that are shown, the first ones of so many."""
_EFFORT = 2_000
"""What is looked at to fold a group."""


class Failures:
    """Tells why literals are not true in one state."""

    def __init__(self, access: Access, words: Wording) -> None:
        self.access, self.words = access, words

    def of(self, step: Step, known: Mapping[str, Cell], written: Mapping[str, Term]) -> Failure:
        """Why a literal is not true; `written` are the expressions that lowering has named."""
        literal = step.literal
        values = self.values(known, written)
        match literal:
            case Atom():
                return self._atom(literal, known, values)
            case Negation(atom):
                rows = self._in_order(self._matching(atom, known))
                found = [self.words.fact((atom.predicate, row)) for row in rows]
                more = ["..."] if len(found) > _SHOWN else []
                return Failure(self.words.literal(literal, values), _holds(found[:_SHOWN] + more))
            case Comparison():
                return self._comparison(literal, known, values)
            case Aggregate():
                return self._aggregate(step, literal, known, values)

    def values(self, known: Mapping[str, Cell], written: Mapping[str, Term]) -> dict[str, Term]:
        """What to write for the variables: values, or the expressions behind them, or `_`."""
        values: dict[str, Term] = {name: Constant(self.access.value(cell)) for name, cell in known.items()}
        return {**{name: value_in(term, values) for name, term in written.items()}, **values}

    # --- atoms -----------------------------------------------------------------------------------------------------------

    def near(self, atom: Atom) -> tuple[str, ...]:
        """The facts that differ from a fact in one place."""
        known = {f"#{at}": self.access.cell(arg.value) for at, arg in enumerate(atom.args) if isinstance(arg, Constant)}
        general = Atom(atom.predicate, tuple(Variable(f"#{at}") for at in range(len(atom.args))))
        return tuple(self._near(general, known, {name: Constant(self.access.value(cell)) for name, cell in known.items()}))

    def _atom(self, atom: Atom, known: Mapping[str, Cell], values: Mapping[str, Term]) -> Failure:
        text = self.words.literal(atom, values)
        if not self.access.likely(atom.predicate, ()):
            return Failure(text, f"{self.words.predicate(atom.predicate)} has no facts")
        is_open = names_of([with_values(atom, values)])
        return Failure(text, "no fact matches" if is_open else "it is missing", tuple(self._near(atom, known, values)))

    def _near(self, atom: Atom, known: Mapping[str, Cell], values: Mapping[str, Term]) -> Iterator[str]:
        """Facts that match but for one argument, for each that is bound."""
        bound = [at for at, arg in enumerate(atom.args) if isinstance(arg, Constant) or _name(arg) in known]
        for free in bound:
            others = tuple(at for at in bound if at != free)
            if not others and len(atom.args) > 1:
                continue
            key = tuple(self._cell(atom.args[at], known) for at in others)
            rows = self._in_order(islice(self.access.some(atom.predicate, others, key, _SORTED), _SORTED))
            found = [self.words.term(Constant(self.access.value(row[free]))) for row in rows]
            if found:
                letter = _letter(atom, free)
                pattern = Atom(atom.predicate, tuple(letter if at == free else arg for at, arg in enumerate(atom.args)))
                shown = self.words.literal(with_values(pattern, {**values, letter.name: letter}))
                yield f"{shown} exists for {letter.name} = {', '.join(found[:_SHOWN])}" + (", ..." if len(found) > _SHOWN else "")

    def _in_order(self, rows: Iterable[Row]) -> list[Row]:
        return sorted(rows, key=lambda row: [sort_key(self.access.value(cell)) for cell in row])

    def _matching(self, atom: Atom, known: Mapping[str, Cell]) -> list[Row]:
        bound = tuple(at for at, arg in enumerate(atom.args) if isinstance(arg, Constant) or _name(arg) in known)
        key = tuple(self._cell(atom.args[at], known) for at in bound)
        if len(bound) == len(atom.args):
            return [key] if self.access.holds(atom.predicate, key) else []
        return list(islice(self.access.some(atom.predicate, bound, key, _SORTED), _SORTED))

    def _cell(self, term: Term, known: Mapping[str, Cell]) -> Cell:
        return self.access.cell(term.value) if isinstance(term, Constant) else known[_name(term)]

    # --- tests and aggregates --------------------------------------------------------------------------------------------

    def _comparison(self, literal: Comparison, known: Mapping[str, Cell], values: Mapping[str, Term]) -> Failure:
        binding = {name: self.access.value(cell) for name, cell in known.items()}
        sides = [evaluate(side, binding) for side in (literal.left, literal.right)]
        if any(call.function.startswith(CONFORM) for call in calls(literal)):
            call = next(call for call in calls(literal) if call.function.startswith(CONFORM))
            declared = call.function.removeprefix(CONFORM)
            return Failure(self._shown(call.args[0], values), f"the column is declared as {declared}")
        own = {name: term for name, term in values.items() if name in known}
        text = self.words.literal(with_values(literal, own))
        for side, value in zip((literal.left, literal.right), sides, strict=True):
            if value is None:
                return Failure(text, f"{self._shown(side, own)} is undefined")
        left, right = sides
        assert left is not None
        assert right is not None
        if compare(literal.op, left, right) is None:
            return Failure(text, "the two have no order")
        computed = [
            f"{self._shown(side, own)} is {self._shown(Constant(value), own)}"
            for side, value in ((literal.left, left), (literal.right, right))
            if not isinstance(side, Variable | Constant)
        ]
        return Failure(text, "; ".join(computed) or "it is false")

    def _shown(self, term: Term, values: Mapping[str, Term]) -> str:
        return self.words.term(value_in(term, values))

    def _aggregate(self, step: Step, literal: Aggregate, known: Mapping[str, Cell], values: Mapping[str, Term]) -> Failure:
        text = self.words.literal(literal, values)
        groups = [name for name in step.groups if name in known]
        folding = Folding(self.access, literal, step, groups)
        try:
            for _, group in folding.groups([known[name] for name in groups], Budget(_EFFORT)):
                if group.result is None and group.members:
                    return Failure(text, f"the {literal.function} of these is undefined")
                if group.result is None:
                    break
                members = self._in_order(group.members) if len(group.members) <= _SORTED else group.members
                rows = [
                    ", ".join(self.words.literal(inner, self._of_row(group.names, member)) for inner in literal.body)
                    for member in members[:_SHOWN]
                ]
                more = len(group.members) - len(rows)
                result = self._shown(Constant(group.result), {})
                note = f"the {literal.function} is {result}" if step.is_total or groups else f"one {literal.function} is {result}"
                return Failure(text, note, (*rows, f"... and {more:,} more") if more > 0 else tuple(rows))
        except Exhausted:
            return Failure(text, f"the {literal.function} of many rows is another one")
        return Failure(text, "there is nothing to fold")

    def _of_row(self, names: tuple[str, ...], member: Row) -> dict[str, Term]:
        return {name: Constant(self.access.value(cell)) for name, cell in zip(names, member, strict=True)}


def _holds(found: list[str]) -> str:
    return f"{', '.join(found)} hold{'s' if len(found) == 1 else ''}"


def _name(term: Term) -> str:
    return term.name if isinstance(term, Variable) else ""


def _letter(atom: Atom, at: int) -> Variable:
    """A name for the argument that may be another one."""
    arg = atom.args[at]
    name = arg.name if isinstance(arg, Variable) and arg.name[0] not in "#_" else "XYZUVW"[at] if at < 6 else f"X{at}"
    return Variable(name)
