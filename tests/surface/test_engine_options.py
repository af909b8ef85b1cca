"""Options that only one engine takes."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import pytest

from tidelog import KnowledgeBase
from tidelog.kb import ENGINES
from tidelog.surface.engine_options import OF_ENGINE, no_option, with_options_of_engines


def made(rules: str = "", *, strict: bool = False, **others: Any) -> None:
    """A constructor."""


@pytest.mark.parametrize("engine", ENGINES)
def test_the_options_of_an_engine_are_those_of_its_class(engine: str) -> None:
    module, _, name = ENGINES[engine].partition(":")
    own: set[str] = set()
    for kind in getattr(importlib.import_module(module), name).__mro__:
        if kind is KnowledgeBase:
            break
        if "__init__" in vars(kind):
            parameters = inspect.signature(kind.__init__).parameters.values()
            own |= {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    assert own == set(OF_ENGINE[engine])


def test_a_signature_has_them_all_and_no_others() -> None:
    names = list(with_options_of_engines(made).parameters)
    assert names == ["rules", "strict", *OF_ENGINE["local"], *OF_ENGINE["spark"]]


def test_what_is_meant_by_an_option_that_is_not_there() -> None:
    assert no_option("strikt", "local", made).diagnostics[0].fix == "did you mean `strict=`?"
    assert no_option("writer", "local", made).diagnostics[0].fix == "did you mean `writers=`?"
    assert no_option("placement", "local", made).diagnostics[0].fix == 'leave it out, or choose engine="spark"'
    assert no_option("writers", "spark", made).diagnostics[0].fix == 'leave it out, or choose engine="local"'
    assert no_option("xyz", "local", made).diagnostics[0].fix == "its options are strict=, writers=, same_as=, starting_over="
