"""Random programs for differential tests, as text, small enough to be evaluated naively thousands of times.

Predicates have levels: a rule derives a predicate from predicates of its own level or lower ones, and negates or aggregates
only over lower ones, so every program is stratified.  Values are computed only from lower levels, or by functions that have few
values, so every program ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

COMMON = ("a", "b", "1", "2")
CONSTANTS = (*COMMON, "c", "3", "2.0", "-1", '"x y"')
VARIABLES = ("X", "Y", "Z", "U", "V")
AGGREGATES = ("count", "sum", "min", "max", "avg", "median")
LEVELS = 3
COMPUTED = (
    *("{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} mod {}"),
    *("pow({}, 2)", "min({}, {})", "max({}, 1, {})", "cat(string({}), string({}))", "round({} / 2)", "int(string({}))"),
)
"""Expressions that may have ever new values."""
FEW_VALUES = ("{} mod 3", "min({}, {})", "abs({})", "length(string({}))", "string({})", "floor({})", "upper(lower(string({})))")
"""Expressions whose values come to an end, however often they are computed from themselves."""
TESTS = (
    'contains(string({}), "1")',
    'not starts_with(string({}), "a")',
    "{} + 0 != {}",
    "min({}) != {}",
    "-{} < length(string({}))",
    *("{} < {}", "{} >= {}"),
)


@dataclass(frozen=True)
class Predicate:
    """A name with its arity and level; level 0 has no rules."""

    name: str
    arity: int
    level: int


@dataclass(frozen=True)
class RandomProgram:
    """Rules and facts, each as text without the final dot."""

    rules: tuple[tuple[str, tuple[str, ...]], ...]
    facts: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole program."""
        rules = [f"{head} :- {', '.join(body)}." for head, body in self.rules]
        return "\n".join([*rules, *(f"{fact}." for fact in self.facts)])


@st.composite
def predicates(draw: st.DrawFn, largest_arity: int = 3) -> list[Predicate]:
    result = [Predicate(f"e{i}", draw(st.integers(0 if i else 1, largest_arity)), 0) for i in range(draw(st.integers(1, 3)))]
    for level in range(1, LEVELS + 1):
        names = [f"p{level}{letter}" for letter in "ab"[: draw(st.integers(0, 2))]]
        result += [Predicate(name, draw(st.integers(0, largest_arity)), level) for name in names]
    if result[-1].level == 0:
        result.append(Predicate("p1a", draw(st.integers(0, 2)), 1))
    return result


