"""Wrong input, whatever it is: the outcome is a result or a `TidelogError`, and after an error everything is as before.

Random objects go to every public method, random bytes into programs, updates and files of facts.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tidelog import IRI, Change, Facts, KnowledgeBase, Literal, Source, TidelogError, Update
from tidelog.values import Kind, Value

PROGRAM = """@prefix ex: <http://example.org/> . @relation keyed(name: string key, at: date, size: float) .
@relation edge(src: string, dst: string) . edge(a, b).
named: path(X, Y) :- edge(X, Y). path(X, Z) :- path(X, Y), edge(Y, Z). ex:likes(X) :- p(X), not path(X, X). p(1). p("x")."""
TABLE = pa.table({"name": ["a"], "at": [date(2026, 11, 15)], "size": [1.5]})


class Odd:
    """An object that cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def deep(depth: int, inner: object = 1) -> object:
    for _ in range(depth):
        inner = [inner]
    return inner


CURIOUS: list[Any] = [
    object(),
    type,
    len,
    ...,
    NotImplemented,
    slice(0, 1),
    range(3),
    memoryview(b"ab"),
    bytearray(b"p(X)"),
    10**5000,
    -(2**63) - 1,
    2**63,
    float("nan"),
    float("-inf"),
    1j,
    Decimal("0.1"),
    Decimal("NaN"),
    np.int64(5),
    np.float32(0.1),
    np.bool_(True),
    np.str_("edge"),
    np.datetime64("2026-11-15T00:00:00.000000001"),
    np.array([1, 2]),
    np.array(["edge", "a", "b"]),
    pd.Timestamp("2026-11-15T00:00:00.000000001"),
    pd.NaT,
    pd.NA,
    pd.DataFrame({"name": ["a"], "size": [1.5]}),
    pd.Series(["edge"]),
    pa.scalar(5),
    pa.array([1]),
    pa.table({"a": pa.array([1], pa.date64())}),
    pa.table({}),
    pa.table([pa.array([1]), pa.array([2])], names=["name", "name"]),
    TABLE,
    Path("edge\0.csv"),
    Path("missing.csv"),
    Path(),
    "missing.jsonl",
    "\ud800",
    "edge\0",
    "edge",
    "ex:likes",
    "<edge>",
    "",
    "#edge",
    "not",
    "true",
    "named",
    "p(X)",
    "q(X) :- p(X).",
    'p("\ud800")',
    "(" * 5000,
    IRI("http://example.org/likes"),
    IRI(5),  # type: ignore[arg-type]
    Literal("x", "\ud800"),
    Literal(None, 5, 5),  # type: ignore[arg-type]
    Value(Kind.INT, "x"),
    Value(Kind.INT, Value(Kind.INT, 5)),  # type: ignore[arg-type]
    Value("no kind", 5),  # type: ignore[arg-type]
    Update(insert=5),  # type: ignore[arg-type]
    Update(insert=((),), add_rules=(5,)),  # type: ignore[arg-type]
    {"insert": 5},
    {"insert": [["p", {"iri": "x", "lang": "y"}]], "id": True},
    {5: 6},
    Source("p(X)."),
    datetime(1, 1, 1),
    deep(5000),
    ("p", deep(5000)),
    Odd(),
]
"""Objects that somebody may give by mistake."""

atoms = (
    st.integers(0, len(CURIOUS) - 1).map(lambda at: CURIOUS[at])  # Hypothesis could not show all of them
    | st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=4)
    | st.binary(max_size=4)
    | st.dates()
    | st.datetimes()
    | st.decimals()
)
names = st.sampled_from(["p", "edge", "keyed", "ex:likes", "new", ""])


def _collections(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, max_size=4)
    keys = st.sampled_from(["insert", "delete", "upsert", "add_rules", "remove_rules", "id", "name", 0])
    facts = st.tuples(names, inner) | st.tuples(names, inner, inner)
    return some | some.map(tuple) | st.lists(facts, max_size=3) | st.dictionaries(keys, inner, max_size=3)


objects = st.recursive(atoms, _collections, max_leaves=6)

Call = Callable[[KnowledgeBase, Any], object]


def _iterated(found: object) -> object:
    return list(found) if isinstance(found, Iterator) else found


