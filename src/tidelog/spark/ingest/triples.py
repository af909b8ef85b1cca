"""RDF on Spark: triples as facts, the predicate the name of a binary relation, a class under rdf:type that of a unary one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidelog.errors import fail
from tidelog.program.relations import Relation
from tidelog.rdf.ntriples import Triples, parse_lines
from tidelog.rdf.terms import TYPE, oxigraph, scope_of
from tidelog.rdf.turtle import parse_turtle
from tidelog.spark.ingest.ingested import Ingested, split
from tidelog.spark.ingest.lines import Lines, bytes_of_files, lines_of_files, lines_of_rows
from tidelog.spark.ingest.rejects import REJECT, Rejects, record_of
from tidelog.spark.ingest.sources import RDF_FORMATS, WHOLE, Files, Format, list_files, read_lines
from tidelog.spark.ingest.typed_keys import conforming
from tidelog.spark.lineage import Lineage

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRIPLE = "triple"
"""The relation that has all triples: subject, predicate, object."""
_SCHEMA = f"relation string, k0 string, k1 string, {REJECT} string"
_TYPE_KEY = f"u{TYPE}"


@dataclass(frozen=True, slots=True)
class RdfFacts:
    """The triples of a source, by relation."""

    frame: DataFrame
    """The columns relation, k0 and k1, which is null in a unary relation; kept by the lineage policy."""
    description: str
    rows: int
    rejected: int
    source: str
    lineage: Lineage

    def counts(self) -> dict[tuple[str, int], int]:
        """How many triples there are for each relation and arity."""
        from pyspark.sql import functions as f

        arity = f.when(f.col("k1").isNull(), 1).otherwise(2).alias("arity")
        rows = self.frame.groupBy("relation", arity).count().collect()
        return {(row.relation, row.arity): int(row["count"]) for row in rows}

    def arity_of(self, name: str) -> int:
        """The arity that the triples give to a relation."""
        if name == TRIPLE:
            return 3
        from pyspark.sql import functions as f

        of_name = self.frame.where(f.col("relation") == name)
        return 2 if of_name.isEmpty() or not of_name.where("k1 is not null").isEmpty() else 1

    def facts_of(self, name: str, arity: int) -> DataFrame:
        """The facts of a relation as the columns k0, k1, …, whatever types are declared for it."""
        from pyspark.sql import functions as f

        relation, k1 = f.col("relation"), f.col("k1")
        key = f.concat(f.lit("u"), relation)
        if name == TRIPLE and arity == 3:
            is_unary = k1.isNull()
            predicate = f.when(is_unary, f.lit(_TYPE_KEY)).otherwise(key)
            return self.frame.select("k0", predicate.alias("k1"), f.when(is_unary, key).otherwise(k1).alias("k2"))
        if name == TYPE and arity == 2:
            mine = self.frame.where(k1.isNull() | (relation == TYPE))
            return mine.select("k0", f.coalesce(k1, key).alias("k1"))
        mine = self.frame.where(relation == name)
        return mine.where(k1.isNull()).select("k0") if arity == 1 else mine.where(k1.isNotNull()).select("k0", "k1")

    def ingested(self, relation: Relation, *, rejects: Rejects) -> Ingested:
        """The facts of a relation, those rejected whose values are not of the declared types or whose number is another."""
        from pyspark.sql import functions as f

        name, arity = relation.name, relation.arity
        facts = self.facts_of(name, arity) if 1 <= arity <= 3 else self.frame.where("false").select("k0")
        kinds = tuple(relation.columns[at].type for at in range(arity)) if relation.columns else (None,) * arity
        if (name, arity) == (TRIPLE, 3) and all(kind in (None, "any") for kind in kinds):
            return Ingested(name, facts, self._described(name, self.rows, 0), self.rows, 0, tuple(kinds))  # type: ignore[arg-type]
        labels = [column.name for column in relation.columns] if relation.columns else [str(at + 1) for at in range(arity)]
        task, schema = conforming(arity, kinds, labels, self.source)
        found = facts.mapInArrow(task, schema) if task is not None else facts.withColumn(REJECT, f.lit(None).cast("string"))
        if (name, arity) not in ((TRIPLE, 3), (TYPE, 2)):
            found = found.unionByName(self._of_other_arity(name, arity), allowMissingColumns=True).select(*found.columns)
        result = split(found, name, self.source, rejects, self.lineage)
        assert result is not None
        frame, rows, rejected = result
        return Ingested(name, frame, self._described(name, rows, rejected), rows, rejected, tuple(kinds))  # type: ignore[arg-type]

    def _described(self, name: str, rows: int, rejected: int) -> str:
        counted = "1 triple" if rows == 1 else f"{rows:,} triples"
        more = f"; {rejected:,} rejected" if rejected else ""
        return f"{name}: {counted} from {self.source}{more}"

    def left_out(self, relations: Iterable[Relation]) -> int:
        """How many triples belong to none of these relations."""
        known = {relation.name: relation.arity for relation in relations}
        if known.get(TRIPLE) == 3:
            return 0
        has_types = known.get(TYPE) == 2
        return sum(
            count for (name, arity), count in self.counts().items() if name not in known and not (has_types and arity == 1)
        )

    def _of_other_arity(self, name: str, arity: int) -> DataFrame:
        """The triples that would give a relation another number of arguments, as rejects."""
        from pyspark.sql import functions as f

        width = f.when(f.col("k1").isNull(), 1).otherwise(2)
        text = f.concat(f.lit(f"`{name}` has {arity} arguments, and this gives "), width.cast("string"))
        record = f.concat_ws(" ", f.substring("k0", 2, 10_000), f.lit(name), f.substring("k1", 2, 10_000))
        fields = f.struct(f.lit(self.source).alias("source"), text.alias("reason"), record.alias("record"))
        others = self.frame.where((f.col("relation") == name) & (width != arity))
        return others.select(f.to_json(fields).alias(REJECT))


def ingest_rdf(
    spark: SparkSession,
    source: str | PathLike[str] | Files,
    *,
    format: str | None = None,  # noqa: A002
    options: Mapping[str, str] | None = None,
    rejects: Rejects | None = None,
    lineage: Lineage | None = None,
) -> RdfFacts:
    """The triples of N-Triples or Turtle files, a folder or a glob, each also with `.gz`.

    Lines that are no triples, and whole Turtle files with a mistake, go to `rejects`. Blank nodes belong to their file. The
    option `base` is what relative IRIs in Turtle are relative to; the default is the address of the file.
    """
    oxigraph()
    rejects = rejects if rejects is not None else Rejects()
    lineage = lineage if lineage is not None else Lineage(spark, "local")
    files = source if isinstance(source, Files) else list_files(spark, source, format)
    if files.format not in RDF_FORMATS:
        fix = "N-Triples are .nt, Turtle is .ttl; or say `format=`"
        raise fail("TL082", f"{files.given} is not RDF but {files.format}", fix=fix)
    is_turtle = files.format is Format.TURTLE
    whole = is_turtle or files.largest <= WHOLE or not files.can_be_split
    names = files.names
    scopes = {key: scope_of(name) for key, name in names.items()}
    task: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
    if is_turtle:
        given = (options or {}).get("base")
        bases = {key: given or file.address.replace("file:/", "file:///", 1) for key, file in files.files.items()}
        task = partial(_turtle_rows, is_compressed=files.is_compressed, files=names, scopes=scopes, bases=bases)
    else:
        read = partial(lines_of_files, is_compressed=files.is_compressed, delimiter=None) if whole else lines_of_rows
        task = partial(_line_rows, read=read, files=names, scopes=scopes)
    if not files.files:
        frame = spark.createDataFrame([], _SCHEMA)
    else:
        frame = read_lines(spark, files, whole=whole).mapInArrow(task, _SCHEMA)
    result = split(frame, TRIPLE, files.given, rejects, lineage)
    assert result is not None
    facts, rows, rejected = result
    counted = "1 triple" if rows == 1 else f"{rows:,} triples"
    more = f"; {rejected:,} rejected" if rejected else ""
    return RdfFacts(facts, f"{counted} from {files.given} ({files.described}){more}", rows, rejected, files.given, lineage)


def _line_rows(
    batches: Iterator[pa.RecordBatch],
    read: Callable[[Iterator[pa.RecordBatch]], Iterator[Lines]],
    files: dict[int, str],
    scopes: dict[int, str],
) -> Iterator[pa.RecordBatch]:
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
        records = [_record(lines, at, reason, files) for at, reason in lines.rejected]
        records += [_record(good, at, reason, files) for at, reason in triples.rejected]
        yield _batch(triples, records)


def _turtle_rows(
    batches: Iterator[pa.RecordBatch],
    is_compressed: bool,
    files: dict[int, str],
    scopes: dict[int, str],
    bases: dict[int, str],
) -> Iterator[pa.RecordBatch]:
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


def _record(lines: Lines, at: int, reason: str, files: dict[int, str]) -> str:
    return record_of(files[int(lines.files[at])], lines.number(at), None, reason, lines.texts[at].as_py().rstrip("\r"))


def _batch(triples: Triples, records: list[str]) -> pa.RecordBatch:
    """Triples as facts: the name of the relation, and one or two keys; then what is rejected."""
    predicates, objects = triples.predicates, triples.objects
    is_type = pc.equal(predicates, _TYPE_KEY)
    if pc.any(is_type).as_py():
        is_class = pc.and_(is_type, pc.and_(pc.starts_with(objects, "u"), pc.invert(pc.starts_with(objects, "u_:"))))
        predicates = pc.if_else(is_class, objects, predicates)
        objects = pc.if_else(is_class, pa.scalar(None, pa.string()), objects)
    columns = [pc.binary_replace_slice(predicates, 0, 1, ""), triples.subjects, objects, pa.nulls(len(predicates), pa.string())]
    if records:
        nothing = pa.nulls(len(records), pa.string())
        columns = [pa.concat_arrays([column, nothing]) for column in columns[:3]] + [
            pa.concat_arrays([columns[3], pa.array(records, pa.string())])
        ]
    return pa.RecordBatch.from_arrays(columns, ["relation", "k0", "k1", REJECT])
