"""Reads facts from a file, a table or a data frame: `read` is the entry."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TypedDict, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.arguments import path_of, shown, wrong
from tidelog.errors import fail
from tidelog.files.columns import ARROW_TYPES, Loaded, MixedColumn, TypedColumn
from tidelog.files.fitting import Fitted, fit_columns
from tidelog.files.formats import Format, format_of
from tidelog.files.matching import Matched, by_name, check_mapping, declared_kinds, default_values, mapped, match_columns
from tidelog.files.raw import USUAL_SIZES, RawTable, Sizes
from tidelog.files.rejects import default_misfit, raise_rejects
from tidelog.files.rejects import shown as said
from tidelog.files.several import has_known_ending, paths_of, read_several
from tidelog.files.tables import read_object, read_table_file
from tidelog.files.text.delimited import Header, read_delimited
from tidelog.files.text.dialect import USUAL_DIALECT, Dialect, dialect_of
from tidelog.files.text.json_lines import read_json_lines
from tidelog.files.text.text_types import is_blank, parse
from tidelog.program.relations import Relation
from tidelog.values import Kind, is_text


class Options(TypedDict, total=False):
    """How a source is to be read."""

    format: str | None
    header: Header
    defaults: Mapping[str | int, object] | None
    columns: Mapping[str | int, str] | None
    delimiter: str | None
    encoding: str | None
    null: str | Iterable[str] | None


def read(
    source: object,
    name: str,
    relation: Relation | None = None,
    *,
    sizes: Sizes = USUAL_SIZES,
    **options: Unpack[Options],
) -> Loaded:
    """The facts of the relation `name` from a source, or one `TidelogError` and nothing.

    `source` is a path (CSV, TSV, `.facts`, JSON Lines, each also with `.gz`; Parquet; Arrow), a folder or a pattern of such
    files, an Arrow table, record batch or reader, a data frame of pandas or polars, or anything else that has
    `__arrow_c_stream__`.  `relation` is the program's definition of it, if there is one.

    - `columns` maps names of the source, or positions counted from 0, to names of the relation.
    - `delimiter`, `encoding` and `null` say how text files are written; cells with a text of `null` have no value.

    - Columns are found by name if the relation is declared and the source names them all, otherwise by position.
    - A declared column has its type: integers in a float column become floats, and any other value that does not fit makes its
      row a reject.  Columns without a declaration keep their type if the source has types; texts (CSV, TSV, `.facts`)
      take the first of int, float, bool, date and timestamp that fits all cells, else string.  `007`, `+49` and integers of more
      than 64 bits keep their column a string.
    - A null, or an empty cell of a column that is no string, makes its row a reject, unless `defaults` has a value for the
      column, by its name or by its position counted from 0.  In text files, a default also takes the place of empty strings.
    - A file that is larger than `sizes` allow, or has a longer line, is refused.
    - One reject is enough: nothing is loaded, and the error shows the first few with place, column, value and reason.
    """
    header, defaults, columns = options.get("header", "auto"), options.get("defaults"), options.get("columns")
    if not isinstance(header, bool) and (not isinstance(header, str) or header != "auto"):
        raise fail("TL074", f"there is no header={shown(header)}", fix="choose one of True, False, 'auto'")
    if defaults is not None and not isinstance(defaults, Mapping):
        raise wrong("a value of defaults", defaults, 'give values by column: `{"celsius": 0.0}`')
    check_mapping(columns)
    dialect = dialect_of(options.get("delimiter"), options.get("encoding"), options.get("null"))
    if columns and header == "auto" and any(isinstance(given, str) and not _NUMBERED.fullmatch(given) for given in columns):
        header = True  # the file has the names
    expected = None if columns else relation
    table = read_raw(source, name, expected, options.get("format"), header, sizes, dialect)
    if not table.columns and table.rows == 0:
        return _nothing(table, name, relation)
    table, _ = mapped(table, by_name(columns, table), name, relation)
    matched = match_columns(table, name, relation)
    fitted = fit_columns(table, matched)
    for at, default in default_values(defaults, matched, name, table.names).items():
        filled = fitted[at].with_default(default)
        if filled is None:
            raise default_misfit(name, matched.labels[at], fitted[at].kind)
        fitted[at] = filled
    raise_rejects(table, name, matched, fitted)
    described = description_of(table, name, matched, fitted)
    return Loaded(name, tuple(column.column() for column in fitted), table.rows, described, _good_names(table, matched, relation))


_NUMBERED = re.compile("c[0-9]+")


def _good_names(table: RawTable, matched: Matched, relation: Relation | None) -> tuple[str, ...] | None:
    """The names of a relation's columns in the source, where nothing declares them; numbers are none."""
    if table.names is None or (relation is not None and relation.columns is not None):
        return None
    names = tuple(table.names[position].strip() for position in matched.positions)
    are_good = len(set(names)) == len(names) and all(name and not name.isdecimal() for name in names)
    return names if are_good and all(map(is_text, names)) else None


