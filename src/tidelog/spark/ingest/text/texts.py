"""CSV, TSV, `.facts` and JSON Lines on Spark: a first pass over all files, if types or headers are to be found; then the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from tidelog.errors import fail
from tidelog.files.matching import Matched, declared_kinds, find_names, has_some
from tidelog.files.raw import RawTable
from tidelog.files.text.delimited import Header
from tidelog.files.text.text_types import is_word
from tidelog.spark.ingest import sources
from tidelog.spark.ingest.fitting import Plan
from tidelog.spark.ingest.ingested import Ingested, Target, keep, split
from tidelog.spark.ingest.text import delimited, json_lines
from tidelog.spark.ingest.text.delimited import Dialect, FileLook
from tidelog.spark.ingest.text.inference import Seen, seen_in_all
from tidelog.spark.ingest.text.lines import OPEN_QUOTE, Lines, lines_of_files, lines_of_rows
from tidelog.values import Kind

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Task = Callable[[Iterator[Lines]], Iterator[pa.RecordBatch]]
_NO_CELLS = pa.chunked_array([pa.array([], pa.string())])


class TextReader:
    """The files of one source, all of one format of text."""

    def __init__(self, target: Target, files: sources.Files, header: Header, options: dict[str, str]) -> None:
        if header not in (True, False, "auto"):
            raise ValueError(f"header is True, False or 'auto', not {header!r}")
        is_json = files.format is sources.Format.JSON_LINES
        sources.check_options(options, ("multiLine",) if is_json else ("multiLine", "sep", "delimiter"), files.format)
        given = {key.lower(): str(value) for key, value in options.items()}
        mark = given.get("sep", given.get("delimiter", "," if files.format is sources.Format.CSV else "\t"))
        if len(mark) != 1:
            raise fail("TL074", f"there is no delimiter {mark!r}", fix="give one character")
        self.target, self.files, self.is_json = target, files, is_json
        # Names of columns that are mapped must stand somewhere.
        self.header: Header = True if header == "auto" and target.columns and not is_json else header
        self.dialect = Dialect(mark, files.format is not sources.Format.FACTS)
        requested = given.get("multiline", "").lower() == "true"
        self.whole = requested or files.largest <= sources.WHOLE or not files.can_be_split

    def read(self) -> Ingested:
        """All rows as keys; large files that have cells over several lines are read again as a whole."""
        found = self._read()
        if found is None:
            self.whole = True
            found = self._read()
        assert found is not None
        return found

    def _read(self) -> Ingested | None:
        if not self.files.files:
            return self.target.nothing(self._table(f"{self.files.format}, empty", None))
        return self._json() if self.is_json else self._delimited()

    def _json(self) -> Ingested:
        look = json_lines.look_of(self._looked(json_lines.look_at, json_lines.LOOK_SCHEMA))
        table = self._table(self.files.described, look.names)
        if look.rows == 0:
            return self._without_rows(table, partial(json_lines.rows_of, names=(), files=self.files.names))
        kinds = [look.kind(name) for name in look.names]
        chosen, plan = self.target.plan(table, [kind for kind, _ in kinds], [several for _, several in kinds])
        for at in plan.matched.positions:
            if look.names[at] in look.strange:
                message = f"the column {look.names[at]} of {table.source} holds lists, for which the language has no type"
                raise fail("TL081", message, fix="convert it to a string or a number first, or leave it out")
        rows = partial(json_lines.rows_of, names=look.names, plan=plan, files=self.files.names)
        found = keep(self._mapped(rows, plan.schema), chosen, plan, self.target.rejects, self.target.lineage)
        assert found is not None
        return found

    def _delimited(self) -> Ingested | None:
        relation = self.target.relation
        kinds = declared_kinds(relation, 0)
        infers = relation is None or None in kinds or self._header == "auto"
        look = partial(delimited.look_at, dialect=self.dialect, infers=infers)
        looks = delimited.looks_of(self._looked(look, delimited.LOOK_SCHEMA, firsts_only=not infers))
        looks = {file: looks[file] for file in self.files.files if file in looks and looks[file].first is not None}
        headed = self._headed(looks)
        names = self._names({file: looks[file] for file in headed})
        described = f"{self.files.described}, {'a' if headed else 'no'} header"
        first = next((look.first for file, look in looks.items() if file not in headed), None)
        width = len(names) if names is not None else len(first or ())
        if width == 0:
            rows = partial(delimited.rows_of, dialect=self.dialect, width=1, headed=headed, files=self.files.names)
            return self._without_rows(self._table(f"{self.files.described}, empty", None), rows)
        seen = self._seen(looks, headed, width) if infers else None
        chosen, plan = self.target.plan(self._table(described, names, width), seen)
        rows = partial(delimited.rows_of, dialect=self.dialect, width=width, headed=headed, plan=plan, files=self.files.names)
        unless = OPEN_QUOTE if not self.whole and self.files.largest <= sources.LARGEST_WHOLE else None
        return keep(self._mapped(rows, plan.schema), chosen, plan, self.target.rejects, self.target.lineage, unless=unless)

    # --- headers and types ----------------------------------------------------------------------------------------------

    @property
    def _header(self) -> Header:
        """`.facts` have no header unless the user says so."""
        return False if self.header == "auto" and self.files.format is sources.Format.FACTS else self.header

    def _headed(self, looks: dict[int, FileLook]) -> frozenset[int]:
        """The files whose first row is a header; with `auto`, each file decides, and files with an equal first row follow."""
        if self._header != "auto":
            return frozenset(looks) if self._header else frozenset()
        headers = [look.first for look in looks.values() if self._is_header(look)]
        return frozenset(file for file, look in looks.items() if look.first in headers)

    def _is_header(self, look: FileLook) -> bool:
        """As in `files.text.delimited`: it holds declared names, or a text over cells that are all of another type."""
        assert look.first is not None
        relation = self.target.relation
        if relation is not None and relation.columns:
            wanted = [column.name for column in relation.columns]
            if find_names(wanted, look.first) is not None:
                return True
            if has_some(wanted, look.first) and all(is_word(cell) or not cell.strip() for cell in look.first):
                return True
        return look.rows > 0 and any(
            is_word(cell) and seen.kind is not Kind.STRING for cell, seen in zip(look.first, look.columns, strict=False)
        )

    def _names(self, looks: dict[int, FileLook]) -> tuple[str, ...] | None:
        """The names in the headers, which must be the same in all files."""
        headers = {file: tuple(cell.strip() for cell in look.first or ()) for file, look in looks.items()}
        if len(set(headers.values())) > 1:
            one, other = list(dict.fromkeys(headers.values()))[:2]
            paths = [next(self.files.files[file].path for file, header in headers.items() if header == h) for h in (one, other)]
            message = f"{paths[0]} has the columns {', '.join(one)}, and {paths[1]} has {', '.join(other)}"
            raise fail("TL081", message, fix="load files with different columns one by one")
        return next(iter(headers.values()), None)

    def _seen(self, looks: dict[int, FileLook], headed: frozenset[int], width: int) -> list[Kind]:
        """The kind of each column over all files."""
        columns = [Seen()] * width
        for file, look in looks.items():
            parts = [look.columns]
            if file not in headed and len(look.first or ()) == width:
                parts.append([seen_in_all([cell]) for cell in look.first or ()])
            for part in parts:
                padded = [*part[:width], *[Seen()] * (width - len(part))]
                columns = [mine | theirs for mine, theirs in zip(columns, padded, strict=True)]
        return [column.kind for column in columns]

    # --- through Spark --------------------------------------------------------------------------------------------------

    def _lines(self) -> tuple[DataFrame, Callable[[Iterator[pa.RecordBatch]], Iterator[Lines]]]:
        frame = sources.read_lines(self.target.spark, self.files, whole=self.whole)
        if not self.whole:
            return frame, lines_of_rows
        mark = self.dialect.delimiter if self.dialect.has_quotes and not self.is_json else None
        return frame, partial(lines_of_files, is_compressed=self.files.is_compressed, delimiter=mark)

    def _looked(self, task: Task, schema: str, *, firsts_only: bool = False) -> pa.Table:
        """What all tasks see."""
        frame, lines = self._lines()
        if firsts_only and not self.whole:
            frame = frame.where("start = 0")
        with sources.read_errors_explained(self.files.given):
            return frame.mapInArrow(partial(_run, lines=lines, task=task), schema).toArrow()

    def _mapped(self, task: Task, schema: str) -> DataFrame:
        frame, lines = self._lines()
        return frame.mapInArrow(partial(_run, lines=lines, task=task), schema)

    def _table(self, described: str, names: Sequence[str] | None, width: int | None = None) -> RawTable:
        """The source as `tidelog.files` sees it, without its rows."""
        columns = (_NO_CELLS,) * (len(names or ()) if width is None else width)
        return RawTable(
            self.files.given,
            described,
            None if names is None else tuple(names),
            columns,
            0,
            lambda _: [],
            is_text=not self.is_json,
        )

    def _without_rows(self, table: RawTable, rows: Callable[..., Iterator[pa.RecordBatch]]) -> Ingested:
        """No rows: there is nothing, or all of it is rejected."""
        target, plan = self.target, Plan(self.target.name, Matched((), (), (), False, ()), ())
        if self.files.files:
            result = split(
                self._mapped(partial(rows, plan=plan), plan.schema), target.name, table.source, target.rejects, target.lineage
            )
            if result is not None and result[2]:
                found = target.nothing(table)
                return replace(found, rejected=result[2], description=f"{found.description}; {result[2]:,} rejected")
        return target.nothing(table)


def _run(batches: Iterator[pa.RecordBatch], lines: Callable[..., Iterator[Lines]], task: Task) -> Iterator[pa.RecordBatch]:
    return task(lines(batches))