CALLS: dict[str, Call] = {
    "__getitem__": lambda kb, x: kb[x].head(),
    "__contains__": lambda kb, x: x in kb,
    "__contains__ argument": lambda kb, x: ("p", x) in kb,
    "__iter__": lambda kb, _: list(kb),
    "count": lambda kb, x: kb.count(x),
    "facts": lambda kb, x: kb.facts(x),
    "query": lambda kb, x: kb.query(x),
    "explain": lambda kb, x: kb.explain(x),
    "explain value": lambda kb, x: kb.explain(("edge", "a", x)),
    "explain effort": lambda kb, x: kb.explain(("edge", "a", "b"), effort=x, links=x),
    "change.explain": lambda kb, x: kb.update(insert=[("edge", "a", "b")]).explain(x),
    "why_not": lambda kb, x: kb.why_not(x),
    "why_not value": lambda kb, x: kb.why_not(("path", "a", x), effort=x),
    "what_if insert": lambda kb, x: kb.what_if(insert=x),
    "what_if delete": lambda kb, x: kb.what_if(delete=x, upsert=x),
    "what_if rules": lambda kb, x: kb.what_if(add_rules=x, remove_rules=x),
    "load relation": lambda kb, x: kb.load(x, TABLE),
    "load source": lambda kb, x: kb.load("keyed", x),
    "load format": lambda kb, x: kb.load("keyed", "facts.csv", format=x),
    "load header": lambda kb, x: kb.load("keyed", "facts.csv", header=x),
    "load defaults": lambda kb, x: kb.load("keyed", TABLE, defaults=x),
    "load default": lambda kb, x: kb.load("keyed", TABLE, defaults={"name": x}),
    "load upsert": lambda kb, x: kb.load("keyed", x, upsert=True),
    "load options": lambda kb, x: kb.load("keyed", TABLE, options=x, columns=x, rejects=x),
    "update insert": lambda kb, x: kb.update(insert=x),
    "update delete": lambda kb, x: kb.update(delete=x),
    "update upsert": lambda kb, x: kb.update(upsert=x),
    "update one": lambda kb, x: kb.update(insert=[x]),
    "update name": lambda kb, x: kb.update(insert=[(x, "a")]),
    "update value": lambda kb, x: kb.update(insert=[("edge", "a", x), ("new", x)]),
    "update many": lambda kb, x: kb.update(insert=[("p", x)] * 100),
    "update keyed": lambda kb, x: kb.update(upsert=[("keyed", x, x, x)]),
    "update rules and facts": lambda kb, x: kb.update(insert=x, add_rules="r(X) :- p(X)."),
    "add_rules": lambda kb, x: kb.add_rules(x),
    "remove_rules": lambda kb, x: kb.remove_rules(x),
    "add_rules one": lambda kb, x: kb.add_rules([x]),
    "follow": lambda kb, x: _iterated(kb.follow(x)),
    "follow one": lambda kb, x: list(kb.follow([x])),
    "follow insert": lambda kb, x: list(kb.follow([{"insert": x}, {"upsert": [x]}])),
    "apply": lambda kb, x: kb.apply(x),
    "replay": lambda kb, x: kb.replay(x),
    "replay one": lambda kb, x: kb.replay([x]),
    "snapshot __getitem__": lambda kb, x: kb.snapshot()[x].head(),
    "snapshot __contains__": lambda kb, x: x in kb.snapshot(),
    "snapshot count": lambda kb, x: kb.snapshot().count(x),
    "snapshot facts": lambda kb, x: kb.snapshot().facts(x),
    "snapshot query": lambda kb, x: kb.snapshot().query(x),
    "copy": lambda kb, x: kb.copy().update(insert=x),
    "load_rdf": lambda kb, x: kb.load_rdf(x),
    "load_rdf format": lambda kb, x: kb.load_rdf("facts.csv", format=x),
    "load_rdf base": lambda kb, x: kb.load_rdf("facts.nt", base=x),
    "load_rdf rejects": lambda kb, x: kb.load_rdf("facts.nt", rejects=x),
    "update_rdf insert": lambda kb, x: kb.update_rdf(insert=x),
    "update_rdf one": lambda kb, x: kb.update_rdf(insert=[x], delete=[(x, x, x)]),
    "update_rdf format": lambda kb, x: kb.update_rdf(insert="", format=x),
    "write_rdf": lambda kb, x: kb.write_rdf(x),
    "write_rdf which": lambda kb, x: kb.write_rdf("out.nt", which=x),
    "write_rdf relations": lambda kb, x: kb.write_rdf("out.nt", relations=x),
    "add_ontology": lambda kb, x: kb.add_ontology(x),
    "add_ontology name": lambda kb, x: kb.add_ontology("facts.nt", name=x),
    "add_ontology format": lambda kb, x: kb.add_ontology("facts.nt", format=x),
    "add_ontology base": lambda kb, x: kb.add_ontology("facts.nt", base=x),
    "add_ontology equality": lambda kb, x: kb.add_ontology("facts.nt", equality=x),
    "add_ontology imports": lambda kb, x: kb.add_ontology("imports.ttl", imports=x),
    "add_ontology imported": lambda kb, x: kb.add_ontology("imports.ttl", imports={"http://a/b.ttl": x}),
    "add_ontology import_root": lambda kb, x: kb.add_ontology("imports.ttl", import_root=x),
    "remove_ontology": lambda kb, x: kb.remove_ontology(x),
    "entails": lambda kb, x: kb.entails(x),
    "entails one": lambda kb, x: kb.entails([(x, x, x), x]),
    "entails format": lambda kb, x: kb.entails("facts.nt", format=x),
    "graph": lambda kb, _: kb.graph(),
    "profile": lambda kb, x: str(kb.profile(anew=x)),
    "profile save": lambda kb, x: kb.profile(anew=False).save(x),
    "plan": lambda kb, x: kb.plan(x),
    "plan measure": lambda kb, x: kb.plan("path", measure=x),
}
"""The public methods of a knowledge base, each called with an object in one place."""
OPTIONS = [name for name in inspect.signature(KnowledgeBase).parameters if name not in ("rules", "engine_options")]
OF_FACTS: dict[str, Callable[[Facts, Any], object]] = {
    "__contains__": lambda facts, x: x in facts,
    "__contains__ argument": lambda facts, x: (x,) in facts,
    "__getitem__": lambda facts, x: facts[x],
    "head": lambda facts, x: facts.head(x),
    "write": lambda facts, x: facts.write(x),
    "write format": lambda facts, x: facts.write("out.csv", x),
}


