"""Shots as arrays: what a channel promises, files, and nothing left behind."""

import json
import resource
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from client.options import Options
from client.session.config import SessionConfig
from client.session.requests import PLAYER_ANCHOR
from client.world.lifecycle import SubChunkState
from net.space import BlockPos
from render.capture import CHANNELS, NO_BLOCK, NO_CELL, NO_FACE, NO_STATE, PictureOptions, Shot, photograph, shoot
from render.capture.image_files import write_shot
from render.cli.shot import CHANNELS as SPELLED
from render.gpu import Gpu
from tests.golden import shots
from tests.support.session.virtual import SWIFT, VirtualSession
from tests.support.worlds.scene import SceneWorld

pytestmark = pytest.mark.gpu

SIZE_PX = (96, 60)
FORMS = {
    "colour": (np.uint8, (60, 96, 4)),
    "depth": (np.float32, (60, 96)),
    "block": (np.uint32, (60, 96)),
    "face": (np.uint8, (60, 96)),
    "light": (np.uint16, (60, 96)),
    "state": (np.uint8, (60, 96)),
    "cell": (np.int32, (60, 96, 3)),
    "mirror": (np.uint32, (60, 96)),
    "entity": (np.uint32, (60, 96)),
}


@pytest.fixture(scope="module")
def world() -> SceneWorld:
    return SceneWorld(shots.DAY).load()


@pytest.fixture(scope="module")
def shot(world: SceneWorld) -> Shot:
    return shoot(world.session, shots.DAY.view, SIZE_PX, picture=PictureOptions(time=6000))


def test_every_channel_has_its_form(shot: Shot) -> None:
    assert {name: (array.dtype, array.shape) for name, array in shot.arrays.items()} == FORMS
    assert tuple(FORMS) == CHANNELS == SPELLED


def test_channels_agree_with_the_store_and_with_each_other(world: SceneWorld, shot: Shot) -> None:
    store, table = world.session.dimension.store, world.session.dimension.table
    assert shot.block is not None
    assert shot.cell is not None
    assert shot.palette is not None
    nothing = shot.block == NO_BLOCK
    assert 0.05 < nothing.mean() < 0.9
    for name, none in (("face", NO_FACE), ("state", NO_STATE), ("depth", np.inf), ("mirror", NO_BLOCK)):
        assert ((getattr(shot, name) == none) == nothing).all(), name
    assert ((shot.cell == NO_CELL).all(axis=2) == nothing).all()
    assert set(np.unique(shot.state[~nothing])) <= {SubChunkState.DATA}
    for y, x in np.argwhere(~nothing)[::97].tolist():
        block = BlockPos(*shot.cell[y, x].tolist())
        dense = int(store.pools.blocks[store.slot[store.place_of(block.subchunk)], block.in_subchunk])
        state = table.states[dense]
        assert shot.palette.names[shot.mirror[y, x]] == state.name
        assert json.loads(shot.palette.states[shot.mirror[y, x]]) == dict(state.states)
        assert shot.palette.runtime_ids[shot.mirror[y, x]] == table.runtime_ids[dense]


def test_only_what_is_asked_for_is_there(world: SceneWorld) -> None:
    shot = shoot(world.session, shots.DAY.view, SIZE_PX, ("depth", "face"))
    assert set(shot.arrays) == {"depth", "face"}
    assert shot.palette is None
    with pytest.raises(ValueError, match=r"Unknown channel 'dept': choose from colour, depth"):
        shoot(world.session, shots.DAY.view, SIZE_PX, ("dept",))


def test_the_same_view_twice_gives_the_same_arrays(world: SceneWorld, shot: Shot) -> None:
    again = shoot(world.session, shots.DAY.view, SIZE_PX, picture=PictureOptions(time=6000))
    assert all(np.array_equal(array, again.arrays[name]) for name, array in shot.arrays.items())


def test_a_moment_before_the_first_tick_shows_what_is_known(world: SceneWorld, shot: Shot) -> None:
    """Whole columns may come in the turn that lets the player in, when nothing is pinned yet."""
    pins = dict(world.session.anchors.pins)
    assert list(pins) == [PLAYER_ANCHOR]
    world.session.anchors.release(PLAYER_ANCHOR)
    try:
        again = shoot(world.session, shots.DAY.view, SIZE_PX, picture=PictureOptions(time=6000))
    finally:
        world.session.anchors.pin(PLAYER_ANCHOR, pins[PLAYER_ANCHOR].anchor)
    for name, array in shot.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array, name)


def test_many_shots_with_contexts_of_their_own_do_not_grow(world: SceneWorld) -> None:
    for _ in range(3):
        shoot(world.session, shots.DAY.view, SIZE_PX)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    descriptors = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(12):
        shoot(world.session, shots.DAY.view, SIZE_PX)
    assert len(list(Path("/proc/self/fd").iterdir())) <= descriptors
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60 << 10, "KiB"


