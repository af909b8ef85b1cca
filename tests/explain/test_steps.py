"""The steps of explanations, walked over from Python."""

from __future__ import annotations

from tidelog import KnowledgeBase
from tidelog.explain.steps import Step, Steps


def test_steps_come_after_what_they_need(kb: KnowledgeBase) -> None:
    proof = kb.explain("path(a, c)")
    assert isinstance(proof, Steps)
    assert proof.fact == ("path", "a", "c")
    assert {step.fact for step in proof.leaves} == {("edge", "a", "b"), ("edge", "b", "c")}
    assert all(premise.number < step.number for step in proof for premise in step.premises)
    assert [rule.at for rule in proof.rules] == [0, 1]
    assert proof[-1] is proof.root
    assert len(proof) == len(list(proof))


def test_an_explicit_fact_is_its_own_proof(kb: KnowledgeBase) -> None:
    proof = kb.explain(("edge", "a", "b"))
    (step,) = proof
    assert isinstance(step, Step)
    assert (step.is_explicit, step.way, step.rule, step.premises, proof.height) == (True, None, None, (), 0)
    assert str(proof) == "edge(a, b)   explicit"
