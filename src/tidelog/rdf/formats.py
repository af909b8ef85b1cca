"""The formats of RDF files, and how the name of a file determines its format."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from os import PathLike
from typing import Any

from tidelog.arguments import path_of, wrong
from tidelog.errors import did_you_mean, fail
from tidelog.rdf.terms import oxigraph


class RdfFormat(StrEnum):
    """A format of RDF; its value is what `format=` takes."""

    N_TRIPLES = "nt"
    N_QUADS = "nq"
    TURTLE = "ttl"
    TRIG = "trig"
    RDF_XML = "rdf"
    JSON_LD = "jsonld"

    @property
    def of_oxigraph(self) -> Any:
        """Pyoxigraph's name for it."""
        return getattr(oxigraph().RdfFormat, self.name)

    @property
    def has_graphs(self) -> bool:
        """Whether its triples may be in named graphs."""
        return self in (RdfFormat.N_QUADS, RdfFormat.TRIG, RdfFormat.JSON_LD)


class Packing(StrEnum):
    """How a file is compressed."""

    NONE = ""
    GZIP = "gz"
    ZSTD = "zst"


@dataclass(frozen=True, slots=True)
class RdfFile:
    """The format of one file."""

    format: RdfFormat | None
    """None: RDF/XML or Turtle; the first bytes tell."""
    packing: Packing = Packing.NONE

    def __str__(self) -> str:
        name = self.format.value if self.format is not None else "rdf"
        return f"{name}.{self.packing}" if self.packing else name


RDF_NAMES: dict[str, RdfFormat | None] = {
    **{known.value: known for known in RdfFormat},
    "ntriples": RdfFormat.N_TRIPLES,
    "nquads": RdfFormat.N_QUADS,
    "turtle": RdfFormat.TURTLE,
    "xml": RdfFormat.RDF_XML,
    "json-ld": RdfFormat.JSON_LD,
    "owl": None,
}
"""What `format=` and the endings of files may be."""


def rdf_file_of(path: str | PathLike[str], given: str | None = None) -> RdfFile | None:
    """The format of a file of RDF, from `given` or the ending of its name; None if the ending is not one of RDF."""
    name = path_of(path).name.lower()
    parts = name.rsplit(".", 2)
    packing = Packing(parts[-1]) if len(parts) > 1 and parts[-1] in (Packing.GZIP, Packing.ZSTD) else Packing.NONE
    if given is not None:
        return RdfFile(format_named(given), packing)
    ending = parts[-2] if packing and len(parts) == 3 else parts[-1] if len(parts) > 1 and not packing else ""
    return RdfFile(RDF_NAMES[ending], packing) if ending in RDF_NAMES else None


def format_named(given: object) -> RdfFormat | None:
    """The format that `format=` names."""
    fix = f"the formats are {', '.join(RdfFormat)}, each also with .gz and .zst"
    if not isinstance(given, str):
        raise wrong("a format of RDF", given, fix)
    name = given.lower().removeprefix(".").removesuffix(".gz").removesuffix(".zst")
    if name not in RDF_NAMES:
        raise fail("TL082", f"there is no format of RDF named `{given}`", fix=did_you_mean(name, RDF_NAMES) or fix)
    return RDF_NAMES[name]


def sniffed(data: bytes) -> RdfFormat:
    """Whether the text of an ontology is RDF/XML or Turtle."""
    start = data[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    is_xml = start.startswith((b"<?xml", b"<!", b"<rdf:", b"<RDF")) or (start.startswith(b"<") and b"xmlns" in start)
    return RdfFormat.RDF_XML if is_xml else RdfFormat.TURTLE
