"""Names of arguments: one that a method does not have is named together with the one that was meant, in a coded error."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from typing import ParamSpec, TypeVar

from tidelog.errors import TidelogError, did_you_mean, fail

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def naming_options(method: Callable[_Given, _Result], /) -> Callable[_Given, _Result]:
    """A method whose options may be misspelt: then Python says only that there is no such argument."""

    @wraps(method)
    def called(*given: _Given.args, **options: _Given.kwargs) -> _Result:
        try:
            return method(*given, **options)
        except TypeError as error:
            trace = error.__traceback__
            if trace is None or trace.tb_next is not None:  # it was called, and raised this itself
                raise
            names = _names(method)
            unknown = [name for name in options if name not in names]
            if not unknown:
                raise
            raise unknown_option(unknown[0], names, f"{method.__name__}()") from None

    return called


def unknown_option(given: str, known: Iterable[str], where: str, fix: str | None = None) -> TidelogError:
    """The error for an option that is not there; `fix` is what to do if no other one is like it."""
    known = list(known)
    meant = did_you_mean(given, known) or fix or f"its options are {', '.join(f'{name}=' for name in known)}"
    return fail("TL074", f"{where} has no option {given}=", fix=meant.replace("`?", "=`?"))


def _names(method: Callable[..., object]) -> list[str]:
    """The names that may be given, but for the object itself."""
    kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
    return [name for name, one in signature(method).parameters.items() if one.kind in kinds and name != "self"]
