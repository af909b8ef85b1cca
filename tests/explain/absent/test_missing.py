"""Answers to `why_not` in every form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.explain.absent.missing import WhyNot


def test_json_is_complete(kb: KnowledgeBase) -> None:
    answer = kb.why_not("busy(d, 0)")
    assert isinstance(answer, WhyNot)
    told = json.loads(answer.to_json())
    assert (told["fact"], told["holds"], told["proof"]) == ("busy(d, 0)", False, None)
    (rule,) = told["rules"]
    assert (rule["rule"]["place"], rule["fits"], rule["true"], rule["literals"]) == ("line 4", True, 3, 4)
    assert rule["misses"] == [
        {
            "true": ["node(d)", "not closed(d)", "0 = count { Y : edge(d, Y) }"],
            "failed": [{"literal": "0 > 1", "why": "it is false", "near": []}],
            "unseen": [],
        }
    ]
    repairs = json.loads(kb.why_not("path(d, b)").to_json())["repairs"]
    assert {"insert": [["edge", "d", "b"]], "text": ["edge(d, b)"], "chosen": []} in repairs
    assert json.loads(kb.why_not("path(a, c)").to_json())["proof"]["fact"] == "path(a, c)"


@pytest.mark.parametrize("fact", ["path(d, b)", "path(a, c)", "edge(d, d)"])
@pytest.mark.parametrize("ending", ["txt", "json", "svg", "html"])
def test_saved_by_its_ending(kb: KnowledgeBase, tmp_path: Path, fact: str, ending: str) -> None:
    answer = kb.why_not(fact)
    answer.save(tmp_path / f"why.{ending}")
    forms = {"txt": answer.to_text(), "json": answer.to_json(), "svg": answer.svg, "html": answer.html}
    assert (tmp_path / f"why.{ending}").read_text(encoding="utf-8") == forms[ending] + "\n"
    assert repr(answer) == answer.to_text()
    assert answer._repr_svg_() == answer.svg


def test_what_cannot_be_saved(kb: KnowledgeBase, tmp_path: Path) -> None:
    with pytest.raises(TidelogError, match="an answer cannot be written"):
        kb.why_not("path(d, b)").save(tmp_path / "why.pdf")
