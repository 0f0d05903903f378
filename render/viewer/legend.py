"""The legend of overlays with boxes: what each outline and hatch means, and how many sub-chunks or sides have it.

``legend_rows``, ``seam_rows`` and ``swatch`` are plain data, tested without a window; ``LegendPainter`` draws them.
Swatches repeat ``shaders/boxes.frag`` for one flat side of a box, 16 units wide, at the size they are shown in.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.world.lifecycle import Knowledge
from render.passes.state_styles import FAILED, HANGING_STATE, SEAM_STYLES, STYLES, WAITING_STATE, Hatch, Line, Style
from render.scene.overlays import SEAMS_OVERLAY, STATES_OVERLAY
from render.scene.seams import Seams

SWATCH_PX: Final = 22
BLOCKS: Final = 16.0
"""A box's side in the shader's units."""
BACKGROUND: Final = (34, 38, 44)
TITLE: Final = "sub-chunks by state"
HATCH_NAMES: Final = {
    Hatch.NONE: "",
    Hatch.DIAGONAL: "diagonal lines",
    Hatch.FALLING: "falling lines",
    Hatch.CROSS: "crossed lines",
    Hatch.DOTS: "dots",
    Hatch.LEVEL: "level lines",
    Hatch.GRID: "grid",
    Hatch.X: "big X",
}
LINE_NAMES: Final = {
    Line.NONE: "no outline",
    Line.THIN: "outline",
    Line.HEAVY: "heavy outline",
    Line.DOTTED: "dotted outline",
    Line.CORNERS: "corners",
}

EVERY_STYLE: Final = (*STYLES.values(), FAILED, *SEAM_STYLES.values())

Swatch = npt.NDArray[np.uint8]
"""[SWATCH_PX, SWATCH_PX, 4] RGBA, row 0 at the top."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the legend.

    Attributes:
        state: which state; None for what is none: meshes that failed, and seams of light.
        style: how it is painted.
        count: sub-chunks of announced columns in it; of what failed, render cells; of seams, sides.
    """

    state: Knowledge | None
    style: Style
    count: int

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.style.label}: {self.count} ({shape_of(self.style)})"


def legend_rows(counts: Mapping[str, int], failed: int = 0) -> list[Row]:
    """A row for every state with a box, in the overlay's order, and one for what failed.

    Args:
        counts: by the state's name, as sessions give them.
        failed: render cells whose mesh failed.
    """
    rows = [Row(state, style, counts.get(state.name.lower(), 0)) for state, style in STYLES.items()]
    return [*rows, Row(None, FAILED, failed)]


def seam_rows(seams: Seams) -> list[Row]:
    """A row for sides on which light hangs, and one for those that wait for a light step."""
    return [Row(None, SEAM_STYLES[HANGING_STATE], seams.hangs), Row(None, SEAM_STYLES[WAITING_STATE], seams.waits)]


def rows_of(
    overlays: Collection[str], counts: Mapping[str, int], failed: Callable[[], int], seams: Callable[[], Seams]
) -> list[Row]:
    """The rows of those overlays that have boxes.

    Args:
        overlays: names of those that are on.
        counts: as for ``legend_rows``.
        failed: likewise; it and ``seams`` are asked only where they are shown, since counting takes time.
        seams: of the scene.
    """
    rows = legend_rows(counts, failed()) if STATES_OVERLAY in overlays else []
    return rows + seam_rows(seams()) if SEAMS_OVERLAY in overlays else rows


def legend_title(pins: int, stale_columns: int) -> str:
    """What stands above the rows, with look-outs and columns that the server does not keep up to date, if there are.

    The overlay rings these columns' boxes, whatever their state.
    """
    more = [f"{pins} pinned"] if pins else []
    more += [f"{stale_columns} columns stale (a ring)"] if stale_columns else []
    return " · ".join([TITLE, *more])


def shape_of(style: Style) -> str:
    """Outline and hatch in words."""
    hatch = HATCH_NAMES[style.hatch]
    return f"{hatch}, {LINE_NAMES[style.line]}" if hatch else LINE_NAMES[style.line]


def swatch(style: Style) -> Swatch:
    """A small picture of a box's side."""
    centre = (np.arange(SWATCH_PX) + 0.5) * (BLOCKS / SWATCH_PX)
    x, y = np.meshgrid(centre, centre[::-1])
    cover = np.maximum(_outline(style.line, x, y), _hatching(style.hatch, x, y) * style.strength)[..., None]
    paint = np.array(BACKGROUND) * (1.0 - cover) + np.array(style.colour) * 255.0 * cover
    picture = np.full((SWATCH_PX, SWATCH_PX, 4), 255, np.uint8)
    picture[..., :3] = np.rint(paint)
    return picture


