"""The symmetric and transitive closure of a chain: every pair of its nodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.workload import Contender, Evaluate, Inputs, Load, Target, Workload
from benchmarks.peers.duckdb_peer import connect, number, semi_naive_loop
from benchmarks.peers.plain import plain
from benchmarks.peers.tidelog_peer import TIDELOG, tidelog
from benchmarks.workloads import graphs

if TYPE_CHECKING:
    import duckdb

RULES = """\
r(X, Y) :- edge(X, Y).
r(X, Y) :- r(Y, X).
r(X, Z) :- r(X, Y), r(Y, Z).
"""
SIZES = (125, 250, 500, 1000, 2000)
BY_HAND = "duckdb, rewritten by hand"


def edges(nodes: int) -> Inputs:
    """The chain."""
    return {"edge": graphs.chain(nodes)}


def _components(connection: duckdb.DuckDBPyConnection) -> None:
    """A table `label`: the least label among neighbours, shortened in each round by the label's label, until nothing changes."""
    connection.execute("CREATE TABLE either AS SELECT x, y FROM edge UNION SELECT y, x FROM edge")
    connection.execute("CREATE TABLE label AS SELECT DISTINCT x AS node, x AS least FROM either")
    changed = 1
    while changed:
        connection.execute(
            "CREATE OR REPLACE TABLE nearer AS SELECT x AS node, least(min(here.least), min(there.least)) AS least "
            "FROM either JOIN label AS here ON either.x = here.node JOIN label AS there ON either.y = there.node GROUP BY x"
        )
        connection.execute(
            "CREATE OR REPLACE TABLE next AS SELECT a.node, b.least FROM nearer AS a JOIN nearer AS b ON a.least = b.node"
        )
        changed = number(connection, "SELECT count(*) FROM next JOIN label USING (node) WHERE next.least <> label.least")
        connection.execute("DROP TABLE label")
        connection.execute("ALTER TABLE next RENAME TO label")


def _load_by_hand(statement: str) -> Load:
    """Components first, then a statement about all pairs within each."""

    def load(inputs: Inputs, _folder: Path) -> Evaluate:
        connection = connect(inputs)

        def evaluate() -> int:
            _components(connection)
            return number(
                connection, f"{statement} (SELECT a.node AS x, b.node AS y FROM label AS a JOIN label AS b USING (least))"
            )

        return evaluate

    return load


SYMMETRIC_CHAIN = Workload(
    "symmetric_chain",
    "Symmetric-transitive chain of 2,000 nodes",
    edges,
    SIZES,
    "nodes",
    tiny=20,
    contenders=(
        tidelog(RULES),
        Contender(BY_HAND, _load_by_hand("SELECT count(*) FROM")),
        Contender(f"{BY_HAND}, pairs stored", _load_by_hand("CREATE TABLE r AS FROM")),
        semi_naive_loop(RULES, 1000, "about 180 s by extrapolation"),
        plain(RULES, largest=125),
    ),
    targets=(Target(TIDELOG, 2000, 0.1, elsewhere="duckdb, rewritten by hand: 0.63"),),
    expected={nodes: nodes * nodes for nodes in SIZES},
)
