"""Clients nobody here wrote see each other and our animals, and build on our server."""

import json
from pathlib import Path

import pytest

from net.palette import BlockState, Palette
from net.server.options import ColumnMode, HostOptions
from net.server.worlds.world import FlatWorld
from tests.interop.test_foreign_client import VERSIONS
from tests.support.servers.foreign import PACKAGES, SCRIPTS, ForeignProcess, node_command
from tests.support.servers.process import threaded_server

pytestmark = pytest.mark.interop

GLASS = BlockState("minecraft:glass")
GRASS_Y = -61


def client(folder: Path, port: int, protocol: int, name: str, block: int) -> ForeignProcess:
    """One that builds, where it is given a block."""
    settings = {
        "version": VERSIONS[protocol],
        "port": port,
        "name": name,
        "block": block,
        "place": [2, GRASS_Y, 1],
        "eye": [0.5, GRASS_Y + 2.62, 0.5],
        "new_items": protocol >= 1001,
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(settings))
    script = SCRIPTS / "bedrock_protocol" / "builder.cjs"
    command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(path))
    return ForeignProcess(command, folder, environment)


@pytest.mark.parametrize("protocol", [486, 649, 819, 944, 1001, 2193])
def test_it_sees_others_and_animals_and_builds(tmp_path: Path, protocol: int) -> None:
    glass = Palette.for_protocol(protocol).runtime_id_of(GLASS) or 0
    options = HostOptions(mode=ColumnMode.FULL, animals=4)
    with (
        threaded_server(FlatWorld(), protocol, options) as port,
        client(tmp_path, port, protocol, "watcher", 0) as watcher,
    ):
        watcher.wait_event("animal", 60)
        with client(tmp_path, port, protocol, "builder", glass) as builder:
            for name in ("listed", "player", "block"):
                watcher.wait_event(name, 60)
            builder.wait_event("player", 60)
            builder.wait_event("block", 60)
            place = {"x": 2, "y": GRASS_Y + 1, "z": 1, "layer": 0}
            assert watcher.events_called("block")[0] == {"event": "block", **place, "id": glass}
            assert watcher.events_called("player")[0]["name"] == "builder"
            assert watcher.events_called("animal")[0]["type"].startswith("minecraft:")
            assert watcher.events_called("error") == builder.events_called("error") == []
        watcher.wait_event("wandered", 60)
