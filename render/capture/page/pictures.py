"""The pictures of a case: what was accepted, what was taken, a slider between both, and where they differ."""

from typing import Final

import numpy as np

from render.capture.false_colour import picture_of_channel
from render.capture.page.case import Case
from render.capture.page.heat import Heat, heat_map
from render.capture.page.markup import element, picture_uri, text
from render.capture.truth import Take
from render.capture.truth.tiles import Rgb

MIDDLE: Final = 50
"""Where a slider stands at first, in hundredths of the width."""


def pictures(case: Case) -> str:
    """All pictures of a case; one alone where both are equal or there is only one."""
    expected, actual = _shown(case.expected), _shown(case.actual)
    if expected is not None and actual is not None:
        if expected.shape != actual.shape:
            return element("div", _still(expected, "expected") + _still(actual, "actual"), class_="pair")
        if not np.array_equal(expected, actual):
            return _compared(expected, actual)
    for picture, label in (
        (actual, "expected and actual" if expected is not None else "actual"),
        (expected, "expected"),
    ):
        if picture is not None:
            return element("div", _still(picture, label), class_="one")
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


def _compared(expected: Rgb, actual: Rgb) -> str:
    size_px = expected.shape[1], expected.shape[0]
    uris = picture_uri(expected), picture_uri(actual)
    heat = Heat.of(expected, actual)
    over = element("div", _image(uris[1], "actual", size_px) + heat_map(heat, size_px), class_="dimmed")
    small = (
        _figure(_image(uris[0], "expected", size_px), "expected"),
        _figure(_image(uris[1], "actual", size_px), "actual"),
        _figure(over, f"tiles that differ ({heat.measure})"),
    )
    return element("div", _slider(uris, size_px) + element("div", "".join(small), class_="small"), class_="compared")


def _slider(uris: tuple[str, str], size_px: tuple[int, int]) -> str:
    """Expected on the left of the line, actual on its right; a range input takes mouse, touch and keys."""
    parts = (
        _image(uris[1], "actual", size_px),
        element("div", _image(uris[0], "expected", size_px), class_="left"),
        element("span", "expected", class_="tag tag-left"),
        element("span", "actual", class_="tag tag-right"),
        element("span", class_="line"),
        element("input", type="range", min=0, max=100, step=1, value=MIDDLE, aria_label="expected against actual"),
    )
    stage = element("div", "".join(parts), class_="slider")
    return _figure(stage, "expected | actual: drag the line, or use the arrow keys")


def _still(picture: Rgb, label: str) -> str:
    height, width = picture.shape[:2]
    return _figure(_image(picture_uri(picture), label, (width, height)), f"{label}, {width} x {height}")


def _image(uri: str, label: str, size_px: tuple[int, int]) -> str:
    return element("img", src=uri, alt=label, width=size_px[0], height=size_px[1], draggable="false")


def _figure(content: str, caption: str) -> str:
    return element("figure", content + element("figcaption", text(caption)))
