"""Our client against dragonfly, a whole server in Go with sub-chunk requests.

It sends no column before the player has spawned, and then columns as they are loaded. It looks each block state up in
its own list, so a dump also compares whole palettes.
"""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from client.connection.opening import open_connection
from client.options import Box, Options
from client.report.dump import dump, read_box
from client.source import Remote
from client.world.lifecycle import SubChunkState
from net.space import BlockPos
from tests.support.data.shared import shared_data
from tests.support.servers.foreign import GoServer, add_every_state, random_world, states_as_settings

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


def test_a_second_visit_is_of_ids_and_the_dumps_are_those_without_a_cache(tmp_path: Path) -> None:
    """It keeps what it announced open until we say that we have it, and sends what we have not."""
    world = random_world(RADIUS, seed=7, protocol=2168)
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    settings = {"world": world.as_settings(), "states": states_as_settings(2168)}
    dumps, peers = [], []
    with GoServer("dragonfly2168", tmp_path, **settings) as server:
        for cache in (False, True, True):
            options = Options(radius=RADIUS + 2, light=False, cache=cache, cache_dir=tmp_path)
            with open_connection(Remote("127.0.0.1", server.port), options) as connection:
                assert connection.request(box, options.timeout_s)
                dumps.append(read_box(connection, box))
                peers.append(connection.statistics().peer)
    plain, cold, warm = (dump["runtime_ids"].astype(np.int64)[dump["blocks"]] for dump in dumps)
    assert (plain == world.expected(box)["blocks"]).all()
    assert (cold == plain).all()
    assert (warm == plain).all()
    assert all((dump["biomes"] == dumps[0]["biomes"]).all() for dump in dumps)
    without, first, second = peers
    assert without.blobs is None
    assert first.blobs is not None
    assert second.blobs is not None
    assert first.blobs.misses > 100
    assert second.blobs.misses == 0
    assert second.blobs.hits >= first.blobs.misses
    assert (first.blobs.lying, first.blobs.unasked, first.blobs.timed_out) == (0, 0, 0)
    assert second.bytes_in < 0.5 * without.bytes_in


def test_a_world_that_the_game_saved_is_what_two_other_readers_find_in_it(tmp_path: Path) -> None:
    """Sampled blocks: as dragonfly's own reader has them, and as they were listed from the files when it was saved.

    The world is of 1.21.72; a name that has changed since is brought up to date by dragonfly.
    """
    with zipfile.ZipFile(shared_data("worlds/rbedrock-example2.mcworld")) as packed:
        packed.extractall(tmp_path / "world")
    listed = json.loads(shared_data("worlds/rbedrock-example2.json").read_text())["probe"]
    spots = np.array([sample[:3] for sample in listed])
    low, high = spots.min(axis=0) >> 4 << 4, (spots.max(axis=0) >> 4) + 1 << 4
    box = Box(BlockPos(*map(int, low)), BlockPos(*map(int, high)))
    settings = {
        "worldFolder": str(tmp_path / "world"),
        "samples": spots.tolist(),
        "world": {"spawn": [float(at) for at in box.centre], "sections": []},
    }
    with GoServer("dragonfly2168", tmp_path, **settings) as server:
        report = dump(Remote("127.0.0.1", server.port), box, tmp_path / "dump.npz", Options(radius=10))
        assert report.complete, report
    arrays = np.load(tmp_path / "dump.npz")
    x, y, z = (spots - low).T
    rows = arrays["blocks"][x, z, y]
    assert (arrays["known"][x, z, y] == SubChunkState.DATA).mean() > 0.5
    found = [(str(arrays["names"][row]), json.loads(str(arrays["states"][row]))) for row in rows]
    read = [(event["name"], event["states"] or {}) for event in server.events_called("sample")]
    assert found == read
    same = [name == sample[3] for (name, _), sample in zip(found, listed, strict=True)]
    assert np.mean(same) > 0.95