Plane = npt.NDArray[np.float64]


def _lines(value: Plane, period: float) -> Plane:
    return (np.abs((value / period + 0.5) % 1.0 - 0.5) * period < BLOCKS / SWATCH_PX * 0.75).astype(float)


def _hatching(hatch: Hatch, x: Plane, y: Plane) -> Plane:
    rising, falling = _lines(x + y, 4.0), _lines(x - y, 4.0)
    across, along = _lines(y, 4.0), _lines(x, 4.0)
    near = BLOCKS / SWATCH_PX
    diagonals = (np.minimum(np.abs(x - y), np.abs(x + y - BLOCKS)) < 1.5 * near).astype(float)
    return {
        Hatch.NONE: np.zeros_like(x),
        Hatch.DIAGONAL: rising,
        Hatch.FALLING: falling,
        Hatch.CROSS: np.maximum(rising, falling),
        Hatch.DOTS: across * along,
        Hatch.LEVEL: _lines(y, 2.0 * near + 1.0),
        Hatch.GRID: np.maximum(across, along),
        Hatch.X: diagonals,
    }[hatch]


def _outline(line: Line, x: Plane, y: Plane) -> Plane:
    from_side_x, from_side_y = np.minimum(x, BLOCKS - x), np.minimum(y, BLOCKS - y)
    pixel = BLOCKS / SWATCH_PX
    border = np.minimum(from_side_x, from_side_y) < pixel * (2.0 if line is Line.HEAVY else 1.0)
    match line:
        case Line.NONE:
            border[:] = False
        case Line.DOTTED:
            border &= (x + y) / 2.0 % 1.0 >= 0.5
        case Line.CORNERS:
            border &= np.maximum(from_side_x, from_side_y) < 4.0
        case Line.THIN | Line.HEAVY:
            pass
    return border.astype(float)


class LegendPainter:
    """Draws the legend in the lower left corner of a pyglet window."""

    def __init__(self, scale: float = 1.0) -> None:
        """Makes swatches and labels; needs the window's context to be current."""
        import pyglet

        self._margin, self._line = round(8 * scale), round((SWATCH_PX + 6) * scale)
        self._panel = pyglet.shapes.Rectangle(0, 0, 1, 1, color=(0, 0, 0, 170))
        fonts = ("DejaVu Sans", "Verdana", "Helvetica")
        self._labels = [
            pyglet.text.Label("", font_name=fonts, font_size=round(10 * scale), anchor_y="center")
            for _ in range(len(EVERY_STYLE) + 1)
        ]
        self._swatches = {}
        for style in EVERY_STYLE:
            rows = swatch(style)[::-1].tobytes()  # pyglet counts rows from the bottom
            sprite = pyglet.sprite.Sprite(pyglet.image.ImageData(SWATCH_PX, SWATCH_PX, "RGBA", rows))
            sprite.scale = scale
            self._swatches[style] = sprite

    def draw(self, rows: list[Row], title: str = TITLE) -> None:
        """Draws a title and rows, the first one on top; the window's framebuffer must be bound."""
        margin, line = self._margin, self._line
        texts: list[Any] = [title, *(row.text for row in rows)]
        labels = self._labels[: len(texts)]
        for label, text in zip(labels, texts, strict=True):
            if label.text != text:
                label.text = text
        self._panel.position = (margin, margin)
        self._panel.width = 4 * margin + line + max(label.content_width for label in labels)
        self._panel.height = 2 * margin + line * len(texts)
        self._panel.draw()
        for index, label in enumerate(labels):
            bottom = 2 * margin + line * (len(texts) - 1 - index)
            label.position = (2 * margin + (line if index else 0), bottom + line // 2, 0)
            label.draw()
            if index:
                sprite = self._swatches[rows[index - 1].style]
                sprite.position = (2 * margin, bottom + 3, 0)
                sprite.draw()