def test_pictures_and_arrays_are_written(gpu: Gpu, shot: Shot, tmp_path: Path) -> None:
    paths = write_shot(shot, tmp_path / "a.png", {"Source": "test"})
    assert [path.name for path in paths] == [f"a.{name}.png" for name in CHANNELS]
    for name, path in zip(CHANNELS, paths, strict=True):
        with Image.open(path) as image:
            assert image.size == SIZE_PX
            colours = len(np.unique(np.asarray(image).reshape(-1, 3), axis=0))
            assert colours == 1 if name == "entity" else colours > 1, path  # none is drawn unless it is asked for
    assert write_shot(shot, tmp_path / "a.npz", {}) == (tmp_path / "a.npz",)
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert {*CHANNELS, "view", "names", "states", "runtime_ids", "state_names"} == set(arrays.files)
        assert all(np.array_equal(arrays[name], array) for name, array in shot.arrays.items())
        assert arrays["state_names"][SubChunkState.DATA] == "data"


def test_depth_and_view_of_a_file_lead_to_its_cells_and_faces(shot: Shot, tmp_path: Path) -> None:
    """As a stranger reads it, by the docs alone: blocks along the look, vertical degrees, yaw 90 = -X, pitch down."""
    write_shot(shot, tmp_path / "a.npz", {})
    with np.load(tmp_path / "a.npz", allow_pickle=False) as file:
        arrays = dict(file)
    x, y, z, *angles = arrays["view"].tolist()
    yaw, pitch, fov = np.radians(angles)
    forward = np.array([-np.sin(yaw) * np.cos(pitch), -np.sin(pitch), np.cos(yaw) * np.cos(pitch)])
    right = np.array([-np.cos(yaw), 0.0, -np.sin(yaw)])
    up = np.cross(right, forward)
    height, width = arrays["depth"].shape
    rows, columns = np.mgrid[0:height, 0:width]
    across = ((columns + 0.5) / width * 2 - 1) * np.tan(fov / 2) * width / height
    upward = (1 - (rows + 0.5) / height * 2) * np.tan(fov / 2)
    ray = forward + right * across[..., None] + up * upward[..., None]
    met = np.array([x, y, z]) + np.where(np.isfinite(arrays["depth"]), arrays["depth"], 0)[..., None] * ray
    cubes = arrays["face"] < 6
    inside = met - arrays["cell"]
    slack = 0.02 + arrays["depth"] * 2e-3
    assert cubes.mean() > 0.3
    outside = (np.abs(inside[cubes] - 0.5) > 0.5 + slack[cubes][:, None]).any(axis=1)
    assert outside.mean() < 0.002, "edges of faces seen aslant stick out by part of a pixel"
    axis, positive = (arrays["face"] >> 1), arrays["face"] & 1
    axis = np.choose(np.minimum(axis, 2), [0, 2, 1])  # faces are named x, z, y
    off = np.abs(np.take_along_axis(inside, axis[..., None].astype(np.int64), 2)[..., 0] - positive)
    dry = ~np.char.endswith(arrays["names"][np.where(cubes, arrays["block"], 0)], "water")  # which stands lower
    assert (off <= slack)[cubes & dry].all()
    assert set(arrays["state_names"][np.unique(arrays["state"][cubes])]) == {"data"}


def test_a_connection_is_photographed_in_channels(gpu: Gpu, tmp_path: Path) -> None:
    connection = VirtualSession("flat:1", config=SessionConfig(radius=2, player=SWIFT)).connection(
        Options(radius=2, light=False)
    )
    picture = PictureOptions(size_px=SIZE_PX, time=6000)
    report = photograph(
        gpu, connection, connection.wait_settled(), picture, tmp_path / "b.png", names=("depth", "colour")
    )
    assert report.complete
    assert (report.path, report.also) == (tmp_path / "b.colour.png", (tmp_path / "b.depth.png",))
    assert report.text().splitlines()[1:] == [str(tmp_path / "b.depth.png")]
    assert report.legend == ()
    marked = replace(picture, overlays=("states=all", "biomes"))
    legend = photograph(gpu, connection, connection.wait_settled(), marked, tmp_path / "d.png").legend
    assert [line for line in legend if line[0] != " "] == [
        "states=all: the state of every sub-chunk",
        "biomes: the biome of the ground",
    ]
    assert any(": received: " in line for line in legend)
    assert any(": plains (1): " in line for line in legend)
    assert not any("refused" in line for line in legend), "only what occurs"
    one = photograph(gpu, connection, connection.wait_settled(), marked, tmp_path / "c.png", names=("face",))
    assert one.legend == (), "no overlay is drawn there"
    assert (one.path, one.also) == (tmp_path / "c.png", ())
