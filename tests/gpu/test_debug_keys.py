"""The keys that look at the GPU: what they say of the block under the crosshair and of the copy, right and wrong."""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from client.player import Eye, View
from net.server.faults import RefusalFault, ServerFaults
from net.server.host_options import HostOptions
from net.space import SubChunkPos
from render.camera import Camera
from render.gpu import Gpu
from render.jobs.workers import SyncRunner
from render.mesh import mesher
from render.scene import Scene, SceneConfig
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.viewer.picking import NOTHING
from render.viewer.shown_world import EARLY, FROZEN, THAWED, DebugKeys
from tests.support.session.virtual import VirtualSession

pytestmark = pytest.mark.gpu

ABOVE = Eye(3.5, -56.0, 2.5)
NOW = 60.0


def scene_of(gpu: Gpu, virtual: VirtualSession) -> Scene:
    """A settled scene of a settled session."""
    assert virtual.settle()
    store = virtual.session.dimension.store
    scene = Scene(gpu, BlockAppearance(store.table), SyncRunner(), SceneConfig(upload_bytes=None, radius_columns=2))
    scene.attach(store, virtual.session.dimension.light, virtual.session.anchors)
    assert scene.settle(ABOVE)
    return scene


@pytest.fixture
def session(gpu: Gpu) -> Iterator[tuple[VirtualSession, Scene]]:
    """A flat world, settled, and a scene of it."""
    virtual = VirtualSession("flat:1")
    scene = scene_of(gpu, virtual)
    yield virtual, scene
    scene.release()


RECEIVED = "Received: grass (its sub-chunk has 4 block states). "
LIGHT = "Light at its face: red 0, green 0, blue 0, daylight 15."


def looking(pitch_deg: float, eye: Eye = ABOVE, ortho_blocks: float | None = None) -> Camera:
    return Camera.of(View(eye, pitch_deg=pitch_deg, ortho_blocks=ortho_blocks), 1.5)


