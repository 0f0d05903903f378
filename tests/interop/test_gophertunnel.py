"""Our client against gophertunnel's listener and RakNet at 486, with terrain from dragonfly's encoder.

It stands apart from the npm server in what it does: the player is spawned before the first column, a storage of one
block has no indices, columns come in any order.
"""

from pathlib import Path

import numpy as np
import pytest

from client.options import Box, Options
from client.report.dump import dump
from client.source import Remote
from net.space.positions import BlockPos
from tests.support.servers.foreign import GoServer, random_world

pytestmark = pytest.mark.interop

RADIUS = 2


@pytest.mark.parametrize(("mode", "limit_form"), [("limited", "index"), ("limited", "count"), ("limitless", "")])
def test_a_dump_is_the_world_the_listener_was_given(tmp_path: Path, mode: str, limit_form: str) -> None:
    world = random_world(RADIUS, seed=11)
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    settings = {"world": world.as_settings(), "mode": mode, "limitForm": limit_form}
    with GoServer("gophertunnel486", tmp_path, **settings) as server:
        report = dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(radius=RADIUS + 2))
        assert report.complete, report
    arrays = np.load(tmp_path / "dump.npz")
    truth = world.expected(box)
    runtime_ids = arrays["runtime_ids"].astype(np.int64)
    assert (runtime_ids[arrays["blocks"]] == truth["blocks"]).all()
    assert (runtime_ids[arrays["layer1"]] == truth["layer1"]).all()
    assert (arrays["biomes"] == truth["biomes"]).all()
    assert server.events_called("request")
    assert not server.events_called("error")
