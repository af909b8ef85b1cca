"""Ontologies in a knowledge base: added, replaced and taken back, saved, as rules and as data, and by chance."""

from __future__ import annotations

import random
import runpy
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ontology.some_ontologies import EX, PREFIXES, random_assertion, random_axiom, random_equality

from tidelog import IRI, KnowledgeBase, TidelogError, owl_rl_rules
from tidelog.local.reasoning.ontology_kb import OntologyKnowledgeBase
from tidelog.options import Equality
from tidelog.rdf.exchange import quads_of

pytest.importorskip("pyoxigraph")
ZOO = ":Lion rdfs:subClassOf :Animal . :Animal owl:disjointWith :Plant . :leo a :Lion ; :age 7 ."
RECORDS = {"tidelog_ontology", "tidelog_ontology_rule", "tidelog_ontology_triple"}


def iri(name: str) -> IRI:
    return IRI(EX + name)


def knowledge_base(rules: str = "", **options: Any) -> KnowledgeBase:
    kb = KnowledgeBase(rules, **options)
    assert isinstance(kb, OntologyKnowledgeBase)
    return kb


def file(folder: Path, text: str, name: str = "zoo.ttl") -> Path:
    path = folder / name
    path.write_text(PREFIXES + text, encoding="utf-8")
    return path


def facts(kb: KnowledgeBase) -> set[Any]:
    """All facts but the records of what belongs to which ontology."""
    return {fact for fact in kb.facts() if fact[0] not in RECORDS}


def names(kb: KnowledgeBase) -> set[str | None]:
    return {rule.name for rule in kb.program.rules}


def test_add_and_remove(tmp_path: Path) -> None:
    kb, path = knowledge_base(), file(tmp_path, ZOO)
    report = kb.add_ontology(path)
    assert (report.name, report.rules, report.triples, report.outside, report.imports) == (str(path), 2, 2, (), ())
    assert set(report.change.inserted["ex:Animal"] if "ex" in kb.program.prefixes else kb[EX + "Animal"]) == {(iri("leo"),)}
    assert names(kb) == {"subclass_Lion_Animal", "disjoint_Animal_Plant"}
    assert kb.ontologies == [str(path)]
    change = kb.remove_ontology(str(path))
    assert change.deleted
    assert facts(kb) == set()
    assert (names(kb), kb.ontologies) == (set(), [])


def test_what_was_there_before_stays(tmp_path: Path) -> None:
    kb = knowledge_base(f"@prefix ex: <{EX}> . mine: ex:Animal(Y) :- ex:Lion(Y). ex:Lion(ex:leo). ex:Lion(ex:elsa).")
    before = facts(kb), names(kb)
    kb.add_ontology(file(tmp_path, ZOO))
    assert (EX + "age", iri("leo"), 7) in kb
    assert names(kb) == {"mine", "disjoint_Animal_Plant"}
    kb.remove_ontology(tmp_path / "zoo.ttl")
    assert (facts(kb), names(kb)) == before


def test_what_two_ontologies_have_goes_with_the_last(tmp_path: Path) -> None:
    kb = knowledge_base()
    one, two = file(tmp_path, ZOO), file(tmp_path, ZOO + ":elsa a :Lion .", "more.ttl")
    kb.add_ontology(one)
    kb.add_ontology(two)
    kb.remove_ontology(one)
    assert set(kb[EX + "Animal"]) == {(iri("leo"),), (iri("elsa"),)}
    kb.remove_ontology(two)
    assert facts(kb) == set()
    assert names(kb) == set()


def test_what_an_ontology_has_belongs_to_it(tmp_path: Path) -> None:
    """To insert what is explicit already has no effect; a rule that its user has removed is gone."""
    kb, path = knowledge_base(), file(tmp_path, ZOO)
    kb.add_ontology(path)
    kb.update(insert=[(EX + "Lion", iri("leo")), (EX + "Lion", iri("elsa"))], delete=[(EX + "age", iri("leo"), 7)])
    kb.remove_rules("subclass_Lion_Animal")
    kb.remove_ontology(path)
    assert facts(kb) == {(EX + "Lion", iri("elsa"))}
    assert names(kb) == set()


