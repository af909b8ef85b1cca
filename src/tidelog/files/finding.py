"""Finds the files of a folder that hold the facts of a relation."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from urllib.parse import quote

from tidelog.errors import did_you_mean, fail
from tidelog.files.formats import ENDINGS
from tidelog.files.raw import unreadable


def find_files(folder: str | PathLike[str], relation_name: str, inputs: Sequence[str] = ()) -> list[Path]:
    """The files with the facts of a relation: those that `@input` names, or else `NAME.csv`, `NAME.parquet`, … in the folder.

    A file that an `@input` names must exist; without an `@input`, there may be none.
    """
    folder = Path(folder)
    try:
        entries = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from error
    if not inputs:
        # `run --out` percent-encodes the name of a relation that is an IRI.
        wanted = {name + ending for name in (relation_name, quote(relation_name, safe="")) for ending in ENDINGS}
        return [folder / entry for entry in entries if entry in wanted and (folder / entry).is_file()]
    paths = [folder / given for given in dict.fromkeys(inputs)]
    for given, path in zip(dict.fromkeys(inputs), paths, strict=True):
        if not path.is_file():
            fix = did_you_mean(given, entries) or f"put the file there, or change the @input of `{relation_name}`"
            raise fail("TL060", f"cannot read {path}: there is no such file, and `{relation_name}` has it as its @input", fix=fix)
    return paths
