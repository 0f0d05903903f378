"""The data layer: the same whatever the order of arrival, and it names exactly what was changed."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.player import Eye, View
from net.space import BlockPos, SubChunkPos
from render.capture import PictureOptions, Studio
from render.gpu import Gpu
from render.jobs.workers import Runner, SyncRunner, ThreadRunner
from render.scene_tests.compare_data import DataTruth
from tests.support.worlds.scene import SceneWorld, Shot, one_level_lower

pytestmark = pytest.mark.gpu

SHOT = Shot(View(Eye(0.5, 81.62, -5.5), 0.0, 6.0), PictureOptions((64, 36), time=6000), radius=2)
STRANGERS = (900_001, 900_002)
"""Runtime ids that no palette knows."""


@dataclass(slots=True)
class Lab:
    """What takes the truth of sessions."""

    gpu: Gpu

    def truth(self, world: SceneWorld, runner: Runner | None = None) -> DataTruth:
        light = LightMap(world.session.dimension.store, 1 << 14)
        studio = Studio(self.gpu, world.session.dimension.table, runner or SyncRunner(), SHOT.radius)
        try:
            studio.shoot(world.session, SHOT.view, ("face",), SHOT.picture, light)
            return DataTruth.of(world.session, light, studio.meshes())
        finally:
            studio.release()


@pytest.fixture
def lab(gpu: Gpu) -> Lab:
    return Lab(gpu)


def edited(change: Callable[[SceneWorld], object], shot: Shot = SHOT) -> SceneWorld:
    world = SceneWorld(shot).load()
    change(world)
    world.session.tick(world.now)
    return world


def set_block(at: BlockPos, runtime_id: int) -> Callable[[SceneWorld], object]:
    return lambda world: world.session.dimension.store.update_block(at, 0, runtime_id)


def named(truth: DataTruth, other: DataTruth) -> dict[str, list[tuple[int, ...]]]:
    """The places of each part that differ."""
    parts = {name: part.differing(other.parts[name]) for name, part in truth.parts.items()}
    return {name: [tuple(place) for place in places.tolist()] for name, places in parts.items() if len(places)}


def test_workers_and_packets_of_another_size_change_nothing(lab: Lab) -> None:
    runner = ThreadRunner(2)
    one = lab.truth(SceneWorld(SHOT).load())
    try:
        other = lab.truth(
            SceneWorld(replace(SHOT, limits=replace(SHOT.limits, entries_per_packet=7, outstanding=40))).load(), runner
        )
    finally:
        runner.close()
    assert one == other
    assert all(len(part) for part in one.parts.values())


def test_dense_ids_that_came_in_another_order_change_nothing(lab: Lab) -> None:
    first, second = (
        edited(
            lambda world, ids=ids: [
                world.session.dimension.store.update_block(BlockPos(x, 72, 4), 0, runtime_id) for x, runtime_id in ids
            ]
        )
        for ids in (tuple(enumerate(STRANGERS)), tuple(reversed(tuple(enumerate(STRANGERS)))))
    )
    dense = [world.session.dimension.table.dense_of_id(STRANGERS[0]) for world in (first, second)]
    assert dense[0] != dense[1]
    assert lab.truth(first) == lab.truth(second)


def test_one_block_is_named_with_its_meshes(lab: Lab) -> None:
    at = BlockPos(4, 90, 4)
    stone = SceneWorld(SHOT).load().session.dimension.table
    runtime_id = next(
        stone.runtime_id_of(dense) for dense, state in enumerate(stone.states) if state.name == "minecraft:stone"
    )
    found = named(lab.truth(SceneWorld(SHOT).load()), lab.truth(edited(set_block(at, runtime_id))))
    assert found["storages"] == [tuple(at.subchunk)]
    assert found["meshes"] == [tuple(at.subchunk.cell)]
    assert tuple(at.subchunk) in found["light"]


def test_a_missing_subchunk_is_named(lab: Lab) -> None:
    place = SubChunkPos(0, 4, 0)
    found = named(lab.truth(SceneWorld(SHOT).load()), lab.truth(SceneWorld(SHOT, (place,)).load()))
    assert found["storages"] == [tuple(place)]
    assert found["requests"] == [tuple(place)]
    assert tuple(place.cell) in found["meshes"]


def test_a_lamp_one_level_lower_changes_light_alone(lab: Lab) -> None:
    world = SceneWorld(SHOT).load()
    before = lab.truth(world)
    with one_level_lower(world.session, "minecraft:glowstone"):
        after = lab.truth(world)
    assert set(named(before, after)) == {"light"}
    assert lab.truth(world) == before
