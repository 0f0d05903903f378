"""The pictures of a case: what was accepted, what was taken, a slider between both, and where they differ."""

from typing import Final

import numpy as np

from render.capture.false_colour import picture_of_channel
from render.capture.page.case import Case
from render.capture.page.gallery import Gallery
from render.capture.page.heat import Heat, heat_map
from render.capture.page.markup import element, text
from render.capture.truth import Take
from render.capture.truth.tiles import Rgb

MIDDLE: Final = 50
"""Where a slider stands at first, in hundredths of the width."""


def pictures(case: Case, gallery: Gallery) -> str:
    """All pictures of a case; one alone where both are equal or there is only one."""
    expected, actual = _shown(case.expected), _shown(case.actual)
    if expected is not None and actual is not None:
        if expected.shape != actual.shape:
            pair = _still(gallery, expected, "expected") + _still(gallery, actual, "actual")
            return element("div", pair, class_="pair")
        if not np.array_equal(expected, actual):
            return _compared(gallery, expected, actual)
    label = "actual" if expected is None else "expected and actual"
    for picture, name in ((actual, label), (expected, "expected")):
        if picture is not None:
            return element("div", _still(gallery, picture, name), class_="one")
    return element("p", "There is no picture.", class_="nothing")


def _shown(take: Take | None) -> Rgb | None:
    """Colour; where that was not accepted or not asked for, blocks in false colours."""
    if take is None:
        return None
    if take.shot.colour is not None:
        return np.asarray(take.shot.colour[..., :3])
    if take.shot.block is not None and take.shot.palette is not None:
        return np.asarray(picture_of_channel(take.shot, "block")[..., :3])
    return None


def _compared(gallery: Gallery, expected: Rgb, actual: Rgb) -> str:
    size_px = expected.shape[1], expected.shape[0]
    heat = Heat.of(expected, actual)
    tiles = gallery.show(actual, "tiles that differ", heat_map(heat, size_px))
    small = (
        _figure(gallery.show(expected, "expected"), "expected"),
        _figure(gallery.show(actual, "actual"), "actual"),
        _figure(element("div", tiles, class_="dimmed"), f"tiles that differ ({heat.measure})"),
    )
    slider = _slider(gallery.show(expected, "expected"), gallery.show(actual, "actual"))
    return element("div", slider + element("div", "".join(small), class_="small"), class_="compared")


def _slider(expected: str, actual: str) -> str:
    """Expected on the left of the line, actual on its right; a range input takes mouse, touch and keys."""
    parts = (
        actual,
        element("div", expected, class_="left"),
        element("span", "expected", class_="tag tag-left"),
        element("span", "actual", class_="tag tag-right"),
        element("span", class_="line"),
        element("input", type="range", min=0, max=100, step=1, value=MIDDLE, aria_label="expected against actual"),
    )
    caption = "expected | actual: drag the line, or use the arrow keys"
    return _figure(element("div", "".join(parts), class_="slider"), caption)


def _still(gallery: Gallery, picture: Rgb, label: str) -> str:
    height, width = picture.shape[:2]
    return _figure(gallery.show(picture, label), f"{label}, {width} x {height}")


def _figure(content: str, caption: str) -> str:
    return element("figure", content + element("figcaption", text(caption)))