def state(kb: KnowledgeBase) -> tuple[object, ...]:
    """Everything that a user can see of a knowledge base."""
    facts = frozenset(map(repr, kb.facts()))
    return facts, kb.relations, kb.program.rules, kb.program.prefixes, len(kb.loads)


def check(kb: KnowledgeBase, call: Callable[[], object]) -> bool:
    """Whether a call succeeds; if not, it raises a `TidelogError` with code and sentence, and nothing has changed."""
    before, problems = state(kb), None
    try:
        call()
    except TidelogError as error:
        problems = error.diagnostics
    if problems is None:
        return True
    assert problems
    assert all(problem.message and problem.is_error for problem in problems)
    assert state(kb) == before
    return False


@pytest.fixture(scope="module", autouse=True)
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Paths that come about by chance are in a folder of their own."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("wrong")
        patch.chdir(folder)
        (folder / "facts.nt").write_text("_:a <http://example.org/likes> 5 .\n", encoding="utf-8")
        imports = "<http://a/o> <http://www.w3.org/2002/07/owl#imports> <http://a/b.ttl> , <http://a/c.ttl> ."
        (folder / "imports.ttl").write_text(imports, encoding="utf-8")
        (folder / "b.ttl").write_text("<http://a/a> a <http://a/A> .", encoding="utf-8")
        (folder / "facts.csv").write_text("name,at,size\na,2026-11-15,1.5\n", encoding="utf-8")
        yield


class Shared:
    """A knowledge base for many examples; replaced when one of them has changed it."""

    kb: KnowledgeBase | None = None

    def check(self, call: Callable[[KnowledgeBase], object]) -> None:
        self.kb = kb = self.kb or KnowledgeBase(PROGRAM)
        if check(kb, lambda: call(kb)):
            self.kb = None


SHARED = Shared()


def test_every_public_method_is_called() -> None:
    public = {name for name in vars(KnowledgeBase) if not name.startswith("_") and callable(getattr(KnowledgeBase, name))}
    assert public <= {name.split()[0] for name in CALLS}


@pytest.mark.parametrize("call", CALLS)
def test_curious_arguments(call: str) -> None:
    for thing in CURIOUS:
        SHARED.check(lambda kb, thing=thing: CALLS[call](kb, thing))  # type: ignore[misc]


@pytest.mark.by_night(3_000)
@pytest.mark.parametrize("call", CALLS)
@settings(max_examples=10)
@given(thing=objects)
def test_random_arguments(call: str, thing: object) -> None:
    SHARED.check(lambda kb: CALLS[call](kb, thing))


