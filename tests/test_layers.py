"""The layers of the package as data, and the size of its parts: an import against the layers fails here.

Each table of exceptions must shrink: an entry that is no longer needed fails as well.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import tidelog

ROOT = Path(tidelog.__file__).parent

LAYERS: tuple[tuple[str, ...], ...] = (
    (
        "source",
        "errors",
        "arguments",
        "values",
        "text_limits",
        "display",
        "",
    ),  # "" is `tidelog` itself, which imports all else on first use
    ("syntax", "functions"),
    ("program",),
    ("reference", "files", "options", "redaction", "stores"),
    ("facts", "changes"),
    ("core",),
    ("rdf", "report", "streams"),
    ("ontology", "sparql"),
    ("explain",),
    ("lasting", "surface"),
    ("kb",),
    ("local",),
    ("durable",),
    ("rdflib_store",),
    ("spark",),
    ("pipeline",),
    ("cli", "pipeline.__main__", "__main__"),
)
"""From the bottom to the top.  A module imports from its own layer and from those below it."""

LOCAL: tuple[tuple[str, ...], ...] = (
    ("kernel",),
    ("closure",),
    ("storage",),
    ("encoded_facts", "planning"),
    ("evaluation",),
    ("maintenance",),
    ("rule_changes",),
    ("recovery",),
    ("program_state",),
    ("equality",),
    ("transaction",),
    ("engine", "lookahead", "given_facts"),
    ("update_reader",),
    ("sharing",),
    ("insight",),
    ("explaining",),
    ("readable",),
    ("saving",),
    ("triples",),
    ("graph_kb",),
    ("reasoning",),
    ("kb",),
)
PIPELINE: tuple[tuple[str, ...], ...] = (("job",), ("report",), ("batch",), ("streaming",), ("__main__", ""))

AGAINST_THE_LAYERS_OF_LOCAL: dict[str, set[str]] = {}
ONLY_TO_ANNOTATE: dict[str, set[str]] = {
    "facts": {"local"},
    "changes": {"explain"},
    "lasting": {"local"},
    "rdf": {"sparql"},
    "report": {"kb"},
    "kb": {"spark"},
}
"""Upwards, where only type checkers look: stored rows, explained changes, snapshots, and an option that one engine takes."""

LOCAL_FOR_SPARK = {"tidelog.local.engine", "tidelog.local.evaluation.keyed_unit"}
"""The Spark engine drives the local engine as a whole, or, by keys, unit by unit."""
SPARK_AGAINST_THAT: dict[str, set[str]] = {}
SPARK_FOR_PIPELINE = {
    "tidelog.spark.ingest",  # rejects
    "tidelog.spark.ingest.sources",  # what becomes of Spark's errors
    "tidelog.spark.session.private_session",  # a session to read schemas with
    "tidelog.spark.session.users_session",  # what Spark's UI says of the jobs of sinks and batches; schemas of views
    "tidelog.spark.session.lineage",  # the explanation of a lost executor
    "tidelog.spark.data.explicit_snapshot",  # what `explicit_facts` gives and `restore` takes
}

MOST_MODULES, MOST_LINES, LONGEST_FUNCTION, MOST_PARAMETERS = 12, 350, 80, 8
LARGE_PACKAGES: set[str] = set()
LONG_MODULES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
"""Compiled, like `kernel`."""
MANY_PARAMETERS = {
    **dict.fromkeys(
        (
            "tidelog.cli.evaluation.run_command",
            "tidelog.cli.evaluation.query_command",
            "tidelog.cli.profile.profile_command",
            "tidelog.cli.stream.stream_command",
            "tidelog.cli.why.explaining.explain_command",
            "tidelog.cli.why.missing.why_not_command",
            "tidelog.cli.why.supposing.what_if_command",
            "tidelog.cli.ontology.consistency_command",
            "tidelog.cli.sparql.sparql_command",
        ),
        "the options of a command",
    ),
    "tidelog.kb.KnowledgeBase.__init__": "the options of a knowledge base",
    **dict.fromkeys(
        (f"tidelog.{where}.load" for where in ("kb.KnowledgeBase", "local.kb.LocalKnowledgeBase", "spark.kb.SparkKnowledgeBase")),
        "the options of a source",
    ),
}


class Import(NamedTuple):
    importer: str
    imported: str
    is_annotation: bool


@cache
def modules() -> dict[str, ast.Module]:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(("tidelog", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        found[name] = ast.parse(path.read_text(encoding="utf-8"))
    return found


@cache
def imports() -> list[Import]:
    return [Import(name, *found) for name, tree in modules().items() for found in _imports(tree, is_annotation=False)]


def _imports(node: ast.AST, *, is_annotation: bool) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "tidelog":
        for alias in node.names:
            inner = f"{node.module}.{alias.name}"
            yield inner if inner in modules() else str(node.module), is_annotation
    elif isinstance(node, ast.Import):
        yield from ((alias.name, is_annotation) for alias in node.names if alias.name in modules())
    annotates = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    for child in ast.iter_child_nodes(node):
        is_in_body = annotates and isinstance(node, ast.If) and child in node.body
        yield from _imports(child, is_annotation=is_annotation or is_in_body)


def room(module: str, layers: tuple[tuple[str, ...], ...], package: str) -> str:
    """Which part of a package a module belongs to: the longest name that the layers have."""
    inside = module.removeprefix(package).lstrip(".")
    names = [name for layer in layers for name in layer if inside == name or (name and inside.startswith(f"{name}."))]
    assert names, f"{module} is in no layer: give it a place in {Path(__file__).name}"
    return max(names, key=len)


def upward(layers: tuple[tuple[str, ...], ...], package: str, *, annotations: bool) -> dict[str, set[str]]:
    """The imports inside a package that point to a layer above."""
    height = {name: at for at, layer in enumerate(layers) for name in layer}
    found: dict[str, set[str]] = {}
    for one in imports():
        if all(f"{name}.".startswith(f"{package}.") for name in one[:2]) and one.is_annotation is annotations:
            above, below = room(one.importer, layers, package), room(one.imported, layers, package)
            if height[below] > height[above]:
                found.setdefault(above, set()).add(below)
    return found


def test_modules_import_from_layers_below() -> None:
    assert upward(LAYERS, "tidelog", annotations=False) == {}


def test_annotations_point_upwards_only_where_a_table_says_so() -> None:
    found = upward(LAYERS, "tidelog", annotations=True)
    del found[""]
    assert found == ONLY_TO_ANNOTATE


def test_rooms_of_the_local_engine_import_from_rooms_below() -> None:
    assert {name: rooms for name, rooms in _inside("local").items() if rooms} == AGAINST_THE_LAYERS_OF_LOCAL


def _inside(package: str) -> dict[str, set[str]]:
    layers = (*LOCAL, ("",)) if package == "local" else PIPELINE
    found = upward(layers, f"tidelog.{package}", annotations=False)
    for name, rooms in upward(layers, f"tidelog.{package}", annotations=True).items():
        found.setdefault(name, set()).update(rooms)
    return found


def test_rooms_of_the_pipeline_import_from_rooms_below() -> None:
    assert _inside("pipeline") == {}


def test_the_spark_engine_drives_the_local_engine_as_a_whole() -> None:
    found: dict[str, set[str]] = {}
    for one in imports():
        if (
            one.importer.startswith("tidelog.spark.")
            and one.imported.startswith("tidelog.local.")
            and one.imported not in LOCAL_FOR_SPARK
        ):
            found.setdefault(one.importer.split(".")[2], set()).add(one.imported.split(".")[2])
    assert found == SPARK_AGAINST_THAT


def test_jobs_use_what_the_spark_engine_offers_them() -> None:
    used = {one.imported for one in imports() if one.importer.startswith("tidelog.pipeline.")}
    assert {name for name in used if name.startswith("tidelog.spark")} == SPARK_FOR_PIPELINE


def test_there_are_no_import_cycles() -> None:
    graph: dict[str, set[str]] = {name: set() for name in modules()}
    for one in imports():
        if one.importer != one.imported:
            graph[one.importer].add(one.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" > ".join(error.args[1]))


# --- sizes ---------------------------------------------------------------------------------------------------------------


def test_packages_have_few_modules() -> None:
    counts = Counter(name.rpartition(".")[0] for name in modules() if not _is_package(name) and not name.endswith("__main__"))
    assert {name for name, count in counts.items() if count > MOST_MODULES} == LARGE_PACKAGES


def _is_package(name: str) -> bool:
    return ROOT.joinpath(*name.split(".")[1:]).is_dir()


@pytest.mark.parametrize("engine", ["local", "spark", "pipeline"])
def test_names_of_modules_are_used_once(engine: str) -> None:
    inside = [name for name in modules() if name.startswith(f"tidelog.{engine}.") and not _is_package(name)]
    counts = Counter(name.rpartition(".")[2] for name in inside)
    assert [name for name, count in counts.items() if count > 1] == []


def test_modules_are_short() -> None:
    lines = {name: _path(name).read_text(encoding="utf-8").count("\n") for name in modules()}
    assert {name for name, count in lines.items() if count > MOST_LINES} == LONG_MODULES


def test_every_module_says_what_it_is() -> None:
    assert [name for name, tree in modules().items() if len(ast.get_docstring(tree) or "") < len("One sentence, at least")] == []


def test_packages_above_the_engines_say_what_they_are() -> None:
    above = [
        name for name in modules() if name.startswith(("tidelog.pipeline", "tidelog.streams", "tidelog.cli", "tidelog.report"))
    ]
    assert [name for name in above if len(ast.get_docstring(modules()[name]) or "") < len("One sentence, at least")] == []


def _path(name: str) -> Path:
    path = ROOT.joinpath(*name.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def test_functions_are_short_and_take_few_arguments() -> None:
    long, many = set(), set()
    for name, tree in modules().items():
        for place, function in _functions(tree, name):
            lines = (function.end_lineno or 0) - function.lineno + 1
            if lines >= LONGEST_FUNCTION and not name.startswith("tidelog.local.kernel."):
                long.add(place)
            if _parameters(function) > MOST_PARAMETERS:
                many.add(place)
    assert long == LONG_FUNCTIONS
    assert many == set(MANY_PARAMETERS)


def _functions(node: ast.AST, place: str) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for child in ast.iter_child_nodes(node):
        inner = f"{place}.{child.name}" if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else place
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield inner, child
        yield from _functions(child, inner)


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    args = function.args
    names = [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]
    return len([name for name in names if name not in ("self", "cls")]) + (args.vararg is not None) + (args.kwarg is not None)
