"""The legend of overlays inside a picture: swatches and words in its upper left corner."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from render.gpu.targets import Pixels
from render.overlays.marks import LegendRow
from render.overlays.registry import OverlayLegend
from render.panels.swatch import swatch

FONT_SHARE: Final = 1 / 48
"""Of the picture's height."""
LEAST_FONT_PX: Final = 11
MOST_FONT_PX: Final = 28
MOST_SHARE: Final = 0.4
"""Of the picture's height that a legend takes at most; rows that find no room are counted."""
GROUND: Final = (5, 8, 10, 224)
TITLE: Final = (140, 199, 255, 255)
TEXT: Final = (235, 238, 242, 255)


def with_legend(colour: Pixels, sections: Sequence[OverlayLegend]) -> Pixels:
    """The picture with a legend of what occurs in it; as it is where there is nothing to say, or no room."""
    rows = _rows(sections)
    height, width = colour.shape[:2]
    font_px = min(max(round(height * FONT_SHARE), LEAST_FONT_PX), MOST_FONT_PX)
    font, line_px, edge_px = ImageFont.load_default(font_px), round(1.4 * font_px), round(0.6 * font_px)
    most_rows = int(MOST_SHARE * height) // line_px
    if len(rows) > most_rows:
        rows = [*rows[: most_rows - 1], (f"and {len(rows) - most_rows + 1} more", None)]
    if not rows or most_rows < 2:
        return colour
    indent_px = line_px
    wide = max(font.getlength(text) + (indent_px if row else 0) for text, row in rows)
    size = min(round(wide) + 2 * edge_px, width), len(rows) * line_px + edge_px
    picture = Image.fromarray(colour, "RGBA")
    ground = Image.new("RGBA", size, GROUND)
    pen = ImageDraw.Draw(ground)
    for index, (text, row) in enumerate(rows):
        top = edge_px // 2 + index * line_px
        if row is not None:
            ground.paste(Image.fromarray(swatch(row.style, font_px), "RGBA"), (edge_px, top + (line_px - font_px) // 2))
        at = edge_px + (indent_px if row else 0), top + line_px // 2
        pen.text(at, text, TEXT if row else TITLE, font, anchor="lm")
    picture.alpha_composite(ground)
    return np.asarray(picture).copy()


def _rows(sections: Sequence[OverlayLegend]) -> list[tuple[str, LegendRow | None]]:
    rows: list[tuple[str, LegendRow | None]] = []
    for section in sections:
        if section.rows:
            rows += [(section.title, None), *((_words(row), row) for row in section.rows)]
    return rows


def _words(row: LegendRow) -> str:
    """A row without the words for its pattern, which the swatch shows."""
    return row.style.label if row.count is None else f"{row.style.label}: {row.count}"
