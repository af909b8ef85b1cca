"""RDF from N-Triples to numbers: all triples in one relation, dictionary-encoded, each once, and kept on Spark.

`load_rdf` parses and checks every term; with the placement `rounds`, `count` numbers all terms and keeps the facts as numbers,
since that is what rounds work on.  Beside it, pyoxigraph parses the same files in Spark's Python workers and leaves the terms
as texts: no dictionary, no repeated triples dropped.

Until Spark's JVM has compiled what runs often, which takes it some CPU seconds whatever the size, it is slow: the sizes show how
much of the rate that is.  The target is about the rate, and so at the largest size.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from benchmarks.harness.workload import Contender, Evaluate, Inputs, NotAvailable, Target, Workload
from benchmarks.spark import sessions
from benchmarks.spark.triples import triples

TIDELOG, OXIGRAPH = "tidelog, encoded", "pyoxigraph, not encoded"
PROGRAM = "@relation triple(subject: any, predicate: any, object: any) ."
SIZES = (250_000, 1_000_000, 4_000_000)
_FILES = 4


def lines(size: int) -> Inputs:
    """The triples as lines."""
    return {"triple": triples(size)}


def write_files(inputs: Inputs, folder: Path) -> Path:
    """The lines in some files of one folder, so that all cores have something to read."""
    if importlib.util.find_spec("pyoxigraph") is None:
        raise NotAvailable("pyoxigraph is not installed")
    target = folder / "triples"
    shutil.rmtree(target, ignore_errors=True)  # the warm-up was here
    target.mkdir()
    column = inputs["triple"].column("line")
    share = -(-len(column) // _FILES)
    for at in range(_FILES):
        own = column.slice(at * share, share).to_pylist()
        (target / f"part{at}.nt").write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
    return target


def _load_tidelog(inputs: Inputs, folder: Path) -> Evaluate:
    from tidelog import KnowledgeBase

    sessions.started()
    files = write_files(inputs, folder)

    def evaluate() -> int:
        kb = KnowledgeBase(PROGRAM, engine="spark", placement="rounds")
        kb.load_rdf(files, format="nt")
        return kb.count("triple")

    return evaluate


def _load_oxigraph(inputs: Inputs, folder: Path) -> Evaluate:
    spark = sessions.plain()
    files = write_files(inputs, folder)

    def parsed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Kept inside, so that it travels to the workers by value and they need not import this package."""
        import pyarrow
        import pyoxigraph

        for batch in batches:
            text = "\n".join(batch.column(0).to_pylist())
            found = pyoxigraph.parse(text, format=pyoxigraph.RdfFormat.N_TRIPLES)
            rows = [(str(quad.subject), str(quad.predicate), str(quad.object)) for quad in found]
            columns = [pyarrow.array(column, pyarrow.string()) for column in zip(*rows, strict=True)]
            if rows:
                yield pyarrow.RecordBatch.from_arrays(columns, ["s", "p", "o"])

    def evaluate() -> int:
        kept = spark.read.text(str(files)).mapInArrow(parsed, "s string, p string, o string").localCheckpoint()
        return kept.count()

    return evaluate


SPARK_INGEST = Workload(
    "spark_ingest",
    "N-Triples on Spark, dictionary-encoded, 4M triples",
    lines,
    SIZES,
    "triples",
    tiny=1000,
    contenders=(Contender(TIDELOG, _load_tidelog), Contender(OXIGRAPH, _load_oxigraph)),
    targets=(Target(TIDELOG, 4_000_000, 150_000, measure="per_cpu_second", at_least=True),),
    expected={size: size for size in SIZES},
)
