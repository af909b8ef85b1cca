"""The share of the long runs that `make nightly` does: `TIDELOG_NIGHTLY=0.1` means a tenth of all examples and of all cases."""

from __future__ import annotations

import os
from collections import defaultdict

import pytest
from hypothesis import is_hypothesis_test, settings

SHARE = float(os.environ.get("TIDELOG_NIGHTLY", "1"))


def scaled(examples: int) -> int:
    """How many of so many examples are run; at least one."""
    return max(1, round(examples * SHARE))


def scale(items: list[pytest.Item]) -> list[pytest.Item]:
    """Give the nightly tests their share of examples; of those without examples of their own, return the ones to leave out.

    Tests of one function are thinned out evenly, so that every function keeps some of its cases.
    """
    left_out: list[pytest.Item] = []
    cases: dict[object, list[pytest.Function]] = defaultdict(list)
    done: set[object] = set()
    for item in items:
        by_night = item.get_closest_marker("by_night")
        if not isinstance(item, pytest.Function) or (item.get_closest_marker("nightly") or by_night) is None:
            continue
        function = item.function
        if is_hypothesis_test(function):
            if function not in done:  # the parameters of a test share one function
                done.add(function)
                _scale_function(function, *(by_night.args if by_night is not None else ()))
        elif "examples" not in item.fixturenames:  # those of the differential suite are scaled by their table
            cases[function].append(item)
    for some in cases.values():
        kept = {round(at * len(some) / scaled(len(some))) for at in range(scaled(len(some)))}
        left_out += [item for at, item in enumerate(some) if at not in kept]
    return left_out


def _scale_function(function: object, examples: int | None = None) -> None:
    given: settings = function._hypothesis_internal_use_settings  # type: ignore[attr-defined]
    changed = settings(given, max_examples=scaled(examples or given.max_examples))
    function._hypothesis_internal_use_settings = changed  # type: ignore[attr-defined]
