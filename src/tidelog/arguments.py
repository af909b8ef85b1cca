"""Arguments as users give them: paths, names, texts, numbers; whatever else comes is refused with a coded error.

Python would raise `TypeError`, `ValueError` or `AttributeError` somewhere inside, and sometimes nothing at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from tidelog.errors import TidelogError, fail

if TYPE_CHECKING:
    from pathlib import Path

_MOST_SHOWN = 80
_Thing = TypeVar("_Thing")
NO_RULES: tuple[str, ...] = ()
"""No change of rules.  Whether a given object is true or empty, only its type knows, and some refuse to say."""


def shown(thing: object) -> str:
    """An object in an error message: its `repr`, shortened; its type if it has none, as an integer of 5,000 digits."""
    try:
        text = repr(thing)
    except RecursionError:
        return f"a deeply nested {type(thing).__name__}"
    except Exception:  # whatever an object of the user raises, the error is about something else
        return f"<{type(thing).__name__}>"
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"


def wrong(what: str, given: object, fix: str) -> TidelogError:
    """The error for an argument of a wrong type; `what` says what it should be."""
    return fail("TL071", f"{shown(given)} of type {type(given).__name__} is not {what}", fix=fix)


def texts_of_rules(given: str | Iterable[str] | None) -> list[str]:
    """Rules as a list of texts, from one text or several; none of an empty text, or of None."""
    if isinstance(given, str) or given is None:
        return [given] if given else []
    texts = list(iterable(given, "a text of rules", _RULES_FIX))
    for text in texts:
        if not isinstance(text, str):
            raise wrong("a text of rules", text, _RULES_FIX)
    return texts


_RULES_FIX = 'give a text, or a list of texts: `["p(X) :- q(X)."]`'


def iterable(given: Iterable[_Thing], what: str, fix: str) -> Iterable[_Thing]:
    """What it is given, if one can iterate over it."""
    if not isinstance(given, Iterable):
        raise wrong(what, given, fix)
    return given


def number(given: object, name: str, *, whole: bool, is_needed: bool = False) -> None:
    """Refuse the value of an option that is neither a number of 0 or more nor, unless it is needed, None."""
    kinds = (int,) if whole else (int, float)
    if (given is None and not is_needed) or (isinstance(given, kinds) and not isinstance(given, bool) and given >= 0):
        return
    kind = "an integer" if whole else "a number"
    raise wrong(f"a value of {name}", given, f"give {kind} of 0 or more" + ("" if is_needed else ", or None"))


def truth(given: object, name: str) -> None:
    """Refuse the value of an option that is neither True nor False."""
    if not isinstance(given, bool):
        raise wrong(f"a value of {name}", given, "give True or False")


def path_of(given: object) -> Path:
    """A path, from a string or an object that has `__fspath__`; refused if no file can have that name."""
    from pathlib import Path  # which takes a fifth of `import tidelog`, and may not be needed

    try:
        text = os.fspath(given)  # type: ignore[call-overload]  # `TypeError` is what this is for
    except TypeError as error:
        raise _no_path(given) from error
    if not isinstance(text, str):
        raise _no_path(given)
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise fail("TL060", f"{shown(text)} cannot be a path: it is not Unicode text", fix=_PATH_FIX) from error
    if "\0" in text:
        raise fail("TL060", f"{shown(text)} cannot be a path: it has a NUL character", fix=_PATH_FIX)
    return Path(text)


def _no_path(given: object) -> TidelogError:
    return wrong("a path", given, 'give a string, or a `pathlib.Path`: `"edges.csv"`')


def called(given: object, name: str) -> None:
    """Refuse the value of an option that is neither None nor a function."""
    if given is not None and not isinstance(given, Callable):  # type: ignore[arg-type]
        raise wrong(f"a value of {name}", given, "give a function, or None")


_PATH_FIX = "check where the path comes from"
