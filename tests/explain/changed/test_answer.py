"""What `change.explain` gives, in every form."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.explain.changed.answer import ChangedFact


def test_all_forms(kb: KnowledgeBase, tmp_path: Path) -> None:
    change = kb.update(insert=[("edge", "d", "e")], delete=[("edge", "a", "b")])
    came, went, stayed = (change.explain(fact) for fact in ("path(a, e)", "path(a, b)", "path(a, d)"))
    for changed, what in ((came, "came"), (went, "went"), (stayed, "stayed")):
        assert isinstance(changed, ChangedFact)
        told = json.loads(changed.to_json())
        assert (told["what"], told["fact"]) == (what, changed.text)
        assert told["proof"]["fact"] == changed.text
        ElementTree.fromstring(changed.svg)
        for ending in ("txt", "json", "svg", "html"):
            changed.save(tmp_path / f"why.{ending}")
        assert (tmp_path / "why.txt").read_text(encoding="utf-8") == f"{changed!r}\n"
    assert json.loads(came.to_json())["started_by"] == ["edge(d, e) inserted"]
    assert json.loads(went.to_json())["started_by"] == ["edge(a, b) deleted"]


def test_what_has_no_explanation(kb: KnowledgeBase) -> None:
    change = kb.update(insert=[("edge", "d", "e")])
    for fact, code in (("path(e, a)", "TL098"), ("nosuch(a)", "TL073"), ("path(a, X)", "TL071"), (7, "TL071")):
        with pytest.raises(TidelogError, match=code):
            change.explain(fact)  # type: ignore[arg-type]


def test_only_the_last_change_that_was_made(kb: KnowledgeBase) -> None:
    change = kb.update(insert=[("edge", "d", "e")])
    kb.what_if(delete=[("edge", "d", "e")])
    assert change.explain("path(a, e)").what == "came"
    later = kb.update(insert=[("edge", "e", "f")])
    with pytest.raises(TidelogError, match="TL099"):
        change.explain("path(a, e)")
    assert later.explain("path(a, f)").what == "came"
    with pytest.raises(TidelogError, match="TL099"):
        kb.what_if(delete=[("edge", "d", "e")]).explain("path(a, e)")
    del kb
