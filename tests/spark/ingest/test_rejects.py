"""Rejected rows: the error when there are more than allowed."""

from __future__ import annotations

import pytest

from tidelog.errors import TidelogError
from tidelog.spark.ingest.rejects import Rejected, Rejects


def test_the_limit_of_rejects() -> None:
    rejects = Rejects("folder", 3)
    rejects.count = 3
    rejects.check()
    rejects.count = 4
    rejects._first = [Rejected("edge", "a.csv", 3, "w", "it is empty", "a,")]
    with pytest.raises(TidelogError) as caught:
        rejects.check()
    assert str(caught.value).splitlines() == [
        "error TL092: 4 rows are rejected, and at most 3 may be; nothing is derived",
        "    a.csv:3: column w: it is empty",
        "    ... and 3 more",
        "    all of them are in folder",
        "    fix: mend these rows, declare other types for the columns, or allow more rejected rows",
    ]
    assert rejects.first(9)[0].place == "a.csv:3"
