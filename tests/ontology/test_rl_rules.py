"""The rules over triples: names as in the tables of the W3C, and what is left out with each choice of equality."""

from __future__ import annotations

import re

import pytest

from tidelog import KnowledgeBase, TidelogError
from tidelog.ontology.rl_rules import owl_rl_rules
from tidelog.options import Equality
from tidelog.program.program import check
from tidelog.source import Source

TABLES = """
    eq-sym eq-trans eq-rep-s eq-rep-p eq-rep-o eq-diff1 eq-diff2 eq-diff3
    prp-ap prp-dom prp-rng prp-fp prp-ifp prp-irp prp-symp prp-asyp prp-trp prp-spo1 prp-spo2 prp-eqp1 prp-eqp2 prp-pdw prp-adp
    prp-inv1 prp-inv2 prp-key prp-npa1 prp-npa2
    cls-thing cls-nothing1 cls-nothing2 cls-int1 cls-int2 cls-uni cls-com cls-svf1 cls-svf2 cls-avf cls-hv1 cls-hv2 cls-maxc1
    cls-maxc2 cls-maxqc1 cls-maxqc2 cls-maxqc3 cls-maxqc4 cls-oo
    cax-sco cax-eqc1 cax-eqc2 cax-dw cax-adc
    dt-type1 dt-diff
    scm-cls scm-sco scm-eqc1 scm-eqc2 scm-op scm-dp scm-spo scm-eqp1 scm-eqp2 scm-dom1 scm-dom2 scm-rng1 scm-rng2 scm-hv scm-svf1
    scm-svf2 scm-avf1 scm-avf2 scm-int scm-uni
"""


def names(equality: Equality) -> set[str]:
    program = check(Source(owl_rl_rules(equality), "owl_rl.dl"))
    assert program.warnings == ()
    return {rule.name or "" for rule in program.rules}


def test_every_rule_of_the_tables_is_there() -> None:
    found = names("replace")
    stems = {re.sub(r"[ab]$", "", name) for name in found} | {re.sub(r"[1-4]$", "", name) for name in found}
    missing = {name for name in TABLES.split() if name.replace("-", "_") not in found | stems}
    assert missing == set()


def test_equality_can_be_left_out() -> None:
    assert names("replace") - names("auto") == {"eq_rep_s", "eq_rep_p", "eq_rep_o"}
    left = names("auto") - names("none")
    assert {"eq_sym", "eq_trans", "prp_fp", "prp_ifp", "prp_key", "key_last", "cls_maxc2"} <= left
    kb = KnowledgeBase(owl_rl_rules("none"))
    assert all("sameAs" not in str(rule.head) for rule in kb.program.rules)
    with pytest.raises(TidelogError, match="TL074: there is no equality='all'"):
        owl_rl_rules("all")  # type: ignore[arg-type]