def test_the_block_under_the_crosshair_is_told_in_a_sentence(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    keys = DebugKeys(scene)
    told = keys.inspect(virtual.session, looking(90.0), NOW)
    assert told == f"{RECEIVED}grass at 3,-61,2, 4.0 blocks away. {LIGHT}"
    assert keys.inspect(virtual.session, looking(-90.0), NOW) == NOTHING


def inspected(gpu: Gpu, faults: ServerFaults, camera: Camera) -> str | None:
    """What the key tells of a flat world whose server does something wrong."""
    virtual = VirtualSession("flat:1", HostOptions(faults=faults))
    scene = scene_of(gpu, virtual)
    told = DebugKeys(scene).inspect(virtual.session, camera, NOW)
    scene.release()
    return told


def test_of_a_hole_why_it_is_one_comes_first(gpu: Gpu) -> None:
    above = looking(90.0, Eye(3.5, -40.0, 2.5))
    at = "A hole, at 3,-49,2, 8.0 blocks away."
    never = ServerFaults(refusals=(RefusalFault(3, times=1000),))
    assert inspected(gpu, never, above) == f"Refused by the server: code 3, wrong dimension. {at}"
    told = inspected(gpu, ServerFaults(corrupted=1.0), above)
    assert told is not None
    assert told.startswith("Undecodable: the server's bytes for it are invalid (")
    assert told.endswith(at)


def test_of_a_world_that_was_never_published_the_missing_step_is_told(
    gpu: Gpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.session.session.STALLED_S", -math.inf)  # nothing else of the join will come
    told = inspected(gpu, ServerFaults(unpublished=True), looking(90.0))
    assert told is not None
    fault = "never published: NetworkChunkPublisherUpdate did not arrive, though "
    assert told.startswith(f"{RECEIVED}The game draws nothing here ({fault}")
    assert told.endswith(f"). grass at 3,-61,2, 4.0 blocks away. {LIGHT}")


def test_of_a_column_that_was_never_sent_the_hole_is_told_and_what_stands_behind_it(gpu: Gpu) -> None:
    withheld = ServerFaults(withheld=0.15)  # -1 0 among others
    never = "Never sent: its column was never announced, though it is within the radius that the server granted; "
    never += "all 8 columns around it came. "
    down = inspected(gpu, withheld, looking(90.0, Eye(-4.5, -40.5, 2.5)))
    assert down == f"{never}A hole, at -5,-41,2, 0.0 blocks away."
    through = inspected(gpu, withheld, looking(24.0, Eye(-4.5, -50.0, -4.0)))
    assert through is not None
    hole, behind = through.split(" Behind it: ")
    assert hole == f"{never}A hole, at -5,-52,0, 4.4 blocks away."
    assert behind.startswith("grass at -5,-61,18, ")
    before = inspected(gpu, withheld, looking(90.0, Eye(-4.5, -40.0, -2.5)))
    assert before is not None
    assert before.startswith(RECEIVED)
    assert " grass at -5,-61,-3, " in before


def test_a_visible_block_is_told_first_where_the_eye_is_in_a_missing_sub_chunk(gpu: Gpu) -> None:
    virtual = VirtualSession("flat:1", HostOptions(faults=ServerFaults(refusals=(RefusalFault(3, 0.5, times=1000),))))
    scene = scene_of(gpu, virtual)
    store = virtual.session.dimension.store

    def missing(x: int, z: int) -> bool:
        return bool(store.is_placeholder(np.array([store.place_of(SubChunkPos(x, -4, z))]))[0])

    x, z = next((x, z) for x in range(-1, 2) for z in range(-1, 1) if missing(x, z) and not missing(x, z + 1))
    camera = Camera.of(View(Eye(16 * x + 3.5, -58.0, 16 * z + 14.5), pitch_deg=30.0), 1.5)
    told = DebugKeys(scene).inspect(virtual.session, camera, NOW)
    scene.release()
    assert told.startswith(RECEIVED)
    assert f". grass at {16 * x + 3},-61,{16 * z + 17}, " in told
    assert told.endswith(" The eye is in a missing sub-chunk: Refused by the server: code 3, wrong dimension.")


def test_where_nothing_is_known_around_one_that_is_told(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    told = DebugKeys(scene).inspect(virtual.session, looking(90.0, Eye(500.0, -40.0, 2.5)), NOW)
    assert told is not None
    assert told.startswith(f"{NOTHING} Where you are: Never sent: its column was never announced; ")


def test_of_blocks_that_have_no_mesh_why_comes_first(gpu: Gpu, monkeypatch: pytest.MonkeyPatch) -> None:
    run = mesher.run

    def raising(batch: mesher.MeshBatch, scratch: mesher.Scratch) -> mesher.MeshResult:
        if (batch.cells == (0, -2, 0)).all(axis=1).any():
            raise ValueError("an impossible block")
        return run(batch, scratch)

    monkeypatch.setattr(mesher, "run", raising)
    told = inspected(gpu, ServerFaults(), looking(90.0))
    assert told is not None
    assert told.startswith("Unmeshed: the mesh of render cell 0,-2,0 failed (ValueError: an impossible block)")
    assert told.endswith(f" grass at 3,-61,2, 4.0 blocks away. {LIGHT}")


def test_distances_are_from_the_eye_where_lines_of_sight_are_parallel(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    for y, away in ((-56.0, "4.0 blocks away."), (-62.0, "2.0 blocks behind the eye.")):
        camera = looking(90.0, Eye(3.5, y, 2.5), ortho_blocks=20.0)
        told = DebugKeys(scene).inspect(virtual.session, camera, NOW)
        assert told is not None
        assert told.endswith(f", {away} {LIGHT}")


def test_keys_that_come_before_a_world_are_answered_too(gpu: Gpu) -> None:
    virtual = VirtualSession("flat:1")
    scene = Scene(
        gpu, BlockAppearance(virtual.session.dimension.store.table), SyncRunner(), SceneConfig(radius_columns=2)
    )
    keys = DebugKeys(scene)
    assert keys.inspect(virtual.session, looking(90.0), NOW) == keys.check_mirror() == EARLY
    scene.release()


def test_what_the_gpu_shows_beside_what_is_known_is_told(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    store = virtual.session.dimension.store
    planks = next(dense for dense, state in enumerate(store.table.states) if state.name == "minecraft:planks")
    runtime_id = int(store.table.runtime_ids[planks])
    store.update_blocks(np.array([(3, -61, 2)], np.int32), np.zeros(1, np.int64), np.array([runtime_id]))
    told = DebugKeys(scene).inspect(virtual.session, looking(90.0), NOW)
    assert told is not None
    assert told.startswith("Received: ")
    assert "). grass (known as planks) at 3,-61,2" in told
    virtual.session.dimension.end_drain()
    assert scene.settle(ABOVE)
    told = DebugKeys(scene).inspect(virtual.session, looking(90.0), NOW)
    assert told is not None
    assert told.startswith("Received: ")
    assert "). planks[" in told
    assert "] at 3,-61,2" in told
    assert "known as" not in told


def test_values_that_differ_are_counted(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    keys = DebugKeys(scene)
    right = keys.check_mirror()
    assert right is not None
    assert right.startswith("GPU copy: ")
    assert right.endswith(" values compared, all equal.")
    store = virtual.session.dimension.store
    place = store.place_of(ABOVE.block.subchunk)
    below = store.slot[place - 1 if store.pools.shared[store.slot[place]] else place]
    store.pools.blocks[below, [7, 99, 4095]] ^= 1
    wrong = keys.check_mirror()
    store.pools.blocks[below, [7, 99, 4095]] ^= 1
    assert wrong is not None
    differing, in_them = (
        int(part.split()[0].replace(",", "")) for part in wrong.split(" values compared, ")[1].split(" in ")
    )
    assert in_them >= 1
    assert differing == 3 * in_them, "one slot may be shown at several places"


def test_a_frozen_camera_stays_until_the_key_is_pressed_again(session: tuple[VirtualSession, Scene]) -> None:
    virtual, scene = session
    keys = DebugKeys(scene)
    assert keys.freeze(looking(10.0)) == FROZEN
    assert keys.frozen == looking(10.0)
    assert keys.inspect(virtual.session, looking(90.0), NOW)
    assert keys.frozen == looking(10.0)
    assert keys.freeze(looking(20.0)) == THAWED
    assert keys.frozen is None
