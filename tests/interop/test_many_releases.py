"""One server, four clients of four releases at once: our own at two, npm bedrock-protocol's at two others.

All see the generator's blocks, each in the words of its release, and a change reaches all of them.

A server nobody here wrote answers a scan of this machine with what it says about itself.

The recordings of foreign servers can be made anew, and hold the same world whenever they are.
"""

import json
import os
import queue
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from client.connection import connect
from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.options import Options
from client.source import WorldFile
from net.palette import BlockState, Palette
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.worlds import ServerWorld, open_worlds
from net.space import BlockPos, ColumnPos
from net.transport.discovery import scan
from net.transport.udp_server import UdpHost
from tests.interop.test_foreign_client import RADIUS, VERSIONS, WORLD, compare
from tests.recordings import ENTITIES, NAMES, digests, recording, said_of
from tests.recordings.servers import kind_of, made
from tests.support.data.shared import form_of
from tests.support.servers.foreign import PACKAGES, SCRIPTS, ForeignProcess, ForeignServer, node_command, random_world
from tests.support.servers.process import LONG_S, broadcast_address, end_when_heard

pytestmark = pytest.mark.interop

OURS = (486, 975)
THEIRS = (527, 1001)
GRANITE = BlockState("minecraft:stone", (("stone_type", "granite"),))
"""As 486 spells it; later releases have a block of that name."""
WITHIN_S = 200.0
NOBODY_KNOWS = 0xFFFFFFFF
"""The runtime id of what was not sent."""


class EditedHost(Host):
    """A host whose blocks are set by another thread, at the next tick."""

    edits: "queue.SimpleQueue[BlockPos]"

    def tick(self, now: float) -> None:
        while not self.edits.empty():
            self.set_block(self.edits.get(), GRANITE)
        super().tick(now)


@contextmanager
def server_of_all(world: ServerWorld) -> Iterator[tuple[int, EditedHost]]:
    """Our own server on a thread, which speaks all protocols; gives its port."""
    host = EditedHost(world, HostOptions(), ProtocolRange(), time.monotonic(), time.time(), os.urandom)
    host.edits = queue.SimpleQueue()
    server = UdpHost(host)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.address[1], host
    finally:
        server.stop()
        thread.join()


def foreign(folder: Path, port: int, protocol: int, columns: list[ColumnPos]) -> ForeignProcess:
    """The npm client, which stays."""
    settings = {"version": VERSIONS[protocol], "port": port, "radius": RADIUS + 2, "columns": columns, "stay": True}
    path = folder / f"{protocol}.json"
    path.write_text(json.dumps({**settings, "out": str(folder / f"decoded-{protocol}.json")}))
    script = SCRIPTS / "bedrock_protocol" / "client.cjs"
    command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(path))
    return ForeignProcess(command, folder, environment)


def wait_event(process: ForeignProcess, name: str, pumped: list[Connection]) -> dict[str, Any]:
    """The first event of a name; our own clients live on meanwhile."""
    end = time.monotonic() + WITHIN_S
    while not process.events_called(name):
        assert not process.events_called("error"), process.events_called("error")[:3]
        assert time.monotonic() < end, process.log()
        for connection in pumped:
            connection.pump()
    return process.events_called(name)[0]


def wait_shown(connection: Connection, position: BlockPos, name: str) -> None:
    """Until one of our own clients shows a block."""
    end = time.monotonic() + WITHIN_S
    while connection.block(position).name != name:
        assert time.monotonic() < end, connection.block(position)
        connection.pump()


def assert_same(connection: Connection, world: ServerWorld, protocol: int, columns: list[ColumnPos]) -> None:
    """Some blocks of each column, in the release's words."""
    palette, states = Palette.for_protocol(protocol), world.states
    ids = form_of(palette, states).runtime_ids.tolist()
    chance, dimension = np.random.default_rng(protocol), world.dimension
    seen = set()
    for column in columns:
        made = world.column(column).layer0.reshape(-1, 16, 16, 16)
        for x, z, y in chance.integers(0, (16, 16, 160), (40, 3)).tolist():
            wanted = palette.state_of(ids[int(made[y >> 4, x, z, y & 15])])
            position = (column.x * 16 + x, dimension.floor_y_blocks + y, column.z * 16 + z)
            shown = connection.block(position)
            if shown.runtime_id == NOBODY_KNOWS:
                continue  # behind what is in sight: it was never asked for
            assert BlockState(shown.name, tuple(shown.states.items())) == wanted, position
            seen.add(shown.name)
    assert len(seen) > 5


