"""Our client against gophertunnel's listener and RakNet at 486, with terrain from dragonfly's encoder.

It stands apart from the npm server in what it does: the player is spawned before the first column, a storage of one
block has no indices, columns come in any order.

Gophertunnel client: A second client nobody here wrote, in Go: what dragonfly decodes of our server is what the world's
generator made; it sees who else is there, and builds.
"""

import json
import zlib
from pathlib import Path

import numpy as np
import pytest

from client.options import Box, Options
from client.report.dump import dump
from client.source import Remote
from net.palette import BlockState, Palette
from net.server.entities import FIRST_BOT
from net.server.host_options import ColumnMode, HostOptions
from net.server.worlds import ServerWorld, open_worlds
from net.server.worlds.world import FlatWorld
from net.space import BlockPos, ColumnPos
from tests.support.data.shared import form_of
from tests.support.servers.foreign import ForeignProcess, GoServer, built_in_go, random_world
from tests.support.servers.process import threaded_server

# ---------------------------------------------------------------- gophertunnel

pytestmark = pytest.mark.interop

RADIUS = 2


@pytest.mark.parametrize(
    ("mode", "limit_form", "host"),
    [
        ("limited", "index", "127.0.0.1"),
        ("limited", "count", "127.0.0.1"),
        ("limitless", "", "127.0.0.1"),
        ("limited", "index", "::1"),
    ],
)
def test_a_dump_is_the_world_the_listener_was_given(tmp_path: Path, mode: str, limit_form: str, host: str) -> None:
    world = random_world(RADIUS, seed=11)
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    settings = {"world": world.as_settings(), "mode": mode, "limitForm": limit_form, "host": host}
    with GoServer("gophertunnel486", tmp_path, **settings) as server:
        report = dump(Remote(host, server.port), box, tmp_path / "dump.npz", Options(radius=RADIUS + 2))
        assert report.complete, report
    arrays = np.load(tmp_path / "dump.npz")
    truth = world.expected(box)
    runtime_ids = arrays["runtime_ids"].astype(np.int64)
    assert (runtime_ids[arrays["blocks"]] == truth["blocks"]).all()
    assert (runtime_ids[arrays["layer1"]] == truth["layer1"]).all()
    assert (arrays["biomes"] == truth["biomes"]).all()
    assert server.events_called("request")
    assert not server.events_called("error")


# ---------------------------------------------------------------- gophertunnel client

GOPHERTUNNEL_CLIENT_RADIUS = 3
COLUMNS = (2 * GOPHERTUNNEL_CLIENT_RADIUS + 1) ** 2


@pytest.mark.parametrize("mode", list(ColumnMode))
def test_what_it_decodes_is_what_was_generated(tmp_path: Path, mode: ColumnMode) -> None:
    world, out = open_worlds("hills:1")[0], tmp_path / "decoded.json"
    with threaded_server(world, 486, HostOptions(mode=mode, radius_max=GOPHERTUNNEL_CLIENT_RADIUS)) as port:
        wanted = {"port": port, "columns": COLUMNS, "out": str(out)}
        with ForeignProcess([str(built_in_go("gopherclient486")), json.dumps(wanted)], tmp_path) as client:
            client.wait_ended(60)
            assert client.events_called("done"), client.events
    assert json.loads(out.read_text()) == checksums(world)


def test_it_sees_others_and_animals_and_builds(tmp_path: Path) -> None:
    glass = Palette.for_protocol(486).runtime_id_of(BlockState("minecraft:glass"))
    options = HostOptions(mode=ColumnMode.FULL, radius_max=GOPHERTUNNEL_CLIENT_RADIUS, animals=4, bots=1)
    with threaded_server(FlatWorld(), 486, options) as port:
        wanted = {"port": port, "columns": COLUMNS, "out": str(tmp_path / "decoded.json"), "block": glass}
        with ForeignProcess([str(built_in_go("gopherclient486")), json.dumps(wanted)], tmp_path) as client:
            client.wait_ended(60)
            assert client.events_called("done"), client.events
    about = {event["event"]: event.get("about") for event in client.events}
    assert about["player"] == "bot 1"
    assert about["moved"] == FIRST_BOT
    assert about["animal"].startswith("minecraft:")
    # The builder is 1, the client: this release of gophertunnel reads a signed number, newer ones an unsigned one.
    assert about["block"] == {"id": glass, "builder": -1}


def checksums(world: ServerWorld) -> dict[str, int]:
    """What the client writes of the columns around the spawn."""
    runtime_ids = form_of(Palette.for_protocol(486), world.states).runtime_ids
    centre, steps = (
        BlockPos.containing(*world.spawn.feet).column,
        range(-GOPHERTUNNEL_CLIENT_RADIUS, GOPHERTUNNEL_CLIENT_RADIUS + 1),
    )
    found = {}
    for x, z in ((centre.x + dx, centre.z + dz) for dx in steps for dz in steps):
        for index, section in enumerate(world.column(ColumnPos(x, z)).layer0):
            if section.any():
                ids = runtime_ids[section].astype("<u4").tobytes()
                found[f"{x} {world.dimension.floor_section + index} {z}"] = zlib.crc32(ids)
    return found
