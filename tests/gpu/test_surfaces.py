"""Facts of surfaces against plain twins: levels against light, counts against rays, colours and depths by pixel."""

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from client.light.light_map import LightMap
from net.space import BlockPos, ColumnPos
from render.camera import Camera
from render.capture.channels import SemanticSurfaces
from render.gpu import Gpu, Target
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.materials.paint_devices import number_mask
from render.passes.overlay.surface_channels import (
    DIFFERS,
    MOST_OVERDRAW,
    OVERDRAW_STEP,
    block_colour,
    depth_grey,
    level_ramp,
)
from render.scene import FrameSettings, Scene, SceneConfig
from tests.oracle.cast import pixel_rays
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedLooks, PaintedStore

pytestmark = pytest.mark.gpu

SIZE = (96, 64)
FAR = Camera((40.5, 34.5, 2.5), 0.0, 12.0, 70.0, SIZE[0] / SIZE[1])
LARGE = (240, 160)
NEAR = Camera((40.5, 33.0, 40.0), 0.0, 0.0, 60.0, LARGE[0] / LARGE[1])
SHADE = np.array([0.90, 0.90, 0.95, 0.95, 0.84, 1.0, 0.97])
"""As ``surface.frag`` has it."""
PANES_Z = (20, 26, 32)
WALL_Z = 44


def world() -> np.ndarray:
    """A wall right across with lamps in it and a roof on one side, three panes before it, ground under the eye."""
    blocks = np.zeros((80, 64, 64), np.uint16)
    blocks[:, :, :24] = paint.STONE
    blocks[:, WALL_Z:, :48] = paint.STONE
    blocks[4:30, 34:WALL_Z, 44] = paint.STONE
    blocks[38, WALL_Z, 33] = paint.LAMP
    blocks[44, WALL_Z, 31] = paint.RED_LAMP
    for z in PANES_Z:
        blocks[60:70, z, 30:38] = paint.GLASS
    return blocks


