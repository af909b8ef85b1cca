"""The places of the differential suite, opened where a test asks for one."""

from __future__ import annotations

import pytest
from tests.differential.places import OpenPlace, Place


@pytest.fixture
def place(request: pytest.FixtureRequest) -> OpenPlace:
    """A place; Spark is started for the places that need it."""
    asked: Place = request.param
    return OpenPlace(asked, request.getfixturevalue("spark") if asked.engine == "spark" else None)
