"""JSON Lines inside Spark's tasks: a first pass tells the names and kinds of all columns, a second gives the rows as keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.errors import TidelogError
from tidelog.files.columns import ARROW_TYPES
from tidelog.files.fitting import fit_cells
from tidelog.files.raw import Cells, RawTable
from tidelog.files.text.json_lines import BLOCK, by_arrow, problem_of
from tidelog.files.text.json_values import LossyJSONError, decode
from tidelog.spark.ingest.fitting import Plan, fit_rows, rejects_only
from tidelog.spark.ingest.text.lines import Lines
from tidelog.text_limits import TOO_DEEP
from tidelog.values import Kind

LOOK_SCHEMA = "names array<string>, kinds array<string>, inexact array<boolean>, rows long"
_EXACT_IN_FLOAT = 2**53
_STRANGE = "strange"


@dataclass(slots=True)
class JsonLook:
    """The names of the columns in the order of their first appearance, and the kinds of their cells."""

    kinds: dict[str, set[Kind]] = field(default_factory=dict)
    inexact: set[str] = field(default_factory=set)
    """Columns with an integer that no float holds exactly."""
    rows: int = 0
    strange: set[str] = field(default_factory=set)
    """Columns of lists and the like, for which the language has no type."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(self.kinds)

    def kind(self, name: str) -> tuple[Kind | None, bool]:
        """The kind of a column, None if each cell keeps its own; and whether there are several."""
        kinds = self.kinds[name]
        if kinds == {Kind.INT, Kind.FLOAT} and name not in self.inexact:
            return Kind.FLOAT, False
        if len(kinds) > 1:
            return None, True
        return (next(iter(kinds)) if kinds else None), False


def look_at(parts: Iterator[Lines]) -> Iterator[pa.RecordBatch]:
    """What a task sees, in one row."""
    look = JsonLook()
    for lines in parts:
        columns, rows, _ = _columns(_filled(lines.without([at for at, _ in lines.rejected])))
        look.rows += rows
        for name, cells in columns.items():
            _note(look, name, cells)
    yield pa.RecordBatch.from_pydict(
        {
            "names": pa.array([list(look.kinds)], pa.list_(pa.string())),
            "kinds": pa.array(
                [[_STRANGE if name in look.strange else ",".join(sorted(kinds)) for name, kinds in look.kinds.items()]],
                pa.list_(pa.string()),
            ),
            "inexact": pa.array([[name in look.inexact for name in look.kinds]], pa.list_(pa.bool_())),
            "rows": pa.array([look.rows], pa.int64()),
        }
    )


def look_of(table: pa.Table) -> JsonLook:
    """What all tasks have seen."""
    look = JsonLook()
    for row in table.to_pylist():
        look.rows += row["rows"]
        for name, kinds, inexact in zip(row["names"], row["kinds"], row["inexact"], strict=True):
            known = look.kinds.setdefault(name, set())
            if kinds == _STRANGE:
                look.strange.add(name)
            else:
                known.update(Kind(kind) for kind in kinds.split(",") if kind)
            look.inexact.update([name] if inexact else [])
    return look


def rows_of(parts: Iterator[Lines], names: Sequence[str], plan: Plan, files: dict[int, str]) -> Iterator[pa.RecordBatch]:
    """The rows as keys; `names` are those of all columns of the source."""
    arity = len(plan.kinds)
    mixed = {names[plan.matched.positions[at]] for at in plan.mixed}
    for lines in parts:
        if lines.rejected:
            yield rejects_only(arity, [lines.record(files, at, None, reason) for at, reason in lines.rejected])
        good = _filled(lines.without([at for at, _ in lines.rejected]))
        columns, rows, rejected = _columns(good, mixed)
        if rejected:
            yield rejects_only(arity, [good.record(files, at, None, reason) for at, reason in rejected])
            good = good.without([at for at, _ in rejected])
        nothing: Cells = [None] * rows
        table = RawTable("", "", tuple(names), tuple(columns.get(name, nothing) for name in names), rows, lambda _: [])
        yield fit_rows(table, plan, partial(good.record, files))


def _columns(lines: Lines, as_objects: set[str] | None = None) -> tuple[dict[str, Cells], int, list[tuple[int, str]]]:
    """The columns of some lines, how many rows they have, and the lines that are no objects.

    Columns in `as_objects` are Python's objects, so that each cell keeps its own kind.
    """
    if len(lines.texts) == 0:
        return {}, 0, []
    data = "\n".join(lines.texts.to_pylist()).encode()
    table = by_arrow(data, BLOCK)
    if table is not None and not (as_objects and as_objects.intersection(table.column_names)):
        return dict(zip(table.column_names, table.columns, strict=True)), table.num_rows, []
    objects, rows, rejected = _objects(lines)
    if table is not None:
        found = dict(zip(table.column_names, table.columns, strict=True))
        return {name: objects[name] if name in (as_objects or ()) else cells for name, cells in found.items()}, rows, []
    return objects, rows, rejected


def _filled(lines: Lines) -> Lines:
    """Without lines of nothing but blanks."""
    blank = pc.match_substring_regex(lines.texts, r"^\s*$")
    return lines.at(pc.invert(blank).to_numpy(zero_copy_only=False)) if pc.any(blank).as_py() else lines


def _objects(lines: Lines) -> tuple[dict[str, Cells], int, list[tuple[int, str]]]:
    """The columns as Python's objects."""
    columns: dict[str, list[object]] = {}
    rejected: list[tuple[int, str]] = []
    rows = 0
    for at, line in enumerate(lines.texts.to_pylist()):
        try:
            row = decode(line)
            problem = problem_of(row, line.encode())
        except LossyJSONError as error:
            problem = str(error)
        except (ValueError, RecursionError) as error:
            problem = f"not JSON: {error}" if isinstance(error, ValueError) else TOO_DEEP
        if problem is not None:
            rejected.append((at, problem))
            continue
        for key, cell in row.items():
            column = columns.setdefault(key, [])
            column.extend([None] * (rows - len(column)))
            column.append(cell)
        rows += 1
    for column in columns.values():
        column.extend([None] * (rows - len(column)))
    return dict(columns), rows, rejected


def _note(look: JsonLook, name: str, cells: Cells) -> None:
    """Note the kinds of some cells of a column."""
    kinds = look.kinds.setdefault(name, set())
    try:
        fitted = fit_cells(cells, None, "", name)
    except TidelogError:
        look.strange.add(name)
        return
    if isinstance(fitted.values, list):
        kinds.update(value.kind for value in fitted.values if value is not None)
        numbers = [v.content for v in fitted.values if v is not None and v.kind is Kind.INT]
        if any(isinstance(number, int) and abs(number) > _EXACT_IN_FLOAT for number in numbers):
            look.inexact.add(name)
        return
    if fitted.kind is None or fitted.values.null_count == len(fitted.values):
        return
    kinds.add(fitted.kind)
    if fitted.values.type == ARROW_TYPES[Kind.INT]:
        bounds = pc.min_max(fitted.values).as_py()
        if max(abs(bounds["min"]), abs(bounds["max"])) > _EXACT_IN_FLOAT:
            look.inexact.add(name)