def test_adding_it_again_replaces_it(tmp_path: Path) -> None:
    kb, path = knowledge_base(), file(tmp_path, ZOO)
    kb.add_ontology(path)
    file(tmp_path, ":Lion rdfs:subClassOf :Cat , :Animal . :leo a :Lion . :tom a :Cat .")
    change = kb.add_ontology(path).change
    assert names(kb) == {"subclass_Lion_Animal", "subclass_Lion_Cat"}
    assert {name for name in change.deleted if change.deleted[name]} - RECORDS == {EX + "age"}
    fresh = knowledge_base()
    fresh.add_ontology(path)
    assert facts(kb) == facts(fresh)


def test_graphs_and_names(tmp_path: Path) -> None:
    kb, path = knowledge_base(), file(tmp_path, "<http://zoo> a owl:Ontology . " + ZOO)
    triples = [tuple(part.content for part in quad[:3]) for quad in quads_of(path)]
    assert kb.add_ontology(triples).name == "http://zoo"
    assert kb.add_ontology(triples[1:], name="nameless").name == "nameless"
    assert kb.add_ontology([]).name == "ontology"
    assert kb.ontologies == ["http://zoo", "nameless", "ontology"]
    for name in kb.ontologies:
        kb.remove_ontology(name)
    assert facts(kb) == set()


