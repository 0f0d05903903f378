"""Our client against a server nobody here wrote: every block, layer and biome is what that server was given."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image

from client.connection.opening import open_connection
from client.errors import SourceError, UsageError
from client.options import Box, Options
from client.player import Eye
from client.report.dump import dump
from client.report.health import health
from client.report.join import join
from client.source import Remote
from net.palette import Palette
from net.space import BlockPos, ColumnPos
from render.capture import PictureOptions, take_picture
from tests.support.servers.foreign import AIR, ForeignServer, GivenWorld, random_world

pytestmark = pytest.mark.interop

RADIUS = 2
FAULTS = {"split": 3, "delayMs": 30, "reverse": True, "missingShare": 0.1, "seed": 3}


@pytest.fixture(scope="module")
def world() -> GivenWorld:
    return random_world(RADIUS, seed=7)


def check_dump(world: GivenWorld, palette: Palette, folder: Path, **settings: Any) -> dict[str, Any]:
    """Dumps what the server was given, compares block by block, returns the dump."""
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    with ForeignServer(world, folder, **settings) as server:
        report = dump(Remote("127.0.0.1", server.port), box, folder / "dump.npz", Options(radius=RADIUS + 2))
        assert report.complete, report
    with np.load(folder / "dump.npz") as file:
        arrays = dict(file)
    truth = world.expected(box)
    runtime_ids = arrays["runtime_ids"].astype(np.int64)
    assert (runtime_ids[arrays["blocks"]] == truth["blocks"]).all()
    assert (runtime_ids[arrays["layer1"]] == truth["layer1"]).all()
    assert (arrays["biomes"] == truth["biomes"]).all()
    for row in np.unique(arrays["blocks"]).tolist():
        state = palette.state_of(int(runtime_ids[row]))
        assert state is not None
        assert state.name == str(arrays["names"][row])
    asked = sum(event["entries"] for event in server.events if event["event"] == "request")
    refused = sum(event["missing"] for event in server.events if event["event"] == "request")
    assert (refused > 0) == bool(settings.get("faults"))
    assert asked > refused
    return arrays


@pytest.mark.parametrize("mode", ["limited", "limitless"])
@pytest.mark.parametrize("faults", [{}, FAULTS], ids=["plain", "split-late-reversed-missing"])
@pytest.mark.parametrize("limit_form", ["index", "count"])
def test_a_dump_is_the_world_the_server_was_given(
    world: GivenWorld, tmp_path: Path, mode: str, faults: dict[str, object], limit_form: str
) -> None:
    if mode == "limitless" and limit_form == "count":
        pytest.skip("there is no limit to write")
    check_dump(world, Palette.for_protocol(486), tmp_path, mode=mode, limitForm=limit_form, faults=faults)


RELEASES = {
    "1.18.11": 486,
    "1.19.1": 527,
    "1.19.80": 582,
    "1.20.61": 649,
    "1.21.2": 686,
    "1.21.93": 819,
    "1.26.10": 944,
    "1.26.30": 1001,
    "1.26.45": 2169,
    "1.26.51": 2193,
}
OF_A_RUN = {
    *(("by-order", version) for version in ("1.18.11", "1.21.2")),
    *(("hashed-with-faults", version) for version in ("1.19.80", "1.26.10", "1.26.51")),
}
"""What each run tries; the others are tried at night."""


@pytest.mark.parametrize(
    ("kind", "version"),
    [
        pytest.param(kind, version, marks=[] if (kind, version) in OF_A_RUN else pytest.mark.nightly)
        for kind in ("by-order", "hashed-with-faults")
        for version in RELEASES
    ],
)
def test_a_dump_at_every_kind_of_release(tmp_path: Path, version: str, kind: str) -> None:
    protocol = RELEASES[version]
    palette = Palette.for_protocol(protocol)
    hashed = kind != "by-order"
    if hashed and protocol < 582:
        pytest.skip("ids are hashes from protocol 582 on")
    if hashed:
        palette = palette.hashed()
    world = random_world(RADIUS, seed=protocol, protocol=protocol, hashed=hashed)
    mode, faults = ("limitless", FAULTS) if hashed else ("limited", {})
    compression = "none" if hashed and protocol >= 649 else "deflate"
    arrays = check_dump(
        world, palette, tmp_path, version=version, mode=mode, faults=faults, hashed=hashed, compression=compression
    )
    assert int(arrays["protocol"]) == protocol


@pytest.mark.parametrize(
    ("version", "offline", "said"),
    [("1.17.40", True, "486 .* to 2193"), ("1.18.11", False, "sign"), ("1.21.93", False, "sign")],
    ids=["another version", "wants signed-in players", "wants them at a newer release"],
)
def test_a_server_that_refuses_is_one_sentence(tmp_path: Path, version: str, offline: bool, said: str) -> None:
    world = random_world(0, seed=1)
    with (
        ForeignServer(world, tmp_path, version=version, mode="limited", offline=offline) as server,
        pytest.raises(SourceError, match=rf"(?i){said}"),
    ):
        open_connection(Remote("127.0.0.1", server.port), Options(timeout_s=200))


def test_a_full_server_is_one_sentence(tmp_path: Path) -> None:
    with ForeignServer(random_world(0, seed=1), tmp_path, mode="limited", maxPlayers=1) as server:
        where = Remote("127.0.0.1", server.port)
        with open_connection(where, Options(timeout_s=200)), pytest.raises(SourceError, match=r"(?i)full"):
            open_connection(where, Options(timeout_s=200))


@pytest.mark.gpu
@pytest.mark.parametrize("mode", ["limited", "limitless"])
def test_a_picture_shows_the_world_the_server_was_given(tmp_path: Path, mode: str) -> None:
    """A wall of gold on stone: the middle of the picture is gold, the lower edge is stone."""
    world = GivenWorld(spawn=(8.5, 3.0, 2.5))
    states = {state.name: i for i, state in reversed(list(enumerate(Palette.for_protocol(486).states)))}
    for x in range(-2, 3):
        for z in range(-2, 3):
            for y in (-1, 0):
                ids = np.full(4096, AIR, np.uint32)
                if y == -1:
                    ids[:] = states["minecraft:stone"]
                elif z == 1:
                    ids[:] = states["minecraft:gold_block"]
                world.blocks[x, y, z] = ids
                world.biomes[x, y, z] = np.ones(4096, np.uint32)
    with ForeignServer(world, tmp_path, mode=mode) as server:
        options = Options(at=Eye(8.5, 3.0, 2.5), look_deg=(0.0, 0.0), radius=2)
        picture = PictureOptions(size_px=(160, 90), time=6000)
        report = take_picture(Remote("127.0.0.1", server.port), options, picture, tmp_path / "wall.png")
    assert report.complete, report
    pixels = np.asarray(Image.open(tmp_path / "wall.png").convert("RGB")).astype(int)
    red, green, blue = pixels[40:50, 60:100].reshape(-1, 3).mean(axis=0)
    assert red > 1.5 * blue, "gold in the middle"
    assert green > blue
    floor = pixels[-8:, 60:100].reshape(-1, 3).mean(axis=0)
    assert floor.max() - floor.min() < 30, "grey stone below"


FAR = Options(radius=RADIUS, at=Eye(168.5, 80.0, 8.5))
"""The server has 25 columns around its spawn, and never moves its circle."""


def test_a_place_far_from_the_spawn_is_checked_or_said_to_be_never_sent(world: GivenWorld, tmp_path: Path) -> None:
    with ForeignServer(world, tmp_path) as server:
        source = Remote("127.0.0.1", server.port)
        with open_connection(source, replace(FAR, at=Eye(24.5, 80.0, 8.5))) as connection:
            near = health(connection)
        with open_connection(source, FAR) as connection:
            far = health(connection)
    assert {problem.kind for problem in near.problems} <= {"never sent"}
    circle, problem = far.problems
    assert circle.sentence.startswith("Circle left behind: the player is ")
    assert (problem.kind, far.exit_code) == ("never sent", 1)
    assert problem.block is not None
    assert problem.block.column == ColumnPos(10, 0)
    assert problem.sentence.startswith("Never sent: its column was never announced; ")


def test_a_join_far_from_the_spawn_names_the_circle_or_the_time_that_it_takes(
    world: GivenWorld, tmp_path: Path
) -> None:
    with ForeignServer(world, tmp_path) as server:
        source = Remote("127.0.0.1", server.port)
        lost = join(source, FAR)
        with (
            open_connection(source, replace(FAR, at=Eye(90008.5, 80.0, 8.5))) as connection,
            pytest.raises(UsageError, match=r"cannot fly to 90008,80,8 in 60 s: .*, which takes 8\d\d\d s\."),
        ):
            health(connection)
    assert lost.fault.startswith("circle left behind: the player is ")


def test_nobody_there_is_one_sentence() -> None:
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9"):
        open_connection(Remote("127.0.0.1", 9), Options(timeout_s=2))
