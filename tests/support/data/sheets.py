"""Contact sheets for visual inspection: the tiles of all blocks of a palette, and all model blocks by state.

    python -m tests.support.data.sheets palette FOLDER [--aliases FILE] [--protocol N]

writes the tiles; ``--aliases`` writes a list of the names that share the same tiles.

    python -m tests.support.data.sheets models FOLDER [PROTOCOL] [NAME-PATTERN]

draws model blocks with the real scene. They stand on a stone floor in rows, seen from the south-east and above; states
that look alike are drawn once. The caption of a sheet names the blocks of each row.
"""

import argparse
import fnmatch
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from client.light.light_map import LightMap
from client.player import Eye, View
from client.world.block_table import BlockTable
from net.palette import Palette
from render.camera import Camera
from render.gpu import Gpu
from render.gpu.targets import Target
from render.jobs.workers import SyncRunner
from render.materials.biome_tints import TINT_MASK, tint_colours
from render.materials.materials import Materials
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from tests.support.worlds.painted import PaintedStore

# ---------------------------------------------------------------- palette sheet

TILE_PX = 32
GAP_PX = 14
COLUMNS, ROWS = 14, 18
PAPER = (40, 42, 48)
SHOWN_FACES = (5, 3, 4)
"""Top, south (the front of devices), bottom."""
PLAINS = 1

Tiles = tuple[bytes, bytes, bytes]


def first_states(table: BlockTable, states: int) -> dict[str, int]:
    """The dense id of each block's first state, by name, sorted by name."""
    found: dict[str, int] = {}
    for dense, block in enumerate(table.states[:states]):
        found.setdefault(block.name.removeprefix("minecraft:"), dense)
    return dict(sorted(found.items()))


def tiles_of(materials: Materials, dense: int) -> Tiles:
    """Texels and kind of tint of the top, the side and the bottom."""
    top, side, bottom = (
        materials.textures[materials.tiles[dense, face]].tobytes() + materials.tints[dense, face].tobytes()
        for face in SHOWN_FACES
    )
    return top, side, bottom


def aliases(materials: Materials, table: BlockTable) -> list[list[str]]:
    """Groups of two or more names whose first states have the same tiles, each with the shortest name first."""
    groups: dict[Tiles, list[str]] = {}
    for name, dense in first_states(table, len(materials)).items():
        groups.setdefault(tiles_of(materials, dense), []).append(name)
    return sorted(sorted(names, key=lambda name: (len(name), name)) for names in groups.values() if len(names) > 1)


def alias_text(groups: Sequence[Sequence[str]]) -> str:
    """The list of aliases in the format of its file."""
    return "".join(f"{first} = {' '.join(others)}\n" for first, *others in groups)


def picture(materials: Materials, dense: int, face: int) -> npt.NDArray[np.uint8]:
    """uint8[16, 16, 4]: a face with the tint of the plains."""
    texels = materials.textures[materials.tiles[dense, face]].astype(np.float64)
    kind, masked = materials.tints[dense, face], bool(materials.flags[dense, face] & TINT_MASK)
    if kind:
        share = texels[..., 3:] / 255 if masked else np.ones((16, 16, 1))
        texels[..., :3] *= 1 + (tint_colours()[PLAINS, kind - 1] / 255 - 1) * share
    if masked:
        texels[..., 3] = 255
    return np.rint(texels).astype(np.uint8)


