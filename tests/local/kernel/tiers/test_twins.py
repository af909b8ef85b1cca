"""Copies of functions that find copies of each other."""

from __future__ import annotations

from types import FunctionType
from typing import Any, cast

from tidelog.local.kernel import build, layout, table_rows, terms
from tidelog.local.kernel.rows import many_rows
from tidelog.local.kernel.tiers.forms import Either
from tidelog.local.kernel.tiers.twins import World


class _Copies(World):
    def _made(self, function: FunctionType, copy: FunctionType) -> Any:  # noqa: ARG002
        return copy

    def _chosen(self, either: Either) -> Any:
        return either.plain

    def _named(self, value: Any) -> Any:
        return "another" if value is _SOMETHING else value


_SOMETHING = object()
_NUMBER = build.either(1, 2)


@build.part
def _inner() -> object:
    return _SOMETHING, _NUMBER


@build.kernel
def _outer() -> object:
    return _inner()


def test_a_copy_finds_the_copies_of_what_it_calls() -> None:
    world = _Copies()
    assert world.twin(_outer.function)() == ("another", 1)  # type: ignore[attr-defined]
    assert _inner() == (_SOMETHING, _NUMBER)
    assert world.twin(cast("FunctionType", _inner)) is world.twin(cast("FunctionType", _inner))


def test_what_a_function_has_closed_over_is_copied() -> None:
    @build.part
    def inside() -> object:
        return _SOMETHING

    @build.part
    def outside() -> object:
        return inside()

    assert _Copies().twin(cast("FunctionType", outside))() == "another"


def test_modules_of_the_kernel_are_copied_and_constants_are_the_same() -> None:
    twin = _Copies().twin(many_rows.insert_rows.function)  # type: ignore[attr-defined]
    names = twin.__globals__
    assert names is not vars(many_rows)
    assert names["layout"] is not layout
    assert names["layout"].COUNT == layout.COUNT
    assert names["insert"] is not table_rows.insert
    assert names["_touch"].__globals__ is names
    assert names["Int32s"] is table_rows.Int32s
    assert names["note_time"].__module__ == "tidelog.local.kernel.rows.row_times"
    assert twin.__code__ is many_rows.insert_rows.function.__code__  # type: ignore[attr-defined]
    assert terms.intern_one.function.__globals__ is vars(terms)  # type: ignore[attr-defined]
