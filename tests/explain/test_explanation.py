"""Explanations as objects: what they have, and the forms that they can be turned into."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.explain.explanation import Explanation


def test_json_is_complete(kb: KnowledgeBase) -> None:
    assert isinstance(kb.explain("path(a, c)"), Explanation)
    described = json.loads(kb.explain("busy(a, 2)").to_json())
    assert described["fact"] == "busy(a, 2)"
    assert (described["proof"], described["whole"]) == (True, True)
    assert [rule["place"] for rule in described["rules"]] == ["line 4"]
    (way,) = described["steps"][-1]["ways"]
    assert way["binding"] == {"X": "a", "N": 2}
    assert [reason["what"] for reason in way["reasons"]] == ["fact", "absent", "aggregate", "test"]
    assert way["reasons"][2]["rows"] == ["edge(a, b)", "edge(a, d)"]


@pytest.mark.parametrize("ending", ["txt", "json", "svg", "html"])
def test_saved_by_its_ending(kb: KnowledgeBase, tmp_path: Path, ending: str) -> None:
    proof = kb.explain("path(a, c)")
    proof.save(tmp_path / f"why.{ending}")
    text = (tmp_path / f"why.{ending}").read_text(encoding="utf-8")
    forms = {"txt": proof.to_text(), "json": proof.to_json(), "svg": proof.svg, "html": proof.html}
    assert text == forms[ending] + "\n"


def test_what_cannot_be_saved(kb: KnowledgeBase, tmp_path: Path) -> None:
    proof = kb.explain("path(a, c)")
    with pytest.raises(TidelogError, match="TL082"):
        proof.save(tmp_path / "why.pdf")
    with pytest.raises(TidelogError, match="TL060"):
        proof.save(tmp_path / "nowhere" / "why.txt")


def test_a_long_proof_is_copied_and_pickled() -> None:
    kb = KnowledgeBase("path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z).", modules=False)
    kb.update(insert=[("edge", n, n + 1) for n in range(1_200)])
    proof = kb.explain(("path", 0, 1_200))
    assert proof.height == 1_200
    for other in (copy.deepcopy(proof), pickle.loads(pickle.dumps(proof))):
        assert other.to_json() == proof.to_json()


def test_it_outlives_the_knowledge_base(kb: KnowledgeBase) -> None:
    proof = kb.explain("path(a, c)")
    before = proof.to_text()
    kb.update(delete=[("edge", "a", "b")])
    del kb
    assert proof.to_text() == before
