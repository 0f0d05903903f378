"""The keys that look at the GPU: what they say of the block under the crosshair and of the copy, right and wrong."""

from collections.abc import Iterator

import numpy as np
import pytest

from client.player import Eye, View
from render.camera import Camera
from render.gpu import Gpu
from render.jobs.runners import SyncRunner
from render.scene import Scene, SceneConfig
from render.scene.block_looks import BlockLooks
from render.settings import Action
from render.viewer.debug_keys import EARLY, FROZEN, NOTHING, THAWED, DebugKeys
from tests.support.virtual_session import VirtualSession

pytestmark = pytest.mark.gpu

ABOVE = Eye(3.5, -56.0, 2.5)


@pytest.fixture
def session(gpu: Gpu) -> Iterator[tuple[VirtualSession, Scene]]:
    """A flat world, settled, and a scene of it."""
    virtual = VirtualSession("flat:1")
    assert virtual.settle()
    store = virtual.session.store
    scene = Scene(gpu, BlockLooks(store.table), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=2))
    scene.attach(store, virtual.session.light, virtual.session.anchors)
    assert scene.settle(ABOVE)
    yield virtual, scene
    scene.release()


def looking(pitch_deg: float) -> Camera:
    return Camera.of(View(ABOVE, pitch_deg=pitch_deg), 1.5)


def test_the_block_under_the_crosshair_is_told_in_a_sentence(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    keys = DebugKeys(scene)
    told = keys.obey(Action.INSPECT, virtual.session, looking(90.0))
    assert told == "grass at 3 -61 2, light R 0 G 0 B 0 D 15, data, 4.0 blocks away."
    assert keys.obey(Action.INSPECT, virtual.session, looking(-90.0)) == NOTHING
    assert keys.obey(Action.HELP, virtual.session, looking(90.0)) is None


def test_keys_that_come_before_a_world_are_answered_too(gpu: Gpu) -> None:
    virtual = VirtualSession("flat:1")
    scene = Scene(gpu, BlockLooks(virtual.session.store.table), SyncRunner(), SceneConfig(radius_columns=2))
    for action in (Action.INSPECT, Action.CHECK_MIRROR):
        assert DebugKeys(scene).obey(action, virtual.session, looking(90.0)) == EARLY
    scene.release()


def test_what_the_gpu_shows_beside_what_is_known_is_told(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    store = virtual.session.store
    planks = next(dense for dense, state in enumerate(store.table.states) if state.name == "minecraft:planks")
    runtime_id = int(store.table.runtime_ids[planks])
    store.update_blocks(np.array([(3, -61, 2)], np.int32), np.zeros(1, np.int64), np.array([runtime_id]))
    told = DebugKeys(scene).obey(Action.INSPECT, virtual.session, looking(90.0))
    assert told is not None
    assert told.startswith("grass (known as planks) at 3 -61 2")
    virtual.session.end_drain()
    assert scene.settle(ABOVE)
    told = DebugKeys(scene).obey(Action.INSPECT, virtual.session, looking(90.0))
    assert told is not None
    assert told.startswith("planks[")
    assert "]" in told
    assert "known as" not in told


def test_values_that_differ_are_counted(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    keys = DebugKeys(scene)
    right = keys.obey(Action.CHECK_MIRROR, virtual.session, looking(90.0))
    assert right is not None
    assert right.startswith("GPU against CPU: ")
    assert right.endswith(" values, none differs.")
    store = virtual.session.store
    place = store.place_of(ABOVE.block.subchunk)
    below = store.slot[place - 1 if store.pools.shared[store.slot[place]] else place]
    store.pools.blocks[below, [7, 99, 4095]] ^= 1
    wrong = keys.obey(Action.CHECK_MIRROR, virtual.session, looking(90.0))
    store.pools.blocks[below, [7, 99, 4095]] ^= 1
    assert wrong is not None
    differing, in_them = (int(part.split()[0].replace(",", "")) for part in wrong.split(" values, ")[1].split(" in "))
    assert in_them >= 1
    assert differing == 3 * in_them, "one slot may be shown at several places"


def test_a_frozen_camera_stays_until_the_key_is_pressed_again(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    keys = DebugKeys(scene)
    assert keys.obey(Action.FREEZE, virtual.session, looking(10.0)) == FROZEN
    assert keys.frozen == looking(10.0)
    assert keys.obey(Action.INSPECT, virtual.session, looking(90.0))
    assert keys.frozen == looking(10.0)
    assert keys.obey(Action.FREEZE, virtual.session, looking(20.0)) == THAWED
    assert keys.frozen is None
