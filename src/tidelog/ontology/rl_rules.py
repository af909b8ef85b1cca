"""The rules of OWL 2 RL over triples, which read axioms as data: the file `owl_rl.dl`."""

from __future__ import annotations

from importlib.resources import files

from tidelog.errors import Diagnostics
from tidelog.options import Equality, refuse
from tidelog.source import Source
from tidelog.syntax.parser import parse
from tidelog.syntax.tree import Rule

_REPLACING = frozenset({"eq_rep_s", "eq_rep_p", "eq_rep_o"})
_EQUATING = frozenset({"eq_sym", "eq_trans", "prp_fp", "prp_ifp", "prp_key", "cls_maxc2", "cls_maxqc3", "cls_maxqc4"})
_KEYS = frozenset({"key_begins", "key_goes_on", "key_last", "key_step"})


def owl_rl_rules(equality: Equality = "auto") -> str:
    """A program: the rules of OWL 2 RL over `triple(subject, predicate, object)`, for `KnowledgeBase(owl_rl_rules())`.

    With `equality="auto"`, `owl:sameAs` is a closed relation; with `"replace"`, also every triple about one individual holds for
    those that are the same, which takes the square of their number; with `"none"`, nothing makes individuals equal.
    """
    refuse(equality=equality)
    text = files("tidelog.ontology").joinpath("owl_rl.dl").read_text(encoding="utf-8")
    left_out = frozenset() if equality == "replace" else _REPLACING if equality == "auto" else _REPLACING | _EQUATING | _KEYS
    if not left_out:
        return text
    document = parse(Source(text, "owl_rl.dl"), Diagnostics())
    pieces, at = [], 0
    for statement in document.statements:
        if isinstance(statement, Rule) and statement.name in left_out:
            pieces.append(text[at : statement.span.start])
            at = statement.span.end + 1
    return "".join((*pieces, text[at:]))
