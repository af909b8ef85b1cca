"""The stores of addresses."""

from __future__ import annotations

from pathlib import Path

from tidelog.stores.arrow import ArrowStore
from tidelog.stores.finding import store_at
from tidelog.stores.local import LocalStore
from tidelog.stores.store import is_uri


def test_stores_by_their_path(tmp_path: Path) -> None:
    assert isinstance(store_at(str(tmp_path)), LocalStore)
    for address in (f"file://{tmp_path}", f"file:{tmp_path}"):
        plain = store_at(address)
        assert isinstance(plain, LocalStore)
        assert plain.folder == tmp_path
        assert plain.address("a b") == f"file://{tmp_path}/a b"
    assert [is_uri(path) for path in ("s3a://b/x", "file:/x", "/x", "C:/x", "x:y")] == [True, True, False, False, False]

    class Connected:
        """A session of Spark Connect."""

    Connected.__module__ = "pyspark.sql.connect.session"
    assert isinstance(store_at("hdfs://somewhere/x", Connected()), ArrowStore)
