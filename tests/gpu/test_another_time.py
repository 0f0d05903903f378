"""A scene that turns to another time of its world shows what one that began there from nothing shows.

Meshes, bricks, light, tints and pictures are compared with those of a second scene, for worlds that grew apart at
random; and nothing is made again that both times show alike.

Look back: Looking back in a live session, as the window's frames do it: the picture of then at once, and what is now
again.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from client.connection.connection import Connection
from client.light.light_map import LightMap
from client.player import Eye, View
from client.streaming.anchors import Anchor, Anchors
from net.palette import BlockState
from net.space import BlockPos, ColumnPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.change_intake import difference
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.viewer.scene_updater import SceneUpdater
from tests.support.session.past import arrive, fly, remembering
from tests.support.session.virtual import VirtualSession
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import DIMENSION, PaintedLooks, PaintedStage, PaintedStore, painted_table

# ---------------------------------------------------------------- another time

pytestmark = pytest.mark.gpu

WIDE = 5
EYE = (40.5, 46.0, 8.5)
SIZE = (96, 64)
HILLS = paint.hills(WIDE)
SQUARE = [ColumnPos(x, z) for x in range(WIDE) for z in range(WIDE)]
TABLE = painted_table()


class Stage(PaintedStage):
    """One scene that can turn from store to store."""

    eye = EYE

    def __init__(self, gpu: Gpu, upload_bytes: int | None = None) -> None:
        config = SceneConfig(upload_bytes=upload_bytes, radius_columns=6, first_pages=64, first_bricks=256)
        self.scene = Scene(gpu, PaintedLooks.make(), SyncRunner(), config)
        self.target = Target(gpu, SIZE)


class Time:
    """A store at one time of a world, and its light."""

    def __init__(self, columns: list[ColumnPos], anchors: Anchors | None = None) -> None:
        self.store = PaintedStore(table=TABLE)
        self.store.load(HILLS, columns)
        self.light = LightMap(self.store, 4096)
        self.anchors = anchors

    def live(self, rng: np.random.Generator, acts: int) -> None:
        """Columns come and go, blocks change."""
        for _ in range(acts):
            column = SQUARE[rng.integers(len(SQUARE))]
            if column not in self.store.row_of:
                self.store.load(HILLS, [column])
            elif rng.random() < 0.2:
                self.store.unload(column)
            else:
                self.edit(column, rng)

    def edit(self, column: ColumnPos, rng: np.random.Generator) -> None:
        x, y, z = int(rng.integers(16)), int(rng.integers(64)), int(rng.integers(16))
        dense = int(rng.choice([0, paint.LAMP, paint.STONE, paint.WATER, paint.GLASS, paint.FLOWER]))
        self.store.edit(BlockPos(column.x * 16 + x, y, column.z * 16 + z), dense)


@pytest.fixture
def stages(gpu: Gpu) -> Iterator[tuple[Stage, Stage]]:
    """One that turns, and one that begins from nothing."""
    stages = Stage(gpu), Stage(gpu)
    yield stages
    for stage in stages:
        stage.close()


def expect_as_from_nothing(stages: tuple[Stage, Stage], time: Time) -> None:
    turned, fresh = stages
    assert turned.scene.settle(EYE)
    assert turned.scene.check_mirror().ok
    shown, picture = meshes(turned.scene), turned.picture()
    stats = turned.scene.stats()
    light = light_of(time)
    fresh.scene.attach(time.store, LightMap(time.store, 4096), time.anchors)
    assert fresh.scene.settle(EYE)
    assert meshes(fresh.scene) == shown
    assert light_of(time, fresh.scene.attached.state.light) == light
    assert (fresh.picture() == picture).all()
    now = fresh.scene.stats()
    assert stats.quads == now.quads
    assert stats.cells_shown == now.cells_shown
    assert stats.mirror.blocks.bricks_used == now.mirror.blocks.bricks_used
    assert stats.mirror.light.bricks_used == now.mirror.light.bricks_used


def meshes(scene: Scene) -> dict[tuple[int, ...], tuple[bytes, bytes, bytes]]:
    """What is on the GPU, by render cell."""
    shown = scene.meshes()
    return {
        tuple(cell): (counts.tobytes(), cubes.tobytes(), models.tobytes())
        for cell, counts, (cubes, models) in zip(shown.cells.tolist(), shown.counts, shown.quads(), strict=True)
    }


def light_of(time: Time, light: LightMap | None = None) -> dict[int, bytes]:
    """Light of every place that is there."""
    of = light or time.light
    rows = np.array(sorted(time.store.row_of.values()), np.int32)
    places = (rows[:, None] * DIMENSION.sections + np.arange(DIMENSION.sections)).ravel().astype(np.int32)
    return {place: of.values[slot].tobytes() for place, slot in zip(places.tolist(), of.slots_of(places), strict=True)}


@pytest.mark.parametrize("seed", range(6))
def test_a_scene_that_turns_shows_what_one_from_nothing_shows(stages: tuple[Stage, Stage], seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (Time(SQUARE[: 20 + seed]), Time(SQUARE[seed:] if seed % 3 == 2 else SQUARE[: 20 + seed]))
    first.live(rng, 6)
    second.live(rng, 6)
    turned = stages[0].scene
    turned.switch(first.store, first.light)  # the first time there is nothing to turn from
    for time in (second, first, second):
        for _ in range(int(rng.integers(0, 6))):
            turned.step(EYE)  # in the middle of its work
        time.live(rng, int(rng.integers(0, 3)))
        turned.switch(time.store, time.light)
        time.live(rng, int(rng.integers(0, 3)))  # what comes afterwards is followed as ever
    expect_as_from_nothing(stages, second)


def test_a_scene_turns_while_an_edit_is_held_and_others_wait(stages: tuple[Stage, Stage]) -> None:
    first, second = Time(SQUARE), Time(SQUARE)
    turned = stages[0].scene
    turned.attach(first.store, first.light)
    assert turned.settle(EYE)
    for y, dense in ((40, paint.LAMP), (41, paint.STONE), (42, paint.LAMP)):
        for store in (first.store, second.store):
            store.edit(BlockPos(31, y, 31), dense)
        turned.step(EYE)
    turned.switch(second.store, second.light)
    expect_as_from_nothing(stages, second)


def test_a_scene_turns_while_its_light_is_under_way(stages: tuple[Stage, Stage]) -> None:
    first, second = Time(SQUARE), Time(SQUARE)
    turned = stages[0].scene
    turned.attach(first.store, first.light)
    turned.step(EYE)
    assert not turned.settled
    turned.switch(second.store, second.light)
    expect_as_from_nothing(stages, second)


def test_what_both_times_show_alike_is_not_made_again(stages: tuple[Stage, Stage]) -> None:
    first, second = Time(SQUARE), Time(SQUARE)
    second.store.edit(BlockPos(40, 40, 40), paint.LAMP)
    turned = stages[0].scene
    turned.attach(first.store, first.light)
    assert turned.settle(EYE)
    before = turned.stats()
    turned.switch(second.store, second.light)
    assert len(difference(first.store, second.store)[0]) == 1
    assert turned.settle(EYE)
    after = turned.stats()
    assert 1 <= after.meshes_made - before.meshes_made <= 8
    assert second.light.stats().columns <= 9
    blocks = after.mirror.blocks.uploaded_bytes - before.mirror.blocks.uploaded_bytes
    assert 4096 * 2 <= blocks < 2 * 4096 * 2, "one brick"


def test_the_other_time_follows_its_own_anchors(stages: tuple[Stage, Stage]) -> None:
    anchors = Anchors(), Anchors()
    for each, middle in zip(anchors, (ColumnPos(1, 1), ColumnPos(3, 3)), strict=True):
        each.pin("player", Anchor.square(middle, 2))
    first, second = Time(SQUARE, anchors[0]), Time(SQUARE, anchors[1])
    turned = stages[0].scene
    turned.attach(first.store, first.light, first.anchors)
    assert turned.settle(EYE)
    turned.switch(second.store, second.light, second.anchors)
    assert turned.settle(EYE)
    assert turned.attached.residency.anchors is anchors[1]
    anchors[1].pin("player", Anchor.square(ColumnPos(4, 4), 1))
    anchors[1].pin("player", Anchor.square(ColumnPos(3, 3), 2))
    assert turned.settle(EYE)
    shown = turned.attached.residency.shown
    held = {column for column, row in second.store.row_of.items() if shown[row]}
    assert {ColumnPos(x, z) for x in (2, 3, 4) for z in (2, 3, 4)} <= held
    assert turned.check_mirror().ok


def test_another_block_table_begins_from_nothing(stages: tuple[Stage, Stage]) -> None:
    first, second = Time(SQUARE[:4]), Time(SQUARE[:4])
    second.store.table = painted_table()
    turned = stages[0].scene
    turned.attach(first.store, first.light)
    assert turned.settle(EYE)
    attached = turned.attached
    turned.switch(second.store, second.light)
    assert turned.attached is not attached
    assert first.light.stats().slots > 0, "as it was left"
    expect_as_from_nothing(stages, second)


# ---------------------------------------------------------------- look back

GLOWSTONE = BlockState("minecraft:glowstone")


class Window:
    """A session that is remembered, and a scene that follows it as the window's does."""

    def __init__(self, gpu: Gpu) -> None:
        self.virtual = VirtualSession("hills:1")
        self.connection: Connection = remembering(self.virtual)
        assert self.connection.wait_settled()
        self.looks = BlockAppearance(self.connection.session.dimension.store.table)
        self.gpu, self.target = gpu, Target(gpu, SIZE)
        self.scene = self.made()
        self.upkeep = SceneUpdater(self.connection, self.scene, self.looks, None)
        eye = self.virtual.world.spawn.feet
        self.view = View(Eye(eye[0] - 9.0, eye[1] + 8.0, eye[2] - 3.0), -72.0, 40.0)
        self.connection.look(self.view)
        self.settle()

    def made(self) -> Scene:
        return Scene(self.gpu, self.looks, SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=2))

    def settle(self) -> int:
        """Frames until the picture is whole; how many."""
        for frames in range(1, 100):
            self.upkeep.step(self.view.eye)
            if self.scene.settled:
                return frames
        raise AssertionError("it does not settle")

    def picture(self, scene: Scene) -> npt.NDArray[np.uint8]:
        scene.draw(Camera.of(self.view, self.target.aspect), self.target, FrameSettings())
        return self.target.pixels()

    def expect_as_from_nothing(self) -> None:
        """What the window shows is what another scene shows that begins here, with light of its own."""
        session, shown = self.connection.session, self.picture(self.scene)
        assert self.scene.check_mirror().ok
        fresh = self.made()
        fresh.attach(session.dimension.store, LightMap(session.dimension.store), session.anchors)
        assert fresh.settle(self.view.eye)
        # Columns are kept a little longer than they are asked for. Those beyond the fog have the sky's colour, computed
        # for a direction that rounding makes another: exact where such terrain is discarded (tried).
        assert np.abs(self.picture(fresh).astype(int) - shown).max() <= 1
        fresh.release()

    def close(self) -> None:
        self.connection.close()
        self.scene.release()
        self.target.release()


@pytest.fixture
def window(gpu: Gpu) -> Iterator[Window]:
    window = Window(gpu)
    yield window
    window.close()


def test_a_step_back_and_the_present_make_only_what_changed(window: Window) -> None:
    connection = window.connection
    assert connection.past is not None
    fly(connection, 1200, 0.0)  # until a checkpoint is there
    window.settle()
    before = window.picture(window.scene)
    spot = BlockPos.containing(*window.virtual.world.spawn.feet)
    window.virtual.host.set_block(spot, GLOWSTONE)
    fly(connection, 100, 0.0)
    window.settle()
    after = window.picture(window.scene)
    assert (after != before).any()
    made = window.scene.stats().meshes_made

    connection.past.look_back(2.0)
    arrive(connection)
    assert connection.session is not connection.past.live
    assert window.settle() <= 3
    assert (window.picture(window.scene) == before).all()
    assert window.scene.stats().meshes_made - made <= 8
    window.expect_as_from_nothing()

    connection.past.to_present()
    assert window.settle() <= 3
    assert (window.picture(window.scene) == after).all()
    assert window.scene.stats().meshes_made - made <= 16
    window.expect_as_from_nothing()
