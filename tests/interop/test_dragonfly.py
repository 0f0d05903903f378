"""Our client against dragonfly, a whole server in Go with sub-chunk requests.

It sends no column before the player has spawned, and then columns as they are loaded. It looks each block state up in
its own list, so a dump also compares whole palettes.
"""

from pathlib import Path

import numpy as np
import pytest

from client.connect.dump import dump
from client.connect.options import Box, Options
from client.connect.source import Remote
from net.space.positions import BlockPos
from tests.support.given_world import add_every_state, random_world, states_as_settings
from tests.support.go_server import GoServer

pytestmark = pytest.mark.interop

RADIUS = 2


@pytest.mark.parametrize("protocol", [527, 2168])
def test_a_dump_is_the_world_that_was_generated_with_every_state_there_is(tmp_path: Path, protocol: int) -> None:
    world = random_world(RADIUS, seed=protocol, protocol=protocol)
    add_every_state(world, protocol)
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    settings = {"world": world.as_settings(), "states": states_as_settings(protocol)}
    with GoServer(f"dragonfly{protocol}", tmp_path, **settings) as server:
        report = dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(radius=RADIUS + 2))
        assert report.complete, report
    assert not server.events_called("unknown")
    arrays = np.load(tmp_path / "dump.npz")
    assert int(arrays["protocol"]) == protocol
    truth = world.expected(box)
    runtime_ids = arrays["runtime_ids"].astype(np.int64)
    assert (runtime_ids[arrays["blocks"]] == truth["blocks"]).all()
    assert (runtime_ids[arrays["layer1"]] == truth["layer1"]).all()
    assert (arrays["biomes"] == truth["biomes"]).all()