@st.composite
def facts(draw: st.DrawFn, known: list[Predicate], most: int = 28) -> list[str]:
    """Facts of any predicate, derived ones included; mostly of a few constants, so that joins find something."""
    base = [predicate for predicate in known if predicate.level == 0]
    rows: dict[str, None] = {}
    for _ in range(draw(st.integers(most // 2, most))):
        predicate = draw(st.sampled_from([*base, *base, *known]))
        rows[_atom(predicate.name, [draw(st.sampled_from((*COMMON * 3, *CONSTANTS))) for _ in range(predicate.arity)])] = None
    return list(rows)


def _atom(name: str, args: list[str]) -> str:
    return f"{name}({', '.join(args)})"


@st.composite
def rules(draw: st.DrawFn, known: list[Predicate], head: Predicate, *, plain: bool = False) -> tuple[str, tuple[str, ...]]:
    """A safe rule that derives the head; a plain one has no functions, and aggregates over one atom, outside of recursion."""
    lower = [p for p in known if p.level < head.level]
    usable = [p for p in known if p.level <= head.level]
    body: list[str] = []
    bound: list[str] = []
    negates, compares = draw(st.tuples(st.booleans(), st.booleans()))
    names = (*VARIABLES[:3] * 4, VARIABLES[3], "_", "_", *COMMON[:2])
    recursive = False
    for _ in range(draw(st.sampled_from((1, 1, 2, 2, 3)))):
        predicate = draw(st.sampled_from([*usable, *lower]))
        recursive = recursive or predicate.level == head.level
        wide = ("_",) * (3 * len(names)) if predicate.arity > 3 else ()  # or nothing would ever match
        args = [draw(st.sampled_from((*names, *wide))) for _ in range(predicate.arity)]
        bound += [arg for arg in args if arg in VARIABLES and arg not in bound]
        body.append(_atom(predicate.name, args))
    if bound and negates:
        negated = draw(st.sampled_from(lower))
        args = [draw(st.sampled_from((*bound, *bound, "_", "a", "1"))) for _ in range(negated.arity)]
        body.append("not " + _atom(negated.name, args))
    if bound and compares:
        op = draw(st.sampled_from(("=", "!=", "<", "<=", ">", ">=")))
        others = CONSTANTS if op != "=" else ("1", "2.0")  # no texts, which could not be computed with below
        body.append(f"{draw(st.sampled_from(bound))} {op} {draw(st.sampled_from((*bound, *others)))}")
    if bound and not plain and draw(st.integers(0, 4)) == 0:
        body.append(draw(st.sampled_from(TESTS)).format(draw(st.sampled_from(bound)), draw(st.sampled_from(bound))))
    if not (plain and recursive) and draw(st.integers(0, 2)) == 0:
        aggregate, own_group = draw(_aggregates(lower, bound, plain=plain))
        body.append(aggregate)
        bound += ["N", *own_group, *own_group]
    if bound and not plain and draw(st.integers(0, 3)) == 0:
        form = draw(st.sampled_from(FEW_VALUES if recursive else (*COMPUTED, *FEW_VALUES)))
        body.append("W = " + form.format(draw(st.sampled_from(bound)), draw(st.sampled_from((*bound, "2")))))
        bound.append("W")
    args = [draw(st.sampled_from((*bound, *bound, "a", "1"))) for _ in range(head.arity)]
    return _atom(head.name, args), tuple(draw(st.permutations(body)))


@st.composite
def _aggregates(draw: st.DrawFn, lower: list[Predicate], bound: list[str], *, plain: bool) -> tuple[str, list[str]]:
    """An aggregate into N that may group by bound variables, by G which nothing else binds, and has local ones of its own.

    It may ask for more about its variables, and then perhaps needs variables that are bound outside only.
    """
    predicate = draw(st.sampled_from(lower))
    local = ("L", "M")
    args = [draw(st.sampled_from((*local, *local, *bound, "G", "G", "_", "a"))) for _ in range(predicate.arity)]
    inner = _atom(predicate.name, args)
    targets = [arg for arg in args if arg in local]
    inside = [] if plain else sorted({arg for arg in args if arg in (*local, "G", *bound)})
    if inside and draw(st.integers(0, 2)) == 0:
        op = draw(st.sampled_from(("<", ">=", "!=")))
        inner += f", {draw(st.sampled_from(inside))} {op} {draw(st.sampled_from((*bound, *bound, '1')))}"
    if inside and draw(st.integers(0, 4)) == 0:
        negated = draw(st.sampled_from(lower))
        inner += ", not " + _atom(negated.name, [draw(st.sampled_from((*inside, "_", "1"))) for _ in range(negated.arity)])
    function = draw(st.sampled_from(AGGREGATES)) if targets else "count"
    target = f"{targets[0]} : " if targets else ""
    return f"N = {function} {{ {target}{inner} }}", ["G"] if "G" in args else []


@st.composite
def programs(draw: st.DrawFn, largest_arity: int = 3, *, plain: bool = False) -> RandomProgram:
    """A whole program."""
    known = draw(predicates(largest_arity))
    derived = [p for p in known if p.level > 0]
    chosen = [draw(rules(known, draw(st.sampled_from(derived)), plain=plain)) for _ in range(draw(st.integers(1, 7)))]
    return RandomProgram(tuple(chosen), tuple(draw(facts(known))))


# --- and what happens to them --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class History:
    """A program, updates of its facts (what is deleted, then what is inserted), and the bodies of queries."""

    program: RandomProgram
    updates: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    queries: tuple[str, ...]


@st.composite
def histories(draw: st.DrawFn, largest_arity: int = 3, most_updates: int = 4, most_queries: int = 2) -> History:
    """A program with updates and queries; deletions are mostly of facts that were there once."""
    known = draw(predicates(largest_arity))
    derived = [p for p in known if p.level > 0]
    chosen = [draw(rules(known, draw(st.sampled_from(derived)))) for _ in range(draw(st.integers(1, 7)))]
    first = draw(facts(known))
    later = draw(facts([*known, Predicate("unknown_to_rules", 2, 0)], most=10))
    some = st.lists(st.sampled_from([*first, *later]), max_size=5).map(tuple)
    updates = draw(st.lists(st.tuples(some, some), max_size=most_updates))
    top = Predicate("query", 0, LEVELS + 1)
    queries = [", ".join(draw(rules(known, top))[1]) for _ in range(draw(st.integers(0, most_queries)))]
    return History(RandomProgram(tuple(chosen), tuple(first)), tuple(updates), tuple(queries))
