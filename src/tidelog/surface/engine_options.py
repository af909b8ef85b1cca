"""The options that only one engine takes: in the signature of `KnowledgeBase`, and in the error for one that is not there."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature, signature

from tidelog.errors import TidelogError
from tidelog.surface.keywords import unknown_option

OF_ENGINE = {
    "local": ("writers", "same_as", "starting_over"),
    "spark": ("spark", "placement", "memory_budget", "lineage", "lineage_folder"),
}
"""What one engine takes, beside the options of all."""


def with_options_of_engines(shared: Callable[..., object]) -> Signature:
    """The signature of a constructor with the options of each engine by name, in place of any others."""
    known = signature(shared)
    first = [one for one in known.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    own = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for names in OF_ENGINE.values() for name in names]
    return known.replace(parameters=[*first, *own])


def no_option(name: str, engine: str, shared: Callable[..., object]) -> TidelogError:
    """The error for an option that the engine does not have: another one that is meant, or another engine that has it."""
    known = [one.name for one in signature(shared).parameters.values() if one.kind is Parameter.KEYWORD_ONLY]
    fix = next((f'leave it out, or choose engine="{other}"' for other, names in OF_ENGINE.items() if name in names), None)
    return unknown_option(name, [*known, *OF_ENGINE.get(engine, ())], f"KnowledgeBase(engine={engine!r})", fix)
