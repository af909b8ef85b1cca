"""The package itself: what it exports, and that importing it is light."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tidelog


def test_importing_is_light() -> None:
    """Neither a JVM nor any of the heavy parts is loaded by `import tidelog`."""
    heavy = "{'lark', 'rustworkx', 'numpy', 'rich', 'typer', 're2', 'pyspark', 'numba', 'pyarrow'}"
    code = f"import sys, tidelog; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def test_every_name_that_is_exported_is_there() -> None:
    assert all(getattr(tidelog, name) is not None for name in tidelog.__all__)
    with pytest.raises(AttributeError, match="no attribute 'KnowledgeBas'"):
        _ = tidelog.KnowledgeBas  # type: ignore[attr-defined]