def test_axioms_as_data(tmp_path: Path) -> None:
    kb, path = knowledge_base(owl_rl_rules()), file(tmp_path, ZOO + ":leo a :Plant .")
    report = kb.add_ontology(path)
    assert (report.rules, report.triples) == (0, 5)
    (found,) = kb.inconsistencies()
    assert (found.rule, found.about) == ("cax_dw", iri("leo"))
    assert ("triple", iri("leo"), IRI("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), iri("Plant")) in found.facts
    kb.remove_ontology(path)
    assert facts(kb) == facts(knowledge_base(owl_rl_rules()))


def test_contradictions(tmp_path: Path) -> None:
    kb = knowledge_base()
    kb.add_ontology(file(tmp_path, ZOO))
    assert kb.inconsistencies() == []
    kb.update_rdf(insert=PREFIXES + ":leo a :Plant .")
    (found,) = kb.inconsistencies()
    assert found.facts == ((EX + "Animal", iri("leo")), (EX + "Plant", iri("leo")))
    assert str(found).splitlines()[0] == f"disjoint_Animal_Plant: <{EX}leo>" or "leo" in str(found)


def test_saved(tmp_path: Path) -> None:
    one, two = file(tmp_path, ZOO), file(tmp_path, ZOO + ":elsa a :Lion .", "more.ttl")
    with KnowledgeBase.open(tmp_path / "saved", f"@prefix ex: <{EX}> . ex:Lion(ex:leo).") as kb:
        kb.add_ontology(one)
        kb.add_ontology(two)
        kb.remove_ontology(one)
        expected = facts(kb)
    with KnowledgeBase.open(tmp_path / "saved") as kb:
        assert facts(kb) == expected
        assert kb.ontologies == [str(two)]
        kb.remove_ontology(two)
        assert facts(kb) == {(EX + "Lion", iri("leo"))}
        assert names(kb) == set()


def test_prefixes_come_with_the_rules(tmp_path: Path) -> None:
    kb = knowledge_base()
    kb.add_ontology(file(tmp_path, ZOO))
    assert set(kb["example:Animal"]) == {(iri("leo"),)}


def test_mistakes_change_nothing(tmp_path: Path) -> None:
    kb = knowledge_base(f"@prefix ex: <{EX}> . @relation ex:age(who: iri, years: string) . p(X) :- ex:Lion(X).")
    broken = tmp_path / "broken.ttl"
    broken.write_text("no turtle", encoding="utf-8")
    for action, code in (
        (lambda: kb.add_ontology(broken), "TL080"),
        (lambda: kb.add_ontology(tmp_path / "none.ttl"), "TL060"),
        (lambda: kb.add_ontology(file(tmp_path, ZOO)), "TL040"),
        (lambda: kb.add_ontology(5), "TL071"),
        (lambda: kb.add_ontology(file(tmp_path, ""), equality="some"), "TL074"),  # type: ignore[arg-type]
        (lambda: kb.remove_ontology("zoo"), "TL097"),
        (lambda: kb.remove_ontology(5), "TL071"),
        (lambda: kb.entails("no turtle"), "TL080"),
        (lambda: kb.entails(5), "TL071"),
    ):
        with pytest.raises(TidelogError, match=code):
            action()
    assert facts(kb) == set()
    assert len(kb.program.rules) == 1


def test_a_class_that_is_a_property_here(tmp_path: Path) -> None:
    kb = knowledge_base(f"@prefix ex: <{EX}> . p(X) :- ex:Lion(X, _).")
    report = kb.add_ontology(file(tmp_path, ZOO))
    assert len(report.outside) == 2
    assert all("one number of columns" in one.reason for one in report.outside)
    assert names(kb) == {None, "disjoint_Animal_Plant"}


# --- by chance ---------------------------------------------------------------------------------------------------------------


def life(seed: int, folder: Path, *, as_data: bool) -> None:
    """Ontologies come, change and go, and triples come and go; what is left equals starting over."""
    chance = random.Random(seed)
    equality: Equality = chance.choice(get_args(Equality))
    rules = owl_rl_rules(equality) if as_data else ""
    kb, there, own = knowledge_base(rules), dict[Path, None](), set[str]()
    for _ in range(chance.randint(3, 10)):
        path = folder / f"{chance.choice('xyz')}.ttl"
        match chance.choice("aaarti"):
            case "a":
                axioms = [random_axiom(chance) for _ in range(chance.randint(0, 5))]
                axioms += [random_equality(chance) for _ in range(chance.randint(0, 2)) if equality != "none"]
                path.write_text(PREFIXES + "\n".join([*axioms, *_assertions(chance, "a")]), encoding="utf-8")
                kb.add_ontology(path, equality=equality)
                there[path] = None
            case "r" if path in there:
                kb.remove_ontology(path)
                del there[path]
            case "t" if own:
                gone = chance.choice(sorted(own))
                own.remove(gone)
                kb.update_rdf(delete=PREFIXES + gone)
            case _:
                own |= (come := set(_assertions(chance, "b")))
                kb.update_rdf(insert=PREFIXES + "\n".join(come))
        fresh = knowledge_base(rules)
        fresh.update_rdf(insert=PREFIXES + "\n".join(own))
        for one in there:
            fresh.add_ontology(one, equality=equality)
        assert _without_names(kb) == _without_names(fresh)
        assert len(kb.program.rules) == len(fresh.program.rules)


def _assertions(chance: random.Random, only: str) -> list[str]:
    """Triples of ontologies and those of users are about different individuals: none belongs to both."""
    return [
        text.replace(":a ", f":{only}0 ")
        for text in (random_assertion(chance) for _ in range(chance.randint(0, 4)))
        if ":a " in text
    ]


def _without_names(kb: KnowledgeBase) -> set[Any]:
    """Facts, and for contradictions only what they are about: the name of a rule depends on which ontology had it first."""
    return {(fact[0], fact[2]) if fact[0] == "inconsistent" else fact for fact in facts(kb)}


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1 << 30))
@pytest.mark.by_night(1500)
def test_lives_as_rules(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    life(seed, tmp_path_factory.mktemp("life"), as_data=False)


@settings(deadline=None, max_examples=4)
@given(seed=st.integers(0, 1 << 30))
@pytest.mark.by_night(400)
def test_lives_as_data(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    life(seed, tmp_path_factory.mktemp("life"), as_data=True)


def test_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(Path(__file__).parents[3] / "examples" / "ontology_comes_and_goes.py"), run_name="__main__")
    printed = capsys.readouterr().out
    assert "  livesIn: leo house3, leo north, leo zoo\n" in printed
    assert "the same: True\n" in printed
    assert printed.endswith("without it: 1 rule\n")
