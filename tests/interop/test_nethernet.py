"""NetherNet against what nobody here wrote: go-nethernet on pion, under dragonfly and under gophertunnel's client.

Both join on this machine alone, by HTTP and by LAN discovery. A dedicated server of the game is not among them.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from client.options import Box, Options
from client.report.dump import dump
from client.source import parse_source
from net.palette import BlockState, Palette
from net.peer import Transports
from net.server.entities import FIRST_BOT
from net.server.host_options import HostOptions
from net.server.worlds import open_worlds
from net.server.worlds.world import FlatWorld
from net.space import BlockPos
from tests.support.servers.foreign import (
    ForeignProcess,
    GoServer,
    add_every_state,
    built_in_go,
    random_world,
    states_as_settings,
)
from tests.support.servers.process import announced_server, threaded_server

pytestmark = pytest.mark.interop

RADIUS = 2
CLIENT_RADIUS = 3
COLUMNS = (2 * CLIENT_RADIUS + 1) ** 2


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of servers are remembered nowhere else."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.mark.parametrize(
    ("transport", "host", "text"),
    [
        ("nethernet", "127.0.0.1", "http://127.0.0.1:{}"),
        ("nethernet", "::1", "http://[::1]:{}"),
        ("nethernet", "::1", "[::1]:{}"),
        ("lan", "127.0.0.1", "lan://127.0.0.1:{}"),
        ("signed lan", "127.0.0.1", "lan://127.0.0.1:{}"),
        ("lan", "::1", "lan://[::1]:{}"),
    ],
)
def test_a_dump_over_nethernet_is_the_world_that_was_generated(
    tmp_path: Path, transport: str, host: str, text: str
) -> None:
    world = random_world(RADIUS, seed=2168, protocol=2168)
    add_every_state(world, 2168)
    side = 16 * (RADIUS + 1)
    box = Box(BlockPos(16 - side, -64, 16 - side), BlockPos(side, 96, side))
    settings = {"world": world.as_settings(), "states": states_as_settings(2168), "transport": transport, "host": host}
    with GoServer("dragonfly2168", tmp_path, **settings) as server:
        source = parse_source(text.format(server.port))
        report = dump(source, box, tmp_path / "dump.npz", Options(radius=RADIUS + 2, protocol=2168))
        assert report.complete, report
    arrays = np.load(tmp_path / "dump.npz")
    truth = world.expected(box)
    runtime_ids = arrays["runtime_ids"].astype(np.int64)
    assert (runtime_ids[arrays["blocks"]] == truth["blocks"]).all()
    assert (runtime_ids[arrays["layer1"]] == truth["layer1"]).all()
    assert (arrays["biomes"] == truth["biomes"]).all()


@pytest.mark.parametrize("lan", [False, True])
def test_gophertunnel_joins_our_server_over_nethernet(tmp_path: Path, lan: bool) -> None:
    world, out = open_worlds("hills:1")[0], tmp_path / "decoded.json"
    options = HostOptions(radius_max=CLIENT_RADIUS, transports=Transports.NETHERNET)
    serving = announced_server if lan else threaded_server
    with serving(world, 2168, options) as port:
        wanted = {"port": port, "lan": lan, "columns": COLUMNS, "out": str(out)}
        with ForeignProcess([str(built_in_go("gopherclient2168")), json.dumps(wanted)], tmp_path) as client:
            client.wait_ended(60)
            assert client.events_called("done"), (client.events, client.log())
    assert len(json.loads(out.read_text())) > COLUMNS


def test_gophertunnel_sees_others_and_animals_and_builds(tmp_path: Path) -> None:
    glass = Palette.for_protocol(2168).runtime_id_of(BlockState("minecraft:glass"))
    options = HostOptions(radius_max=CLIENT_RADIUS, transports=Transports.NETHERNET, animals=4, bots=1)
    with threaded_server(FlatWorld(), 2168, options) as port:
        wanted = {"port": port, "columns": COLUMNS, "out": str(tmp_path / "decoded.json"), "block": glass}
        with ForeignProcess([str(built_in_go("gopherclient2168")), json.dumps(wanted)], tmp_path) as client:
            client.wait_ended(60)
            assert client.events_called("done"), (client.events, client.log())
    about = {event["event"]: event.get("about") for event in client.events}
    assert about["player"] == "bot 1"
    assert about["moved"] == FIRST_BOT
    assert about["animal"].startswith("minecraft:")
    assert about["block"] == {"id": glass, "builder": 1}
