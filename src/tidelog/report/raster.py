"""Pictures as PNG, for documents that take no SVG: drawn by resvg with the light colours and the fonts of the system."""

from __future__ import annotations

import re

from tidelog.errors import fail

_VARIABLE = re.compile(r"(--\w+): (#\w+);")
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{[^{}]*\{[^{}]*\} ?\}")
_USE = re.compile(r"var\((--\w+)\)")
_SHARP = 2.0
"""Pixels for each unit of the picture."""


def png_of(svg: str) -> bytes:
    """The picture of a `tidelog` SVG in pixels; resvg knows neither variables nor screens that are dark."""
    try:
        import resvg_py
    except ImportError as error:
        raise fail(
            "TL084", "resvg-py, which draws PNG, is not installed", fix='pip install "tidelog[png]", or write .svg'
        ) from error
    light = _DARK.sub("", svg)
    colours = dict(_VARIABLE.findall(light))
    plain = _USE.sub(lambda use: colours[use[1]], light).replace("svg.tidelog ", "")
    plain = plain.replace("ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", "monospace")
    return bytes(resvg_py.svg_to_bytes(svg_string=plain, zoom=_SHARP, background=colours["--page"]))
