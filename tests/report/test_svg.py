"""Pictures drawn: SVG that is complete in itself, pages, and files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.rule_sets import RS2

from tidelog import Source, TidelogError
from tidelog.program.program import Program, check
from tidelog.report.graph import difference, picture
from tidelog.report.svg import GraphPicture

SVG = "{http://www.w3.org/2000/svg}"


def program(text: str) -> Program:
    return check(Source(text))


def elements(drawn: GraphPicture, name: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawn.svg).iter(SVG + name))


def test_drawn() -> None:
    svg = GraphPicture(picture(program(RS2))).svg
    root = ElementTree.fromstring(svg)
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert any("r3: p11(X, Z) :- p11(X, Y), p11(Y, Z), X != Z." in text for text in texts)
    page = GraphPicture(picture(program("p(X) :- q(X), X < 3."))).html
    assert "X &lt; 3" in page
    assert "X < 3" not in page


def test_boxes_and_arrows_have_the_classes_of_what_they_are() -> None:
    drawn = GraphPicture(picture(program("r(X, Z) :- r(X, Y), r(Y, Z). s(X) :- n(X), not r(X, X).")))
    assert sorted(box.get("class", "") for box in elements(drawn, "rect")) == ["box", "box", "box module"]
    arrows = [path.get("class") for path in elements(drawn, "path") if "arrow" in path.get("class", "")]
    assert sorted(map(str, arrows)) == ["arrow", "arrow negative"]
    assert "blue: a module" in drawn.svg


def test_a_difference_is_drawn_in_its_colours() -> None:
    drawn = GraphPicture(difference(program("p(X) :- q(X). s(X) :- p(X)."), program("p(X) :- r(X). s(X) :- p(X).")))
    classes = [text.get("class") for text in elements(drawn, "text")]
    assert (classes.count("comes"), classes.count("goes")) == (1, 1)
    assert {box.get("class") for box in elements(drawn, "rect")} >= {"box created", "box dropped", "box touched"}
    assert "green: rules added or removed" in drawn.svg


def test_a_long_rule_is_cut_and_shown_in_full_when_one_points_at_it() -> None:
    body = ", ".join(f"relation_{at}(X)" for at in range(9))
    (text,) = [
        text
        for text in elements(GraphPicture(picture(program(f"p(X) :- {body}."))), "text")
        if text.find(SVG + "title") is not None
    ]
    tip = text.find(SVG + "title")
    assert tip is not None
    assert tip.text == f"p(X) :- {body}."
    assert (tip.tail or "").endswith("…")
    assert len(tip.tail or "") == 64


def test_a_picture_shows_itself() -> None:
    drawn = GraphPicture(picture(program("p(X) :- q(X).")))
    assert drawn._repr_svg_() == drawn.svg
    assert repr(drawn) == "<GraphPicture of <text>: 2 boxes, 1 arrows>"


@pytest.mark.parametrize("name", ["a.svg", "a.SVG", "a.html"])
def test_saved(tmp_path: Path, name: str) -> None:
    drawn = GraphPicture(picture(program("p(X) :- q(X).")))
    drawn.save(str(tmp_path / name))
    assert (tmp_path / name).read_text(encoding="utf-8") == (drawn.html if name.endswith("html") else drawn.svg)


def test_other_forms_are_refused(tmp_path: Path) -> None:
    drawn = GraphPicture(picture(program("p(X) :- q(X).")))
    with pytest.raises(TidelogError, match=r"(?s)TL082.*\.svg, \.png or \.html"):
        drawn.save(tmp_path / "a.gif")
    with pytest.raises(TidelogError, match="TL060"):
        drawn.save(tmp_path / "missing" / "a.svg")


def test_a_wide_picture_goes_downward() -> None:
    chain = "".join(f"relation_number_{at + 1}(X, Y) :- relation_number_{at}(X, Y), edge(Y, X).\n" for at in range(30))
    root = ElementTree.fromstring(GraphPicture(picture(program(chain))).svg)
    assert float(root.attrib["width"]) < 1800 < float(root.attrib["height"])
    short = ElementTree.fromstring(GraphPicture(picture(program("p(X) :- q(X)."))).svg)
    assert float(short.attrib["width"]) > float(short.attrib["height"])
