"""Looking back in a live session, as the window's frames do it: the picture of then at once, and what is now again."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from client.connection.connection import Connection
from client.light.light_map import LightMap
from client.player import Eye, View
from net.palette import BlockState
from net.space.positions import BlockPos
from render.camera import Camera
from render.gpu import Gpu, Target
from render.jobs.workers import SyncRunner
from render.scene import FrameSettings, Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.viewer.scene_updater import SceneUpdater
from tests.support.session.past import arrive, fly, remembering
from tests.support.session.virtual import VirtualSession

pytestmark = pytest.mark.gpu

GLOWSTONE = BlockState("minecraft:glowstone")
SIZE = (96, 64)


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
        assert (self.picture(fresh) == shown).all()
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
    fly(connection, 1200, 0.0)  # until a keyframe is there
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
