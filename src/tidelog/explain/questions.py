"""The part of a knowledge base that explains: `explain`, `why_not`; and `what_if`, which asks what an update would do.

An engine has `_asked`: it answers a function that asks, in one state.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from tidelog.arguments import number, wrong
from tidelog.errors import fail
from tidelog.program.checks.declared_columns import coerce_value
from tidelog.program.queries import check_query
from tidelog.syntax.tree import Atom, Constant
from tidelog.values import Value, from_python

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tidelog.changes import Change
    from tidelog.core.schema import Schema
    from tidelog.explain.absent.missing import WhyNot
    from tidelog.explain.access import Access, Key
    from tidelog.explain.explanation import Explanation

_FIX = 'give a text, or a tuple: `"path(a, c)"`, `("path", "a", "c")`'
_Answer = TypeVar("_Answer")
MOST_LOOKED_AT, MOST_WAYS, MOST_LINKS = 3_000, 20_000, 1_000


class Questions:
    """What may be asked about the facts of a knowledge base."""

    _schema: Schema

    def _asked(self, ask: Callable[[Access], _Answer]) -> _Answer:
        """What a function finds in the materialisation, which nobody changes meanwhile."""
        del ask
        fix = 'choose engine="local"; it reads the same programs and files'
        raise fail("TL074", "this engine explains no facts", fix=fix)

    def explain(
        self,
        fact: str | tuple[object, ...],
        *,
        all: bool = False,  # noqa: A002
        effort: int | None = None,
        links: int = MOST_LINKS,
    ) -> Explanation:
        """Why a fact holds: a proof of the smallest height, or with `all` every rule instance behind it.

        `fact` is a text, `"path(a, c)"`, or a tuple, `("path", "a", "c")`.  `effort` limits what is looked at for the smallest
        height, by default 3,000 facts and instances, and for `all`, by default 20,000; a proof is found in any case.  Chains of
        transitive relations that are longer than `links` are explained at their ends.
        """
        from tidelog.explain.explainer import Explainer
        from tidelog.explain.of_same import of_member, of_representatives

        number(effort, "effort", whole=True)
        number(links, "links", whole=True, is_needed=True)
        relation, values = self._fact(fact)

        def ask(access: Access) -> Explanation:
            explainer = Explainer(access)

            def explained(key: Key) -> Explanation:
                if all:
                    return explainer.all_ways(key, MOST_WAYS if effort is None else effort, max(2, links))
                return explainer.proof(key, MOST_LOOKED_AT if effort is None else effort, max(2, links))

            key = relation, tuple(map(access.cell, values))
            if not access.holds(*key):
                if (other := of_representatives(access, key)) is not None:
                    return of_member(access, key, other, explained)
                shown = access.program.printer.literal(Atom(relation, tuple(map(Constant, values))))
                raise fail(
                    "TL098",
                    f"`{shown}` does not hold, so nothing explains it",
                    fix="`kb.why_not` and `tidelog why-not` say what is missing; `kb.query` finds the facts that do hold",
                )
            return explained(key)

        return self._asked(ask)

    def why_not(self, fact: str | tuple[object, ...], *, effort: int | None = None) -> WhyNot:
        """Why a fact does not hold: for each rule how near it comes, and what would have to be inserted.

        `fact` is a text, `"path(a, d)"`, or a tuple, `("path", "a", "d")`.  `effort` limits what is looked at, by default 6,000
        facts and instances for the rules, and as many for repairs.  Each repair derives the fact: it has been tried, unless
        nothing could prevent that.
        """
        from tidelog.explain.absent.repairs import MOST_FACTS
        from tidelog.explain.absent.why_not_query import WhyNotQuery

        number(effort, "effort", whole=True)
        relation, values = self._fact(fact)
        query = WhyNotQuery(relation, values, effort)
        found = self._asked(query.answer)
        for size in range(1, MOST_FACTS + 1) if not found.holds else ():
            candidates = self._asked(lambda access, size=size: query.candidates(access, size, self._schema.relations()))  # type: ignore[misc]
            found.repairs = tuple(one for one in candidates if one.is_certain or self._would_hold(one.facts, relation, values))
            if found.repairs:
                break
        return found

    def _would_hold(self, inserted: tuple[tuple[Any, ...], ...], relation: str, values: tuple[Value, ...]) -> bool:
        """Whether a fact would hold if others were inserted."""
        return any((name, *map(from_python, row)) == (relation, *values) for name, *row in inserted)

    def what_if(
        self,
        insert: Any = (),
        delete: Any = (),
        upsert: Any = (),
        *,
        remove_rules: str | Iterable[str] = (),
        add_rules: str | Iterable[str] = (),
    ) -> Change:
        """The change that an update would make, with what it costs; nothing changes, and nothing is saved."""
        del insert, delete, upsert, remove_rules, add_rules
        fix = 'choose engine="local", or update, and update back'
        raise fail("TL074", "this engine cannot preview an update", fix=fix)

    # --- facts as users give them ----------------------------------------------------------------------------------------

    def _fact(self, given: object) -> tuple[str, tuple[Value, ...]]:
        """The relation and the values of a fact, from a text or a tuple."""
        schema = self._schema
        if isinstance(given, str):
            body = check_query(given, schema.relations(), schema.program.prefixes).body
            match body:
                case (Atom(relation, args),) if all(isinstance(arg, Constant) for arg in args):
                    return relation, tuple(arg.value for arg in args if isinstance(arg, Constant))
            raise wrong("a fact", given, f"give one fact without variables; `kb.query({given.strip()!r})` finds facts")
        if not isinstance(given, tuple) or not given or not isinstance(given[0], str):
            raise wrong("a fact", given, _FIX)
        return self._of_tuple(given[0], given[1:])

    def _of_tuple(self, name: str, args: tuple[Any, ...]) -> tuple[str, tuple[Value, ...]]:
        schema = self._schema
        relation = schema.name_of(name)
        known = schema.relation(relation)
        if known is None:
            from tidelog.errors import did_you_mean

            raise fail("TL073", f"there is no relation `{name}`", fix=did_you_mean(relation, schema.relations()))
        if known.arity != len(args):
            raise fail("TL020", f"`{name}` has {known.arity} arguments, and this fact has {len(args)}")
        return relation, tuple(coerce_value(from_python(arg), known.declared_type(at)) for at, arg in enumerate(args))
