"""The names of SWRL: all are in its namespace, and what has them is neither an axiom nor a fact."""

from __future__ import annotations

from tidelog.ontology import vocabulary as owl
from tidelog.ontology.swrl import vocabulary as swrl


def test_names() -> None:
    assert all(name.startswith(swrl.SWRL) for name in swrl.TYPES | swrl.PARTS - {swrl.ENABLED})
    assert swrl.TYPES <= owl.DECLARATIONS
    assert swrl.TYPES <= owl.NOTES
    assert swrl.PARTS <= owl.STRUCTURE
    assert not swrl.PARTS & owl.AXIOMS
