"""Facts as results: tuples of Python objects, tables of Arrow, pandas and polars, files, and tables in notebooks.

A result is a snapshot: later updates do not change it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from tidelog.arguments import wrong
from tidelog.display.html import table
from tidelog.errors import TidelogError, fail
from tidelog.values import from_python, sort_key

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from tidelog.local.closure.virtual_relation import VirtualRelation
    from tidelog.local.storage.dictionary import Dictionary
    from tidelog.local.storage.versions import TableVersion
    from tidelog.program.relations import Relation
    from tidelog.values import Kind

    Columns = tuple[NDArray[np.int32], ...]

_ROWS_AT_FIRST, _ROWS_AT_ONCE = 1 << 6, 1 << 16
_ROWS_SHOWN = 20


class Result:
    """What a knowledge base has given out: nothing changes it, so a copy is the same object; other processes get another form."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _memo: object) -> Self:
        return self

    def __reduce__(self) -> str:
        fix = "send what is in it: `facts.to_arrow()` or `list(facts)`; of a change, `change.to_dict()`"
        raise fail("TL074", "facts of a knowledge base cannot be pickled", fix=fix)


_NO_TERMS: Any = None
"""The dictionary of facts of which there are none."""


class Facts(Result):
    """The facts of one relation, or the answers to a query."""

    def __init__(
        self,
        name: str,
        columns: Sequence[str],
        held: NDArray[np.int32] | TableVersion | VirtualRelation,
        terms: Dictionary,
        kinds: Sequence[Kind | None] = (),
        noun: str = "fact",
        *,
        find: Callable[[NDArray[np.int32]], bool | None] | None = None,
    ) -> None:
        """`held` is a matrix of ids, the version of a table, or a closure whose pairs are computed when they are read.

        `find` says whether a row is among them, or None where only `held` can tell.
        """
        self.name, self._noun = name, noun
        self.columns = tuple(columns)
        self._held, self._terms, self._find = held, terms, find
        self._kinds = tuple(kinds) or (None,) * len(self.columns)

    def __len__(self) -> int:
        return len(self._held)

    def __bool__(self) -> bool:
        return any(True for _ in self._pieces()) if self.columns else len(self) > 0  # to count a closure may take long

    def _pieces(self) -> Iterator[Columns]:
        """The ids, column by column, some rows at a time: few at first, for often nobody wants more."""
        import numpy as np

        if not isinstance(self._held, np.ndarray):
            yield from self._held.chunks(_ROWS_AT_ONCE, first=min(_ROWS_AT_FIRST, _ROWS_AT_ONCE))
            return
        begin, count = 0, min(_ROWS_AT_FIRST, _ROWS_AT_ONCE)
        while begin < len(self._held):
            yield tuple(self._held[begin : begin + count].T)
            begin, count = begin + count, min(_ROWS_AT_ONCE, 4 * count)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if not self.columns:
            yield from [()] * len(self)
            return
        for piece in self._pieces():
            yield from zip(*(self._terms.objects_of(ids).tolist() for ids in piece), strict=True)

    def __contains__(self, fact: object) -> bool:
        """Whether a tuple is among the facts; values compare by kind and content, so 1 is not 1.0."""
        import numpy as np

        if not isinstance(fact, tuple) or len(fact) != len(self.columns) or self._terms is _NO_TERMS:
            return False
        try:
            values = [from_python(value) for value in fact]
        except TidelogError:
            return False  # it cannot be in any fact
        ids = self._terms.find(values)
        if ids is None:
            return False
        row = ids.reshape(1, -1)
        if isinstance(self._held, np.ndarray):
            return bool((self._held == row).all(axis=1).any())
        found = self._find(row) if self._find is not None else None
        return bool(self._held.contains(row)[0]) if found is None else found

    @staticmethod
    def none_of(relation: Relation) -> Facts:
        """No facts of a relation."""
        from tidelog.values import Kind

        kinds = [column.type if isinstance(column.type, Kind) else None for column in relation.columns or ()]
        return Facts.none(relation.name, relation.column_names, kinds)

    @staticmethod
    def none(name: str, columns: Sequence[str], kinds: Sequence[Kind | None] = ()) -> Facts:
        """No facts, of these columns."""
        import numpy as np

        return Facts(name, columns, np.empty((0, len(columns)), np.int32), _NO_TERMS, kinds)

    @property
    def is_answer(self) -> bool:
        """Whether these are answers to a query, and not the facts of a relation."""
        return self._noun != "fact"

    def rows_of(self, terms: Dictionary) -> NDArray[np.int32] | None:
        """The facts as rows of ids of a dictionary, which may be another one than theirs; None if they have no ids here."""
        import numpy as np

        if self._terms is _NO_TERMS:
            return np.empty((0, len(self.columns)), np.int32)
        if not self.columns:
            return np.empty((len(self), 0), np.int32)
        pieces = [np.column_stack(piece) for piece in self._pieces()]
        rows = np.concatenate(pieces) if pieces else np.empty((0, len(self.columns)), np.int32)
        if self._terms is terms or not len(rows):
            return rows
        known, places = np.unique(rows, return_inverse=True)
        ids: NDArray[np.int32] = terms.encode_keys(self._terms.decode_keys(known))[places.reshape(rows.shape)]
        return ids

    # --- into other forms ------------------------------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """An Arrow table.  A column of several kinds becomes a column of texts; without columns, `holds` is true."""
        return self._table()

    def _table(self, *, compactly: bool = False) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        if not self.columns:
            return pa.table({"holds": [True] * len(self)}, pa.schema([("holds", pa.bool_())]))
        if isinstance(self._held, np.ndarray):
            columns: Columns = tuple(np.ascontiguousarray(self._held[:, at]) for at in range(len(self.columns)))
        else:
            pieces = list(self._held.chunks())
            joined = (np.concatenate(side) for side in zip(*pieces, strict=True))
            columns = tuple(joined) if pieces else (np.empty(0, np.int32),) * len(self.columns)
        arrays: list[pa.Array] = []
        for ids, kind in zip(columns, self._kinds, strict=True):
            if not len(ids):
                arrays.append(pa.array([], _empty_type(kind)))
            else:
                arrays.append(self._terms.decode_compactly(ids) if compactly else self._terms.decode_column(ids))
        return pa.Table.from_arrays(arrays, names=list(self.columns))

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """Arrow's interface between libraries: whatever takes a table by it takes these facts, without another copy."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """A pandas DataFrame."""
        require("pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """A polars DataFrame."""
        return require("polars").from_arrow(self.to_arrow())

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:  # noqa: A002
        """Write the facts to a file: CSV, TSV, JSON Lines (each also .gz), Parquet or Arrow, by its ending."""
        from tidelog.files.writing import write

        write(self._table(compactly=True), path, format)

    # --- for people ------------------------------------------------------------------------------------------------------

    def head(self, count: int = _ROWS_SHOWN) -> list[tuple[Any, ...]]:
        """The first few facts."""
        if not isinstance(count, int):
            raise wrong("a number of facts", count, "give an integer: `facts.head(5)`")
        found = iter(self)
        return [fact for _, fact in zip(range(count), found, strict=False)]

    def __getitem__(self, part: slice) -> list[tuple[Any, ...]]:
        """Some facts, from the first one on: `facts[:3]`; as many are read as that takes."""
        if not isinstance(part, slice):
            raise wrong("a part of a result", part, "give a slice, as in `facts[:3]`; `fact in facts` looks for one fact")
        try:
            return list(islice(self, part.start, part.stop, part.step))
        except ValueError:
            fix = "count from the first fact, as in `facts[:3]`: facts are read one after the other"
            raise wrong("a part of a result", part, fix) from None

    def __repr__(self) -> str:
        rows = [tuple(map(str, fact)) for fact in self.head()]
        return "\n".join([self._title(), *aligned((self.columns, *rows)), *self._more()])

    def _repr_html_(self) -> str:
        return table(self._title(), self.columns, self.head(), self._more())

    def _title(self) -> str:
        return f"{self.name}: {len(self):,} {self._noun}{'' if len(self) == 1 else 's'}"

    def _more(self) -> list[str]:
        more = len(self) - _ROWS_SHOWN
        return [f"... and {more:,} more"] if more > 0 else []


class AllFacts:
    """The facts of all relations: tuples with the name of the relation first."""

    def __init__(self, relations: Sequence[Facts]) -> None:
        self.relations = tuple(relations)

    def __len__(self) -> int:
        return sum(map(len, self.relations))

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        for facts in self.relations:
            for fact in facts:
                yield (facts.name, *fact)

    def __contains__(self, fact: object) -> bool:
        if not isinstance(fact, tuple) or not fact:
            return False
        return any(facts.name == fact[0] and fact[1:] in facts for facts in self.relations)

    def __repr__(self) -> str:
        return "\n".join(f"{facts.name}: {len(facts):,}" for facts in self.relations)

    def _repr_html_(self) -> str:
        rows = [(facts.name, f"{len(facts):,}") for facts in self.relations]
        return table("all facts", ("relation", "facts"), rows)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of cells as lines, one column below the other."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def rows_in_json(facts: Facts) -> list[list[object]]:
    """Facts as in update streams, sorted."""
    from tidelog.files.text.json_values import to_json

    rows = sorted((tuple(map(from_python, fact)) for fact in facts), key=lambda row: tuple(map(sort_key, row)))
    return [[to_json(value.content) for value in row] for row in rows]


def _empty_type(kind: Kind | None) -> pa.DataType:
    import pyarrow as pa

    from tidelog.files.columns import ARROW_TYPES

    return ARROW_TYPES.get(kind, pa.large_string()) if kind is not None else pa.large_string()


def require(module: str) -> Any:
    """An optional library, or an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise fail("TL084", f"{module} is not installed", fix=f"pip install {module}") from error
