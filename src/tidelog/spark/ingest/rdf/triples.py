"""RDF on Spark: triples as facts, the predicate the name of a binary relation, a class under rdf:type that of a unary one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from tidelog.errors import fail
from tidelog.program.relations import Relation
from tidelog.rdf.terms import TYPE, oxigraph, scope_of
from tidelog.spark.data.blocks import FIELDS, Batches, Blocks, with_numbers
from tidelog.spark.ingest.fitting import conforming
from tidelog.spark.ingest.ingested import Ingested, split
from tidelog.spark.ingest.rdf.triple_tasks import counted, line_blocks, of_relation, turtle_blocks
from tidelog.spark.ingest.rejects import REJECT, Rejects
from tidelog.spark.ingest.sources import RDF_FORMATS, WHOLE, Files, Format, list_files, read_errors_explained, read_lines
from tidelog.spark.ingest.text.lines import Lines, lines_of_files, lines_of_rows
from tidelog.spark.ingest.text.local_files import is_here, lines_of_shares, shares
from tidelog.spark.session.lineage import Lineage, lost_blocks_explained
from tidelog.spark.session.private_session import is_local, shuffle_partitions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TRIPLE = "triple"
"""The relation that has all triples: subject, predicate, object."""


@dataclass(frozen=True, slots=True)
class RdfFacts:
    """The triples of a source, by relation."""

    triples: Blocks
    description: str
    rows: int
    rejected: int
    source: str
    lineage: Lineage
    _counts: dict[tuple[str, int], int] = field(default_factory=dict)

    def counts(self) -> dict[tuple[str, int], int]:
        """How many triples there are for each relation and arity."""
        if not self._counts and self.rows:
            from pyspark.sql import functions as f

            found = self.triples.frame.select("keys", "places").mapInArrow(counted, "relation string, arity int, count long")
            rows = found.groupBy("relation", "arity").agg(f.sum("count").alias("count")).collect()
            self._counts.update({(row.relation, row.arity): int(row["count"]) for row in rows})
        return self._counts

    def arity_of(self, name: str) -> int:
        """The arity that the triples give to a relation."""
        if name == TRIPLE:
            return 3
        return 1 if (name, 1) in self.counts() and (name, 2) not in self.counts() else 2

    def facts_of(self, name: str, arity: int) -> DataFrame:
        """The facts of a relation as the columns k0, k1, …, whatever types are declared for it."""
        return self._of(name, arity).keys()

    def _of(self, name: str, arity: int) -> Blocks:
        """The facts of a relation, computed now."""
        if (name, arity) == (TRIPLE, 3):
            return self.triples
        blocks = self.triples.frame if arity in (1, 2) else self.triples.frame.where("false")
        found = blocks.select("keys", "places").mapInArrow(partial(of_relation, name=name, arity=arity), FIELDS)
        with lost_blocks_explained():
            return Blocks.kept(self.lineage.cut(with_numbers(found)), max(1, arity))

    def ingested(self, relation: Relation, *, rejects: Rejects) -> Ingested:
        """The facts of a relation, those rejected whose values are not of the declared types or whose number is another."""
        from pyspark.sql import functions as f

        name, arity = relation.name, relation.arity
        kinds = tuple(relation.columns[at].type for at in range(arity)) if relation.columns else (None,) * arity
        labels = [column.name for column in relation.columns] if relation.columns else [str(at + 1) for at in range(arity)]
        task, schema = conforming(arity, kinds, labels, self.source)
        others = self._of_other_arity(name, arity)
        if task is None and others is None:
            blocks = self._of(name, arity)
            rows = blocks.facts
            described = self._described(name, rows, 0)
            return Ingested(name, blocks.keys(), described, rows, 0, tuple(kinds), blocks)  # type: ignore[arg-type]
        facts = self.facts_of(name, arity)
        found = facts.mapInArrow(task, schema) if task is not None else facts.withColumn(REJECT, f.lit(None).cast("string"))
        if others is not None:
            found = found.unionByName(others, allowMissingColumns=True).select(*found.columns)
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

    def _of_other_arity(self, name: str, arity: int) -> DataFrame | None:
        """The triples that would give a relation another number of arguments, as rejects; None if there are none."""
        from pyspark.sql import functions as f

        if (name, arity) in ((TRIPLE, 3), (TYPE, 2)):
            return None
        found: DataFrame | None = None
        for width in {1, 2} - {arity}:
            if (name, width) not in self.counts():
                continue
            text = f.lit(f"`{name}` has {arity} arguments, and this gives {width}")
            shown = [f.substring(f"k{at}", 2, 10_000) for at in range(width)]
            record = f.concat_ws(" ", shown[0], f.lit(name), *shown[1:])
            fields = f.struct(f.lit(self.source).alias("source"), text.alias("reason"), record.alias("record"))
            others = self.facts_of(name, width).select(f.to_json(fields).alias(REJECT))
            found = others if found is None else found.union(others)
        return found


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
    fields = f"{FIELDS}, rejects array<string>"
    frame = _blocks(spark, files, options or {}, fields) if files.files else spark.createDataFrame([], fields)
    with read_errors_explained(files.given):
        kept = lineage.cut(with_numbers(frame))
        triples = Blocks.kept(kept, 3)
        rejected = int(kept.selectExpr("sum(size(rejects))").collect()[0][0] or 0)
    rejects.add(kept.selectExpr(f"explode(rejects) AS {REJECT}"), TRIPLE, rejected)
    rows = triples.facts
    counted = "1 triple" if rows == 1 else f"{rows:,} triples"
    more = f"; {rejected:,} rejected" if rejected else ""
    return RdfFacts(triples, f"{counted} from {files.given} ({files.described}){more}", rows, rejected, files.given, lineage)


def _blocks(spark: SparkSession, files: Files, options: Mapping[str, str], fields: str) -> DataFrame:
    """The triples of files in blocks, and what is rejected."""
    names = files.names
    scopes = {key: scope_of(name) for key, name in names.items()}
    if files.format is Format.TURTLE:
        given = options.get("base")
        bases = {key: given or file.address.replace("file:/", "file:///", 1) for key, file in files.files.items()}
        of_files = partial(turtle_blocks, is_compressed=files.is_compressed, files=names, scopes=scopes, bases=bases)
        return read_lines(spark, files, whole=True).mapInArrow(of_files, fields)
    read: Callable[[Batches], Iterator[Lines]]
    if is_local(spark) and is_here(files):
        of_tasks = shares(files, shuffle_partitions(spark))
        source = spark.range(0, len(of_tasks), 1, len(of_tasks))
        read = partial(lines_of_shares, of_tasks=of_tasks, is_compressed=files.is_compressed)
    else:
        whole = files.largest <= WHOLE or not files.can_be_split
        source = read_lines(spark, files, whole=whole)
        read = partial(lines_of_files, is_compressed=files.is_compressed, delimiter=None) if whole else lines_of_rows
    return source.mapInArrow(partial(line_blocks, read=read, files=names, scopes=scopes), fields)
