"""Contact sheets of every model block by state, drawn by the real scene: what shapes look like, to be looked at.

    python -m tests.support.model_sheet FOLDER [PROTOCOL] [NAME-PATTERN]

Blocks stand on a stone floor in rows, states that look alike once, seen from the south-east and above; the caption of a
sheet names the first block of each row.
"""

import fnmatch
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from client.light.light_map import LightMap
from client.player import Eye, View
from client.world.block_table import BlockTable
from net.palette import Palette
from render.camera import Camera
from render.gpu import Gpu
from render.gpu.targets import Target
from render.jobs.workers import SyncRunner
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from tests.support.painted_store import PaintedStore

ACROSS, DEEP = 16, 9
SIZE_PX = (1600, 1000)
FLOOR = 20


def main(folder: Path, protocol: int = 486, pattern: str = "*") -> list[Path]:
    """Writes sheets of all model states of a release whose names fit; their paths."""
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


if __name__ == "__main__":
    arguments = sys.argv[1:]
    for written in main(Path(arguments[0]), *map(int, arguments[1:2]), *arguments[2:3]):
        sys.stdout.write(f"{written}\n")
