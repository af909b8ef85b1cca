"""Reads facts from a file, a table or a data frame: `read` is the entry."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

import pyarrow as pa

from tidelog.arguments import path_of, shown, wrong
from tidelog.errors import fail
from tidelog.files.columns import ARROW_TYPES, Loaded, MixedColumn, TypedColumn
from tidelog.files.fitting import Fitted, fit_columns
from tidelog.files.formats import Format, format_of
from tidelog.files.matching import Matched, declared_kinds, default_values, match_columns
from tidelog.files.raw import USUAL_SIZES, RawTable, Sizes
from tidelog.files.rejects import default_misfit, raise_rejects
from tidelog.files.tables import read_object, read_table_file
from tidelog.files.text.delimited import Header, read_delimited
from tidelog.files.text.json_lines import read_json_lines
from tidelog.program.relations import Relation
from tidelog.values import Kind


def read(
    source: object,
    name: str,
    relation: Relation | None = None,
    *,
    format: str | None = None,  # noqa: A002
    header: Header = "auto",
    defaults: Mapping[str | int, object] | None = None,
    sizes: Sizes = USUAL_SIZES,
) -> Loaded:
    """The facts of the relation `name` from a source, or one `TidelogError` and nothing.

    `source` is a path (CSV, TSV, `.facts`, JSON Lines, each also with `.gz`; Parquet; Arrow), an Arrow table, record batch or
    reader, a data frame of pandas or polars, or anything else that has `__arrow_c_stream__`.  `relation` is the program's
    definition of it, if there is one.

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
    if not isinstance(header, bool) and (not isinstance(header, str) or header != "auto"):
        raise fail("TL074", f"there is no header={shown(header)}", fix="choose one of True, False, 'auto'")
    if defaults is not None and not isinstance(defaults, Mapping):
        raise wrong("a value of defaults", defaults, 'give values by column: `{"celsius": 0.0}`')
    table = read_raw(source, name, relation, format, header, sizes)
    if not table.columns and table.rows == 0:
        return _nothing(table, name, relation)
    matched = match_columns(table, name, relation)
    columns = fit_columns(table, matched)
    for at, default in default_values(defaults, matched, name, table.names).items():
        filled = columns[at].with_default(default)
        if filled is None:
            raise default_misfit(name, matched.labels[at], columns[at].kind)
        columns[at] = filled
    raise_rejects(table, name, matched, columns)
    return Loaded(name, tuple(column.column() for column in columns), table.rows, description_of(table, name, matched, columns))


def read_raw(
    source: object, name: str, relation: Relation | None, given: str | None, header: Header, sizes: Sizes = USUAL_SIZES
) -> RawTable:
    """The columns of a source before they have the types of a relation."""
    if not isinstance(source, str | PathLike):
        return read_object(source)
    path = path_of(source)
    file_format = format_of(path, given)
    match file_format.format:
        case Format.CSV | Format.TSV | Format.FACTS:
            return read_delimited(path, file_format, name, relation, header, sizes)
        case Format.JSON_LINES:
            return read_json_lines(path, file_format, name, sizes)
    return read_table_file(path, file_format, sizes)


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
    left_out = f"; left out: {', '.join(matched.left_out)}" if matched.left_out else ""
    return f"{name}: {rows} from {table.source} ({table.described}{by_name}; columns: {types}{left_out})"
