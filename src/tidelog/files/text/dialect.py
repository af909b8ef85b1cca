"""How a text file is written, where its ending does not say: its delimiter, its encoding, and the texts that mean no value."""

from __future__ import annotations

import codecs
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from tidelog.arguments import iterable, shown, wrong
from tidelog.errors import fail


@dataclass(frozen=True, slots=True)
class Dialect:
    """What is given of it; the rest is as usual."""

    delimiter: str | None = None
    encoding: str | None = None
    nulls: tuple[str, ...] = ()

    def decoded(self, data: bytes, path: Path) -> bytes:
        """The bytes of a file as UTF-8."""
        if self.encoding is None:
            return data
        try:
            return data.decode(self.encoding).encode()
        except (UnicodeError, LookupError) as error:
            fix = "say which one it is with `encoding=`, or save the file as UTF-8"
            where = f": byte {error.start + 1} cannot be decoded" if isinstance(error, UnicodeDecodeError) else ""
            raise fail("TL061", f"{path} is not a text of the encoding {self.encoding}{where}", fix=fix) from error

    def without_nulls(self, cells: pa.ChunkedArray) -> pa.ChunkedArray:
        """Cells with null for the texts that mean no value."""
        if not self.nulls:
            return cells
        is_null = pc.is_in(cells, value_set=pa.array(self.nulls, cells.type))
        return pc.if_else(is_null, pa.scalar(None, cells.type), cells)


USUAL_DIALECT = Dialect()


def dialect_of(delimiter: object = None, encoding: object = None, null: object = None) -> Dialect:
    """What a user says of text files, checked."""
    if delimiter is not None and (not isinstance(delimiter, str) or not _can_delimit(delimiter)):
        fix = 'give one ASCII character that is no quote and no line break: `delimiter=";"`'
        raise fail("TL074", f"there is no delimiter={shown(delimiter)}", fix=fix)
    if encoding is not None:
        encoding = _known(encoding)
    return Dialect(delimiter, encoding, () if null is None else _texts(null))


def _can_delimit(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text not in '"\n\r\0'


def _known(encoding: object) -> str:
    fix = 'give the name of an encoding that Python knows: `encoding="latin-1"`'
    if not isinstance(encoding, str):
        raise wrong("an encoding", encoding, fix)
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError) as error:  # ValueError: a name with NUL
        raise fail("TL074", f"there is no encoding={shown(encoding)}", fix=fix) from error
    if not getattr(found, "_is_text_encoding", True):  # such as base64
        raise fail("TL074", f"encoding={shown(encoding)} is none of texts", fix=fix)
    return found.name


def _texts(null: object) -> tuple[str, ...]:
    fix = 'give a text, or a list of texts: `null=["NA", "-"]`'
    given: Iterable[object] = (null,) if isinstance(null, str) else iterable(null, "texts that mean no value", fix)  # type: ignore[arg-type]
    found = tuple(given)
    for text in found:
        if not isinstance(text, str):
            raise wrong("a text that means no value", text, fix)
    return found  # type: ignore[return-value]  # all of them are texts
