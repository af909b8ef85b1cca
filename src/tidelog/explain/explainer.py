"""Explanations of facts, from what a search has found: ids become values, instances become reasons."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from tidelog.explain.access import Access, Cell, Key
from tidelog.explain.bodies import Body
from tidelog.explain.explanation import Explanation
from tidelog.explain.joins import Budget, Folding
from tidelog.explain.search import MOST_LOOKED_AT, Goal, Instance, Search
from tidelog.explain.steps import Reason, Step, Way
from tidelog.explain.wording import Wording
from tidelog.functions.conform import CONFORM
from tidelog.syntax.tree import Aggregate, Atom, Comparison, Constant, Negation, Variable, calls
from tidelog.values import sort_key

ROWS_SHOWN = 5
"""Rows of an aggregate that a reason shows: of up to ..."""
_MOST_SORTED = 1_000
"""... so many the first ones in order, else any."""
MOST_LINKS = 1_000
"""Longer chains are explained at their ends only."""
MOST_WAYS = 20_000
"""What may be looked at for all ways to a fact."""


class Explainer:
    """Explains facts of one state of a knowledge base."""

    def __init__(self, access: Access) -> None:
        self.access = access
        self.words = Wording(access)

    def proof(self, key: Key, most: int = MOST_LOOKED_AT, links: int = MOST_LINKS) -> Explanation:
        """A proof of a fact that holds."""
        search = Search(self.access, links)
        root = search.prove(key, most)
        steps: list[Step] = []
        numbers: dict[Key, int] = {}
        for goal in self._in_order(root, search):
            numbers[self._fact(goal)] = len(steps)
            self._step(steps, goal, [] if goal.by is None else [goal.by], numbers)
        return Explanation(steps, is_proof=True, is_whole=search.is_shortest)

    def all_ways(self, key: Key, most: int = MOST_WAYS, links: int = MOST_LINKS) -> Explanation:
        """A fact that holds, with all rule instances that derive it, and all that derive what they need, and so on."""
        search = Search(self.access, links)
        root, is_whole = search.look_at_all(key, most)
        found: dict[Key, list[Goal]] = {}
        for goal in _reached(root):
            found.setdefault(self._fact(goal), []).append(goal)
        numbers = {fact: at for at, fact in enumerate(reversed(found))}
        steps: list[Step] = []
        for goals in reversed(found.values()):
            instances = [one for goal in goals for one in goal.instances if not self._is_same(goal, one)]
            self._step(steps, goals[0], instances, numbers)
        return Explanation(steps, is_proof=False, is_whole=is_whole)

    def _fact(self, goal: Goal) -> Key:
        """The fact of a goal: that of a closed relation may also be an external fact of it, which is another goal."""
        return self.access.shown(goal.key[0]), goal.key[1]

    def _is_same(self, goal: Goal, instance: Instance) -> bool:
        """Whether an instance says no more than that a fact is an external fact."""
        return instance.body is None and len(instance.needs) == 1 and self._fact(instance.needs[0]) == self._fact(goal)

    def _in_order(self, root: Goal, search: Search) -> Iterator[Goal]:
        """The goals of a proof, each after those that it needs; of two goals for one fact the lower one."""

        def lowest(goal: Goal) -> Goal:
            name, row = self._fact(goal)
            both = [search.goals.get((name, row)), search.goals.get((self.access.given(name), row))]
            return min((one for one in both if one is not None and one.is_settled), key=lambda one: one.height)

        done: set[Goal] = set()
        stack = [(lowest(root), False)]
        while stack:
            goal, is_ready = stack.pop()
            if goal in done:
                continue
            if is_ready:
                done.add(goal)
                yield goal
                continue
            stack.append((goal, True))
            needs = map(lowest, goal.by.needs[::-1] if goal.by is not None else ())
            stack += [(need, False) for need in needs if need not in done]

    # --- steps -----------------------------------------------------------------------------------------------------------

    def _step(self, steps: list[Step], goal: Goal, instances: Iterable[Instance], numbers: Mapping[Key, int]) -> Step:
        name, row = goal.key
        values = [self.access.value(cell) for cell in row]
        relation = self.access.shown(name)
        fact = (relation, *(value.content for value in values))
        ways = tuple(self._way(instance, numbers) for instance in instances)
        text = self.words.literal(Atom(relation, tuple(map(Constant, values))))
        step = Step(steps, fact, text, is_explicit=goal.is_explicit, ways=ways)
        steps.append(step)
        return step

    def _way(self, instance: Instance, numbers: Mapping[Key, int]) -> Way:
        body = instance.body
        if body is None:
            module = self.access.module_of(self.access.shown(instance.head.key[0]))
            rules = tuple(self.words.rule(at) for at in module.rules) if module is not None else ()
            reasons = tuple(Reason("fact", self.words.fact(need.key), numbers[self._fact(need)]) for need in instance.needs)
            return Way(rules, reasons, is_chain=True, left_out=instance.left_out)
        known = {name: Constant(self.access.value(instance.cells[at])) for name, at in body.join.slots.items()}
        needs = iter(numbers[self._fact(need)] for need in instance.needs)
        reasons = tuple(self._reasons(body, known, needs, instance.cells))
        binding = {name: constant.value.content for name, constant in known.items() if name[0] not in "#_"}
        return Way((self.words.rule(body.at),), reasons, binding)

    def _reasons(
        self, body: Body, known: Mapping[str, Constant], needs: Iterator[int], cells: Sequence[Cell]
    ) -> Iterator[Reason]:
        for literal in body.rule.body:
            text = self.words.literal(literal, known)
            match literal:
                case Atom():
                    yield Reason("fact", text, next(needs))
                case Negation(atom):
                    yield Reason("absent", text, note=self._absence(atom, known))
                case Comparison():
                    if not any(call.function.startswith(CONFORM) for call in calls(literal)):
                        yield Reason("test", text)
                case Aggregate():
                    yield self._folded(body, literal, cells, text)

    def _absence(self, atom: Atom, known: Mapping[str, Constant]) -> str:
        if not self.access.likely(atom.predicate, ()):
            return f"{self.words.predicate(atom.predicate)} has no facts"
        is_open = any(isinstance(arg, Variable) and arg.name not in known for arg in atom.args)
        return "no fact matches" if is_open else "it does not hold"

    def _folded(self, body: Body, literal: Aggregate, cells: Sequence[Cell], text: str) -> Reason:
        step = next(step for step in body.join.order if step.literal is literal or step.literal == literal)
        folding = Folding(self.access, literal, step, step.groups)
        starts = [cells[body.join.slots[name]] for name in step.groups]
        rows: list[str] = []
        more = 0
        for _, group in folding.groups(starts, Budget()):
            if len(group.members) <= _MOST_SORTED:
                group.members.sort(key=lambda member: [sort_key(self.access.value(cell)) for cell in member])
            for member in group.members[:ROWS_SHOWN]:
                known = {name: Constant(self.access.value(cell)) for name, cell in zip(group.names, member, strict=True)}
                atoms = (inner for inner in literal.body if isinstance(inner, Atom))
                rows.append(", ".join(self.words.literal(inner, known) for inner in atoms))
            more = max(0, len(group.members) - ROWS_SHOWN)
        return Reason("aggregate", text, rows=tuple(rows), more=more)


def _reached(root: Goal) -> Iterator[Goal]:
    """The goals that a search has looked at, from the first one on."""
    agenda, seen = [root], {root}
    for goal in agenda:
        yield goal
        for instance in goal.instances:
            for need in instance.needs:
                if need not in seen:
                    seen.add(need)
                    agenda.append(need)
