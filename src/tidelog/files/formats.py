"""The file formats, how the name of a file determines its format, and which files of a folder are those of a relation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from pathlib import Path
from urllib.parse import quote

from tidelog.arguments import path_of, wrong
from tidelog.errors import did_you_mean, fail
from tidelog.files.raw import unreadable
from tidelog.files.roots import check_below


class Format(StrEnum):
    """A file format; its value is what `format=` takes."""

    CSV = "csv"
    TSV = "tsv"
    FACTS = "facts"
    JSON_LINES = "jsonl"
    PARQUET = "parquet"
    ARROW = "arrow"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The format of one file, and whether gzip is around it."""

    format: Format
    is_compressed: bool = False

    def __str__(self) -> str:
        return f"{self.format}.gz" if self.is_compressed else self.format.value


_FORMATS: dict[str, Format] = {
    **{known.value: known for known in Format},
    "ndjson": Format.JSON_LINES,
    "feather": Format.ARROW,
}
_BINARY = (Format.PARQUET, Format.ARROW)

ENDINGS: dict[str, FileFormat] = {f".{name}": FileFormat(known) for name, known in _FORMATS.items()} | {
    f".{name}.gz": FileFormat(known, True) for name, known in _FORMATS.items() if known not in _BINARY
}
"""Every known file name ending: `.csv`, `.csv.gz`, …"""


def format_of(path: str | PathLike[str], given: str | None = None) -> FileFormat:
    """The format of a file, from `given` (`csv`, `csv.gz`, …) or else from the ending of its name.

    If `given` does not mention compression, the file is compressed if its name ends with `.gz`.
    """
    name = path_of(path).name.lower()
    if given is not None and not isinstance(given, str):
        raise wrong("a file format", given, _ALL_FORMATS)
    if given is not None:
        chosen = ENDINGS.get("." + given.lower().removeprefix("."))
        if chosen is None:
            raise fail("TL082", f"there is no file format `{given}`", fix=did_you_mean(given, Format) or _ALL_FORMATS)
        return ENDINGS.get(f".{chosen.format}.gz", chosen) if name.endswith(".gz") else chosen
    for length in (2, 1):
        ending = "".join(Path(name).suffixes[-length:])
        if ending in ENDINGS:
            return ENDINGS[ending]
    if name.endswith((".parquet.gz", ".arrow.gz", ".feather.gz")):
        raise fail("TL082", f"{path} is compressed twice", fix="these files hold compressed columns already; remove the gzip")
    problem = f"the ending {Path(name).suffix} is not known" if Path(name).suffix else "its name has no ending"
    raise fail("TL082", f"the format of {path} cannot be told: {problem}", fix=_ALL_FORMATS)


_ALL_FORMATS = "the known endings are " + ", ".join(f".{name}" for name in _FORMATS) + "; or say `format=`"


def find_files(
    folder: str | PathLike[str], relation_name: str, inputs: Sequence[str] = (), root: str | PathLike[str] | None = None
) -> list[Path]:
    """The files with the facts of a relation: those that `@input` names, or else `NAME.csv`, `NAME.parquet`, … in the folder.

    A file that an `@input` names must exist; without an `@input`, there may be none.  With `root`, all are below that folder.
    """
    folder = path_of(folder)
    if root is not None:
        for given in inputs:
            check_below(path_of(root), folder / given, f"the @input of `{relation_name}`")
    try:
        entries = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from error
    if not inputs:
        # `run --out` percent-encodes the name of a relation that is an IRI.
        wanted = {name + ending for name in (relation_name, quote(relation_name, safe="")) for ending in ENDINGS}
        found = [folder / entry for entry in entries if entry in wanted and (folder / entry).is_file()]
        for path in found if root is not None else ():
            check_below(root or "", path, f"the file of `{relation_name}`")
        return found
    paths = [folder / given for given in dict.fromkeys(inputs)]
    for given, path in zip(dict.fromkeys(inputs), paths, strict=True):
        if not path.is_file():
            fix = did_you_mean(given, entries) or f"put the file there, or change the @input of `{relation_name}`"
            raise fail("TL060", f"cannot read {path}: there is no such file, and `{relation_name}` has it as its @input", fix=fix)
    return paths
