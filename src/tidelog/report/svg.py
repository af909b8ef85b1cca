"""A picture of a program as SVG or as a page that needs nothing from anywhere else, for light and dark screens."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from tidelog.errors import fail
from tidelog.report.graph import Box, Picture, Status
from tidelog.report.layers import Layout, Point, layout

_CHARACTER, _LINE, _MARGIN = 7.25, 17.0, 12.0
_LONGEST = 64
"""Characters of a rule that a box shows; all of it appears when one points at it."""
_EDGE = 24.0
_WIDEST = 1800.0
"""A wider picture goes downward."""

STYLE = """
svg.tidelog { --ink: #1c2330; --soft: #5b6576; --card: #ffffff; --line: #aeb7c4; --page: #f6f7f9;
  --module: #2f6fb3; --negative: #b8464f; --good: #1f7a55; --bad: #a3303a; --touched: #c4722a; }
@media (prefers-color-scheme: dark) { svg.tidelog { --ink: #e4e8ef; --soft: #98a3b5; --card: #1a2029; --line: #4a5564;
  --page: #12161d; --module: #6aa6e8; --negative: #e67d85; --good: #66d3a6; --bad: #f08f97; --touched: #e79a57; } }
svg.tidelog { background: var(--page); max-width: 100%; height: auto; }
svg.tidelog text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: var(--ink); }
svg.tidelog .title { font-weight: 700; } svg.tidelog .note { fill: var(--soft); font-style: italic; }
svg.tidelog .box { fill: var(--card); stroke: var(--line); stroke-width: 1.2; }
svg.tidelog .module { stroke: var(--module); stroke-width: 2.2; }
svg.tidelog .created, svg.tidelog .changed, svg.tidelog .merged, svg.tidelog .split { stroke: var(--good); stroke-width: 2.2; }
svg.tidelog .dropped { stroke: var(--bad); stroke-width: 2.2; stroke-dasharray: 6 4; }
svg.tidelog .touched { stroke: var(--touched); stroke-width: 2.2; }
svg.tidelog .comes { fill: var(--good); } svg.tidelog .goes { fill: var(--bad); text-decoration: line-through; }
svg.tidelog .arrow { fill: none; stroke: var(--soft); stroke-width: 1.3; }
svg.tidelog .negative { stroke: var(--negative); stroke-dasharray: 5 4; }
svg.tidelog marker path { fill: var(--soft); } svg.tidelog marker.no path { fill: var(--negative); }
"""


def write(target: Path, data: bytes) -> None:
    """Write what is shown to a file."""
    try:
        target.write_bytes(data)
    except OSError as error:
        raise fail("TL060", f"cannot write {target}: {error.strerror or error}", fix="choose another path") from error


class GraphPicture:
    """A picture that notebooks show by themselves; `save` writes it as `.svg`, `.png` or `.html`."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture

    @property
    def svg(self) -> str:
        """The picture as SVG, complete in itself."""
        sizes = [_size(box) for box in self._picture.boxes]
        placed = layout(sizes, [(source, target) for source, target, _ in self._picture.arrows], _WIDEST)
        width, height = placed.width + 2 * _EDGE, placed.height + 2 * _EDGE + _LINE
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="tidelog" role="img" width="{width:.0f}" height="{height:.0f}" '
            f'viewBox="0 0 {width:.0f} {height:.0f}"><title>{escape(self._picture.title)}</title><style>{STYLE}</style>'
            f"<defs>{_head('yes')}{_head('no')}</defs>"
            f'<g transform="translate({_EDGE:.0f} {_EDGE:.0f})">{"".join(self._drawn(placed, sizes))}</g>'
            f'<text x="{_EDGE:.0f}" y="{height - 10:.0f}" class="note">{escape(self._legend())}</text></svg>'
        )

    @property
    def png(self) -> bytes:
        """The picture as PNG; needs `pip install "tidelog[png]"`."""
        from tidelog.report.raster import png_of

        return png_of(self.svg)

    @property
    def html(self) -> str:
        """A page with the picture."""
        title = escape(self._picture.title)
        style = ":root { color-scheme: light dark; } body { margin: 16px; font: 15px/1.5 system-ui, sans-serif; }"
        return html_page(title, style, f"<h1>{title}</h1>\n{self.svg}")

    def save(self, path: str | Path) -> None:
        """Write the picture; the ending says which form it has."""
        target = Path(path)
        match target.suffix.lower():
            case ".svg":
                data = self.svg.encode()
            case ".html":
                data = self.html.encode()
            case ".png":
                data = self.png
            case _:
                fix = "let the name end with .svg, .png or .html"
                raise fail("TL082", f"a picture cannot be written as {target.name}", fix=fix)
        write(target, data)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<GraphPicture of {self._picture.title}: {len(self._picture.boxes)} boxes, {len(self._picture.arrows)} arrows>"

    def _legend(self) -> str:
        arrows = "dashed arrow: negated or aggregated"
        if self._picture.is_difference:
            return f"green: rules added or removed; orange: may receive a difference; red: dropped; {arrows}"
        return f"blue: a module, kept by an algorithm of its own; round: explicit facts; {arrows}"

    def _drawn(self, placed: Layout, sizes: list[Point]) -> Iterator[str]:
        for (_, _, is_negative), path in zip(self._picture.arrows, placed.paths, strict=True):
            name, head = ("arrow negative", "no") if is_negative else ("arrow", "yes")
            yield f'<path class="{name}" marker-end="url(#{head})" d="{_curve(path, is_downward=placed.is_downward)}"/>'
        for box, (x, y), (width, height) in zip(self._picture.boxes, placed.corners, sizes, strict=True):
            yield f'<g transform="translate({x:.1f} {y:.1f})">{"".join(_box(box, width, height))}</g>'


def html_page(title: str, style: str, body: str) -> str:
    """A page that needs nothing from anywhere else; the title is escaped already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _texts(box: Box) -> Iterator[tuple[str, str, str]]:
    """The lines of a box: how each looks, what it shows, and what it says in full."""
    yield "title", _cut(box.title), box.title
    for line in box.lines:
        yield {"+": "comes", "-": "goes"}.get(line.sign, ""), _cut(f"{line.sign} {line.text}".strip()), line.text
    if box.notes:
        yield "note", _cut(", ".join(box.notes)), ", ".join(box.notes)


def _size(box: Box) -> Point:
    texts = list(_texts(box))
    return 2 * _MARGIN + _CHARACTER * max(len(shown) for _, shown, _ in texts) + 8, 2 * _MARGIN + _LINE * len(texts)


def _box(box: Box, width: float, height: float) -> Iterator[str]:
    names = ["box", *(["module"] if box.is_module else []), *([box.status.value] if box.status is not Status.SAME else [])]
    round_by = height / 2 if box.is_relation else 6.0
    yield f'<rect class="{" ".join(names)}" width="{width:.1f}" height="{height:.1f}" rx="{round_by:.1f}"/>'
    for at, (name, shown, whole) in enumerate(_texts(box)):
        y = _MARGIN + _LINE * (at + 0.75)
        tip = f"<title>{escape(whole)}</title>" if shown != whole else ""
        yield f'<text x="{_MARGIN + 4:.0f}" y="{y:.1f}" class="{name}">{tip}{escape(shown)}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _head(name: str) -> str:
    """The head of an arrow."""
    return (
        f'<marker id="{name}" class="{name}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto-start-reverse"><path d="M0 0.5 L8 4 L0 7.5 z"/></marker>'
    )


def _curve(path: list[Point], *, is_downward: bool) -> str:
    """A line through points that leaves each of them in the direction of the picture."""
    (x, y), *rest = path
    parts = [f"M{x:.1f} {y:.1f}"]
    for to_x, to_y in rest:
        bend = max(20.0, (to_y - y if is_downward else to_x - x) / 2)
        by_x, by_y = (0.0, bend) if is_downward else (bend, 0.0)
        parts.append(f"C{x + by_x:.1f} {y + by_y:.1f} {to_x - by_x:.1f} {to_y - by_y:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return " ".join(parts)
