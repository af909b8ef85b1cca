"""An engine that has no ontologies says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tidelog import TidelogError
from tidelog.ontology.reasoning import Reasoning


@pytest.mark.parametrize(
    "call",
    [
        lambda kb: kb.add_ontology("a.ttl"),
        lambda kb: kb.remove_ontology("a.ttl"),
        lambda kb: kb.ontologies,
        lambda kb: kb.entails("a.ttl"),
        lambda kb: kb.inconsistencies(),
    ],
)
def test_missing(call: Callable[[Reasoning], Any]) -> None:
    with pytest.raises(TidelogError, match=r'TL074: engine="spark" has no such method\n +fix: choose engine="local"'):
        call(Reasoning())