def read_raw(
    source: object,
    name: str,
    relation: Relation | None,
    given: str | None,
    header: Header,
    sizes: Sizes = USUAL_SIZES,
    dialect: Dialect = USUAL_DIALECT,
) -> RawTable:
    """The columns of a source before they have the types of a relation."""
    if not isinstance(source, str | PathLike):
        _refuse_for(dialect, f"a {type(source).__name__}", ("delimiter", "encoding", "nulls"))
        return read_object(source)
    path = path_of(source)
    if given is not None:
        format_of(path, given)
    elif dialect.delimiter is not None and not has_known_ending(path.name) and not os.path.isdir(path):  # noqa: PTH112  # never raises
        given = Format.CSV

    def read_one(one: Path, is_headed: bool | None) -> RawTable:
        return _read_file(one, name, relation, given, header if is_headed is None else is_headed, sizes, dialect)

    if (paths := paths_of(path, given)) is not None:
        return read_several(path, paths, read_one, sizes)
    return read_one(path, None)


def _read_file(
    path: Path, name: str, relation: Relation | None, given: str | None, header: Header, sizes: Sizes, dialect: Dialect
) -> RawTable:
    file_format = format_of(path, given)
    match file_format.format:
        case Format.CSV | Format.TSV | Format.FACTS:
            return read_delimited(path, file_format, name, relation, header, sizes, dialect)
        case Format.JSON_LINES:
            _refuse_for(dialect, f"{path}, which is {file_format}", ("delimiter", "nulls"))
            return read_json_lines(path, file_format, name, sizes, dialect)
    _refuse_for(dialect, f"{path}, which is {file_format}", ("delimiter", "encoding", "nulls"))
    return read_table_file(path, file_format, sizes)


def _refuse_for(dialect: Dialect, source: str, options: Sequence[str]) -> None:
    """Refuse what makes sense for a file of texts only."""
    given = ["null" if option == "nulls" else option for option in options if getattr(dialect, option)]
    if given:
        raise fail("TL074", f"{given[0]}= says nothing of {source}", fix=f"leave {given[0]}= out: it is for CSV, TSV and .facts")


def _nothing(table: RawTable, name: str, relation: Relation | None) -> Loaded:
    """The empty result of an empty source, with the columns of the relation."""
    if relation is None:
        message = f"{table.source} is empty, and nothing else says how many columns `{name}` has"
        raise fail("TL081", message, fix=f"declare the relation: `@relation {name}(…) .`")
    columns = tuple(_empty_column(kind) for kind in declared_kinds(relation, relation.arity))
    return Loaded(name, columns, 0, f"{name}: no rows from {table.source} ({table.described})")


def _empty_column(kind: Kind | None) -> TypedColumn | MixedColumn:
    if kind is Kind.LITERAL:
        return MixedColumn([])
    return TypedColumn(kind or Kind.STRING, pa.array([], ARROW_TYPES[kind or Kind.STRING]))


def description_of(table: RawTable, name: str, matched: Matched, columns: list[Fitted]) -> str:
    """One sentence on what was read and which types were chosen."""
    kinds = [str(kind or column.kind or "mixed") for kind, column in zip(matched.kinds, columns, strict=True)]
    declared = [kind is not None for kind in matched.kinds]
    if all(declared):
        types = ", ".join(kinds) + ", declared"
    elif any(declared):
        types = ", ".join(
            kind if is_declared else f"{kind} (inferred)" for kind, is_declared in zip(kinds, declared, strict=True)
        )
    else:
        types = ", ".join(kinds) + ", inferred"
    rows = "1 row" if table.rows == 1 else f"{table.rows:,} rows"
    by_name = ", by name" if matched.by_name else ""
    texts = [text for at, column in enumerate(columns) if not declared[at] and (text := _only_text(table, matched, column, at))]
    left_out = f"; left out: {', '.join(matched.left_out)}" if matched.left_out else ""
    return f"{name}: {rows} from {table.source} ({table.described}{by_name}; columns: {types}{''.join(texts)}{left_out})"


_LOOKED_AT = 1000
"""So many cells tell whether a column of texts would be one of numbers but for a few."""


def _only_text(table: RawTable, matched: Matched, column: Fitted, at: int) -> str | None:
    """Which cell keeps a column from being one of numbers, where most of its first cells are numbers."""
    cells = table.columns[matched.positions[at]]
    if not table.is_text or column.kind is not Kind.STRING or isinstance(cells, list):
        return None
    first = cells.slice(0, _LOOKED_AT)
    others = pc.and_(pc.is_null(parse(Kind.FLOAT, first)), pc.invert(is_blank(first)))
    count = pc.sum(others).as_py() or 0
    if not 0 < 2 * count < len(first):
        return None
    return f"; {matched.labels[at]} is string for {said(first.filter(others)[0].as_py())}"
