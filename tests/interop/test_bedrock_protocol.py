"""Our client against a server nobody here wrote: every block, layer and biome is what that server was given."""

from pathlib import Path

import numpy as np
import pytest

from client.connect.dump import dump
from client.connect.errors import SourceError
from client.connect.options import Box, Options
from client.connect.source import Remote
from net.palette import Palette
from net.space.positions import BlockPos
from tests.support.foreign_server import AIR, ForeignServer, GivenWorld, random_world

pytestmark = pytest.mark.interop

RADIUS = 2
FAULTS = {"split": 3, "delayMs": 30, "reverse": True, "missingShare": 0.1, "seed": 3}


@pytest.fixture(scope="module")
def world() -> GivenWorld:
    return random_world(RADIUS, seed=7)


def expected(world: GivenWorld, box: Box) -> dict[str, np.ndarray]:
    """Runtime ids and biomes of the box, indexed [x, z, y], from what the server was given."""
    whole = {
        "blocks": np.full(box.shape, AIR, np.int64),
        "layer1": np.full(box.shape, AIR, np.int64),
        "biomes": np.full(box.shape, 1, np.int64),
    }
    for name, sections in (("blocks", world.blocks), ("layer1", world.liquids), ("biomes", world.biomes)):
        for (x, y, z), ids in sections.items():
            low = np.array((x * 16 - box.low.x, z * 16 - box.low.z, y * 16 - box.low.y))
            if (low >= 0).all() and (low + 16 <= box.shape).all():
                part = tuple(slice(at, at + 16) for at in low)
                whole[name][part] = ids.reshape(16, 16, 16)
    return whole


@pytest.mark.parametrize("mode", ["limited", "limitless"])
@pytest.mark.parametrize("faults", [{}, FAULTS], ids=["plain", "split-late-reversed-missing"])
@pytest.mark.parametrize("limit_form", ["index", "count"])
def test_a_dump_is_the_world_the_server_was_given(
    world: GivenWorld, tmp_path: Path, mode: str, faults: dict[str, object], limit_form: str
) -> None:
    if mode == "limitless" and limit_form == "count":
        pytest.skip("there is no limit to write")
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    with ForeignServer(world, tmp_path, mode=mode, limitForm=limit_form, faults=faults) as server:
        report = dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(radius=RADIUS + 2))
        assert report.complete, report
    arrays = np.load(tmp_path / "dump.npz")
    truth = expected(world, box)
    runtime_ids = arrays["runtime_ids"].astype(np.int64)
    assert (runtime_ids[arrays["blocks"]] == truth["blocks"]).all()
    assert (runtime_ids[arrays["layer1"]] == truth["layer1"]).all()
    assert (arrays["biomes"] == truth["biomes"]).all()
    states = Palette.for_protocol(486).states
    assert {str(name) for name in arrays["names"]} >= {states[i].name for i in np.unique(truth["blocks"])}
    asked = sum(event["entries"] for event in server.events if event["event"] == "request")
    refused = sum(event["missing"] for event in server.events if event["event"] == "request")
    assert (refused > 0) == bool(faults)
    assert asked > refused


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"maxPlayers": 0}, "full"), ({"version": "1.19.80"}, "protocol|version"), ({"offline": False}, "sign")],
    ids=["full", "another version", "wants signed-in players"],
)
def test_a_server_that_refuses_is_one_sentence(tmp_path: Path, settings: dict[str, object], said: str) -> None:
    box = Box(BlockPos(0, 0, 0), BlockPos(16, 16, 16))
    version = str(settings.pop("version", "1.18.11"))
    with (
        ForeignServer(random_world(0, seed=1), tmp_path, version=version, mode="limited", **settings) as server,
        pytest.raises(SourceError, match=rf"(?i){said}"),
    ):
        dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(timeout_s=20))


def test_nobody_there_is_one_sentence(tmp_path: Path) -> None:
    box = Box(BlockPos(0, 0, 0), BlockPos(16, 16, 16))
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9"):
        dump(Remote("127.0.0.1", 9), box, tmp_path / "dump.npz", Options(timeout_s=2))
