"""The parts of a job: what they say of themselves."""

from __future__ import annotations

import pytest

from tidelog.pipeline.job.parts import SinkPart, SourcePart


@pytest.mark.parametrize(
    ("source", "origin", "is_rdf"),
    [
        (SourcePart("edge", path="edges.csv", format="csv"), "edges.csv", False),
        (SourcePart("edge", table="shop.edges"), "table shop.edges", False),
        (SourcePart("edge", format="kafka"), "a source of kafka", False),
        (SourcePart(None, path="data.ttl", format="ttl"), "data.ttl", True),
    ],
)
def test_sources(source: SourcePart, origin: str, is_rdf: bool) -> None:
    assert (source.origin, source.is_rdf) == (origin, is_rdf)


@pytest.mark.parametrize(
    ("sink", "target", "is_versioned"),
    [
        (SinkPart("path", path="out"), "out", True),
        (SinkPart("path", path="out", format="delta"), "out", False),
        (SinkPart("path", table="shop.paths"), "table shop.paths", False),
        (SinkPart("path", format="kafka"), "", False),
    ],
)
def test_sinks(sink: SinkPart, target: str, is_versioned: bool) -> None:
    assert (sink.target, sink.is_versioned) == (target, is_versioned)
