"""A replica follows the versions, and answers as the knowledge base itself does."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from tests.local_engine import engine_of

from tidelog import KnowledgeBase
from tidelog.core.limits import Watch
from tidelog.facts import Facts
from tidelog.local.kernel.closures import virtual_access as kernel
from tidelog.local.sharing.published import Published, Publisher
from tidelog.local.sharing.replica import Replica
from tidelog.program.queries import check_query

RULES = "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y), e(Y, Z)."


def version(kb: KnowledgeBase) -> Published:
    kb.count("p")
    return Publisher(engine_of(kb), kb._schema).current


def asked(replica: Replica, published: Published, text: str) -> set[tuple[object, ...]]:
    query = check_query(text, published.schema.relations(), {})
    rows, terms = replica.query(published, query, Watch())
    return set(Facts(text, query.names, rows, terms))


@pytest.mark.parametrize("modules", [True, False])
def test_it_follows_what_changes(modules: bool) -> None:
    kb = KnowledgeBase(RULES + "e(1, 2). e(2, 3).", modules=modules)
    first, replica = version(kb), Replica()
    publisher = Publisher(engine_of(kb), kb._schema)

    def follow(insert: Iterable[tuple[object, ...]] = (), delete: Iterable[tuple[object, ...]] = ()) -> None:
        kb.update(insert=insert, delete=delete)
        publisher.publish(engine_of(kb), kb._schema)
        assert asked(replica, publisher.current, "p(1, X)") == set(kb.query("p(1, X)"))
        assert asked(replica, publisher.current, "e(X, Y), not p(Y, _)") == set(kb.query("e(X, Y), not p(Y, _)"))

    follow()
    follow(insert=[("e", 3, 4), ("e", 4, 1)])
    follow(delete=[("e", 2, 3)])
    follow(insert=[("e", 2, 3)], delete=[("e", 3, 4)])
    follow(insert=[("e", "a", "b"), ("e", 1, "a")])
    state = replica.state
    assert asked(replica, first, "p(1, X)") == {(2,), (3,)}, "back to an older version"
    assert asked(replica, first, "e(X, Y)") == {(1, 2), (2, 3)}
    follow(insert=[("e", "c", "d")])
    assert replica.state is state, "nothing was copied anew"


def test_versions_in_any_order() -> None:
    """Each has the same answers, whichever came before it; also after compactions, which number rows anew."""
    kb = KnowledgeBase(RULES, modules=False)
    chance, replica, versions = random.Random(4), Replica(), []
    publisher, edges = Publisher(engine_of(kb), kb._schema), set[tuple[int, int]]()
    for _ in range(40):
        insert = {(chance.randrange(60), chance.randrange(60)) for _ in range(chance.choice((2, 200)))}
        delete = set(chance.sample(sorted(edges), len(edges) * chance.randrange(3) // 2))
        kb.update(insert=[("e", *edge) for edge in insert], delete=[("e", *edge) for edge in delete])
        edges = (edges - delete) | insert
        publisher.publish(engine_of(kb), kb._schema)
        versions.append((publisher.current, set(kb["e"]), kb.count("p")))
    for published, expected, count in chance.choices(versions, k=120):
        assert asked(replica, published, "e(X, Y)") == expected
        assert len(asked(replica, published, "p(X, Y)")) == count
        some = chance.randrange(60)
        assert asked(replica, published, f"e({some}, Y)") == {(b,) for a, b in expected if a == some}


def test_values_that_queries_compute_are_not_those_of_the_writer() -> None:
    kb = KnowledgeBase(RULES + "e(1, 2).")
    published, replica = version(kb), Replica()
    query = check_query("e(X, Y), Z = X + 1000", published.schema.relations(), {})
    rows, terms = replica.query(published, query, Watch())
    kb.update(insert=[("e", "new", "newer")])
    assert list(Facts("", query.names, rows, terms)) == [(1, 2, 1001)]
    assert asked(replica, version(kb), "e(X, Y), Y != 2") == {("new", "newer")}
    assert list(Facts("", query.names, rows, terms)) == [(1, 2, 1001)]


def test_a_query_that_fails_leaves_a_replica_that_works() -> None:
    kb = KnowledgeBase(RULES + "".join(f"e({at}, {at + 1})." for at in range(50)), modules=False)
    published, replica = version(kb), Replica()
    query = check_query("p(X, Y), p(Y, Z)", published.schema.relations(), {})

    class StopError(Exception):
        pass

    class Stopping(Watch):
        def poll(self) -> None:
            raise StopError

    with pytest.raises(StopError):
        replica.query(published, query, Stopping())
    assert asked(replica, published, "p(48, X)") == {(49,), (50,)}


def test_readers_of_one_closure_have_scratch_buffers_of_their_own() -> None:
    kb = KnowledgeBase(RULES + "e(1, 2). e(2, 3). e(3, 1).")
    published, replicas = version(kb), [Replica(), Replica()]
    for replica in replicas:
        assert len(asked(replica, published, "p(X, Y)")) == 9
    shared = published.virtual["p"]._buffers
    own = [replica.state.virtual["p"]._buffers for replica in replicas]
    scratch = {kernel.STAMPS, kernel.QUEUE, kernel.NODE_STAMPS}
    assert scratch <= shared.keys()
    for place in shared:
        assert (own[0][place] is shared[place]) == (place not in scratch)
        assert (own[0][place] is own[1][place]) == (place not in scratch)
