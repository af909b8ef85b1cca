"""DuckDB: linear recursion as one statement, everything else as a semi-naive loop of statements.

CPU seconds are compared, so it runs with one thread, which took fewer of them on the closures (single runs of each).  The loop
has the form that was quickest for the non-linear closure, again in single runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.workload import Contender, Evaluate, Inputs
from benchmarks.peers import sql
from benchmarks.peers.rules import Rule, components, derived, given, parse

if TYPE_CHECKING:
    import duckdb

RECURSIVE = "duckdb recursive SQL"
LOOP = "duckdb loop"
STATEMENT = "duckdb"


def connect(inputs: Inputs) -> duckdb.DuckDBPyConnection:
    """A database in memory with a table for each input."""
    import duckdb  # not above, so that the other contenders' processes do without it

    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    for relation, table in inputs.items():
        connection.register("arrow_input", table)
        connection.execute(f"CREATE TABLE {relation} AS FROM arrow_input")
        connection.unregister("arrow_input")
    return connection


def number(connection: duckdb.DuckDBPyConnection, statement: str) -> int:
    """The single number that a statement returns: a count, or how many rows it created or inserted."""
    row = connection.execute(statement).fetchone()
    if row is None:
        raise LookupError(statement)
    return int(row[0])


def recursive_sql(linear_rules_text: str, largest: int | None = None, reason: str = "") -> Contender:
    """Recursive SQL for one relation that is derived by linear rules."""
    statement = sql.recursive_count(parse(linear_rules_text))

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        connection = connect(inputs)
        return lambda: number(connection, statement)

    return Contender(RECURSIVE, load, largest, reason)


def statement(query: str, largest: int | None = None, reason: str = "") -> Contender:
    """One statement, whose distinct rows are the result: a rule that is no recursion."""

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        connection = connect(inputs)
        return lambda: number(connection, f"CREATE TABLE result AS {query}")

    return Contender(STATEMENT, load, largest, reason)


def semi_naive_loop(rules_text: str, largest: int | None = None, reason: str = "") -> Contender:
    """A loop of statements, component by component, with a table of what is new in each round."""
    rules = parse(rules_text)

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        connection = connect(inputs)
        for relation in given(rules) - inputs.keys():
            connection.execute(f"CREATE TABLE {relation} (x INTEGER, y INTEGER)")

        def evaluate() -> int:
            for component in components(rules):
                _close(connection, rules, component)
            return sum(number(connection, f"SELECT count(*) FROM {relation}") for relation in derived(rules))

        return evaluate

    return Contender(LOOP, load, largest, reason)


def _close(connection: duckdb.DuckDBPyConnection, rules: tuple[Rule, ...], component: set[str]) -> None:
    """Create the tables of a component and extend them until a round brings nothing."""
    sizes: dict[str, int] = {}
    for relation in component:
        start = [sql.select(rule) for rule in rules if rule.head.relation == relation and not rule.relations_used & component]
        source = f"SELECT DISTINCT * FROM ({' UNION ALL '.join(start)})" if start else "SELECT 0 AS x, 0 AS y LIMIT 0"
        sizes[relation] = number(connection, f"CREATE TABLE {relation} AS {source}")
    if not any(rule.head.relation in component and rule.relations_used & component for rule in rules):
        return
    for relation in component:
        connection.execute(f"CREATE TABLE delta_{relation} AS FROM {relation}")
    starts = dict.fromkeys(component, 0)
    while any(sizes[relation] > starts[relation] for relation in component):
        statements = sql.rounds(rules, component, starts)
        for relation, statement in statements.items():
            connection.execute(
                f"CREATE OR REPLACE TABLE new_{relation} AS "
                f"FROM (SELECT DISTINCT * FROM ({statement})) AS n ANTI JOIN {relation} USING (x, y)"
            )
        starts = dict(sizes)
        for relation in statements:
            sizes[relation] += number(connection, f"INSERT INTO {relation} FROM new_{relation}")
            connection.execute(f"DROP TABLE delta_{relation}")
            connection.execute(f"ALTER TABLE new_{relation} RENAME TO delta_{relation}")
