"""Shots as files: false-colour pictures (.png), or the arrays with what reads them (.npz).

An .npz holds each channel under its name, ``view`` float64[6] (eye x, y, z, yaw, pitch, field of view in degrees), and
for block ids ``names``, ``states`` (JSON) and ``runtime_ids`` by row, for states ``state_names``. No pickles.

    depth            near is light, far is dark, in steps that double; the sky is black
    block, mirror    a colour for each state, made from its name and values: the same in every picture
    face             six colours by direction, white for models
    light            red, green and blue lamps as they are, daylight as grey
    state            the colours of the overlay ``states``
    cell             the block's position as three colours that repeat every 16 blocks
    entity           a colour for each number; black where none is
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.report.dump import write_npz
from client.world.lifecycle import SubChunkState
from net.arrays import F32, I32, U8, U16, U32
from render.capture.channels import (
    COLOUR,
    NO_BLOCK,
    NO_CELL,
    NO_ENTITY,
    NO_FACE,
    Shot,
    ShotPalette,
    checked,
    view_numbers,
)
from render.gpu.textures import write_png
from render.passes.overlay.boxes import STYLES
from render.passes.overlay.surface_channels import FAR_BLOCKS, block_colour

# ---------------------------------------------------------------- legend of a map

LEGEND_FONT_PX: Final = 13
LEGEND_LINE_PX: Final = 20
LEGEND_EDGE_PX: Final = 6
LEGEND_GROUND: Final = (5, 8, 10, 255)
LEGEND_TEXT: Final = (235, 238, 242, 255)


def with_legend_below(picture: "Picture", rows: Sequence[tuple[tuple[int, int, int], str]]) -> "Picture":
    """The picture with a legend below it: no pixel of a map is covered. ``rows``: colours, and what each means."""
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415 - 0.02 s, for pictures with a legend

    font = ImageFont.load_default(LEGEND_FONT_PX)
    height, width = picture.shape[:2]
    wide = round(max(font.getlength(text) for _, text in rows)) + LEGEND_LINE_PX + 2 * LEGEND_EDGE_PX
    whole = Image.new(
        "RGBA", (max(width, wide), height + len(rows) * LEGEND_LINE_PX + 2 * LEGEND_EDGE_PX), LEGEND_GROUND
    )
    whole.paste(Image.fromarray(picture, "RGBA"), (0, 0))
    pen = ImageDraw.Draw(whole)
    for index, (colour, text) in enumerate(rows):
        middle = height + LEGEND_EDGE_PX + index * LEGEND_LINE_PX + LEGEND_LINE_PX // 2
        half = LEGEND_FONT_PX // 2
        swatch = LEGEND_EDGE_PX, middle - half, LEGEND_EDGE_PX + 2 * half, middle + half
        pen.rectangle(swatch, (*colour, 255), LEGEND_TEXT)
        pen.text((LEGEND_EDGE_PX + LEGEND_LINE_PX, middle), text, LEGEND_TEXT, font, anchor="lm")
    return np.asarray(whole)


# ---------------------------------------------------------------- false colour

FACES: Final = ((86, 180, 233), (230, 159, 0), (0, 158, 115), (240, 228, 66), (110, 60, 30), (204, 121, 167))
WHITE: Final = (255, 255, 255)

Picture = U8
"""[height, width, 4] RGBA, row 0 at the top."""


def picture_of_channel(shot: Shot, name: str) -> Picture:
    """One channel of a shot as an opaque false-colour picture; ``colour`` is unchanged."""
    array: Any = shot.arrays[name]  # Any: each channel has its own dtype
    if name == "colour":
        return np.asarray(array, np.uint8)
    if name in ("block", "mirror"):
        assert shot.palette is not None, "a shot with block ids has their palette"
        rgb = _blocks(array, shot.palette)
    else:
        rgb = PAINTERS[name](array)
    opaque = np.full((*rgb.shape[:2], 1), 255, np.uint8)
    return np.concatenate([rgb, opaque], axis=2)


def _depth(depth: F32) -> U8:
    near = 1.0 - np.log2(np.clip(depth, 1.0, FAR_BLOCKS)) / np.log2(FAR_BLOCKS)
    grey = np.where(np.isfinite(depth), 25 + np.rint(230 * near), 0).astype(np.uint8)
    return np.repeat(grey[..., None], 3, axis=2)


def _blocks(block: U32, palette: ShotPalette) -> U8:
    rows, where = np.unique(block, return_inverse=True)
    colours = np.zeros((len(rows), 3), np.uint8)
    for index, row in enumerate(rows.tolist()):
        if row != NO_BLOCK:
            colours[index] = block_colour(palette.names[row], palette.states[row])
    return colours[where.reshape(block.shape)]


def _face(face: U8) -> U8:
    table = np.zeros((256, 3), np.uint8)
    table[: len(FACES)] = FACES
    table[len(FACES)] = WHITE
    table[NO_FACE] = 0
    return table[face]


def _light(light: U16) -> U8:
    levels = light[..., None] >> np.array([0, 4, 8, 12], np.uint16) & 15
    return (np.maximum(levels[..., :3], levels[..., 3:] * 0.7) * 17).astype(np.uint8)


def _state(state: U8) -> U8:
    table = np.zeros((256, 3), np.uint8)
    for known in SubChunkState:
        if known in STYLES:
            table[known] = np.rint(np.array(STYLES[known].colour) * 255)
    return table[state]


def _cell(cell: I32) -> U8:
    return np.where(cell == NO_CELL, 0, (cell & 15) * 16 + 8).astype(np.uint8)


def _entity(entity: U32) -> U8:
    mixed = (entity.astype(np.uint64) + 1) * 0x9E3779B1
    rgb = (mixed[..., None] >> np.array([8, 16, 24], np.uint64) & 127) + 96
    return np.where((entity == NO_ENTITY)[..., None], 0, rgb).astype(np.uint8)


PAINTERS: Final[dict[str, Callable[[Any], U8]]] = {
    "depth": _depth,
    "face": _face,
    "light": _light,
    "state": _state,
    "cell": _cell,
    "entity": _entity,
}


# ---------------------------------------------------------------- shot files

ARRAYS = ".npz"


def is_arrays(out: Path) -> bool:
    """Whether a shot goes there as arrays, not as a picture."""
    return out.suffix.lower() == ARRAYS


def paths_of(out: Path, channels: Sequence[str]) -> dict[str, Path]:
    """Where each channel goes: ``out`` for an .npz or one alone, else FILE.NAME.png. Raises ValueError: no channel."""
    names = checked(channels or (COLOUR,))
    if is_arrays(out) or len(names) == 1:
        return dict.fromkeys(names, out)
    return {name: out.with_name(f"{out.stem}.{name}{out.suffix or '.png'}") for name in names}


def write_shot(shot: Shot, out: Path, labels: Mapping[str, str]) -> tuple[Path, ...]:
    """Writes a shot's channels; gives the files.

    ``out``: as ``--out`` of ``chunkscope shot``. ``labels``: keyword to text, into each picture.

    Raises:
        OSError: a file cannot be written.
    """
    paths = paths_of(out, tuple(shot.arrays))
    if is_arrays(out):
        write_npz(out, arrays_of(shot))
        return (out,)
    for name, path in paths.items():
        write_png(path, picture_of_channel(shot, name), {**labels, "Channel": name})
    return tuple(paths.values())


def arrays_of(shot: Shot) -> dict[str, npt.NDArray[Any]]:
    view = shot.view
    arrays: dict[str, npt.NDArray[Any]] = dict(shot.arrays)
    arrays["view"] = view_numbers(view)
    if shot.palette is not None:
        arrays.update(names=shot.palette.names, states=shot.palette.states, runtime_ids=shot.palette.runtime_ids)
    if shot.state is not None:
        names = np.full(256, "", "<U12")
        for known in SubChunkState:
            names[known] = known.name.lower()
        arrays["state_names"] = names
    return arrays
