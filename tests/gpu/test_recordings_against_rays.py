"""What foreign servers sent, water in second layers with it, shows as the oracle's rays meet it."""

import re

import numpy as np
import pytest

from client.connection.opening import open_connection
from client.light.light_map import LightMap
from client.options import Options
from client.player import Eye, View
from client.source import WorldFile
from net.space import BLOCKS_PER_SUBCHUNK, ColumnPos
from render.camera import Camera
from render.capture.channels import MODEL_FACE, SemanticSurfaces
from render.gpu import Gpu
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from tests.oracle.cast import Looks, stopped_by_surfaces
from tests.recordings import PATIENT_S, RADIUS, recording
from tests.support.worlds.semantic import SIZE_PX, compare

pytestmark = pytest.mark.gpu

WATERLOGGED = ("bedrock-protocol-486", "bedrock-protocol-2193", "gophertunnel-486", "dragonfly-2168", "serenity-975")
"""Of each server one: where another protocol of the same sends other blocks, two."""
VIEWS = 4
MODEL = str(MODEL_FACE)
TIE = re.compile(r"drawn block (\d+) face (\d) .* depth ([\d.]+), rays say (\d+) (\d) .* ([\d.]+)$")
CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)


def dry_eyes(store, rng: np.random.Generator) -> list[View]:
    """Views from air blocks, dry ones, of sub-chunks with water in their second layer."""
    views = []
    places = np.flatnonzero(store.layer1_slot)
    for place in rng.permutation(places).tolist():
        air = (store.pools.blocks[store.slot[place]] == 0) & (store.pools.layer1[store.layer1_slot[place]] == 0)
        cells = np.flatnonzero(air)
        if len(cells):
            row, section = divmod(place, store.dimension.sections)
            cell = int(rng.choice(cells))
            x, z = (store.columns[row] * 16).tolist()
            y = (section + store.dimension.floor_section) * 16
            eye = Eye(x + (cell >> 8) + 0.5, y + (cell & 15) + 0.5, z + (cell >> 4 & 15) + 0.5)
            views.append(View(eye, float(rng.uniform(-180, 180)), float(rng.uniform(-30, 60)), 70.0))
        if len(views) == VIEWS:
            break
    return views


def no_ties(wrong: list[str]) -> list[str]:
    """Without pixels where both find a surface at the same depth.

    That is where two blocks' sides lie in one plane, one of them a model's, or where two sides of a block meet.
    """
    left = []
    for told in wrong:
        tie = TIE.search(told)
        alike = tie and (tie[1] == tie[4] or MODEL in (tie[2], tie[5])) and abs(float(tie[3]) - float(tie[6])) < 1e-3
        if not alike:
            left.append(told)
    return left


def of_second_layer(store, found: SemanticSurfaces) -> int:
    """Pixels that show a liquid where the first layer holds something else, not air."""
    count = 0
    cells, ids = found.cell[found.drawn], found.dense[found.drawn]
    liquid = (ids >= store.table.first.liquid) & (ids < store.table.first.placeholder)
    for x, y, z in cells[liquid].tolist():
        place = store.row_of[ColumnPos(x >> 4, z >> 4)] * store.dimension.sections
        place += (y >> 4) - store.dimension.floor_section
        index = (x & 15) << 8 | (z & 15) << 4 | y & 15
        assert index < BLOCKS_PER_SUBCHUNK
        first = int(store.pools.blocks[store.slot[place], index])
        count += 0 < first < store.table.first.liquid
    return count


@pytest.mark.parametrize("name", WATERLOGGED)
def test_a_recording_with_waterlogged_blocks_shows_as_rays_meet_it(context: Gpu, name: str) -> None:
    with open_connection(WorldFile(recording(name)), Options(radius=RADIUS, light=False)) as connection:
        connection.wait_settled(PATIENT_S)
        store = connection.session.dimension.store
        light, looks = LightMap(store, 1 << 14), BlockAppearance(store.table)
        every = Looks.of(looks.tables, looks.levels(range(looks.layers))[0])
        scene, target = Scene(context, looks, SyncRunner(), CONFIG), SemanticTarget(context, SIZE_PX)
        scene.attach(store, light)
        compared = wet = 0
        for view in dry_eyes(store, np.random.default_rng(7)):
            assert scene.settle((view.eye.x, view.eye.y, view.eye.z))
            scene.draw_semantic(Camera.of(view, SIZE_PX[0] / SIZE_PX[1]), target)
            found = SemanticSurfaces.of(*target.read())
            pixels, wrong = compare(store, light, view, found, stopped_by_surfaces(store.table.first), every)
            assert not no_ties(wrong), f"{name}: {wrong}"
            compared += pixels
            wet += of_second_layer(store, found)
        target.release()
        scene.release()
    assert compared > 0.1 * VIEWS * SIZE_PX[0] * SIZE_PX[1], "little is away from edges"
    assert wet > 20, "water of second layers is in view"
