"""What Spark's tasks do with RDF: lines and files to blocks of triples, and what the triples of blocks are about."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tidelog.core.arrays import Int32s
from tidelog.rdf.documents import parse_turtle
from tidelog.rdf.ntriples import Triples, parse_lines
from tidelog.rdf.terms import TYPE
from tidelog.spark.data.blocks import Batches, Block, from_arrow, to_arrow
from tidelog.spark.ingest.rejects import record_of
from tidelog.spark.ingest.text.lines import Lines, bytes_of_files

TYPE_KEY = f"u{TYPE}"
_NAMES = ["facts", "size", "keys", "places", "rejects"]


def line_blocks(
    batches: Batches, read: Callable[[Batches], Iterator[Lines]], files: dict[int, str], scopes: dict[int, str]
) -> Batches:
    """N-Triples."""
    for lines in read(batches):
        good = lines.without([at for at, _ in lines.rejected]) if lines.rejected else lines
        of_files = np.unique(good.files)
        marks: pa.Array | str
        if len(of_files) <= 1:
            marks = scopes[int(of_files[0])] if len(of_files) else ""
        else:
            marks = pa.array([scopes[int(file)] for file in of_files]).take(pa.array(np.searchsorted(of_files, good.files)))
        triples = parse_lines(good.texts, marks)
        records = [lines.record(files, at, None, reason) for at, reason in lines.rejected]
        records += [good.record(files, at, None, reason) for at, reason in triples.rejected]
        yield _batch(triples, records)


def turtle_blocks(
    batches: Batches, is_compressed: bool, files: dict[int, str], scopes: dict[int, str], bases: dict[int, str]
) -> Batches:
    """Turtle."""
    for data, file, problem in bytes_of_files(batches, is_compressed=is_compressed):
        triples = parse_turtle(data, scopes[file], bases[file])
        texts = data.decode("utf-8", "replace").split("\n") if triples.rejected else []
        records = []
        for at, reason in triples.rejected:
            record = texts[at] if at < len(texts) else ""
            records.append(record_of(files[file], at + 1 if record else None, None, reason, record))
        if problem is not None:
            records = [record_of(files[file], None, None, problem, "")]
        yield _batch(triples, records)


def _batch(triples: Triples, records: list[str]) -> pa.RecordBatch:
    """A block of triples, and what is rejected."""
    block = Block.of([triples.subjects, triples.predicates, triples.objects])
    rejects = pa.array([records], pa.list_(pa.string()))
    return pa.RecordBatch.from_arrays([*to_arrow(block), rejects], _NAMES)


def counted(batches: Batches) -> Batches:
    """From blocks of triples to how many there are for each relation and arity."""
    for block in from_arrow(batches, 3):
        is_type, is_class = _classes(block)
        unary = is_type & is_class[block.places[2]]
        names = np.where(unary, block.places[2], block.places[1])
        for arity, mine in ((1, names[unary]), (2, names[~unary])):
            places, counts = np.unique(mine, return_counts=True)
            relations = pc.binary_replace_slice(block.keys.take(pa.array(places)), 0, 1, "")
            columns = [relations, pa.array([arity] * len(places), pa.int32()), pa.array(counts, pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, ["relation", "arity", "count"])


def of_relation(batches: Batches, name: str, arity: int) -> Batches:
    """From blocks of triples to blocks of the facts of a relation with one or two arguments."""
    for block in from_arrow(batches, 3):
        found = _facts(block, f"u{name}", arity)
        if found.shape[1]:
            yield pa.RecordBatch.from_arrays(to_arrow(block.some(found)), _NAMES[:-1])


def _facts(block: Block, key: str, arity: int) -> Int32s:
    if arity == 1:
        is_type, is_class = _classes(block)
        return block.places[:1, is_type & is_class[block.places[2]] & (block.places[2] == _place(block, key))]
    return block.places[::2, block.places[1] == _place(block, key)]


def _classes(block: Block) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which triples are about types; and which keys can be classes: IRIs."""
    is_iri = pc.and_(pc.starts_with(block.keys, "u"), pc.invert(pc.starts_with(block.keys, "u_:")))
    is_type: NDArray[np.bool_] = block.places[1] == _place(block, TYPE_KEY)
    return is_type, is_iri.to_numpy(zero_copy_only=False)


def _place(block: Block, key: str) -> int:
    """The place of a key in a block, -1 if it is not there."""
    return int(pc.index(block.keys, key).as_py())
