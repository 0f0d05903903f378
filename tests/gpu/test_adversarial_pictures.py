"""What the GPU draws of worlds as bad as a server may send is what the oracle's rays meet in them.

``--examples 18`` draws 18 worlds of each kind, 504 in all.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from client.player import Eye, View
from client.world.block_table import BlockTable
from net.palette import Palette
from render.camera import Camera
from render.capture.channels import SemanticSurfaces
from render.gpu import Gpu
from render.gpu.targets import SemanticTarget
from render.jobs.workers import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from tests.oracle.cast import Looks, stopped_by_surfaces
from tests.support.worlds.adversarial import KINDS, Blocks, PlayedWorld, make
from tests.support.worlds.semantic import SIZE_PX, compare

pytestmark = [pytest.mark.gpu, pytest.mark.adversarial]

CONFIG = SceneConfig(upload_bytes=None, radius_columns=6, first_pages=1024, first_bricks=256)
VIEWS = 2
WITHOUT_PICTURES = ("at_the_edge_of_column_numbers",)
"""No eye is there: blocks have no numbers of 32 bits."""
DRAWN = tuple(kind for kind in KINDS if kind not in WITHOUT_PICTURES)


class Stage:
    """A scene with the looks of a palette."""

    def __init__(self, gpu: Gpu, palette: Palette) -> None:
        self.gpu = gpu
        self.palette = palette
        self.table = BlockTable.build(palette)
        self.blocks = Blocks.of(self.table)
        self.looks = BlockAppearance(self.table)
        self.scene = Scene(gpu, self.looks, SyncRunner(), CONFIG)

    def shown(self, view: View) -> SemanticSurfaces:
        target = SemanticTarget(self.gpu, SIZE_PX)
        self.scene.draw_semantic(Camera.of(view, SIZE_PX[0] / SIZE_PX[1]), target)
        found = SemanticSurfaces.of(*target.read())
        target.release()
        return found


@pytest.fixture(scope="module")
def stage(context: Gpu) -> Iterator[Stage]:
    stage = Stage(context, Palette.for_protocol(486))
    yield stage
    stage.scene.release()


def open_view(played: PlayedWorld, rng: np.random.Generator) -> View:
    """A look from any block that is not opaque, or from over the roof if there is none."""
    store = played.store
    for _ in range(30):
        x, y, z = played.eye()
        place = store.place_of(Eye(x, y, z).block.subchunk)
        cell = Eye(x, y, z).block.in_subchunk
        if place and store.pools.blocks[store.slot[place], cell] < store.table.first.placeholder:
            break
    else:
        y = store.dimension.roof_y_blocks + 3.5
    return View(
        Eye(x, y, z), float(rng.uniform(-180, 180)), float(rng.uniform(-80, 80)), float(rng.choice([40.0, 70.0]))
    )


@pytest.mark.parametrize("kind", DRAWN)
@settings(max_examples=1, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(seed=st.integers(0, 1 << 32))
def test_every_pixel_away_from_edges_shows_what_a_ray_meets(context: Gpu, stage: Stage, kind: str, seed: int) -> None:
    shows_what_rays_meet(context, stage, kind, seed)


@pytest.mark.parametrize(("kind", "seed"), [("any_height_map", 1410070), ("far_apart", 385977)])
def test_a_world_that_once_differed_does_not(context: Gpu, stage: Stage, kind: str, seed: int) -> None:
    shows_what_rays_meet(context, stage, kind, seed)


def shows_what_rays_meet(context: Gpu, stage: Stage, kind: str, seed: int) -> None:
    world = make(kind, seed, stage.blocks)
    table = BlockTable.build(stage.palette) if world.foreign else stage.table
    played = PlayedWorld(world, stage.palette, table, seed)
    rng = np.random.default_rng(seed)
    stage.scene.attach(played.store, played.told.light)
    for _ in range(VIEWS):
        view = open_view(played, rng)
        assert stage.scene.settle((view.eye.x, view.eye.y, view.eye.z))
        every = Looks.of(stage.looks.tables, stage.looks.levels(range(stage.looks.layers))[0])
        found = stage.shown(view)
        stops = stopped_by_surfaces(table.first)
        _, wrong = compare(played.store, played.told.light, view, found, stops, every)
        assert not wrong, f"{kind} {seed}: {wrong}"
    context.check()
