"""Cards one below the other."""

from __future__ import annotations

from xml.etree import ElementTree

from tidelog.explain.shown.cards import svg_of_cards

SVG = "{http://www.w3.org/2000/svg}"


def test_cards_are_well_formed_and_lines_are_cut() -> None:
    root = ElementTree.fromstring(
        svg_of_cards("a < b", [("root", [("title", "<x>")]), ("", [("note", "y" * 300), ("true", "z")])])
    )
    assert [rect.get("class") for rect in root.iter(f"{SVG}rect")] == ["box root", "box "]
    texts = list(root.iter(f"{SVG}text"))
    assert [text.get("class") for text in texts] == ["title", "note", "true"]
    assert texts[0].text == "<x>"
    assert "".join(texts[1].itertext()).endswith("…")
    assert "y" * 300 in "".join(texts[1].itertext())
