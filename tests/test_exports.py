"""What `import tidelog` offers, and what it costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import pytest

import tidelog
from tidelog import KnowledgeBase

HEAVY = ("lark", "numba", "numpy", "pyarrow", "pyspark", "rich", "rustworkx", "typer")


@pytest.mark.parametrize("name", tidelog.__all__)
def test_each_export_is_there_and_documented(name: str) -> None:
    found = getattr(tidelog, name)
    assert name in dir(tidelog)
    if name != "__version__":
        assert found.__name__ == name
        assert inspect.getdoc(found)


def test_lazy_exports_are_those_that_type_checkers_see() -> None:
    tree = ast.parse(Path(tidelog.__file__).read_text(encoding="utf-8"))
    only_typing = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {
        str(node.module).removeprefix("tidelog."): {alias.name for alias in node.names}
        for node in only_typing.body
        if isinstance(node, ast.ImportFrom)
    }
    assert seen == {module: set(names) for module, names in tidelog._HOMES.items()}
    lazy = {name for names in seen.values() for name in names}
    direct = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert sorted(lazy | direct - {"TYPE_CHECKING", "Any"} | {"__version__"}) == sorted(tidelog.__all__)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Knowledge'"):
        _ = tidelog.Knowledge  # type: ignore[attr-defined]


def test_importing_tidelog_loads_no_heavy_library() -> None:
    code = f"import sys, tidelog; print([name for name in {HEAVY} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_change_and_its_parts_are_exported() -> None:
    kb = KnowledgeBase("p(X) :- q(X).")
    change = kb.update(insert=[("q", 1)], add_rules="r(X) :- p(X).")
    parts = (kb, kb.facts(), kb["p"], kb.program, kb.statistics, change, change.inserted, change.stats, change.stats.counters)
    for part in (*parts, change.rules, *kb.relations.values(), kb.graph(), kb.follow([]), kb.follow([]).source):
        assert any(kind.__name__ in tidelog.__all__ for kind in type(part).__mro__), type(part)


def test_dir_shows_what_is_public_and_nothing_else() -> None:
    shown = [name for name in dir(tidelog) if not name.startswith("__")]
    assert shown == sorted(name for name in tidelog.__all__ if not name.startswith("__"))


def test_signatures_name_every_option() -> None:
    options = list(inspect.signature(KnowledgeBase).parameters)
    assert {"rules", "engine", "algorithm", "marking", "modules", "strict", "limit_facts", "progress", "writers"} <= set(options)
    for engine, kind in (("local", "tidelog.local.kb:LocalKnowledgeBase"), ("spark", "tidelog.spark.kb:SparkKnowledgeBase")):
        module, _, name = kind.partition(":")
        own = inspect.signature(getattr(importlib.import_module(module), name).__init__).parameters
        named = [option for option, one in own.items() if one.kind is not one.VAR_KEYWORD and option != "self"]
        assert set(named) <= set(options), engine
    load = inspect.signature(KnowledgeBase.load).parameters
    assert inspect.signature(type(KnowledgeBase()).load).parameters.keys() == load.keys()


def test_deriving_does_not_load_pandas() -> None:
    """PyArrow imports it, where it is installed, to look at a list: that took half of the time to a first result."""
    code = (
        "import sys; from tidelog import KnowledgeBase as K; print(K('p(1). q(X) :- p(X).').count('q'), 'pandas' in sys.modules)"
    )
    environment = {**os.environ, "TIDELOG_COMPILE": "never"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert ran.stdout == "1 False\n"
