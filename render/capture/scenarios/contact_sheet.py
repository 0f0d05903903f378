"""Many pictures on one sheet, each with its name: what a person looks at before accepting, or after failing."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

from render.gpu.png import write_png
from render.gpu.target import Pixels

TILE_PX: Final = (320, 180)
LABEL_PX: Final = 14
GAP_PX: Final = 4
COLUMNS: Final = 5
PAPER: Final = (24, 24, 28)
INK: Final = (235, 235, 235)


def write_contact_sheet(path: Path, pictures: Sequence[tuple[str, Pixels]]) -> None:
    """Writes the sheet as a PNG, row by row in the order given.

    Args:
        path: of the file.
        pictures: name and pixels each; at least one.

    Raises:
        OSError: the place cannot be written.
    """
    columns = min(COLUMNS, len(pictures))
    rows = -(-len(pictures) // columns)
    step = TILE_PX[0] + GAP_PX, TILE_PX[1] + LABEL_PX + GAP_PX
    sheet = Image.new("RGB", (columns * step[0] + GAP_PX, rows * step[1] + GAP_PX), PAPER)
    draw = ImageDraw.Draw(sheet)
    for number, (name, pixels) in enumerate(pictures):
        row, column = divmod(number, columns)
        x, y = GAP_PX + column * step[0], GAP_PX + row * step[1]
        small = Image.fromarray(np.ascontiguousarray(pixels[..., :3]))
        small.thumbnail(TILE_PX, Image.Resampling.LANCZOS)
        sheet.paste(small, (x, y + LABEL_PX))
        draw.text((x, y), name[: TILE_PX[0] // 6], fill=INK)
    opaque = np.dstack([np.asarray(sheet), np.full(sheet.size[::-1], 255, np.uint8)])
    write_png(path, opaque, {"Software": "chunkscope"})
