"""Tidelog keeps the consequences of Datalog rules true while facts and rules change.

`KnowledgeBase` (`kb`) is the way in.  A text becomes a tree (`syntax`), a tree becomes a checked program (`program`): relations
with arity and types, rules that are safe, a hyper-graph of rules and components of predicates in the order in which they can be
evaluated, strata, and the relations that are closed by transitivity.  The engine (`local`) numbers all values, turns rules into
join plans and lets one compiled kernel interpret them.  `functions` holds what expressions and aggregates compute, `values` what
facts are made of, `files` how facts come from files and tables and go there; `facts` and `changes` are results.  `reference`
says what a program means, as plainly as possible, and judges everything else.  `errors` collects every problem of a text, each
with its place and a fix; `cli` is the command `tidelog`.
"""

from typing import TYPE_CHECKING, Any

from tidelog.errors import Diagnostic, TidelogError
from tidelog.source import Source
from tidelog.values import IRI, Literal

__version__ = "0.1.0"
__all__ = ["IRI", "Diagnostic", "KnowledgeBase", "Literal", "Source", "TidelogError", "__version__"]

if TYPE_CHECKING:
    from tidelog.kb import KnowledgeBase


def __getattr__(name: str) -> Any:
    """`KnowledgeBase` is imported when it is first used, so that importing tidelog takes no time."""
    if name == "KnowledgeBase":
        from tidelog.kb import KnowledgeBase

        return KnowledgeBase
    raise AttributeError(f"module 'tidelog' has no attribute {name!r}")
