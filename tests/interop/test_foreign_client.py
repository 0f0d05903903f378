"""A client nobody here wrote joins our server: what prismarine-chunk decodes is what the world's generator made."""

import base64
import json
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from net.bedrock.releases import is_supported
from net.palette import BlockState
from net.server.__main__ import _parser as server_options
from net.server.worlds import World, open_world
from net.space.positions import ColumnPos
from tests.support.foreign_process import ForeignProcess
from tests.support.foreign_server import PACKAGES, SCRIPTS, node_command

pytestmark = pytest.mark.interop

WORLD = "hills:1"
RADIUS = 2
VERSIONS = {
    486: "1.18.11",
    527: "1.19.1",
    582: "1.19.80",
    649: "1.20.61",
    686: "1.21.2",
    819: "1.21.93",
    944: "1.26.10",
    1001: "1.26.30",
    2169: "1.26.45",
    2193: "1.26.51",
}
"""minecraft-data's name of each release that is tried."""


def served() -> Collection[int]:
    """The protocols our server offers."""
    (option,) = (action for action in server_options()._actions if action.dest == "protocol")
    return list(option.choices) if option.choices else [number for number in VERSIONS if is_supported(number)]


class OurServer(ForeignProcess):
    """Our own server in a process of its own."""

    def __init__(self, protocol: int, mode: str) -> None:
        options = ["--world", WORLD, "--mode", mode, "--protocol", str(protocol)]
        super().__init__([sys.executable, "-m", "net.server", *options])


@pytest.mark.parametrize("mode", ["limited", "limitless", "full"])
@pytest.mark.parametrize("protocol", [number for number in VERSIONS if number in served()])
def test_what_it_decodes_is_what_was_generated(tmp_path: Path, protocol: int, mode: str) -> None:
    world = open_world(WORLD)
    centre = ColumnPos(int(world.spawn.feet[0] // 16), int(world.spawn.feet[2] // 16))
    steps = range(-RADIUS, RADIUS + 1)
    wanted = [ColumnPos(centre.x + dx, centre.z + dz) for dx in steps for dz in steps]
    with OurServer(protocol, mode) as server:
        decoded = join(tmp_path, server.port, protocol, wanted)
    names = {int(number): BlockState(**block_state(**state)) for number, state in decoded["names"].items()}
    assert {ColumnPos(column["x"], column["z"]) for column in decoded["columns"]} == set(wanted)
    for column in decoded["columns"]:
        assert column["mode"] == mode
        compare(world, column, names)


def join(folder: Path, port: int, protocol: int, columns: list[ColumnPos]) -> Any:
    """Runs the client to its end and reads what it wrote."""
    settings = {
        "version": VERSIONS[protocol],
        "port": port,
        "radius": RADIUS + 2,
        "columns": columns,
        "out": str(folder / "decoded.json"),
    }
    (folder / "client.json").write_text(json.dumps(settings))
    script = SCRIPTS / "bedrock_protocol" / "client.cjs"
    command, environment = node_command(script, PACKAGES, "bedrock-protocol", str(folder / "client.json"))
    with ForeignProcess(command, folder, environment) as client:
        client.wait_ended(60)
        assert not client.events_called("error"), client.events_called("error")[:3]
        assert client.events_called("done"), client.log()
    return json.loads((folder / "decoded.json").read_text())


def block_state(name: str, states: dict[str, Any]) -> dict[str, Any]:
    """A state of minecraft-data's list as ours are written."""
    return {"name": f"minecraft:{name}", "states": tuple(sorted(states.items()))}


def ids(text: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), "<u4")


def compare(world: World, column: dict[str, Any], names: dict[int, BlockState]) -> None:
    """One decoded column with the generator's, block by block and biome by biome."""
    made = world.column(ColumnPos(column["x"], column["z"]))
    floor = world.dimension.floor_section
    state_of = np.array([normal(state) for state in world.states], object)
    for index, section in enumerate(made.layer0):
        layers = [section] if made.layer1 is None or not made.layer1[index].any() else [section, made.layer1[index]]
        got = column["sections"].get(str(floor + index), [])
        if not section.any() and len(layers) == 1 and not got:
            continue
        for layer, text in zip(layers, got, strict=True):
            numbers, inverse = np.unique(ids(text), return_inverse=True)
            decoded = np.array([normal(names[int(number)]) for number in numbers], object)[inverse]
            assert (decoded == state_of[layer]).all(), (column["x"], floor + index, column["z"])
        biomes = ids(column["biomes"][index])
        assert (biomes.reshape(256, 16) == made.biomes[:, None]).all()


def normal(state: BlockState) -> str:
    """A state as text, its values in the order of their names; a byte is its number."""
    values = sorted((key, int(value) if isinstance(value, bool) else value) for key, value in state.states)
    return json.dumps([state.name, values])
