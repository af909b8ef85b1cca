"""Random graphs, and random SPARQL queries over them, with all operators."""

from __future__ import annotations

from random import Random

PREFIX = "PREFIX : <http://example.org/> "
NODES = [f":n{at}" for at in range(7)]
LINKS, CLASSES, ATTRIBUTES = [":p", ":q", ":r"], [":A", ":B"], [":size", ":name"]
VALUES = ["1", "2", "3", "-1", "2.5", "1.0", "3.5e0", "true", '"a"', '"b"', '"ab"', '"a"@en', '"b"@fr', '"x"^^:thing']
NODE_VARIABLES, VALUE_VARIABLES = ["?x", "?y", "?z", "?w"], ["?v", "?u"]

RULES = """
@prefix : <http://example.org/> .
:reach(X, Y) :- :p(X, Y).
:reach(X, Z) :- :reach(X, Y), :reach(Y, Z).
:linked(X, Y) :- :q(X, Y), not :r(X, Y).
:C(X) :- :A(X), :size(X, _).
"""
DERIVED_LINKS, DERIVED_CLASSES = [":reach", ":linked"], [":C"]


def random_graph(random: Random) -> str:
    """A text of Turtle."""
    lines = [f"{random.choice(NODES)} {random.choice(LINKS)} {random.choice(NODES)} ." for _ in range(random.randint(4, 16))]
    lines += [f"{random.choice(NODES)} a {random.choice(CLASSES)} ." for _ in range(random.randint(1, 6))]
    lines += [
        f"{random.choice(NODES)} {random.choice(ATTRIBUTES)} {random.choice(VALUES)} ." for _ in range(random.randint(2, 12))
    ]
    return "@prefix : <http://example.org/> .\n" + "\n".join(lines)


