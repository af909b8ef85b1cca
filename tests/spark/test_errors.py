"""The pages of the errors of Spark's side show what is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.spark.provoked import DIRECT

PAGES = Path(__file__).parents[2] / "docs" / "errors"


@pytest.mark.parametrize(("code", "provoke"), [(code, way) for code, ways in DIRECT.items() for way in ways])
def test_page(code: str, provoke: Callable[[Path], str], tmp_path: Path) -> None:
    said = provoke(tmp_path)
    assert said.startswith(f"error {code}: ")
    assert f"```text\n{said}\n```" in (PAGES / f"{code}.md").read_text(encoding="utf-8")