@pytest.mark.by_night(3_000)
@pytest.mark.parametrize("call", OF_FACTS)
@settings(max_examples=10)
@given(thing=objects)
def test_random_arguments_of_facts(call: str, thing: object) -> None:
    SHARED.check(lambda kb: OF_FACTS[call](kb["p"], thing))


@pytest.mark.parametrize("call", OF_FACTS)
def test_curious_arguments_of_facts(call: str) -> None:
    for thing in CURIOUS:
        SHARED.check(lambda kb, thing=thing: OF_FACTS[call](kb["p"], thing))  # type: ignore[misc]


@pytest.mark.by_night(2_000)
@pytest.mark.parametrize("option", ["rules", *OPTIONS])
@settings(max_examples=10)
@given(thing=objects)
def test_random_options(option: str, thing: object) -> None:
    options: dict[str, Any] = {"rules": "p(a).", option: thing}
    SHARED.check(lambda _: KnowledgeBase(**options))


@pytest.mark.parametrize("option", ["rules", *OPTIONS])
def test_curious_options(option: str) -> None:
    for thing in CURIOUS:
        options: dict[str, Any] = {"rules": "p(a).", option: thing}
        SHARED.check(lambda _, options=options: KnowledgeBase(**options))  # type: ignore[misc]


@pytest.mark.by_night(5_000)
@settings(max_examples=30)
@given(thing=objects)
def test_random_updates(thing: object) -> None:
    def described(kb: KnowledgeBase) -> object:
        change = kb.update(insert=[("p", thing), ("new", thing)])
        assert isinstance(change, Change)
        return change.to_json(), Update(insert=(("p", thing),)).to_json()

    SHARED.check(described)


# --- bytes -----------------------------------------------------------------------------------------------------------------

PIECES = [
    b'"',
    b"'",
    b",",
    b"\t",
    b"\n",
    b"\r",
    b"\r\n",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b" ",
    b"\0",
    b"\\",
    b"\xff",
    b"\xef\xbb\xbf",
]
PIECES += [
    b"null",
    b"true",
    b"NaN",
    b"-",
    b"1",
    b"0.1",
    b"1e400",
    b"9" * 20,
    b"2026-11-15",
    b"\\ud800",
    b"\\u0000",
    b"\xed\xa0\x80",
]
PIECES += [
    b'"a"',
    b'"name"',
    b'"at"',
    b'"size"',
    b'{"name":"a"}\n',
    b'{"iri":"a:b"}',
    b'"insert":[["p",1]]',
    b'"id":1',
    b"name,at\n",
]
PIECES += [b"p(a).", b"edge(X, Y)", b":-", b"<a:b>", b"@prefix", b"@relation", b"@input", b"ex:", b"#", b"%", b"not ", b"(", b")"]
data = st.lists(st.sampled_from(PIECES) | st.binary(max_size=3), max_size=12).map(b"".join)


@pytest.mark.by_night(200_000)
@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.facts", "x.jsonl"])
@settings(max_examples=100)
@given(text=data, relation=st.sampled_from(["keyed", "edge", "new"]))
@example(text=b"null\n", relation="new")
@example(text=b'{"a":1,"\xff":2}\n', relation="new")
@example(text=b'"a,b\n', relation="edge")
def test_random_files(name: str, text: bytes, relation: str) -> None:
    path = Path(name)
    path.write_bytes(text)
    SHARED.check(lambda kb: kb.load(relation, path))


@pytest.mark.by_night(200_000)
@settings(max_examples=200)
@given(text=data)
def test_random_updates_of_bytes(text: bytes) -> None:
    SHARED.check(lambda kb: list(kb.follow([text])))
    SHARED.check(lambda kb: list(kb.follow([b'{"insert":' + text + b"}"])))
    path = Path("updates.jsonl")
    path.write_bytes(text)
    SHARED.check(lambda kb: list(kb.follow(path)))


@pytest.mark.by_night(200_000)
@settings(max_examples=200)
@given(text=data.map(lambda some: some.decode("utf-8", "surrogateescape")) | st.text())
def test_random_texts(text: str) -> None:
    SHARED.check(lambda _: KnowledgeBase(Source(text)))
    SHARED.check(lambda kb: kb.query(text))
    SHARED.check(lambda kb: kb.add_rules(text))
    SHARED.check(lambda kb: kb.remove_rules(text))
    SHARED.check(lambda kb: kb.update(insert=[(text, text), (text + "2", text)]))