def sheets(materials: Materials, table: BlockTable) -> list[Image.Image]:
    """Pages of block names, each with its three tiles."""
    names = list(first_states(table, len(materials)).items())
    pages = []
    width, height = 3 * (TILE_PX + 2) + GAP_PX, TILE_PX + 20
    for begin in range(0, len(names), COLUMNS * ROWS):
        page = Image.new("RGB", (COLUMNS * width, ROWS * height), PAPER)
        draw = ImageDraw.Draw(page)
        for place, (name, dense) in enumerate(names[begin : begin + COLUMNS * ROWS]):
            row, column = divmod(place, COLUMNS)
            draw.text((column * width + 4, row * height + 1), name[:19], fill=(235, 235, 235))
            for number, face in enumerate(SHOWN_FACES):
                tile = Image.fromarray(picture(materials, dense, face)).resize((TILE_PX, TILE_PX), 0)
                page.paste(tile, (column * width + 4 + number * (TILE_PX + 2), row * height + 14), tile)
        pages.append(page)
    return pages


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, nargs="?")
    arguments.add_argument("--aliases", type=Path)
    arguments.add_argument("--protocol", type=int, default=486)
    chosen = arguments.parse_args()
    table = BlockTable.build(Palette.for_protocol(chosen.protocol))
    materials = Materials.build(table)
    if chosen.aliases:
        chosen.aliases.write_text(alias_text(aliases(materials, table)), "utf-8")
    if chosen.folder:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        for number, page in enumerate(sheets(materials, table)):
            page.save(chosen.folder / f"blocks-{chosen.protocol}-{number}.png")


# ---------------------------------------------------------------- model sheet

ACROSS, DEEP = 16, 9
SIZE_PX = (1600, 1000)
FLOOR = 20


def draw_models(folder: Path, protocol: int = 486, pattern: str = "*") -> list[Path]:
    """Writes sheets of all model states whose names match the pattern; returns their paths."""
    table = BlockTable.build(Palette.for_protocol(protocol))
    looks = BlockAppearance(table)
    rows, chosen = set(), []
    for dense in range(table.first.model, table.first.cutout):
        name = table.states[dense].name.removeprefix("minecraft:")
        start, end = looks.tables.model_rows[dense].tolist()
        if start < end and start not in rows and fnmatch.fnmatch(name, pattern):
            rows.add(start)
            chosen.append(dense)
    chosen.sort(key=lambda dense: (table.states[dense].name, dense))
    folder.mkdir(parents=True, exist_ok=True)
    gpu = Gpu.standalone()
    scene = Scene(gpu, looks, SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=8))
    stone = next(k for k, state in enumerate(table.states) if state.name == "minecraft:stone")
    paths = []
    for page, first in enumerate(range(0, len(chosen), ACROSS * DEEP)):
        shown = chosen[first : first + ACROSS * DEEP]
        path = folder / f"models-{protocol}-{page:02}.png"
        _drawn(gpu, scene, table, stone, shown).save(path)
        paths.append(path)
    scene.release()
    return paths


def _drawn(gpu: Gpu, scene: Scene, table: BlockTable, stone: int, shown: list[int]) -> Image.Image:
    blocks = np.zeros((64, 64, 64), np.uint16)
    blocks[:, :, FLOOR - 1] = stone
    for k, dense in enumerate(shown):
        blocks[16 + 2 * (k % ACROSS), 19 + 2 * (k // ACROSS), FLOOR] = dense
    store = PaintedStore(table=table)
    store.load(blocks)
    scene.attach(store, LightMap(store, 512))
    view = View(Eye(31.5, FLOOR + 26.0, 51.0), 180.0, 47.0, 33.0)
    assert scene.settle((view.eye.x, view.eye.y, view.eye.z))
    target = Target(gpu, SIZE_PX)
    scene.draw(Camera.of(view, SIZE_PX[0] / SIZE_PX[1]), target, FrameSettings(time_ticks=6000))
    picture = Image.fromarray(np.ascontiguousarray(target.pixels()[..., :3]))
    target.release()
    pen = ImageDraw.Draw(picture)
    for line, start in enumerate(range(0, len(shown), ACROSS)):
        names = [table.states[dense].name.removeprefix("minecraft:") for dense in shown[start : start + ACROSS]]
        pen.text((4, 4 + 11 * line), f"{line + 1}: {', '.join(dict.fromkeys(names))}", fill=(255, 255, 255))
    return picture


def start_models() -> None:
    """Writes the model sheets that the command line asks for."""
    arguments = sys.argv[1:]
    for written in draw_models(Path(arguments[0]), *map(int, arguments[1:2]), *arguments[2:3]):
        sys.stdout.write(f"{written}\n")


if __name__ == "__main__":
    {"palette": main, "models": start_models}[sys.argv.pop(1)]()
