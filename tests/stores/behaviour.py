"""What every store does, as one test for all of them."""

from __future__ import annotations

import time

import pytest

from tidelog.stores import Store


def check_store(store: Store) -> None:
    """Small files, files of this machine, folders; names with blanks and per cents."""
    assert store.read("a/b.txt") is None
    assert store.entries("a") == store.entries() == []
    store.replace("a/b.txt", "one")
    store.replace("a/b.txt", "two, ü")
    assert store.read("a/b.txt") == "two, ü"
    assert store.entries("a") == ["b.txt"]
    store.make_durable("a")
    with pytest.raises(NotADirectoryError):
        store.entries("a/b.txt")
    store.remove("a/b.txt")
    store.remove("a/b.txt")
    assert store.create("a/1.json", "first")
    assert not store.create("a/1.json", "second")
    assert (store.read("a/1.json"), store.entries("a")) == ("first", ["1.json"])
    for content in (b"0123456789", b"abc"):
        with store.writing("a/.x, y%20z") as path:
            path.write_bytes(content)
    assert abs(store.changed("a/.x, y%20z") - time.time()) < 100
    store.rename("a/.x, y%20z", "a/x")
    store.rename("a/.x, y%20z", "a/x")
    assert store.entries("a") == ["1.json", "x"]
    with store.at_hand("a/x") as path:
        assert path.read_bytes() == b"abc"
    assert [store.read_bytes("a/x", start, 2) for start in (0, 2, 3, 9)] == [b"ab", b"c", b"", b""]
    assert store.size("a/x") == 3
    with store.opened("a/x") as file:
        assert (file.seek(-2, 2), file.read(), file.seek(0), file.read(1)) == (1, b"bc", 0, b"a")
    for name in ("a,b", "a b%20c"):
        store.replace(f"d/{name}", "")
    assert store.entries("d") == ["a b%20c", "a,b"]
    store.replace("a/1.json", "others")
    store.rename("a/1.json", "a/x")
    assert (store.read("a/x"), store.entries("a")) == ("others", ["x"])
    store.remove("a")
    store.remove("d")
    assert store.entries() == []
    with pytest.raises(FileNotFoundError), store.at_hand("nothing") as path:
        path.read_bytes()
    with pytest.raises(FileNotFoundError):
        store.read_bytes("nothing", 0, 1)
    with pytest.raises(FileNotFoundError):
        store.size("nothing")