class Stage:
    """A scene of it."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu, self.store = gpu, PaintedStore()
        self.light = LightMap(self.store, 2048)
        config = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.scene.attach(self.store, self.light)
        self.store.load(world())
        assert self.scene.settle(FAR.eye)

    def picture(self, overlay: str, camera: Camera = FAR, frozen: Camera | None = None) -> np.ndarray:
        target = Target(self.gpu, LARGE if camera is NEAR else SIZE)
        try:
            self.scene.draw(camera, target, FrameSettings(overlays=frozenset({overlay}), frozen=frozen))
            return target.pixels()[..., :3].astype(int)
        finally:
            target.release()

    def surfaces(self, camera: Camera = FAR) -> SemanticSurfaces:
        target = SemanticTarget(self.gpu, SIZE)
        try:
            self.scene.draw_semantic(camera, target)
            return SemanticSurfaces.of(*target.read())
        finally:
            target.release()

    def level(self, x: int, y: int, z: int, channel: int) -> int:
        place = self.store.place(ColumnPos(x >> 4, z >> 4), y >> 4)
        return int(self.light.at(place, BlockPos(x, y, z).in_subchunk)) >> 4 * channel & 15


@pytest.fixture(scope="module")
def stage(context: Gpu) -> Iterator[Stage]:
    stage = Stage(context)
    yield stage
    stage.scene.release()
    assert context.leaks() == 0


def inner(mask: np.ndarray) -> np.ndarray:
    """Pixels whose neighbours are of the mask, too."""
    kept = mask.copy()
    for dy, dx in product((-1, 0, 1), repeat=2):
        kept &= np.roll(mask, (dy, dx), (0, 1))
    kept[[0, -1]] = kept[:, [0, -1]] = False
    return kept


def within(plane: np.ndarray) -> np.ndarray:
    """Pixels whose neighbours are the same."""
    same = np.ones(plane.shape, bool)
    for dy, dx in product((-1, 0, 1), repeat=2):
        same &= np.roll(plane, (dy, dx), (0, 1)) == plane
    same[[0, -1]] = same[:, [0, -1]] = False
    return same


@pytest.mark.parametrize(("overlay", "channel"), [("light-r", 0), ("light-g", 1), ("light-b", 2), ("light-d", 3)])
def test_each_far_face_has_the_colour_of_the_light_map_before_it(stage: Stage, overlay: str, channel: int) -> None:
    picture, shown = stage.picture(overlay), stage.surfaces()
    checked, levels = 0, set()
    plane = shown.cell[..., 2] * 8 + shown.face  # at its rim another surface may show
    for row, column in np.argwhere(within(plane) & shown.drawn & (shown.depth > 20)).tolist():
        x, y, z = shown.cell[row, column].tolist()
        face = int(shown.face[row, column])
        if (x, y, z) in ((38, 33, WALL_Z), (44, 31, WALL_Z)) or not 1 < x < 78 or z in PANES_Z:
            continue  # lamps have a frame; where the world ends there are seams, which show through panes
        dx, dy, dz = ((-1, 0, 0), (1, 0, 0), (0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0))[face]
        level = stage.level(x + dx, y + dy, z + dz, channel)
        expected = np.rint(level_ramp()[level] * SHADE[face])
        assert np.abs(picture[row, column] - expected).max() <= 1, (x, y, z, level)
        checked += 1
        levels.add(level)
    assert checked > 500
    assert len(levels) > (1 if channel == 3 else 6)


def test_near_faces_bear_their_level_in_digits(stage: Stage) -> None:
    picture, read = stage.picture("light-r", NEAR), set()
    for x, y in product(range(38, 43), range(31, 35)):
        level = stage.level(x, y, WALL_Z - 1, 0)
        if world()[x, WALL_Z, y] != paint.STONE:
            continue
        mask = number_mask(level)
        lines, wide = mask.shape
        for row, column in np.ndindex(lines, wide):
            left = (11 - wide) / 2  # the look is +z, so what is to the right has the lower x
            at = np.array([x + 1 - (left + column + 0.5) / 11, y + (8 - row - 0.5) / 11, WALL_Z])
            pixel = pixel_of(NEAR, at)
            ground = np.rint(level_ramp()[level] * SHADE[2])
            assert (np.abs(picture[pixel] - ground).max() > 40) == mask[row, column], (x, y, level, row, column)
        read.add(level)
    assert len(read) > 3


def pixel_of(camera: Camera, point: np.ndarray) -> tuple[int, int]:
    clip = np.append(point - np.array(camera.eye), 1.0) @ camera.view_projection().astype(float)
    x, y = (clip[:2] / clip[3] * (1, -1) + 1) / 2 * LARGE
    return int(y), int(x)


def test_overdraw_counts_panes_and_what_is_behind_them(stage: Stage) -> None:
    picture, shown = stage.picture("channel-overdraw"), stage.surfaces()
    rays = pixel_rays(FAR, *SIZE).reshape(SIZE[1], SIZE[0], 3)
    panes = np.zeros((SIZE[1], SIZE[0]), int)
    clear = np.ones((SIZE[1], SIZE[0]), bool)
    for z in PANES_Z:
        at = np.array(FAR.eye) + rays * ((z - FAR.eye[2]) / rays[..., 2:3])
        within = (at[..., 0] > 60) & (at[..., 0] < 70) & (at[..., 1] > 30) & (at[..., 1] < 38)
        panes += within
        clear &= inner(within) | inner(~within)
    at = np.array(FAR.eye) + rays * ((WALL_Z - FAR.eye[2]) / rays[..., 2:3])
    wall = inner((at[..., 1] > 25) & (at[..., 1] < 47) & (at[..., 0] > 1) & (at[..., 0] < 79))
    counted = wall & clear & shown.drawn
    # Sides of the panes show as well from the eye's side: those pixels are left out by their face.
    side = np.isin(shown.cell[..., 2], PANES_Z) & (shown.face != 2)
    counted &= inner(~side)
    expected = 1 + panes
    assert set(expected[counted].tolist()) >= {1, 2, 3}
    found = picture[..., 2] // OVERDRAW_STEP[2]
    assert (found[counted] >= expected[counted]).all()
    assert (found[counted] == expected[counted]).mean() > 0.9
    assert found.max() <= MOST_OVERDRAW


def test_blocks_have_the_colour_of_their_state_and_depths_their_grey(stage: Stage) -> None:
    shown, blocks, depths = stage.surfaces(), stage.picture("channel-block"), stage.picture("channel-depth")
    tones = np.array([block_colour(state.name, "{}") for state in stage.store.table.states])
    drawn = inner(shown.drawn)
    assert (blocks[drawn] == tones[shown.dense[drawn]]).all(axis=1).mean() > 0.99
    greys = np.array([depth_grey(far) for far in shown.depth[drawn].tolist()])
    assert np.abs(depths[drawn] - greys[:, None]).max() <= 1
    assert not depths[~shown.drawn].any()


def test_merged_quads_have_one_colour_each_and_more_than_one_there_are(stage: Stage) -> None:
    picture, shown = stage.picture("merge"), stage.surfaces()
    wall = inner(shown.drawn & (shown.cell[..., 2] == WALL_Z) & (shown.face == 2))
    colours = np.unique(picture[wall], axis=0)
    assert 2 <= len(colours) < wall.sum() / 10


def test_another_block_in_the_mirror_shows_on_the_surface_and_in_the_legend(stage: Stage) -> None:
    scene, block = stage.scene, BlockPos(40, 33, WALL_Z)
    picture = stage.picture("mirror", NEAR)
    assert not (picture == DIFFERS).all(axis=2).any()
    assert [row.count for row in scene.legend("mirror")][-1] == 0
    place = stage.store.place(ColumnPos(block.x >> 4, block.z >> 4), block.y >> 4)
    slot = stage.store.slot[place]
    before = stage.store.pools.blocks[slot].copy()
    try:
        stage.store.pools.blocks[slot, block.in_subchunk] = paint.DIRT  # without telling anybody
        stage.picture("mirror", Camera((40.5, 33.0, 36.0), 0.0, 0.0, 60.0, 1.5))
        for frame in range(20):
            target = Target(stage.gpu, SIZE)
            scene.draw(NEAR, target, FrameSettings(overlays=frozenset({"mirror"}), seconds=float(frame)))
            target.release()
        assert [row.count for row in scene.legend("mirror")][-1] == 1
    finally:
        stage.store.pools.blocks[slot] = before


def test_a_frozen_camera_draws_its_own_list_from_anywhere(stage: Stage) -> None:
    away = Camera((60.5, 60.5, 10.5), 180.0, 30.0, 70.0, SIZE[0] / SIZE[1])
    assert (stage.picture("channel-block", FAR) == stage.picture("channel-block", FAR, frozen=FAR)).all()
    own = stage.scene.stats().cells_drawn
    stage.picture("channel-block", away)
    assert stage.scene.stats().cells_drawn != own
    stage.picture("channel-block", away, frozen=FAR)
    assert stage.scene.stats().cells_drawn == own