class Queries:
    """Random queries."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self._new = 0

    def query(self) -> str:
        """A query of any kind."""
        random = self.random
        group = self.group(2)
        match random.choices(("all", "some", "ordered", "grouped", "ask"), (4, 4, 2, 3, 1))[0]:
            case "ask":
                return f"{PREFIX}ASK {group}"
            case "all":
                return f"{PREFIX}SELECT {random.choice(['', 'DISTINCT '])}* {group}"
            case "some":
                return f"{PREFIX}SELECT {random.choice(['', 'DISTINCT '])}{' '.join(self.some_variables())} {group}"
            case "ordered":
                return self.ordered(group)
        return self.grouped(group)

    def some_variables(self) -> list[str]:
        """One to three variables."""
        return self.random.sample(NODE_VARIABLES + VALUE_VARIABLES, self.random.randint(1, 3))

    def ordered(self, group: str) -> str:
        """A query whose order is that of all its variables, so that a part of the answers is the same everywhere."""
        random, names = self.random, self.random.sample(NODE_VARIABLES, 2)
        order = " ".join(random.choice(["{}", "DESC({})", "ASC({})"]).format(name) for name in names)
        only = " && ".join(f"(!bound({name}) || isIRI({name}))" for name in names)  # there is no one order of all literals
        group = f"{{ {group} FILTER({only}) }}"
        part = random.choice(["", " LIMIT 3", " LIMIT 4 OFFSET 1", " OFFSET 2", " LIMIT 0"])
        return f"{PREFIX}SELECT {random.choice(['', 'DISTINCT '])}{' '.join(names)} {group} ORDER BY {order}{part}"

    def grouped(self, group: str) -> str:
        """A query with aggregates."""
        random, key = self.random, self.random.choice(NODE_VARIABLES)
        other = random.choice([name for name in NODE_VARIABLES + VALUE_VARIABLES if name != key])
        aggregate = random.choice(
            [
                "COUNT(*)",
                "COUNT(DISTINCT *)",
                f"COUNT({other})",
                f"COUNT(DISTINCT {other})",
                f"SUM({other})",
                f"AVG({other})",
                f"SUM(DISTINCT {other})",
                f"(COUNT({other}) + 1)",
                "MIN(?y)",
                "MAX(?y)",
            ]
        )
        if random.random() < 0.3:
            return f"{PREFIX}SELECT ({aggregate} AS ?n) {group}"
        having = random.choice(["", "", " HAVING (COUNT(*) > 1)"])
        return f"{PREFIX}SELECT {key} ({aggregate} AS ?n) {group} GROUP BY {key}{having}"

    # --- patterns ------------------------------------------------------------------------------------------------------------

    def group(self, depth: int) -> str:
        """A group of patterns."""
        random = self.random
        parts = [self.triples(), *(self.part(depth - 1) for _ in range(random.randint(0, 2) if depth else 0))]
        random.shuffle(parts)
        if random.random() < 0.4:
            parts.append(f"FILTER({self.condition(depth)})")
        return "{ " + " ".join(parts) + " }"

    def part(self, depth: int) -> str:
        """Something besides triples."""
        random = self.random
        match random.choice(("optional", "union", "minus", "bind", "values", "select", "group", "exists", "filtered optional")):
            case "optional":
                return f"OPTIONAL {self.group(depth)}"
            case "filtered optional":
                return f"OPTIONAL {{ {self.triples()} FILTER({self.condition(0)}) }}"
            case "union":
                return " UNION ".join(self.group(depth) for _ in range(random.randint(2, 3)))
            case "minus":
                return f"MINUS {self.group(depth)}"
            case "bind":
                self._new += 1
                return f"BIND({self.value()} AS ?b{self._new})"
            case "values":
                return self.values()
            case "select":
                names = " ".join(random.sample(NODE_VARIABLES, 2))
                return f"{{ SELECT {random.choice(['', 'DISTINCT '])}{names} {self.group(depth)} }}"
            case "exists":
                return f"FILTER {random.choice(['', 'NOT '])}EXISTS {self.group(depth)}"
        return self.group(depth)

    def values(self) -> str:
        """Solutions that stand in the query."""
        random, names = self.random, self.random.sample(NODE_VARIABLES, self.random.randint(1, 2))
        rows = (" ".join(random.choice([*NODES, "UNDEF"]) for _ in names) for _ in range(random.randint(1, 3)))
        return f"VALUES ({' '.join(names)}) {{ {' '.join(f'({row})' for row in rows)} }}"

    def triples(self) -> str:
        """One to three triple patterns."""
        return " ".join(self.triple() for _ in range(self.random.randint(1, 3)))

    def triple(self) -> str:
        """A triple pattern."""
        random = self.random
        subject = random.choice([*NODE_VARIABLES, random.choice(NODES), "_:b"]) if random.random() < 0.5 else "?x"
        match random.choices(("link", "class", "attribute", "any", "path"), (6, 3, 3, 1, 4))[0]:
            case "link":
                return f"{subject} {random.choice(LINKS + DERIVED_LINKS)} {self.node()} ."
            case "class":
                return f"{subject} a {random.choice([*CLASSES, *DERIVED_CLASSES])} ."
            case "attribute":
                target = random.choice([*VALUE_VARIABLES, "?v", random.choice(VALUES)])
                return f"{subject} {random.choice(ATTRIBUTES)} {target} ."
            case "any":
                return f"{subject} ?k {self.node()} ."
        return f"{subject} {self.path(2)} {self.node()} ."

    def node(self) -> str:
        """A node or a variable for one."""
        return self.random.choice([*NODE_VARIABLES, "?y", "?x", self.random.choice(NODES)])

    def path(self, depth: int) -> str:
        """A property path."""
        random = self.random
        if not depth:
            return random.choice(LINKS + DERIVED_LINKS)
        match random.choice(("inverse", "sequence", "either", "star", "plus", "maybe", "not", "link")):
            case "inverse":
                return f"^{self.inner(depth)}"
            case "sequence":
                return f"{self.inner(depth)}/{self.inner(depth)}"
            case "either":
                return f"({random.choice(LINKS)}|{random.choice(ATTRIBUTES)})"  # pyoxigraph leaves out what both give
            case "star":
                return random.choice([f"{self.inner(depth)}*", f"({'|'.join(random.sample(LINKS, 2))})*"])
            case "plus":
                return f"{self.inner(depth)}+"
            case "maybe":
                return f"{self.inner(depth)}?"
            case "not":
                return f"!({random.choice(LINKS)}|{random.choice(LINKS)})"
        return random.choice(LINKS)

    def inner(self, depth: int) -> str:
        """A path inside of another."""
        return f"({self.path(depth - 1)})"

    # --- expressions ---------------------------------------------------------------------------------------------------------

    def condition(self, depth: int) -> str:
        """A condition."""
        random = self.random
        if depth and random.random() < 0.4:
            match random.choice(("and", "or", "not", "exists")):
                case "and":
                    return f"({self.condition(depth - 1)} && {self.condition(depth - 1)})"
                case "or":
                    return f"({self.condition(depth - 1)} || {self.condition(depth - 1)})"
                case "not":
                    return f"!({self.condition(depth - 1)})"
            return f"EXISTS {{ {self.triples()} }}"
        node, value = random.choice(NODE_VARIABLES), random.choice(VALUE_VARIABLES)
        return random.choice(
            [
                f"{node} {random.choice(['=', '!='])} {random.choice([*NODES, *NODE_VARIABLES])}",
                f"{value} {random.choice(['<', '<=', '>', '>=', '=', '!='])} {random.choice(VALUES[:7])}",
                f"{value} {random.choice(['<', '>', '=', '!='])} {random.choice(VALUES[:11])}",  # no language
                f"bound({random.choice([node, value])})",
                f"{node} IN ({random.choice(NODES)}, {random.choice(NODES)})",
                f"{value} NOT IN (1, 2)",
                f"isIRI({node})",
                f"isNumeric({value})",
                f"isLiteral({value})",
                f"sameTerm({node}, {random.choice(NODE_VARIABLES)})",
                f"{value}",
                f"STRSTARTS(STR({node}), 'http://example.org/n{random.randint(0, 6)}')",
                f"REGEX(STR({value}), '^[a1]')",
                f"({value} + 1) > 2",
                f"LANG({value}) = 'en'",
                f"STRLEN(STR({value})) = 1",
                f"IF({value} > 1, true, false)",
                f"COALESCE({value} > 1, {node} = {random.choice(NODES)})",
            ]
        )

    def value(self) -> str:
        """An expression of any kind."""
        random = self.random
        node, value = random.choice(NODE_VARIABLES), random.choice(VALUE_VARIABLES)
        return random.choice(
            [
                node,
                random.choice(NODES),
                f"STR({node})",
                f"UCASE(STR({value}))",
                f"{value} * 2",
                f"CONCAT(STR({node}), 'x')",
                f"IF(bound({value}), {value}, {node})",
                f"COALESCE({value}, 0)",
                f"{node} = {random.choice(NODES)}",
                "1",
            ]
        )
