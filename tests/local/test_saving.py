"""What saving needs of a local knowledge base; saving itself is tested with `tidelog.durable`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tidelog import KnowledgeBase
from tidelog.files.columns import TypedColumn
from tidelog.local.saving import SavableKnowledgeBase
from tidelog.values import Kind


def local(text: str) -> SavableKnowledgeBase:
    kb = KnowledgeBase(text)
    assert isinstance(kb, SavableKnowledgeBase)
    return kb


def test_columns_are_loaded_as_from_a_file() -> None:
    kb = local("@relation p(k: int key, v: int) . q(X) :- p(X, _).")
    columns = [TypedColumn(Kind.INT, pa.array(values)) for values in ([1, 2, 2], [5, 6, 7])]
    first = kb.load_columns("p", columns, 3, upsert=False)
    assert (first.new_facts, first.replaced) == (3, 0)
    second = kb.load_columns("p", columns, 3, upsert=True)
    assert (second.new_facts, second.replaced) == (0, 1)
    assert kb.loads == [first, second]
    assert sorted(kb["p"]) == [(1, 5), (2, 7)]
    assert kb.count("q") == 2


def test_parts_are_put_back() -> None:
    kb, other = local("q(X) :- p(X). p(1)."), local("")
    kb.derive()
    other.restore(kb.schema, kb.engine)
    assert sorted(other["q"]) == [(1,)]
    with pytest.raises(AssertionError):
        other.restore(kb.schema, kb.engine)


def test_with_closes(tmp_path: Path) -> None:
    kb = local("p(1).")
    with kb:
        kb.save(tmp_path / "kb", durability="none")
        assert (tmp_path / "kb" / "lock").exists()
        is_saved = kb.saved is not None
    assert is_saved
    assert kb.saved is None
    assert kb.options == {"algorithm": "auto", "marking": "auto", "modules": True}
