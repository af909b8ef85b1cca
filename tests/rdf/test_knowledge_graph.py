"""What an engine without RDF says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tidelog import TidelogError
from tidelog.rdf.knowledge_graph import KnowledgeGraph


@pytest.mark.parametrize(
    "call",
    [
        lambda kg: kg.load_rdf("data.nt"),
        lambda kg: kg.update_rdf(),
        lambda kg: kg.write_rdf("out.nt"),
        lambda kg: kg.sparql("ASK {}"),
        lambda kg: kg.sparql_update(""),
    ],
)
def test_an_engine_that_cannot_do_it_says_so(call: Callable[[KnowledgeGraph], object]) -> None:
    with pytest.raises(TidelogError, match="TL074"):
        call(KnowledgeGraph())