def test_clients_of_four_releases_see_one_world_and_each_change_of_it(tmp_path: Path) -> None:
    world = open_worlds(WORLD)[0]
    feet = BlockPos.containing(*world.spawn.feet)
    steps = range(-RADIUS, RADIUS + 1)
    columns = [ColumnPos(feet.column.x + dx, feet.column.z + dz) for dx in steps for dz in steps]
    with server_of_all(world) as (port, host), ExitStack() as stack:
        ours = {
            protocol: stack.enter_context(connect(f"127.0.0.1:{port}", protocol=protocol, radius=RADIUS))
            for protocol in OURS
        }
        theirs = {protocol: stack.enter_context(foreign(tmp_path, port, protocol, columns)) for protocol in THEIRS}
        for connection in ours.values():
            connection.wait_settled(WITHIN_S)
        for process in theirs.values():
            wait_event(process, "done", list(ours.values()))
        assert len(host.sessions) == 4
        for protocol, connection in ours.items():
            assert_same(connection, world, protocol, columns)
        host.edits.put(feet)
        for protocol, process in theirs.items():
            told = wait_event(process, "block", list(ours.values()))
            assert (told["x"], told["y"], told["z"]) == feet
            palette = Palette.for_protocol(protocol)
            assert told["id"] == form_of(palette, (BlockState("minecraft:air"), GRANITE)).runtime_ids[1]
        for protocol, name in ((486, "minecraft:stone"), (975, "minecraft:granite")):
            wait_shown(ours[protocol], feet, name)
    for protocol in THEIRS:
        decoded = json.loads((tmp_path / f"decoded-{protocol}.json").read_text())
        runtime_ids = form_of(Palette.for_protocol(protocol), world.states).runtime_ids
        assert len(decoded["columns"]) == len(columns)
        for column in decoded["columns"]:
            compare(world, column, runtime_ids)


# --------------------------------------------------------------------- test scan


def test_bedrock_protocols_advertisement_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch)
    with ForeignServer(random_world(0, seed=1), tmp_path, mode="limited", maxPlayers=7) as server:
        (seen,) = scan([("127.0.0.1", server.port), ("::1", server.port)], LONG_S)
    assert seen.address == ("127.0.0.1", server.port)
    assert (seen.pong.protocol, seen.pong.version) == (486, "1.18.11")
    assert (seen.pong.players, seen.pong.max_players) == (0, 7)
    assert seen.pong.motd
    assert seen.answers >= 1
    assert 0.0 <= seen.latency_s < LONG_S


def test_a_broadcast_to_the_lan_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    end_when_heard(monkeypatch)
    world = random_world(0, seed=1)
    with ForeignServer(world, tmp_path, mode="limited", maxPlayers=7, host="0.0.0.0") as server:
        (seen,) = scan([(broadcast_address(), server.port)], LONG_S)
    assert seen.address[1] == server.port
    assert (seen.pong.protocol, seen.pong.version, seen.pong.max_players) == (486, "1.18.11", 7)


# --------------------------------------------------------------------- test recordings


ONE_EACH = {kind_of(name)[0]: name for name in reversed(NAMES)}.values()
OF_THE_WORLD = ("blocks", "layer1", "names", "states", "runtime_ids", "biomes", "light", "lit")


@pytest.mark.parametrize("name", ONE_EACH)
def test_a_recording_that_is_made_anew_has_the_digests_of_the_one_that_is_kept(name: str, tmp_path: Path) -> None:
    _, arrays, _ = made(name, tmp_path)
    again, kept = digests(arrays), said_of(name)["digests"]
    assert {array: again[array] for array in OF_THE_WORLD} == {array: kept[array] for array in OF_THE_WORLD}


def types_in(path: Path) -> set[str]:
    """Of the entities that stand there at the end of a recording."""
    with open_connection(WorldFile(path), Options(light=False)) as again:
        assert again.replay
        again.replay.seek(again.replay.duration_s)
        again.replay.run()
        return set(again.session.entities.kinds())


@pytest.mark.nightly
@pytest.mark.parametrize("name", ENTITIES)
def test_one_of_entities_that_is_made_anew_has_those_of_the_one_that_is_kept(name: str, tmp_path: Path) -> None:
    path, _, _ = made(name, tmp_path)
    assert types_in(path) == types_in(recording(name))
